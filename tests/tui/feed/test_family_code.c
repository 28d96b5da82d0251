/* Since when a process may have loaded code: forks have that of their parent, programs that were started have not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shm/base/clock.h"
#include "tui/feed/family.h"
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

enum { APART_MS = 200, TICK_MS = 20 };
#define MS CLOCK_NS_PER_MS

static int64_t age_of(pid_t pid)
{
  return rtop_family_code_real_ns(pid, rtop_family_start_ticks(pid));
}

/* A child that waits for its end, in the same program or in another one, which closes the pipe. */
static pid_t start(bool other)
{
  int ready[2];
  char byte;
  assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
  pid_t pid = fork();
  if (pid == 0 && other) execlp("sleep", "sleep", "1000", NULL);
  if (pid == 0 && !other) {
    close(ready[0]);
    close(ready[1]);
    for (;;) pause();
  }
  close(ready[1]);
  assert_int_equal(read(ready[0], &byte, 1), 0);
  close(ready[0]);
  return pid;
}

static void end(pid_t pid)
{
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
}

static void test_forks_and_programs(void **state)
{
  (void)state;
  int64_t own_ns = age_of(getpid());
  assert_true(own_ns > 0);
  while (clock_real_ns() < own_ns + APART_MS * MS) usleep(1000);
  pid_t fork_of_us = start(false), program = start(true);
  int64_t forked_ns = age_of(fork_of_us), started_ns = age_of(program);
  end(fork_of_us);
  end(program);
  assert_in_range(forked_ns, own_ns - TICK_MS * MS, own_ns + TICK_MS * MS);
  assert_true(started_ns >= own_ns + (APART_MS - TICK_MS) * MS);
}

static void test_who_is_not_known(void **state)
{
  (void)state;
  pid_t pid = start(false);
  uint64_t ticks = rtop_family_start_ticks(pid);
  assert_true(rtop_family_code_real_ns(pid, ticks) > 0);
  assert_int_equal(rtop_family_code_real_ns(pid, ticks + 1), 0); /* the number is another process's */
  end(pid);
  assert_int_equal(rtop_family_code_real_ns(pid, ticks), 0);
  assert_int_equal(rtop_family_code_real_ns(0, 0), 0);
}

static void test_same_files(void **state)
{
  (void)state;
  assert_true(rtop_family_sees_our_files(getpid()));
  assert_false(rtop_family_sees_our_files(0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_forks_and_programs),
    cmocka_unit_test(test_who_is_not_known),
    cmocka_unit_test(test_same_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
