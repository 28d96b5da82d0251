/* SPDX-License-Identifier: MIT */
/* Time of one kind, of all threads of a pool, laid end to end, and the points that stand on it; see pools.h.
 *
 * Threads: axis_set() under the sampler's lock; axis_passes() any thread, in hooks; the rest any. No allocation.
 */
#ifndef RTOP_EXT_AXIS_H
#define RTOP_EXT_AXIS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { AXIS_LOG = 64 };

/* What a point met: time before it is the node's, and of each second of it so many nanoseconds are usually on a core; 0: not
 * known, or no wait. */
struct axis_point {
  uint32_t node, cpu_ppb;
};

struct axis {
  _Atomic uint64_t epoch;            /* points so far */
  _Atomic int64_t wall_ns;           /* laid on it so far, where its points are drawn */
  _Atomic int64_t next_ns;           /* where the next point stands; 0: not drawn yet */
  _Atomic uint64_t points[AXIS_LOG]; /* that ended epoch e, at e % AXIS_LOG: node << 32 | cpu_ppb */
};

/* Lays wall_ns on the axis. False: no point stands there. True, for one caller per point: *behind_ns of wall_ns lie
 * behind the last point passed. Points stand distance_ns/2 to distance_ns*3/2 apart; *random is xorshift32 state. */
bool axis_passes(struct axis *axis, int64_t wall_ns, int64_t distance_ns, uint32_t *random, int64_t *behind_ns);

/* A point met this: ends the epoch. Returns the new one. */
uint64_t axis_set(struct axis *axis, struct axis_point point);

/* Whose time of this epoch is. False: the point has not come yet. */
bool axis_at(struct axis *axis, uint64_t epoch, struct axis_point *point);

static inline bool axis_node(struct axis *axis, uint64_t epoch, uint32_t *node)
{
  struct axis_point point;
  if (!axis_at(axis, epoch, &point)) return false;
  *node = point.node;
  return true;
}

/* Of wall_ns of the point's time; -1: not known. */
static inline int64_t axis_usual_cpu_ns(const struct axis_point *point, int64_t wall_ns)
{
  return point->cpu_ppb ? (int64_t)((double)wall_ns * point->cpu_ppb / 1e9) : -1;
}

static inline uint64_t axis_epoch(struct axis *axis)
{
  return atomic_load_explicit(&axis->epoch, memory_order_acquire);
}

#endif
