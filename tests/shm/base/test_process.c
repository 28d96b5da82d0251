#include "tests/shm/support.h"

#include "shm/base/process.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_own_status(void **state)
{
  (void)state;
  struct process_status status;
  assert_true(process_status_read(getpid(), &status));
  assert_int_equal(status.uid, geteuid());
  assert_true(status.pid_count >= 1);
  assert_int_equal(status.pids[0], getpid());
}

static void test_nobody(void **state)
{
  (void)state;
  struct process_status status;
  pid_t gone = fork();
  if (gone == 0) _exit(0);
  assert_int_equal(waitpid(gone, NULL, 0), gone);
  assert_false(process_status_read(gone, &status));
  assert_false(process_status_read(-1, &status));
  assert_int_equal(status.pid_count, 0);
}

static int take_another_user(struct support_pipes pipes, void *argument)
{
  (void)argument;
  if (setuid(65534) != 0) return 1;
  support_tell(pipes.out);
  support_hear(pipes.in);
  return 0;
}

static void test_effective_user(void **state)
{
  (void)state;
  struct process_status status;
  if (geteuid() != 0) skip();
  struct support_child child = support_fork(take_another_user, NULL);
  assert_true(support_hear(child.from));
  assert_true(process_status_read(child.pid, &status));
  assert_int_equal(status.uid, 65534);
  assert_int_equal(support_join(&child), 0);
}

/* A name full of what the parser looks for. */
static int take_a_wicked_name(struct support_pipes pipes, void *argument)
{
  (void)pipes;
  uint64_t before = process_own_start_ticks();
  FILE *name = fopen("/proc/self/comm", "w");
  if (!name || fputs(argument, name) < 0 || fclose(name) != 0) return 1;
  return before != 0 && process_own_start_ticks() == before ? 0 : 2;
}

static void test_start_ticks_whatever_the_name(void **state)
{
  (void)state;
  static const char *const names[] = { "a b c d", ") 1 2 3", "x) (y", "((((", "Uid:\t7\n" };
  assert_true(process_own_start_ticks() > 0);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    struct support_child child = support_fork(take_a_wicked_name, (void *)names[i]);
    assert_int_equal(support_join(&child), 0);
  }
}

static void test_boot_id_and_namespace(void **state)
{
  (void)state;
  uint8_t first[16], second[16], zero[16] = { 0 };
  process_boot_id(first);
  process_boot_id(second);
  assert_memory_equal(first, second, 16);
  assert_memory_not_equal(first, zero, 16);
  assert_true(process_own_pid_namespace() != 0);
}

static int with_environment(struct support_pipes pipes, void *argument)
{
  char *const variables[] = { "=C:=nothing",           "TES=1",      "TESTED=2", "",
                              "TEST=here and = there", "TEST=again", "LAST=",    NULL };
  (void)argument;
  fcntl(pipes.in, F_SETFD, 0);
  dup2(pipes.in, STDIN_FILENO);
  execle("/bin/cat", "cat", (char *)NULL, variables);
  return 1;
}

/* It has its name before it has its environment. */
static bool has_become_cat(void *argument)
{
  struct process_stat stat;
  char value[32];
  pid_t pid = *(pid_t *)argument;
  return process_stat_read(pid, &stat) && strcmp(stat.program, "cat") == 0 &&
         process_environment(pid, "TEST", value, sizeof value);
}

static void test_environment(void **state)
{
  (void)state;
  char value[32];
  struct support_child child = support_fork(with_environment, NULL);
  assert_true(support_wait_for(has_become_cat, &child.pid));
  assert_true(process_environment(child.pid, "TEST", value, sizeof value));
  assert_string_equal(value, "here and = there");
  assert_true(process_environment(child.pid, "LAST", value, sizeof value));
  assert_string_equal(value, "");
  assert_true(process_environment(child.pid, "TEST", value, 17));
  assert_false(process_environment(child.pid, "TEST", value, 16)); /* too long: not a part of it */
  assert_false(process_environment(child.pid, "ED", value, sizeof value));
  assert_false(process_environment(child.pid, "MISSING", value, sizeof value));
  assert_false(process_environment(-1, "TEST", value, sizeof value));
  assert_int_equal(support_join(&child), 0);
}

static void test_random_differs(void **state)
{
  (void)state;
  uint8_t a[16], b[16];
  process_random(a, sizeof a);
  process_random(b, sizeof b);
  assert_memory_not_equal(a, b, sizeof a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_own_status),
    cmocka_unit_test(test_nobody),
    cmocka_unit_test(test_effective_user),
    cmocka_unit_test(test_start_ticks_whatever_the_name),
    cmocka_unit_test(test_boot_id_and_namespace),
    cmocka_unit_test(test_environment),
    cmocka_unit_test(test_random_differs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
