/* SPDX-License-Identifier: MIT */
/* Triggers the sampling job on the running thread when a tick is due. */
#include "timeslice.h"

#include "shm/base/clock.h"
#include "vm_events.h"

static VALUE hook;

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
  vm_events_on(&hook, RUBY_INTERNAL_EVENT_SWITCH, on_timer, sampler);
}

void timeslice_remove(void)
{
  vm_events_off(hook);
}
