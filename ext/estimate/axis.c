/* SPDX-License-Identifier: MIT */
/* Draws the random points of an axis and logs the sample of each point. */
#include "axis.h"

#include "ext/base/draw.h"

enum { AXIS_DRAWS = 64 };

bool axis_passes(struct axis *axis, int64_t wall_ns, int64_t distance_ns, uint32_t *random, int64_t *behind_ns)
{
  int64_t end = atomic_fetch_add_explicit(&axis->wall_ns, wall_ns, memory_order_relaxed) + wall_ns;
  int64_t next = atomic_load_explicit(&axis->next_ns, memory_order_relaxed);
  if (next == 0) {
    int64_t first = end - wall_ns + draw_ns(random, 1, distance_ns);
    if (atomic_compare_exchange_strong_explicit(&axis->next_ns, &next, first, memory_order_relaxed,
                                                memory_order_relaxed))
      next = first;
  }
  if (end < next) return false;
  int64_t last = next, following = next;
  /* Only the last point counts. After a stretch of hours, the points long before it are not drawn. */
  if (end - following > AXIS_DRAWS * distance_ns) following = end - AXIS_DRAWS * distance_ns;
  while (following <= end) {
    last = following;
    following += draw_ns(random, distance_ns / 2 + 1, distance_ns);
  }
  *behind_ns = end - last;
  return atomic_compare_exchange_strong_explicit(&axis->next_ns, &next, following, memory_order_relaxed,
                                                 memory_order_relaxed);
}

uint64_t axis_set(struct axis *axis, struct axis_point point)
{
  uint64_t epoch = atomic_load_explicit(&axis->epoch, memory_order_relaxed);
  uint64_t packed = (uint64_t)point.node << 32 | point.cpu_ppb;
  atomic_store_explicit(&axis->points[epoch % AXIS_LOG], packed, memory_order_relaxed);
  atomic_store_explicit(&axis->epoch, epoch + 1, memory_order_release);
  return epoch + 1;
}

bool axis_at(struct axis *axis, uint64_t epoch, struct axis_point *point)
{
  uint64_t now = axis_epoch(axis);
  if (epoch >= now) return false;
  /* The log no longer contains this epoch. Its oldest point is used instead, since that point was placed just as
   * independently of the program. */
  if (now - epoch > AXIS_LOG) epoch = now - AXIS_LOG;
  uint64_t packed = atomic_load_explicit(&axis->points[epoch % AXIS_LOG], memory_order_relaxed);
  *point = (struct axis_point){ .node = (uint32_t)(packed >> 32), .cpu_ppb = (uint32_t)packed };
  return true;
}
