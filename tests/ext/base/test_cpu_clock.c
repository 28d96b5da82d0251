/* The CPU clock that need not ask the kernel, against the kernel's. Bounds are by construction: while a thread
 * keeps its core, what is found differs by what the clocks count differently within CPU_CLOCK_TRUE_EVERY_NS;
 * after a break it is the kernel's own. */
#include "ext/base/cpu_clock.h"
#include "shm/base/clock.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#include <cmocka.h>

#define MS INT64_C(1000000)

static bool usable;

static int sleeps_that_are_over_at_once;

/* In place of libc's. */
int nanosleep(const struct timespec *length, struct timespec *left)
{
  return sleeps_that_are_over_at_once-- > 0 ? 0 : clock_nanosleep(CLOCK_MONOTONIC, 0, length, left);
}

static int set_up(void **state)
{
  (void)state;
  usable = cpu_clock_init(false);
  return 0;
}

static void need_it(void)
{
  if (!usable) skip();
}

static void spin_until(int64_t mono_ns)
{
  while (clock_now_ns() < mono_ns) {
  }
}

/* A reading between two of the kernel's. */
struct reading {
  int64_t before_ns, found_ns, after_ns;
  bool asked;
};

static struct reading take(struct cpu_clock_mark *mark)
{
  struct reading reading = { .before_ns = clock_own_cpu_ns() };
  reading.found_ns = cpu_clock_read_ns(mark, clock_now_ns(), &reading.asked);
  reading.after_ns = clock_own_cpu_ns();
  return reading;
}

static void assert_within(struct reading reading, int64_t slack_ns)
{
  assert_true(reading.found_ns >= reading.before_ns - slack_ns);
  assert_true(reading.found_ns <= reading.after_ns + slack_ns);
}

static void test_the_old_way_is_the_kernels(void **state)
{
  (void)state;
  struct cpu_clock_mark mark = { .owner = 1 };
  assert_false(cpu_clock_init(true));
  assert_false(cpu_clock_usable());
  for (int i = 0; i < 1000; i++) assert_within(take(&mark), 0);
  assert_false(cpu_clock_unbroken(&mark));
  assert_int_equal(mark.wall_ns, 0);
}

/* A sleep may be over before the thread has left its core: that says nothing of the kernel. */
static void test_a_sleep_that_is_none_does_not_decide(void **state)
{
  (void)state;
  need_it();
  for (int sleeps = 1; sleeps <= 2; sleeps++) {
    sleeps_that_are_over_at_once = sleeps;
    assert_true(cpu_clock_init(false));
  }
  sleeps_that_are_over_at_once = 1000;
  assert_false(cpu_clock_init(false));
  sleeps_that_are_over_at_once = 0;
}

static void test_busy_is_the_same_both_ways(void **state)
{
  (void)state;
  struct cpu_clock_mark mark = { .owner = 2 };
  unsigned random = 1;
  int kept = 0;
  need_it();
  int64_t end = clock_now_ns() + 300 * MS;
  while (clock_now_ns() < end) {
    int64_t marked = mark.wall_ns;
    assert_within(take(&mark), CPU_CLOCK_TRUE_EVERY_NS);
    kept += marked == mark.wall_ns;
    random = random * 1103515245 + 12345;
    spin_until(clock_now_ns() + (int64_t)(random >> 12) % MS);
  }
  assert_true(kept > 0); /* the kernel was not always asked */
}

/* Without the kernel's word each of these would count 10 ms of sleep as CPU. */
static void test_sleep_is_not_cpu(void **state)
{
  (void)state;
  struct cpu_clock_mark mark = { .owner = 3 };
  need_it();
  for (int i = 0; i < 20; i++) {
    take(&mark);
    nanosleep(&(struct timespec){ .tv_nsec = 10 * MS }, NULL);
    assert_false(cpu_clock_unbroken(&mark));
    assert_within(take(&mark), 0);
  }
}

static void *spin(void *stop)
{
  while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED)) {
  }
  return NULL;
}

/* Two threads on one core: about half of the time each is not running, which no system call tells it. */
static void test_preemption_is_not_cpu(void **state)
{
  (void)state;
  struct cpu_clock_mark mark = { .owner = 4 };
  bool stop = false;
  cpu_set_t before, one;
  pthread_t other;
  need_it();
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET((size_t)sched_getcpu(), &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  assert_int_equal(pthread_create(&other, NULL, spin, &stop), 0);
  int64_t start = clock_now_ns(), cpu = clock_own_cpu_ns(), wall_end = start + 2000 * MS;
  int breaks = 0;
  while (clock_own_cpu_ns() - cpu < 100 * MS && clock_now_ns() < wall_end) {
    breaks += mark.area != 0 && !cpu_clock_unbroken(&mark);
    assert_within(take(&mark), CPU_CLOCK_TRUE_EVERY_NS);
    spin_until(clock_now_ns() + MS / 2);
  }
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  pthread_join(other, NULL);
  sched_setaffinity(0, sizeof before, &before);
  assert_true(breaks > 0);
}

static void test_only_the_last_mark_of_a_native_thread_counts(void **state)
{
  (void)state;
  struct cpu_clock_mark first = { .owner = 5 }, second = { .owner = 6 };
  need_it();
  bool seen = false;
  for (int i = 0; i < 1000 && !seen; i++) {
    take(&first);
    bool was = cpu_clock_unbroken(&first);
    take(&second);
    assert_false(cpu_clock_unbroken(&first));
    seen = was && cpu_clock_unbroken(&second);
  }
  assert_true(seen);
}

static void *is_unbroken(void *mark)
{
  static bool yes, no;
  take(&(struct cpu_clock_mark){ .owner = 8 });
  return cpu_clock_unbroken(mark) ? &yes : &no;
}

static void test_a_mark_says_nothing_on_another_thread(void **state)
{
  (void)state;
  struct cpu_clock_mark mark = { .owner = 7 }, none = { .owner = 9 };
  pthread_t other;
  void *yes = NULL, *result;
  need_it();
  take(&mark);
  assert_int_equal(pthread_create(&other, NULL, is_unbroken, &mark), 0);
  assert_int_equal(pthread_join(other, &result), 0);
  assert_int_equal(pthread_create(&other, NULL, is_unbroken, &none), 0);
  assert_int_equal(pthread_join(other, &yes), 0);
  assert_ptr_equal(result, yes); /* as of a mark that was never made: no */
}

static void test_a_forked_child_reads_its_own_clock(void **state)
{
  (void)state;
  struct cpu_clock_mark mark = { .owner = 10 };
  need_it();
  spin_until(clock_now_ns() + 20 * MS);
  take(&mark);
  pid_t child = fork();
  if (child == 0) {
    struct cpu_clock_mark own = { .owner = 11 };
    struct reading reading = take(&own);
    _exit(reading.found_ns >= reading.before_ns && reading.found_ns <= reading.after_ns ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

#if defined(RSEQ_SIG)
static volatile uint64_t *own_word(void)
{
  char *area = (char *)__builtin_thread_pointer() + __rseq_offset;
  return (volatile uint64_t *)(void *)(area + offsetof(struct rseq, rseq_cs));
}

/* The kernel has nothing to look at until the next reading, which asks. */
static void test_at_rest_nothing_is_watched(void **state)
{
  (void)state;
  struct cpu_clock_mark mark = { .owner = 13 };
  need_it();
  bool watched = false;
  for (int i = 0; i < 1000 && !watched; i++) {
    take(&mark);
    watched = *own_word() != 0;
  }
  assert_true(watched);
  cpu_clock_rest(&mark);
  assert_int_equal(*own_word(), 0);
  assert_false(cpu_clock_unbroken(&mark));
  struct reading next = take(&mark);
  assert_true(next.asked);
  assert_within(next, 0);
  cpu_clock_rest(&mark);
  cpu_clock_rest(&mark);
  assert_int_equal(*own_word(), 0);
}

/* What another library has put into the word stays, and the kernel is asked. */
static void test_a_foreign_word_is_left_alone(void **state)
{
  (void)state;
  static const uint32_t nowhere[3] = { 0, RSEQ_SIG, RSEQ_SIG };
  static struct rseq_cs foreign = { .post_commit_offset = 1 };
  struct cpu_clock_mark mark = { .owner = 12 };
  need_it();
  foreign.start_ip = (uintptr_t)&nowhere[0];
  foreign.abort_ip = (uintptr_t)&nowhere[2];
  volatile uint64_t *word = own_word();
  bool stayed = false;
  for (int i = 0; i < 1000 && !stayed; i++) { /* unless the kernel clears it meanwhile */
    *word = (uintptr_t)&foreign;
    assert_within(take(&mark), 0);
    cpu_clock_rest(&mark);
    stayed = *word == (uintptr_t)&foreign;
    assert_false(stayed && cpu_clock_unbroken(&mark));
  }
  assert_true(stayed);
  *word = 0;
  bool again = false;
  for (int i = 0; i < 1000 && !again; i++) {
    take(&mark);
    again = cpu_clock_unbroken(&mark);
  }
  assert_true(again);
}
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_old_way_is_the_kernels),
    cmocka_unit_test_setup(test_a_sleep_that_is_none_does_not_decide, set_up),
    cmocka_unit_test_setup(test_busy_is_the_same_both_ways, set_up),
    cmocka_unit_test_setup(test_sleep_is_not_cpu, set_up),
    cmocka_unit_test_setup(test_preemption_is_not_cpu, set_up),
    cmocka_unit_test_setup(test_only_the_last_mark_of_a_native_thread_counts, set_up),
    cmocka_unit_test_setup(test_a_mark_says_nothing_on_another_thread, set_up),
    cmocka_unit_test_setup(test_a_forked_child_reads_its_own_clock, set_up),
#if defined(RSEQ_SIG)
    cmocka_unit_test_setup(test_at_rest_nothing_is_watched, set_up),
    cmocka_unit_test_setup(test_a_foreign_word_is_left_alone, set_up),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
