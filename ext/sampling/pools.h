/* Threads that do the same kind of work share the instants at which stacks are seen.
 *
 * A pool holds the threads that began with the same frames (the workers of a server). Per state it has an axis: the
 * time of that state, of all its threads, laid end to end. Points stand on the axis at instants that nothing in the
 * program can know: for running time those of the clock's ticks, for the others random distances apart. Whoever is
 * met by a point gives it a stack, and everything on the axis since the point before belongs to that stack. So each
 * stack gets its share whatever the pattern of the program (systematic sampling; the interval before a point does not
 * depend on what stands at it), and no time stays without a stack for long though each of five hundred threads is
 * met but once a minute.
 *
 * Nobody walks the threads at a point. It only gets a number (epoch) and leaves its node in a log; a thread's time
 * that came in epoch e finds its node there, when the thread or the publisher looks next.
 *
 * Threads: pools_find() and axis_set() under the sampler's lock; axis_passes() any thread, in hooks; the rest any. No
 * allocation.
 */
#ifndef RTOP_EXT_POOLS_H
#define RTOP_EXT_POOLS_H

#include "shm/base/format.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { POOLS_MAX = 64, POOLS_LOG = 256 };

struct axis {
  _Atomic uint64_t epoch;            /* points so far */
  _Atomic int64_t wall_ns;           /* laid on it so far; not for running time */
  _Atomic int64_t next_ns;           /* where the next point stands; 0: not drawn yet */
  _Atomic uint32_t nodes[POOLS_LOG]; /* node of the point that ended epoch e: at e % POOLS_LOG */
};

struct pool {
  _Atomic uint64_t key; /* 0: free */
  struct axis axes[RTOP_STATE_COUNT];
};

/* Pool 0 is for threads that have no stack yet, and for all when there are too many kinds. */
struct pools {
  struct pool entries[POOLS_MAX];
};

/* The pool with this key, which is not 0; made when it is new. */
uint32_t pools_find(struct pools *pools, uint64_t key);

/* Lays wall_ns on the axis. False: no point stands there. True, for one caller per point: *behind_ns of wall_ns lie
 * behind the last point passed. Points stand distance_ns/2 to distance_ns*3/2 apart; *random is xorshift32 state. */
bool axis_passes(struct axis *axis, int64_t wall_ns, int64_t distance_ns, uint32_t *random, int64_t *behind_ns);

/* A point was given this node: ends the epoch. Returns the new one. */
uint64_t axis_set(struct axis *axis, uint32_t node);

/* The node that time of this epoch belongs to. False: the point has not come yet. */
bool axis_node(struct axis *axis, uint64_t epoch, uint32_t *node);

static inline uint64_t axis_epoch(struct axis *axis)
{
  return atomic_load_explicit(&axis->epoch, memory_order_acquire);
}

#endif
