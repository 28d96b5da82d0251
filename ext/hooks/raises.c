/* Counts exceptions as they are raised, and notes what they are. */
#include "raises.h"

#include <ruby/debug.h>

static VALUE trace_point; /* made once; 0: not yet */

static void on_raise(VALUE tracepoint, void *pointer)
{
  struct sampler *sampler = pointer;
  struct thread_data *thread = threads_of(&sampler->threads, rb_thread_current());
  VALUE exception = rb_tracearg_raised_exception(rb_tracearg_from_tracepoint(tracepoint));
  atomic_fetch_add_explicit(&sampler->counters.exceptions, 1, memory_order_relaxed);
  if (thread) thread->raises++;
  raised_note(&sampler->raised, sampler, exception, thread ? thread->serial : 0);
}

void raises_install(struct sampler *sampler)
{
  if (!trace_point) {
    trace_point = rb_tracepoint_new(Qnil, RUBY_EVENT_RAISE, on_raise, sampler);
    rb_gc_register_address(&trace_point);
  }
  rb_tracepoint_enable(trace_point);
}

void raises_remove(void)
{
  if (trace_point) rb_tracepoint_disable(trace_point);
}
