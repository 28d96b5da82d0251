/* What happens at a call and at a return of a traced method. Allocates nothing, takes no lock, makes no name. */
#ifndef RTOP_EXT_TRACE_HOOK_H
#define RTOP_EXT_TRACE_HOOK_H

#include <ruby.h>

/* For rb_tracepoint_new(): calls and returns of one method; `target` is its struct trace_target. */
void trace_hook(VALUE tracepoint, void *target);

#endif
