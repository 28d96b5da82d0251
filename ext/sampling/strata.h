/* Stretches of running time of one kind, of the threads of one pool.
 *
 * Beside busy processes the timer's thread gets a core where a long stretch is preempted, and hardly ever inside a short
 * one: instants miss what is short. How long each stretch was is known all the same. So the running time of a pool is
 * divided by what the hooks know of a stretch: the stacks it waited with before and after, and about how long it was.
 * Each kind has an axis of its own (pools.h), and is divided among the stacks that instants met in it: the ticks need
 * not be fair between kinds, only within each.
 *
 * When nothing was met in a kind for many periods of its own running time, or for some windows, that goes to one of the
 * stacks met lately, or where nothing ever was to its fallback, a stack that stretches of this kind do pass. Windows tell of what
 * waits as not sampled, and remember for a second or so that it can still be corrected.
 *
 * Kinds share a place when there are too many, as all running time of a pool did. One not seen for a while gives its
 * place up.
 *
 * What tells kinds apart must not depend on whether an instant met the stretch: else each kind shows the instants that
 * made it.
 *
 * Threads: any, in hooks, except where noted; no lock, no allocation. What two write at once is one of both.
 */
#ifndef RTOP_EXT_STRATA_H
#define RTOP_EXT_STRATA_H

#include "axis.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { STRATA_COUNT = 16, STRATA_PERIODS_MAX = 32, STRATA_WINDOWS_MAX = 5 };

/* What is longer has instants of its own, and may have ended anywhere. */
#define STRATA_LONG_NS INT64_C(32000000)

struct stratum {
  _Atomic uint64_t key;        /* 0: free */
  _Atomic int64_t used_ns;     /* when a stretch of it ended last */
  _Atomic uint32_t fallback;   /* node; 0: none */
  _Atomic int64_t waiting_ns;  /* of its time since its last point */
  _Atomic uint64_t from_epoch; /* points before it were met in the kind that had its place before */
  struct axis axis;

  /* publisher's */
  uint64_t epoch_seen;
  uint32_t windows; /* that ended since its last point while time waited */
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

/* Where its time belongs when no point comes: to one of its last points, or the fallback. 0: not known. */
uint32_t stratum_node(struct stratum *stratum);

/* A window ends. True: its time has waited for too many of them. Publisher. */
bool stratum_window_ends(struct stratum *stratum);

/* A point was given this node. Under the sampler's lock. Returns the new epoch. */
uint64_t stratum_set(struct stratum *stratum, uint32_t node);

#endif
