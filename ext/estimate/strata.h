/* SPDX-License-Identifier: MIT */
/* Stretches of running time of one kind, of the threads of one pool.
 *
 * Instants are not fair to short stretches: the job comes some ten microseconds after its instant, and the timer's thread
 * gets a core where a long stretch is preempted. How long each stretch was is known all the same. So the running time of
 * a pool is divided by the stacks that stretches waited with before and after (post-stratification): its time, which is exact,
 * waits in the threads, and what instants met in it is counted (points.h). When the window ends the publisher divides the one by
 * the other, stratum by stratum (divide.h). Instants need not be fair between kinds, only within each.
 *
 * A kind has a place of its own only while it comes many times a second, and runs long enough for instants to meet it several
 * times; all others share place 0. By its time, never by how often it was met: else rare kinds would lose what nobody met.
 *
 * What takes a few microseconds between two waits is over before a job comes: instants would show all other kinds too often,
 * and what they meet in it is where the job was late. All such stretches lie on one axis, as waits do (pools.h), with points
 * at random distances: the stretch that is met by one is given to the call that made both its waits. (When their time went to
 * what the pool met next, work of 0.3 ms on thirty threads had 3 % too much at 100 Hz.)
 *
 * What threads that had the GVL but no core took waits in a place of its own (running.h).
 *
 * What tells kinds apart must not depend on whether an instant met the stretch: else each kind shows the instants that
 * made it.
 *
 * Threads: any, in hooks, except where noted; no lock, no allocation. Of two concurrent writes one is kept.
 */
#ifndef RTOP_EXT_STRATA_H
#define RTOP_EXT_STRATA_H

#include "axis.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  STRATA_COUNT = 16,
  STRATA_RESTS = STRATA_COUNT, /* the places of time without a core, which is of no kind: rests, */
  STRATA_WAITS,                /* and waits for a core */
  STRATA_SHORT,                /* and of what is over before a job comes */
  STRATA_PLACES,
  STRATA_UNMET_WINDOWS = 20, /* that time waits of a place that was never met; then what the pool met divides it */
  STRATA_LATELY_WINDOWS = 100,
  STRATA_MET_PER_S = 2,
  STRATA_ENDS_PER_S = 30
};

/* Less than this is over before a job comes. */
#define STRATA_SHORT_NS INT64_C(16000)
#define STRATA_SHORT_APART_NS INT64_C(1000000) /* points on the axis of these */

/* What is longer has instants of its own, and may have ended anywhere. */
#define STRATA_LONG_NS INT64_C(32000000)

struct stratum {
  _Atomic bool own;        /* its time is divided by itself */
  _Atomic int64_t wall_ns; /* of its stretches that ended in the open window, and their number */
  _Atomic int64_t ends;
  _Atomic int64_t waiting_ns; /* that came to wait here since the last window's end */
  _Atomic uint64_t met;       /* what an instant met in it last, and when (strata_met); 0: nothing */

  /* publisher's */
  double ns_per_s, ends_per_s;     /* running means */
  int64_t carried_ns;              /* that nothing divided at the last window's end */
  uint32_t windows, unmet_windows; /* since it was claimed; and at whose ends that was so, in a row */
};

struct strata {
  _Atomic uint64_t keys[STRATA_COUNT];   /* of the kinds, together, since all are looked at; 0: free */
  struct stratum entries[STRATA_PLACES]; /* 0: of all kinds that have none */
  struct axis short_axis;                /* of what is over before a job comes */
  _Atomic uint32_t windows;              /* that ended */
};

/* The kind of a stretch between these nodes; a node of 0 is not known. When neither is, those of different length are
 * different ones. */
uint64_t strata_key(uint32_t begin_node, uint32_t end_node, int64_t length_ns);

/* A stretch of this kind ended: the entry of its kind; 0: there are too many kinds. */
uint32_t strata_end(struct strata *strata, uint64_t key, int64_t length_ns);

/* The place where the time of a kind waits. */
static inline uint32_t strata_place(const struct strata *strata, uint32_t kind)
{
  bool own = kind == STRATA_SHORT || atomic_load_explicit(&strata->entries[kind].own, memory_order_relaxed);
  return own ? kind : 0;
}

/* An instant met this node in a stretch of that kind. */
void strata_met(struct strata *strata, uint32_t kind, uint32_t node);

/* What an instant met in it in the last ten seconds; 0: nothing. */
uint32_t strata_met_lately(const struct strata *strata, uint32_t kind);

/* So much of it waits to be divided. */
static inline void stratum_wait(struct stratum *stratum, int64_t wall_ns)
{
  atomic_fetch_add_explicit(&stratum->waiting_ns, wall_ns, memory_order_relaxed);
}

/* A window of this length ended, with an instant per period: which kinds have a place of their own from now on. Returns the bits of
 * those places that were given up, and go to other kinds. Publisher. */
uint32_t strata_window_ends(struct strata *strata, int64_t length_ns, int64_t period_ns);

/* Takes what waits in each place, as far as hooks told of it. Publisher. */
void strata_take_waiting(struct strata *strata, int64_t waiting_ns[STRATA_PLACES]);

/* Was this time divided? Else it goes on waiting. Returns for how many windows in a row it was not. Publisher. */
uint32_t strata_divided(struct strata *strata, uint32_t place, int64_t waiting_ns, bool divided);

#endif
