/* SPDX-License-Identifier: MIT */
/* Traced methods that are not written in Ruby: functions in C, attributes, members of a Struct or Data.
 *
 * They have no code that a tracepoint could be set on. So as long as one of them is traced the VM tells of every call of
 * their kinds, and a hook leaves alone what nobody asked for: known by the name that it was defined with and by where it
 * stands. That makes all other calls of methods in C slower, which is measured and told (functions_take_cost()); operators
 * of numbers are calls meanwhile, and instructions that the VM has changed for that stay changed.
 *
 * Threads: under the GVL, in the job of the main Ractor; what is atomic the publisher reads.
 */
#ifndef RTOP_EXT_FUNCTIONS_H
#define RTOP_EXT_FUNCTIONS_H

#include "trace_target.h"
#include <ruby.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct functions {
  uint64_t names; /* a bit for each that is traced (function_bit()): most calls are none of them */
  uint32_t count;
  struct function {
    ID name;
    VALUE owner; /* kept alive by its target */
    struct trace_target *target;
  } traced[RTOP_TRACE_SLOTS];
  VALUE probe;
  bool is_set;                          /* the hook */
  _Atomic uint64_t events;              /* two for each call in C of the program, traced or not */
  _Atomic int64_t call_cost_ns;         /* what a call that is not traced costs; 0: not measured yet */
  uint64_t paid_events, watched_events; /* the publisher's: whose cost was told; when it last looked at a second */
};

/* Once: how methods of these kinds look. May raise. */
void functions_learn_kinds(void);
/* Is an entry of one of these kinds? Of a Struct's or Data's members? Code that YJIT has compiled does not tell of these. */
bool functions_are(VALUE entry);
bool functions_are_members(VALUE entry);

/* Before the first one is traced: are events as they are read, and what do they cost? Takes a few ms. May raise. */
bool functions_learn(struct functions *functions);

/* From now on the calls of a target are counted, or no longer; the hook is there as long as there is one. */
void functions_add(struct functions *functions, struct trace_target *target);
void functions_remove(struct functions *functions, struct trace_target *target);

#endif
