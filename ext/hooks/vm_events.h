/* SPDX-License-Identifier: MIT */
/* Hooks on VM events by way of TracePoint objects, which can be disabled and enabled again in a forked child, too.
 *
 * Threads: with the GVL. The first call for a hook makes one Ruby object, which is kept for ever, and may raise.
 */
#ifndef RTOP_EXT_VM_EVENTS_H
#define RTOP_EXT_VM_EVENTS_H

#include "ext/sampling/sampler.h"
#include <ruby/debug.h>

/* Enables a hook. `hook` is a static variable that is 0 at first; enabling twice has no further effect. */
void vm_events_on(VALUE *hook, rb_event_flag_t events, void (*handler)(VALUE, void *), struct sampler *sampler);

/* Disables a hook; also allowed if it was never enabled. */
void vm_events_off(VALUE hook);

#endif
