/* SPDX-License-Identifier: MIT */
/* Pools: threads that do the same kind of work share their sampling points.
 *
 * A pool holds the threads that began with the same frame, such as the workers of a server. Its running time is divided
 * in proportion to the samples at instants, kind by kind (strata.h, points.h). For each other state the pool has an
 * axis: the time that all its threads spent in that state, laid end to end, with points at random distances. The thread
 * that reaches a point gives its stack, and that stack gets all time on the axis since the previous point. This is
 * systematic sampling: each stack gets its share whatever pattern the program follows, and even with hundreds of
 * threads no time stays without a stack for long.
 *
 * Reaching a point does not change the data of other threads. The point gets a number (epoch), and a log keeps its
 * node. When a thread's time is next added up, by the thread or by the publisher, the nodes of its epochs are read from
 * the log.
 *
 * Threads: pools_find() only under the sampler's lock. Nothing allocates.
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
  _Atomic uint64_t key; /* key of the pool; 0: free */
  /* the frame with which the pool's threads began, and its node below the root; 0: not known */
  _Atomic uint32_t frame, node;
  /* axes by state; the axis of the running state stays empty and only logs the nodes of the latest instants */
  struct axis axes[RTOP_STATE_COUNT];
  struct strata strata;    /* strata of the running time */
  struct points points;    /* samples at instants in the running time; under the sampler's lock */
  struct points_last last; /* used by the publisher */
};

/* Pool 0 serves threads that have no stack yet, and all new threads once every other pool is taken. */
struct pools {
  struct pool entries[POOLS_MAX];
};

/* Finds the pool with this key, or makes one. The key must not be 0. Returns 0 when all pools are taken. */
uint32_t pools_find(struct pools *pools, uint64_t key);

#endif
