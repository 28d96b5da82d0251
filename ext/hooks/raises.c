/* Counts exceptions as they are raised. */
#include "raises.h"

#include <ruby/debug.h>

static struct sampler *counting;

static void on_raise(rb_event_flag_t event, VALUE data, VALUE self, ID method, VALUE class)
{
  struct thread_data *thread = threads_of(&counting->threads, rb_thread_current());
  atomic_fetch_add_explicit(&counting->counters.exceptions, 1, memory_order_relaxed);
  if (thread) thread->raises++;
}

void raises_install(struct sampler *sampler)
{
  raises_remove();
  counting = sampler;
  rb_add_event_hook(on_raise, RUBY_EVENT_RAISE, Qnil);
}

void raises_remove(void)
{
  rb_remove_event_hook(on_raise);
}
