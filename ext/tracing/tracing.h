/* SPDX-License-Identifier: MIT */
/* Traced methods: finds the methods that viewers request, traces each with a tracepoint of its own, and ends tracing.
 *
 * A tracepoint on one method only slows down that method; methods not written in Ruby are traced differently
 * (functions.h). A viewer makes requests through the control file, the publisher passes them on, and the job carries
 * them out at the next safepoint. A request ends when the viewer withdraws it or disappears, or when its time is up.
 *
 * Only calls in the main Ractor are traced. A call counts whichever alias of the method it uses.
 *
 * Threads: tracing_want() the publisher; all other functions with the GVL.
 */
#ifndef RTOP_EXT_TRACING_H
#define RTOP_EXT_TRACING_H

#include "functions.h"
#include "open_calls.h"
#include "sites.h"
#include "slow_calls.h"
#include "trace_target.h"
#include "whole.h"
#include "ext/base/trylock.h"
#include "ext/sampling/sampler.h"

struct tracing {
  struct sampler *sampler;
  struct trylock lock; /* protects `wanted` and `wishes`; held only for copying */
  uint32_t wanted;
  struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS];
  bool allow_args;         /* whether the process allows reporting the arguments of slow calls */
  _Atomic bool any;        /* something is requested or traced */
  struct open_calls *open; /* NULL until the first request; the same holds for `slow` */
  struct slow_calls *_Atomic slow;
  _Atomic int64_t call_cost_ns; /* cost in ns that tracing adds to a call; 0: not measured yet */
  struct trace_target targets[RTOP_TRACE_SLOTS];
  struct functions functions; /* the traced methods that are not written in Ruby */
  VALUE marker;
  uint64_t seen_window;
  int64_t watched_ns; /* used by the publisher: begin of the second over which calls are counted */
  uint64_t slow_paid_ns;
  struct whole whole; /* counting of all calls */
  struct sites sites; /* sampling of allocation sites */
};

void tracing_init(struct tracing *tracing, struct sampler *sampler);

/* Sets the wanted requests by slot; bit i of `wanted` is set if wishes[i] is requested. Returns true when the next job
 * has something to do. */
bool tracing_want(struct tracing *tracing, uint32_t wanted, const struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS]);

/* [job] Carries out pending requests, once per window. Raises nothing. */
void tracing_job(struct tracing *tracing);

/* Names all counted calls before the session ends, so that the last windows can report them. */
void tracing_hand_in(struct tracing *tracing);

/* Ends all tracing, before the hooks are removed. Raises nothing. */
void tracing_end(struct tracing *tracing);
/* Ends all tracing. Call when no viewer is left. */
void tracing_park(struct tracing *tracing);

/* Forgets all counts. Call before a session and in a forked child, while there is no publisher. */
void tracing_forget(struct tracing *tracing);

#endif
