/* SPDX-License-Identifier: MIT */
/* What happens at a call and at a return of a traced method. Allocates nothing, takes no lock, makes no name;
 * only of slow calls, and where the process allows it, objects are made for their arguments (slow_calls.h). */
#ifndef RTOP_EXT_TRACE_HOOK_H
#define RTOP_EXT_TRACE_HOOK_H

#include <ruby.h>
#include <ruby/debug.h>

struct trace_target;

/* For rb_tracepoint_new(): calls and returns of one method; `target` is its struct trace_target. */
void trace_hook(VALUE tracepoint, void *target);

/* The event of a method that is not written in Ruby (functions.h). */
void trace_hook_function(struct trace_target *target, const rb_trace_arg_t *event);

#endif
