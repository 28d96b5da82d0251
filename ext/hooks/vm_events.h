/* SPDX-License-Identifier: MIT */
/* A hook on events of the VM, as a trace point: they can be switched off and on again in a forked child, too.
 *
 * Under the GVL. The first call makes one Ruby object, which is kept for ever, and may raise.
 */
#ifndef RTOP_EXT_VM_EVENTS_H
#define RTOP_EXT_VM_EVENTS_H

#include "ext/sampling/sampler.h"
#include <ruby/debug.h>

/* `hook` is a static variable, 0 at first. Twice counts once. */
void vm_events_on(VALUE *hook, rb_event_flag_t events, void (*handler)(VALUE, void *), struct sampler *sampler);

/* Also of a hook that never was on. */
void vm_events_off(VALUE hook);

#endif
