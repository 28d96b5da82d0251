/* Finds a thread's pool, and keeps the log of points of an axis. */
#include "pools.h"

#include "ext/base/draw.h"

uint32_t pools_find(struct pools *pools, uint64_t key)
{
  for (uint32_t id = 1; id < POOLS_MAX; id++) {
    uint64_t known = atomic_load_explicit(&pools->entries[id].key, memory_order_relaxed);
    if (known == key) return id;
    if (known) continue;
    atomic_store_explicit(&pools->entries[id].key, key, memory_order_release);
    return id;
  }
  return 0;
}

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
  while (following <= end) {
    last = following;
    following += draw_ns(random, distance_ns / 2 + 1, distance_ns);
  }
  *behind_ns = end - last;
  return atomic_compare_exchange_strong_explicit(&axis->next_ns, &next, following, memory_order_relaxed,
                                                 memory_order_relaxed);
}

uint64_t axis_set(struct axis *axis, uint32_t node)
{
  uint64_t epoch = atomic_load_explicit(&axis->epoch, memory_order_relaxed);
  atomic_store_explicit(&axis->nodes[epoch % POOLS_LOG], node, memory_order_relaxed);
  atomic_store_explicit(&axis->epoch, epoch + 1, memory_order_release);
  return epoch + 1;
}

bool axis_node(struct axis *axis, uint64_t epoch, uint32_t *node)
{
  uint64_t now = axis_epoch(axis);
  if (epoch >= now) return false;
  if (now - epoch > POOLS_LOG) epoch = now - POOLS_LOG; /* any later point was as blind to the program */
  *node = atomic_load_explicit(&axis->nodes[epoch % POOLS_LOG], memory_order_relaxed);
  return true;
}
