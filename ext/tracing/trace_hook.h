/* SPDX-License-Identifier: MIT */
/* Counts the calls and returns of traced methods. Allocates nothing, takes no lock and makes no names. Makes objects
 * only for slow calls in a process that allows reporting arguments (slow_calls.h). */
#ifndef RTOP_EXT_TRACE_HOOK_H
#define RTOP_EXT_TRACE_HOOK_H

#include <ruby.h>
#include <ruby/debug.h>

struct trace_target;

/* Handler for rb_tracepoint_new(): handles calls and returns of one method; `target` is its struct trace_target. */
void trace_hook(VALUE tracepoint, void *target);

/* Handles an event of a method that is not written in Ruby (functions.h). */
void trace_hook_function(struct trace_target *target, const rb_trace_arg_t *event);

#endif
