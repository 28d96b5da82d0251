/* The floor that a GVL-aware profiler is measured against: hooks on all GVL events which read the clock and
 * do nothing else. */
#include <ruby.h>
#include <ruby/thread.h>
#include <time.h>

static int64_t last_ns;

static void read_clock(rb_event_flag_t event, const rb_internal_thread_event_data_t *data, void *user_data)
{
  struct timespec now;
  (void)event;
  (void)data;
  (void)user_data;
  clock_gettime(CLOCK_MONOTONIC, &now);
  __atomic_store_n(&last_ns, now.tv_sec * 1000000000 + now.tv_nsec, __ATOMIC_RELAXED);
}

RUBY_FUNC_EXPORTED void Init_clock_hooks(void);

void Init_clock_hooks(void)
{
  rb_internal_thread_add_event_hook(read_clock, RUBY_INTERNAL_THREAD_EVENT_MASK, NULL);
}
