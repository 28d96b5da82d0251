/* SPDX-License-Identifier: MIT */
/* What happens at every call and every return while the whole program is traced. Allocates nothing, takes no lock, makes no
 * name, calls nothing of the VM.
 *
 * What it costs itself is taken off: a call costs `inside` of what is measured between its two readings of the clock, and
 * `outside` around them, which is measured for its caller. Both were learnt on this machine just before; at the end too much
 * is given back (whole_cost.h).
 *
 * Threads: of the main Ractor, under the GVL.
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
  bool on, full; /* full: no more room, so it was turned off */
  uintptr_t frame_bytes;
  struct whole_cost costs[WHOLE_KINDS];
  struct open_fiber *fiber; /* that made the last event; NULL: not known */
  struct open_calls open;
  struct whole_tree tree;
  _Atomic uint64_t calls, untimed; /* untimed: their ends were not seen, or there was no room */
  _Atomic int64_t own;             /* ticks that were taken off */
};

/* For rb_add_event_hook2() with a raw argument; `counting` is a struct whole_counting. */
void whole_hook(VALUE counting, const rb_trace_arg_t *event);

/* All calls that are open end now, as far as their times go. */
void whole_hook_close(struct whole_counting *counting);

/* Is the event of a call or return as the hook reads it? */
bool whole_hook_reads(const rb_trace_arg_t *event, VALUE entry, ID id);

#endif
