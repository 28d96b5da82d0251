/* A shorter slice of the scheduler's, where there is one to have. */
#include "ext/base/short_slice.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

/* 0: this kernel does not tell. */
static uint64_t slice_now_ns(void)
{
  uint64_t attributes[6] = { 0 }; /* sched_setattr(2): runtime is the fourth */
  return syscall(SYS_sched_getattr, 0, attributes, sizeof attributes, 0) == 0 ? attributes[3] : 0;
}

struct seen {
  uint64_t before_ns, after_ns, again_ns;
  bool taken, taken_again;
  int nice, error;
};

static void *take(void *pointer)
{
  struct seen *seen = pointer;
  seen->before_ns = slice_now_ns();
  errno = ERANGE;
  seen->taken = short_slice_take();
  seen->error = errno;
  seen->after_ns = slice_now_ns();
  seen->taken_again = short_slice_take();
  seen->again_ns = slice_now_ns();
  seen->nice = getpriority(PRIO_PROCESS, 0);
  return NULL;
}

static struct seen take_in_thread(void)
{
  struct seen seen;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, take, &seen), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  return seen;
}

static void test_taken_once(void **state)
{
  (void)state;
  struct seen seen = take_in_thread();
  assert_int_equal(seen.error, ERANGE);
  assert_int_equal(seen.nice, getpriority(PRIO_PROCESS, 0));
  if (seen.before_ns <= SHORT_SLICE_NS || prctl(PR_GET_SECCOMP) != 0) { /* none to have, or a filter of system calls */
    assert_false(seen.taken);
    assert_int_equal(seen.after_ns, seen.before_ns);
    skip();
  }
  assert_true(seen.taken);
  assert_int_equal(seen.after_ns, SHORT_SLICE_NS);
  assert_false(seen.taken_again);
  assert_int_equal(seen.again_ns, SHORT_SLICE_NS);
}

static void test_of_one_thread_only(void **state)
{
  (void)state;
  uint64_t before = slice_now_ns();
  take_in_thread();
  assert_int_equal(slice_now_ns(), before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_taken_once),
    cmocka_unit_test(test_of_one_thread_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
