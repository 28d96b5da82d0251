/* SPDX-License-Identifier: MIT */
/* Makes, enables and disables trace points. */
#include "vm_events.h"

void vm_events_on(VALUE *hook, rb_event_flag_t events, void (*handler)(VALUE, void *), struct sampler *sampler)
{
  if (!*hook) {
    *hook = rb_tracepoint_new(Qnil, events, handler, sampler);
    rb_gc_register_address(hook);
  }
  rb_tracepoint_enable(*hook);
}

void vm_events_off(VALUE hook)
{
  if (hook) rb_tracepoint_disable(hook);
}
