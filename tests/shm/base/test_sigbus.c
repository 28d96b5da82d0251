#include "tests/shm/support.h"

#include "shm/base/sigbus.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 8192 };
static int fd;
static unsigned char *mapping;
static volatile sig_atomic_t chained;

static int set_up(void **state)
{
  (void)state;
  fd = open(support_path("map"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, BYTES) != 0) return -1;
  mapping = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  memset(mapping, 7, BYTES);
  return mapping == MAP_FAILED;
}

static int tear_down(void **state)
{
  (void)state;
  munmap(mapping, BYTES);
  close(fd);
  return 0;
}

struct look {
  size_t at;
  unsigned char seen;
  int steps;
};

static void look(void *argument)
{
  struct look *what = argument;
  what->steps++;
  what->seen = *(volatile unsigned char *)(mapping + what->at);
  what->steps++;
}

static void test_nothing_wrong(void **state)
{
  (void)state;
  struct look what = { .at = BYTES - 1 };
  sigbus_install();
  assert_true(sigbus_run(mapping, BYTES, look, &what));
  assert_int_equal(what.seen, 7);
  assert_int_equal(what.steps, 2);
  assert_false(sigbus_run(NULL, BYTES, look, &what)); /* nothing is mapped, nothing is looked at */
  assert_int_equal(what.steps, 2);
}

static void test_truncated(void **state)
{
  (void)state;
  sigbus_install();
  sigbus_install();
  for (int round = 0; round < 50; round++) {
    struct look what = { .at = BYTES - 1 };
    assert_int_equal(ftruncate(fd, 4096), 0);
    assert_false(sigbus_run(mapping, BYTES, look, &what));
    assert_int_equal(what.steps, 1);
    what.at = 0;
    assert_true(sigbus_run(mapping, BYTES, look, &what));
    assert_int_equal(ftruncate(fd, BYTES), 0);
    what.at = BYTES - 1;
    assert_true(sigbus_run(mapping, BYTES, look, &what));
  }
}

/* A fault that is not ours, with no handler before ours: the process dies as it would have. */
static int fault_unguarded(struct support_pipes pipes, void *argument)
{
  (void)pipes;
  struct look what = { .at = BYTES - 1 };
  signal(SIGBUS, argument ? SIG_IGN : SIG_DFL);
  sigbus_install();
  if (ftruncate(fd, 0) != 0) return 1;
  /* Guards another range only. */
  sigbus_run(&what, sizeof what, look, &what);
  return 2;
}

static void test_foreign_fault_is_fatal(void **state)
{
  (void)state;
  struct support_child child = support_fork(fault_unguarded, NULL);
  assert_int_equal(support_join(&child), 128 + SIGBUS);
}

static sigjmp_buf rescue;

static void own_handler(int number, siginfo_t *info, void *context)
{
  (void)number;
  (void)info;
  (void)context;
  chained++;
  siglongjmp(rescue, 1);
}

/* The program had a handler of its own: it gets what is not ours, and a signal that was sent. */
static int keep_own_handler(struct support_pipes pipes, void *argument)
{
  (void)pipes;
  (void)argument;
  struct sigaction action = { .sa_sigaction = own_handler, .sa_flags = SA_SIGINFO };
  struct look what = { .at = 4096 };
  sigaction(SIGBUS, &action, NULL);
  sigbus_install();
  if (ftruncate(fd, 0) != 0 || sigbus_run(mapping, BYTES, look, &what) || chained != 0) return 1;
  if (sigsetjmp(rescue, 1) == 0) look(&what);
  if (chained != 1) return 2;
  if (sigsetjmp(rescue, 1) == 0) raise(SIGBUS);
  return chained == 2 && !sigbus_run(mapping, BYTES, look, &what) ? 0 : 3;
}

static void test_own_handler_is_kept(void **state)
{
  (void)state;
  struct support_child child = support_fork(keep_own_handler, NULL);
  assert_int_equal(support_join(&child), 0);
}

static int sent_signal(struct support_pipes pipes, void *argument)
{
  (void)pipes;
  (void)argument;
  signal(SIGBUS, SIG_DFL);
  sigbus_install();
  raise(SIGBUS);
  return 1;
}

static void test_sent_signal_is_fatal(void **state)
{
  (void)state;
  struct support_child child = support_fork(sent_signal, NULL);
  assert_int_equal(support_join(&child), 128 + SIGBUS);
}

#define SIGBUS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* The test library puts its own handler in place before every test: each installs again. */
int main(void)
{
  const struct CMUnitTest tests[] = {
    SIGBUS_TEST(test_foreign_fault_is_fatal),
    SIGBUS_TEST(test_own_handler_is_kept),
    SIGBUS_TEST(test_sent_signal_is_fatal),
    SIGBUS_TEST(test_nothing_wrong),
    SIGBUS_TEST(test_truncated),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
