/* Areas of threads where the C library registers none: each thread has its own one, or none, and gives it back. With glibc there
 * is nothing to test. */
#include "ext/base/rseq_own.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#ifdef RTOP_RSEQ_OWN

enum { AT_ONCE = 8, MANY = 3000 /* more than there are places */ };

static pthread_barrier_t all_have_one;

static int set_up(void **state)
{
  (void)state;
  return rseq_own_start() ? 0 : -1;
}

static void need_it(void)
{
  if (!rseq_own_claim()) skip(); /* a kernel without */
}

/* The kernel says there which core it is. */
static bool is_registered(uintptr_t area)
{
  return area && ((const volatile struct rseq *)area)->cpu_id < UINT32_MAX - 1;
}

static void *claim(void *wait)
{
  uintptr_t before = rseq_own_area(), area = rseq_own_claim();
  if (wait) pthread_barrier_wait(&all_have_one);
  return (void *)(before == 0 && is_registered(area) && rseq_own_area() == area && rseq_own_claim() == area ? area : 1);
}

static void test_each_thread_has_its_own(void **state)
{
  (void)state;
  need_it();
  pthread_t threads[AT_ONCE];
  uintptr_t found[AT_ONCE];
  assert_int_equal(pthread_barrier_init(&all_have_one, NULL, AT_ONCE), 0);
  for (int i = 0; i < AT_ONCE; i++) assert_int_equal(pthread_create(&threads[i], NULL, claim, &all_have_one), 0);
  for (int i = 0; i < AT_ONCE; i++) {
    void *area;
    pthread_join(threads[i], &area);
    found[i] = (uintptr_t)area;
    assert_int_equal(found[i] % 32, 0); /* nor 1: something was wrong */
    assert_true(found[i] != rseq_own_area());
    for (int k = 0; k < i; k++) assert_true(found[i] != found[k]);
  }
  pthread_barrier_destroy(&all_have_one);
}

/* Each joined before the next begins: one place serves them all. */
static void test_threads_give_it_back(void **state)
{
  (void)state;
  need_it();
  for (int i = 0; i < MANY; i++) {
    pthread_t thread;
    void *area;
    assert_int_equal(pthread_create(&thread, NULL, claim, NULL), 0);
    pthread_join(thread, &area);
    assert_true((uintptr_t)area > 1);
  }
}

/* Threads that nobody waits for unmap their own stack while they end. */
static void *end_alone(void *left)
{
  rseq_own_claim();
  __atomic_sub_fetch((int *)left, 1, __ATOMIC_RELEASE);
  return NULL;
}

static void test_threads_that_nobody_waits_for(void **state)
{
  (void)state;
  need_it();
  static int left;
  left = MANY;
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (int i = 0; i < MANY; i++) {
    pthread_t thread;
    while (pthread_create(&thread, &detached, end_alone, &left))
      nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
  }
  while (__atomic_load_n(&left, __ATOMIC_ACQUIRE)) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
  pthread_attr_destroy(&detached);
}

/* The kernel keeps a child's registration. */
static void test_a_child_keeps_that_of_its_thread(void **state)
{
  (void)state;
  need_it();
  uintptr_t area = rseq_own_claim();
  pid_t child = fork();
  if (child == 0) _exit(rseq_own_claim() == area && is_registered(area) ? 0 : 1);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_thread_has_its_own),
    cmocka_unit_test(test_threads_give_it_back),
    cmocka_unit_test(test_threads_that_nobody_waits_for),
    cmocka_unit_test(test_a_child_keeps_that_of_its_thread),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}

#else

static void test_nothing(void **state)
{
  (void)state;
  skip(); /* this C library has areas of its own, or none can be had */
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_nothing) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
