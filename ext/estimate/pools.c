/* SPDX-License-Identifier: MIT */
/* Finds the pool of a key. */
#include "pools.h"

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
