/* Tells kinds of stretches apart, and finds their places. */
#include "strata.h"

#define GIVEN_UP_AFTER_NS INT64_C(10000000000)
enum { PLACES = 4 };

uint64_t strata_key(uint32_t begin_node, uint32_t end_node, int64_t length_ns)
{
  if (length_ns > STRATA_LONG_NS) return 1;
  uint64_t key = (uint64_t)begin_node << 32 | end_node;
  key = (key ^ key >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
  key = (key ^ key >> 32) * UINT64_C(0x94D049BB133111EB);
  return (key ^ key >> 31) | 1;
}

/* The first place of four that is its own, or free, or given up; else the first, shared. */
uint32_t strata_find(struct strata *strata, uint64_t key, int64_t now_ns)
{
  uint32_t first = (uint32_t)(key >> 40) % STRATA_COUNT, found = first;
  bool own = false;
  for (uint32_t i = 0; i < PLACES && !own; i++) {
    uint32_t id = (first + i) % STRATA_COUNT;
    own = atomic_load_explicit(&strata->entries[id].key, memory_order_relaxed) == key;
    if (own) found = id;
  }
  for (uint32_t i = 0; i < PLACES && !own; i++) {
    struct stratum *stratum = &strata->entries[(first + i) % STRATA_COUNT];
    int64_t used = atomic_load_explicit(&stratum->used_ns, memory_order_relaxed);
    if (atomic_load_explicit(&stratum->key, memory_order_relaxed) && now_ns - used < GIVEN_UP_AFTER_NS) continue;
    atomic_store_explicit(&stratum->key, key, memory_order_relaxed);
    atomic_store_explicit(&stratum->fallback, 0, memory_order_relaxed);
    found = (first + i) % STRATA_COUNT;
    own = true;
  }
  if (own) atomic_store_explicit(&strata->entries[found].used_ns, now_ns, memory_order_relaxed);
  return found;
}

uint32_t stratum_overdue(struct stratum *stratum, int64_t period_ns)
{
  uint32_t node = atomic_load_explicit(&stratum->fallback, memory_order_relaxed);
  uint64_t epoch = axis_epoch(&stratum->axis);
  if (atomic_load_explicit(&stratum->waiting_ns, memory_order_relaxed) <= STRATA_PERIODS_MAX * period_ns) return 0;
  if (epoch > 0) axis_node(&stratum->axis, epoch - 1, &node);
  return node;
}

uint64_t stratum_set(struct stratum *stratum, uint32_t node)
{
  atomic_store_explicit(&stratum->waiting_ns, 0, memory_order_relaxed);
  return axis_set(&stratum->axis, node);
}
