/* SPDX-License-Identifier: MIT */
/* Methods that viewers want traced: found, traced with tracepoints of their own, given up.
 *
 * A tracepoint on one method slows down that method only; what is not written in Ruby is traced in another way
 * (functions.h). A viewer asks through the control file; the publisher hands on
 * what is wanted, and the job does it at the next safepoint. What is wanted no more, because a viewer said so, is gone, or
 * its time was up, ends in the same way.
 *
 * Only of the main Ractor. All calls of a method count, by whatever name: aliases are the same method.
 *
 * Threads: tracing_want() the publisher. All others under the GVL.
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
  struct trylock lock; /* of the next two; held for as long as copying takes */
  uint32_t wanted;
  struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS];
  bool allow_args;         /* the process lets arguments of slow calls be told */
  _Atomic bool any;        /* something is wanted or traced */
  struct open_calls *open; /* NULL until something was wanted, as the next */
  struct slow_calls *_Atomic slow;
  _Atomic int64_t call_cost_ns; /* what tracing adds to a call; 0: not measured yet */
  struct trace_target targets[RTOP_TRACE_SLOTS];
  struct functions functions; /* those of them that are not written in Ruby */
  VALUE marker;
  uint64_t seen_window;
  int64_t watched_ns; /* the publisher's: since then calls are looked at together */
  uint64_t slow_paid_ns;
  struct whole whole; /* all calls */
  struct sites sites; /* allocation sites */
};

void tracing_init(struct tracing *tracing, struct sampler *sampler);

/* What is wanted from now on, by slot. True: something is to be done, by the next job. */
bool tracing_want(struct tracing *tracing, uint32_t wanted, const struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS]);

/* [job] Once in a window does what is to be done. Raises nothing. */
void tracing_job(struct tracing *tracing);

/* Before the session ends: all calls that were counted get names, so that the last windows can tell them. */
void tracing_hand_in(struct tracing *tracing);

/* Ends all, before the hooks go off. Raises nothing. */
void tracing_end(struct tracing *tracing);
/* The same where nobody watches any more. */
void tracing_park(struct tracing *tracing);

/* Before a session, and in the child of a fork, while there is no publisher: forgets what was counted. */
void tracing_forget(struct tracing *tracing);

#endif
