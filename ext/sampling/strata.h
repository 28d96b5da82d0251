/* Stretches of running time of one kind, of the threads of one pool.
 *
 * Beside busy processes the timer's thread gets a core where a long stretch is preempted, and hardly ever inside a short
 * one: instants miss what is short. How long each stretch was is known all the same. So the running time of a pool is
 * divided by what the hooks know of a stretch: the stacks it waited with before and after, and about how long it was.
 * Each kind has an axis of its own (pools.h), and is divided among the stacks that instants met in it: the ticks need
 * not be fair between kinds, only within each.
 *
 * When nothing was met in a kind for many periods of its own running time, that goes to what was met last, or where
 * nothing ever was to its fallback, a stack that stretches of this kind do pass.
 *
 * Kinds share a place when there are too many, as all running time of a pool did. One not seen for a while gives its
 * place up.
 *
 * Threads: any, in hooks; no lock, no allocation. What two write at once is one of both.
 */
#ifndef RTOP_EXT_STRATA_H
#define RTOP_EXT_STRATA_H

#include "axis.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { STRATA_COUNT = 16, STRATA_PERIODS_MAX = 32 };

/* What is longer has instants of its own, and may have ended anywhere. */
#define STRATA_LONG_NS INT64_C(32000000)

struct stratum {
  _Atomic uint64_t key;       /* 0: free */
  _Atomic int64_t used_ns;    /* when a stretch of it ended last */
  _Atomic uint32_t fallback;  /* node; 0: none */
  _Atomic int64_t waiting_ns; /* of its time since its last point */
  struct axis axis;
};

struct strata {
  struct stratum entries[STRATA_COUNT];
};

/* The kind of a stretch between these nodes; 0: not known. */
uint64_t strata_key(uint32_t begin_node, uint32_t end_node, int64_t length_ns);

/* Where the kind with this key stands at now_ns. */
uint32_t strata_find(struct strata *strata, uint64_t key, int64_t now_ns);

/* So much of it waits for its point. */
static inline void stratum_wait(struct stratum *stratum, int64_t wall_ns)
{
  atomic_fetch_add_explicit(&stratum->waiting_ns, wall_ns, memory_order_relaxed);
}

/* When it has waited too long, the node that this belongs to; else 0. */
uint32_t stratum_overdue(struct stratum *stratum, int64_t period_ns);

/* A point was given this node. Under the sampler's lock. Returns the new epoch. */
uint64_t stratum_set(struct stratum *stratum, uint32_t node);

#endif
