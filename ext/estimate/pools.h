/* SPDX-License-Identifier: MIT */
/* Threads that do the same kind of work share the instants at which stacks are seen.
 *
 * A pool holds the threads that began with the same frame (the workers of a server). Its running time is divided by what
 * the clock's instants met in it, kind by kind (strata.h, points.h). Of each other state it has an axis: the time of that
 * state, of all its threads, laid end to end. Points stand on the axis at random distances apart, which nothing in the
 * program can know. Whoever is met by a point gives it a stack, and everything on the axis
 * since the point before belongs to that stack. So each stack gets its share whatever the pattern of the program
 * (systematic sampling; the interval before a point does not depend on what stands at it), and no time stays without a
 * stack for long though each of five hundred threads is met but once a minute.
 *
 * Nobody walks the threads at a point. It only gets a number (epoch) and leaves its node in a log; a thread's time
 * that came in epoch e finds its node there, when the thread or the publisher looks next.
 *
 * Threads: pools_find() under the sampler's lock. No allocation.
 */
#ifndef RTOP_EXT_POOLS_H
#define RTOP_EXT_POOLS_H

#include "axis.h"
#include "points.h"
#include "strata.h"
#include "shm/base/format.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { POOLS_MAX = 64 };

struct pool {
  _Atomic uint64_t key;               /* 0: free */
  struct axis axes[RTOP_STATE_COUNT]; /* that of running time has no time: it knows the last instant of all */
  struct strata strata;               /* of running time, */
  struct points points;               /* and what instants met in it; under the sampler's lock */
  struct points_last last;            /* publisher's */
};

/* Pool 0 is for threads that have no stack yet, and for all when there are too many kinds. */
struct pools {
  struct pool entries[POOLS_MAX];
};

/* The pool with this key, which is not 0; made when it is new. */
uint32_t pools_find(struct pools *pools, uint64_t key);

#endif
