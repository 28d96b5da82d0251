/* Who descends from whom, with processes of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tui/feed/family.h"
#include "tui/feed/target.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that has a child of its own and tells its number; both wait to be killed. */
static pid_t start_pair(pid_t *below)
{
  int told[2];
  assert_int_equal(pipe(told), 0);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    pid_t own = fork();
    if (own > 0 && write(told[1], &own, sizeof own) < 0) _exit(1);
    for (;;) pause();
  }
  assert_int_equal(read(told[0], below, sizeof *below), sizeof *below);
  close(told[0]);
  close(told[1]);
  return pid;
}

static void stop(pid_t pid, pid_t below)
{
  kill(pid, SIGKILL);
  if (below) kill(below, SIGKILL);
  waitpid(pid, NULL, 0);
}

static void test_children_and_theirs(void **state)
{
  (void)state;
  struct rtop_family family = { 0 };
  pid_t below, pid = start_pair(&below);
  assert_true(rtop_family_add(&family, pid));
  assert_true(rtop_family_add(&family, pid));
  assert_int_equal(family.count, 1);
  assert_true(rtop_family_look(&family));
  assert_int_equal(family.count, 2);
  assert_int_equal(rtop_family_find(&family, pid)->parent, 0);
  assert_int_equal(rtop_family_find(&family, below)->parent, pid);
  assert_int_equal(rtop_family_find(&family, below)->owner, getuid());
  assert_true(rtop_family_find(&family, below)->start_ticks >= rtop_family_start_ticks(pid));
  assert_null(rtop_family_find(&family, getpid()));
  /* An orphan stays one of them; who is gone does not. */
  stop(pid, 0);
  assert_true(rtop_family_look(&family));
  assert_null(rtop_family_find(&family, pid));
  assert_non_null(rtop_family_find(&family, below));
  kill(below, SIGKILL);
  rtop_family_destroy(&family);
}

/* What a member leaves behind, be it gone before anybody looked, and what that makes. */
struct ended {
  pid_t pid;
  int status, count;
};

static void note_end(void *context, pid_t pid, uint64_t start_ticks, int status)
{
  struct ended *ended = context;
  assert_true(start_ticks > 0);
  if (pid != ended->pid) return; /* the one between */
  ended->status = status;
  ended->count++;
}

static void test_those_left_behind_are_adopted(void **state)
{
  (void)state;
  int added[2], told[2], go[2];
  struct ended ended = { 0 };
  struct rtop_family family = { .adopts = true, .reaped = note_end, .context = &ended };
  assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
  assert_int_equal(pipe(added) | pipe(told) | pipe(go), 0);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    char byte;
    if (read(added[0], &byte, 1) != 1) _exit(1);
    pid_t between = fork(), last = between == 0 ? fork() : -1;
    if (between != 0) _exit(getppid() == 0); /* at once: who is looked for has no parent that is known */
    if (last > 0 && write(told[1], &last, sizeof last) < 0) _exit(1);
    if (last == 0) {
      close(go[1]);
      _exit(read(go[0], &byte, 1) == 0 ? 7 : 1);
    }
    _exit(0);
  }
  assert_true(rtop_family_add(&family, pid));
  assert_int_equal(family.first.pid, pid);
  assert_int_equal(write(added[1], "", 1), 1);
  assert_int_equal(read(told[0], &ended.pid, sizeof ended.pid), sizeof ended.pid);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  /* The one between may live on for a moment. */
  while (!rtop_family_find(&family, ended.pid)) assert_true(rtop_family_look_quickly(&family));
  assert_true(rtop_family_may_be_left(&family));
  close(go[0]);
  close(go[1]);
  while (ended.count == 0) assert_true(rtop_family_look_quickly(&family)); /* it was known, and is ours by now */
  assert_int_equal(WEXITSTATUS(ended.status), 7);
  while (rtop_family_may_be_left(&family)) assert_true(rtop_family_look(&family));
  assert_int_equal(family.count, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
  for (int end = 0; end < 2; end++) {
    close(added[end]);
    close(told[end]);
  }
  rtop_family_destroy(&family);
}

/* One of ours that somebody else asks for stays for him. */
static void test_a_child_that_is_spared(void **state)
{
  (void)state;
  struct rtop_family family = { .adopts = true };
  siginfo_t info;
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) _exit(3);
  family.spared = pid;
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  assert_int_equal(rtop_family_start_ticks(pid), 0);
  assert_true(rtop_family_listed_ticks(pid) > 0);
  assert_true(rtop_family_look(&family) && rtop_family_look(&family));
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  family.spared = 0;
  assert_true(rtop_family_look(&family));
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), -1);
  assert_int_equal(rtop_family_listed_ticks(pid), 0);
  rtop_family_destroy(&family);
}

/* The number is another process's now: neither that nor what it makes belongs to them. */
static void test_a_number_that_is_used_again(void **state)
{
  (void)state;
  struct rtop_family family = { 0 };
  pid_t below, pid = start_pair(&below);
  assert_true(rtop_family_add(&family, pid));
  family.kin[0].start_ticks--;
  assert_true(rtop_family_look(&family));
  assert_int_equal(family.count, 0);
  assert_int_equal(rtop_family_start_ticks(0), 0);
  assert_false(rtop_family_add(&family, 0));
  stop(pid, below);
  assert_false(rtop_family_add(&family, pid));
  rtop_family_destroy(&family);
}

static void test_no_more_than_the_bound(void **state)
{
  (void)state;
  struct rtop_family family = { 0 };
  pid_t below, pid = start_pair(&below);
  assert_true(rtop_family_add(&family, pid));
  /* As many as there may be, all alive: this process, again and again. */
  while (family.count < RTOP_FAMILY_MAX) {
    pid_t own = getpid();
    struct rtop_family one = { 0 };
    assert_true(rtop_family_add(&one, own));
    family.kin = realloc(family.kin, (family.count + 1) * sizeof *family.kin);
    assert_non_null(family.kin);
    family.kin[family.count++] = one.kin[0];
    family.capacity = family.count;
    rtop_family_destroy(&one);
  }
  assert_true(rtop_family_look(&family));
  assert_int_equal(family.count, RTOP_FAMILY_MAX);
  assert_true(family.crowded);
  assert_null(rtop_family_find(&family, below));
  stop(pid, below);
  rtop_family_destroy(&family);
}

static void test_parents_within_a_list(void **state)
{
  (void)state;
  pid_t below, pid = start_pair(&below), parents[3];
  assert_true(rtop_family_parents((pid_t[]){ below, getpid(), 0 }, parents, 3));
  assert_int_equal(parents[0], getpid()); /* what lies between is not in the list */
  assert_int_equal(parents[1], 0);
  assert_int_equal(parents[2], 0);
  assert_true(rtop_family_parents((pid_t[]){ below, pid }, parents, 2));
  assert_int_equal(parents[0], pid);
  pid_t found[4];
  assert_int_equal(rtop_family_descendants(pid, found, 4), 1);
  assert_int_equal(found[0], below);
  stop(pid, below);
}

/* To the kernel the folder of a process that may not be dumped is root's, whoever it runs as. */
static void test_the_owner_of_one_that_cannot_be_dumped(void **state)
{
  (void)state;
  int told[2];
  char byte;
  uid_t user = getuid() ? getuid() : 65534;
  struct rtop_family family = { 0 };
  assert_int_equal(pipe(told), 0);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    if ((getuid() == 0 && setuid(user) != 0) || prctl(PR_SET_DUMPABLE, 0) != 0 || write(told[1], "x", 1) < 0) _exit(1);
    for (;;) pause();
  }
  close(told[1]);
  assert_int_equal(read(told[0], &byte, 1), 1);
  close(told[0]);
  assert_true(rtop_family_add(&family, pid));
  assert_int_equal(family.kin[0].owner, user);
  struct rtop_target target;
  rtop_target_look(pid, &target);
  assert_int_equal(target.uid, user);
  stop(pid, 0);
  rtop_family_destroy(&family);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_children_and_theirs),
    cmocka_unit_test(test_those_left_behind_are_adopted),
    cmocka_unit_test(test_a_child_that_is_spared),
    cmocka_unit_test(test_a_number_that_is_used_again),
    cmocka_unit_test(test_no_more_than_the_bound),
    cmocka_unit_test(test_parents_within_a_list),
    cmocka_unit_test(test_the_owner_of_one_that_cannot_be_dumped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
