/* SPDX-License-Identifier: MIT */
/* Traced methods that are not written in Ruby: C functions, attributes, members of a Struct or Data.
 *
 * Such methods have no code that a tracepoint could be set on. So while one of them is traced, the VM reports every
 * call of these kinds to a hook, which picks the traced ones by their owner and the name under which they were defined.
 * This slows down all other C calls; the cost is measured and reported (functions_take_cost()). While the hook exists,
 * the VM also executes operators on numbers as calls, and does not change that code back afterwards.
 *
 * Threads: with the GVL, in the job of the main Ractor; the publisher reads atomic fields.
 */
#ifndef RTOP_EXT_FUNCTIONS_H
#define RTOP_EXT_FUNCTIONS_H

#include "trace_target.h"
#include <ruby.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct functions {
  uint64_t names; /* a bit for each traced name (function_bit()); the name of most calls has no bit set here */
  uint32_t count;
  struct function {
    ID name;
    VALUE owner; /* kept alive by `target` */
    struct trace_target *target;
  } traced[RTOP_TRACE_SLOTS];
  VALUE probe;
  bool is_set;                  /* whether the hook is installed */
  _Atomic uint64_t events;      /* number of events: two for each C call of the program, traced or not */
  _Atomic int64_t call_cost_ns; /* cost in ns of a call that is not traced; 0: not measured yet */
  /* used by the publisher: number of events whose cost was reported; number of events at the publisher's last check,
   * once a second */
  uint64_t paid_events, watched_events;
};

/* Learns once the characteristics of methods of these kinds. May raise. */
void functions_learn_kinds(void);
/* functions_are() tells whether the method entry is of one of these kinds; functions_are_members() tells whether it is
 * a member of a Struct or Data. Code compiled by YJIT sends no events for members. */
bool functions_are(VALUE entry);
bool functions_are_members(VALUE entry);

/* Call before the first method is traced: checks that events can be read, and measures their cost. Takes a few ms.
 * May raise. */
bool functions_learn(struct functions *functions);

/* Start and stop counting the calls of a target; the hook exists while there is at least one target. */
void functions_add(struct functions *functions, struct trace_target *target);
void functions_remove(struct functions *functions, struct trace_target *target);

#endif
