#include "tests/shm/support.h"

#include "shm/base/liveness.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_file(int flags)
{
  int fd = open(support_path("lock"), flags | O_CREAT | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  return fd;
}

static int hold_both(struct support_pipes pipes, void *argument)
{
  int fd = open(argument, O_RDWR | O_CLOEXEC);
  if (rtop_liveness_hold_writer(fd) != 0 || rtop_liveness_hold_viewer(fd) != 0) return 1;
  support_tell(pipes.out);
  support_hear(pipes.in);
  rtop_liveness_drop_viewer(fd);
  support_tell(pipes.out);
  support_hear(pipes.in);
  return 0;
}

static void test_own_locks_are_not_seen(void **state)
{
  (void)state;
  int fd = open_file(O_RDWR);
  pid_t pid = 99;
  assert_int_equal(rtop_liveness_hold_writer(fd), 0);
  assert_int_equal(rtop_liveness_hold_writer(fd), 0);
  assert_int_equal(rtop_liveness_hold_viewer(fd), 0);
  assert_false(rtop_liveness_writer_alive(fd, &pid));
  assert_int_equal(pid, 0);
  assert_false(rtop_liveness_watched(fd));
  close(fd);
}

static void test_seen_by_others_until_the_end(void **state)
{
  (void)state;
  int fd = open_file(O_RDONLY);
  pid_t pid;
  struct support_child child = support_fork(hold_both, (void *)support_path("lock"));
  assert_true(support_hear(child.from));
  assert_true(rtop_liveness_writer_alive(fd, &pid));
  assert_int_equal(pid, child.pid);
  assert_true(rtop_liveness_watched(fd));
  support_tell(child.to);
  assert_true(support_hear(child.from));
  assert_false(rtop_liveness_watched(fd));
  assert_true(rtop_liveness_writer_alive(fd, NULL));
  support_tell(child.to);
  assert_int_equal(support_join(&child), 0);
  assert_false(rtop_liveness_writer_alive(fd, &pid));
  assert_int_equal(pid, 0);
  close(fd);
}

static void test_sigkill_frees_at_once(void **state)
{
  (void)state;
  int fd = open_file(O_RDONLY);
  struct support_child child = support_fork(hold_both, (void *)support_path("lock"));
  assert_true(support_hear(child.from));
  assert_true(rtop_liveness_writer_alive(fd, NULL));
  assert_int_equal(support_kill(&child), 128 + SIGKILL);
  assert_false(rtop_liveness_writer_alive(fd, NULL));
  assert_false(rtop_liveness_watched(fd));
  close(fd);
}

/* A forked child of the writer that outlives it does not keep the lock. */
static int fork_and_die(struct support_pipes pipes, void *argument)
{
  int fd = open(argument, O_RDWR | O_CLOEXEC);
  if (rtop_liveness_hold_writer(fd) != 0) return 1;
  if (fork() == 0) {
    support_tell(pipes.out);
    support_hear(pipes.in);
    _exit(0);
  }
  pause();
  return 0;
}

static void test_forked_child_does_not_hold(void **state)
{
  (void)state;
  int fd = open_file(O_RDONLY);
  pid_t pid;
  struct support_child child = support_fork(fork_and_die, (void *)support_path("lock"));
  assert_true(support_hear(child.from));
  assert_true(rtop_liveness_writer_alive(fd, &pid));
  assert_int_equal(pid, child.pid);
  kill(child.pid, SIGKILL);
  assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
  assert_false(rtop_liveness_writer_alive(fd, NULL));
  close(child.to);
  close(child.from);
  close(fd);
}

static int exec_another(struct support_pipes pipes, void *argument)
{
  int fd = open(argument, O_RDWR | O_CLOEXEC);
  if (rtop_liveness_hold_writer(fd) != 0) return 1;
  dup2(pipes.in, 0);
  dup2(pipes.out, 1);
  execl("/bin/cat", "cat", (char *)NULL);
  return 2;
}

/* The pid is the same and lives, but the program that held the lock is gone. */
static void test_exec_frees(void **state)
{
  (void)state;
  int fd = open_file(O_RDONLY);
  struct support_child child = support_fork(exec_another, (void *)support_path("lock"));
  support_tell(child.to);
  assert_true(support_hear(child.from));
  assert_int_equal(kill(child.pid, 0), 0);
  assert_false(rtop_liveness_writer_alive(fd, NULL));
  assert_int_equal(support_join(&child), 0);
  close(fd);
}

static void test_closed_descriptor(void **state)
{
  (void)state;
  pid_t pid = 5;
  assert_int_equal(rtop_liveness_hold_writer(-1), -1);
  assert_int_equal(rtop_liveness_hold_viewer(-1), -1);
  assert_false(rtop_liveness_writer_alive(-1, &pid));
  assert_int_equal(pid, 0);
  assert_false(rtop_liveness_watched(-1));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_own_locks_are_not_seen),
    cmocka_unit_test(test_seen_by_others_until_the_end),
    cmocka_unit_test(test_sigkill_frees_at_once),
    cmocka_unit_test(test_forked_child_does_not_hold),
    cmocka_unit_test(test_exec_frees),
    cmocka_unit_test(test_closed_descriptor),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
