/* SPDX-License-Identifier: MIT */
/* Counts exceptions as they are raised, by class and source location. */
#include "raises.h"

#include "vm_events.h"

static VALUE hook;

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
  vm_events_on(&hook, RUBY_EVENT_RAISE, on_raise, sampler);
}

void raises_remove(void)
{
  vm_events_off(hook);
}
