/* SPDX-License-Identifier: MIT */
/* An axis: the time that the threads of one pool spent in one state, laid end to end, and the sampling points on it
 * (pools.h explains why).
 *
 * Threads: axis_set() only under the sampler's lock; all other functions from any thread, axis_passes() also in hooks.
 * Nothing allocates.
 */
#ifndef RTOP_EXT_AXIS_H
#define RTOP_EXT_AXIS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { AXIS_LOG = 64 };

/* The sample at a point. `node`: the call tree node that owns the time before the point. `cpu_ppb`: nanoseconds of CPU
 * time that each second of such time usually contains; 0 when that is unknown or the state is not a wait. */
struct axis_point {
  uint32_t node, cpu_ppb;
};

struct axis {
  _Atomic uint64_t epoch; /* number of points so far */
  /* total time laid on the axis so far; points are drawn as positions in this total */
  _Atomic int64_t wall_ns;
  _Atomic int64_t next_ns;           /* position of the next point; 0 before the first point is drawn */
  _Atomic uint64_t points[AXIS_LOG]; /* node << 32 | cpu_ppb of the point that ended epoch e, at index e % AXIS_LOG */
};

/* Lays wall_ns of time on the axis. Returns true when the added time reaches the next point; for each point only one
 * caller gets true. *behind_ns is then the part of wall_ns that lies behind the last point reached. Neighbouring points
 * are distance_ns/2 to distance_ns*3/2 apart. *random is the state of an xorshift32 generator. */
bool axis_passes(struct axis *axis, int64_t wall_ns, int64_t distance_ns, uint32_t *random, int64_t *behind_ns);

/* Records what was sampled at a point, which ends the current epoch. Returns the number of the new epoch. */
uint64_t axis_set(struct axis *axis, struct axis_point point);

/* Finds the sample of the point that ended `epoch`: its node owns the time of that epoch. Returns false when the point
 * has not been sampled yet. */
bool axis_at(struct axis *axis, uint64_t epoch, struct axis_point *point);

static inline bool axis_node(struct axis *axis, uint64_t epoch, uint32_t *node)
{
  struct axis_point point;
  if (!axis_at(axis, epoch, &point)) return false;
  *node = point.node;
  return true;
}

/* Returns the CPU time in ns that wall_ns of time at this point usually contains; -1 when unknown. */
static inline int64_t axis_usual_cpu_ns(const struct axis_point *point, int64_t wall_ns)
{
  return point->cpu_ppb ? (int64_t)((double)wall_ns * point->cpu_ppb / 1e9) : -1;
}

static inline uint64_t axis_epoch(struct axis *axis)
{
  return atomic_load_explicit(&axis->epoch, memory_order_acquire);
}

#endif
