/* The real sampler, called as often as one likes: what a sample costs apart from its timer.
 *
 * Linked with the extension's own sources, without publisher and hooks. All calls run on the stack of the
 * Ruby code that makes them, so its depth is the depth of the stack that is sampled.
 *
 *   SamplerBench.hot(action, n)      ns of a call in a row: the median of n batches of 100
 *   SamplerBench.cold(action, n)     median ns of n calls after others used the caches
 *   SamplerBench.repeat(action, n)   n calls, for counting instructions
 *   SamplerBench.wake(n)             ns of CPU of a wake-up by a timer; wake_for_ever: on a thread, 1000 Hz
 *
 * Actions: a whole sample as a tick's job takes it, a bare rb_profile_frames call, and the ingredients.
 */
#include "ext/hooks/gvl.h"
#include "ext/sampling/accounting.h"
#include "ext/sampling/sampler.h"
#include "ext/sampling/stacks.h"
#include "shm/base/clock.h"
#include <linux/futex.h>
#include <pthread.h>
#include <ruby.h>
#include <ruby/debug.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  NODES = 1 << 17,
  FRAMES = 1 << 14,
  STRING_BYTES = 1 << 21,
  COLD_BYTES = 4 << 20,
  TICKS_PER_WINDOW = 100,
  BATCH = 100,
  RELEASES_PER_TICK = 300,
};

static struct sampler sampler;
static _Atomic uint32_t publisher_word;
static VALUE frames[SAMPLER_STACK_MAX];
static int lines[SAMPLER_STACK_MAX];
static char evicting[COLD_BYTES];
static volatile unsigned sink;

/* A tick has just been due; every hundredth opens a window, as the publisher does. */
static void tick(long number)
{
  if (number % TICKS_PER_WINDOW == 0) {
    cells_clear(sampler.open);
    atomic_fetch_add(&sampler.window, 1);
    atomic_store(&sampler.boundary_ns, clock_now_ns() + CLOCK_NS_PER_SECOND / 10);
  }
  ticks_set(&sampler.ticks, clock_now_ns());
}

static void one_sample(long number)
{
  tick(number);
  sampler_job(&sampler);
}

static void one_frames(long number)
{
  (void)number;
  sink += (unsigned)rb_profile_frames(0, SAMPLER_STACK_MAX, frames, lines);
}

static void one_frames_no_lines(long number)
{
  (void)number;
  sink += (unsigned)rb_profile_frames(0, SAMPLER_STACK_MAX, frames, NULL);
}

static struct thread_data *own_data(void)
{
  return threads_of(&sampler.threads, rb_thread_current());
}

static void one_clock(long number)
{
  (void)number;
  sink += (unsigned)clock_now_ns();
}

static void one_cpu_clock(long number)
{
  (void)number;
  sink += (unsigned)clock_own_cpu_ns();
}

static void one_allocations(long number)
{
  (void)number;
  accounting_read_allocations(&sampler, own_data());
}

/* The three events of a release of the GVL, with whatever they lead to at 1000 Hz, with a stack or without; beside them,
 * hooks that read the clock. */
static void release_gvl(long number, int64_t credit_ns)
{
  atomic_store_explicit(&sampler.stack_credit_ns, credit_ns, memory_order_relaxed);
  const rb_internal_thread_event_data_t data = { .thread = rb_thread_current() };
  if (number % RELEASES_PER_TICK == 0) {
    tick(number / RELEASES_PER_TICK);
    atomic_store(&sampler.coarse_ns, atomic_load(&sampler.ticks.last_ns));
  }
  gvl_event(RUBY_INTERNAL_THREAD_EVENT_SUSPENDED, &data, &sampler);
  gvl_event(RUBY_INTERNAL_THREAD_EVENT_READY, &data, &sampler);
  gvl_event(RUBY_INTERNAL_THREAD_EVENT_RESUMED, &data, &sampler);
}

static void one_release(long number)
{
  release_gvl(number, 0);
}

static void one_known_release(long number)
{
  release_gvl(number, CLOCK_NS_PER_SECOND);
}

static void one_coarse_release(long number)
{
  atomic_store(&sampler.coarse, true);
  one_release(number);
  atomic_store(&sampler.coarse, false);
}

static void one_clocked_release(long number)
{
  for (int i = 0; i < 3; i++) one_clock(number);
}

/* The walk alone is sampler_stack() less rb_profile_frames. */
static void one_stack(long number)
{
  (void)number;
  sink += sampler_stack(&sampler, own_data(), NULL);
}

static const struct {
  const char *name;
  void (*function)(long number);
} actions[] = {
  { "sample", one_sample },
  { "frames", one_frames },
  { "frames_no_lines", one_frames_no_lines },
  { "clock", one_clock },
  { "cpu_clock", one_cpu_clock },
  { "allocations", one_allocations },
  { "release", one_release },
  { "known_release", one_known_release },
  { "coarse_release", one_coarse_release },
  { "clocked_release", one_clocked_release },
  { "stack", one_stack },
  { "tick", tick },
};

static void (*find(VALUE name))(long)
{
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
    if (strcmp(actions[i].name, StringValueCStr(name)) == 0) return actions[i].function;
  rb_raise(rb_eArgError, "no such action");
}

static int by_value(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* ns of a call: the median of n batches, after one that warms the caches. A busy machine shows in some of
 * them only. */
static VALUE bench_hot(VALUE self, VALUE name, VALUE count)
{
  void (*function)(long) = find(name);
  long n = NUM2LONG(count);
  int64_t *times = n > 0 ? calloc((size_t)n, sizeof *times) : NULL;
  (void)self;
  if (!times) rb_raise(rb_eArgError, "count");
  for (long batch = -1; batch < n; batch++) {
    int64_t begin = clock_now_ns();
    for (long i = 1; i <= BATCH; i++) function(i);
    if (batch >= 0) times[batch] = clock_now_ns() - begin;
  }
  qsort(times, (size_t)n, sizeof *times, by_value);
  int64_t median = times[n / 2];
  free(times);
  return DBL2NUM((double)median / BATCH);
}

/* Median ns of n calls, before each of which a block larger than the second-level cache is walked. */
static VALUE bench_cold(VALUE self, VALUE name, VALUE count)
{
  void (*function)(long) = find(name);
  long n = NUM2LONG(count);
  int64_t *times = n > 0 ? calloc((size_t)n, sizeof *times) : NULL;
  (void)self;
  if (!times) rb_raise(rb_eArgError, "count");
  for (long i = 0; i < n; i++) {
    for (size_t byte = 0; byte < COLD_BYTES; byte += 64) evicting[byte]++;
    int64_t begin = clock_now_ns();
    function(i + 1);
    times[i] = clock_now_ns() - begin;
  }
  qsort(times, (size_t)n, sizeof *times, by_value);
  int64_t median = times[n / 2];
  free(times);
  return LL2NUM(median);
}

/* Exactly n calls and nothing else: for counting instructions. */
static VALUE bench_repeat(VALUE self, VALUE name, VALUE count)
{
  void (*function)(long) = find(name);
  long n = NUM2LONG(count);
  (void)self;
  for (long i = 1; i <= n; i++) function(i);
  return Qnil;
}

/* ---- the timer ---------------------------------------------------------------------------------- */

/* Sleeps to the next millisecond as the publisher does, so many times (for ever when negative). */
static void sleep_ticks(long count)
{
  static uint32_t word;
  int64_t next = clock_now_ns();
  for (long i = 0; i != count; i++) {
    next += CLOCK_NS_PER_SECOND / 1000;
    struct timespec deadline = {
      .tv_sec = (time_t)(next / CLOCK_NS_PER_SECOND),
      .tv_nsec = (long)(next % CLOCK_NS_PER_SECOND),
    };
    syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &deadline, NULL, FUTEX_BITSET_MATCH_ANY);
  }
}

/* ns of CPU of one wake-up. */
static VALUE bench_wake(VALUE self, VALUE count)
{
  long n = NUM2LONG(count);
  (void)self;
  int64_t begin = clock_own_cpu_ns();
  sleep_ticks(n);
  return DBL2NUM((double)(clock_own_cpu_ns() - begin) / (double)n);
}

static void *wake_main(void *unused)
{
  (void)unused;
  sleep_ticks(-1);
  return NULL;
}

static VALUE bench_wake_for_ever(VALUE self)
{
  pthread_t thread;
  sigset_t all, before;
  (void)self;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&thread, NULL, wake_main, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed) rb_raise(rb_eRuntimeError, "no thread");
  pthread_detach(thread);
  return Qnil;
}

RUBY_FUNC_EXPORTED void Init_sampler_bench(void);

void Init_sampler_bench(void)
{
  VALUE module = rb_define_module("SamplerBench");
  rb_define_singleton_method(module, "hot", bench_hot, 2);
  rb_define_singleton_method(module, "cold", bench_cold, 2);
  rb_define_singleton_method(module, "repeat", bench_repeat, 2);
  rb_define_singleton_method(module, "wake", bench_wake, 1);
  rb_define_singleton_method(module, "wake_for_ever", bench_wake_for_ever, 0);
  threads_init(&sampler.threads, false);
  label_sets_init(&sampler.labels);
  cpu_clock_init(getenv("RPERF_TOP_CPU_CLOCK") != NULL);
  sampler_learn(&sampler);
  if (sampler_create(&sampler, NODES, FRAMES, STRING_BYTES) != 0) rb_raise(rb_eNoMemError, "sampler");
  sampler.publisher_word = &publisher_word;
  atomic_store(&sampler.period_ns, CLOCK_NS_PER_SECOND / 1000);
  sampler_begin(&sampler);
  sampler.cut_pending = false;
  sampler_adopt_threads(&sampler);
  atomic_store(&sampler.active, true);
}
