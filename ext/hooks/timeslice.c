/* Triggers the job on the thread that runs, when its tick is due. */
#include "timeslice.h"

#include "shm/base/clock.h"

#include <ruby/debug.h>

static VALUE trace_point; /* made once; 0: not yet */

static void on_timer(VALUE tracepoint, void *pointer)
{
  struct sampler *sampler = pointer;
  (void)tracepoint;
  if (!atomic_load_explicit(&sampler->active, memory_order_relaxed)) return;
  int64_t now = clock_now_ns();
  if (!newborn_any(&sampler->newborn, now)) return;
  struct thread_data *data = threads_of(&sampler->threads, rb_thread_current());
  if (data && sampler_tick_due(sampler, data, now)) rb_postponed_job_trigger(sampler->job);
}

void timeslice_install(struct sampler *sampler)
{
  if (!trace_point) {
    trace_point = rb_tracepoint_new(Qnil, RUBY_INTERNAL_EVENT_SWITCH, on_timer, sampler);
    rb_gc_register_address(&trace_point);
  }
  rb_tracepoint_enable(trace_point);
}

void timeslice_remove(void)
{
  if (trace_point) rb_tracepoint_disable(trace_point);
}
