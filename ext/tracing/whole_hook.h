/* SPDX-License-Identifier: MIT */
/* The hook on every call and return while all calls are counted. It allocates nothing, takes no lock, makes no names,
 * and calls no function of the VM.
 *
 * The hook's own cost is subtracted: per call, `inside` is its cost between the two clock readings, and `outside` its
 * cost before and after them, which would count as time of the caller. Both are measured just before counting begins;
 * whole_cost.h corrects an excess at the end.
 *
 * Threads: any thread of the main Ractor, with the GVL.
 */
#ifndef RTOP_EXT_WHOLE_HOOK_H
#define RTOP_EXT_WHOLE_HOOK_H

#include "open_calls.h"
#include "whole_cost.h"
#include "whole_tree.h"
#include <ruby.h>
#include <ruby/debug.h>
#include <stdatomic.h>
#include <stdbool.h>

struct whole_counting {
  bool on, full; /* full: counting ended because there was no more room */
  uintptr_t frame_bytes;
  struct whole_cost costs[WHOLE_KINDS];
  struct open_fiber *fiber; /* fiber of the last event; NULL: unknown */
  struct open_calls open;
  struct whole_tree tree;
  /* calls: number of counted calls; untimed: number of calls whose end was not seen, or that found no room */
  _Atomic uint64_t calls, untimed;
  _Atomic int64_t own; /* ticks of overhead that were subtracted */
};

/* Handler for rb_add_event_hook2() with a raw argument; `counting` is a struct whole_counting. */
void whole_hook(VALUE counting, const rb_trace_arg_t *event);

/* Ends all open calls now. */
void whole_hook_close(struct whole_counting *counting);

/* Tells whether the event has the layout of call and return events that the hook expects. */
bool whole_hook_reads(const rb_trace_arg_t *event, VALUE entry, ID id);

#endif
