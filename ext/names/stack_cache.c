/* SPDX-License-Identifier: MIT */
/* Computes hashes of stacks. */
#include "stack_cache.h"

/* Adds a level to a hash. Each level is mixed on its own, since values of adjacent levels differ little. Without the
 * shift the hash would be a polynomial, in which certain alternating levels cancel out. */
static inline uint64_t with_level(uint64_t hash, unsigned long frame, int line)
{
  uint64_t level = (uint64_t)frame * UINT64_C(0xBF58476D1CE4E5B9) + (uint32_t)line * UINT64_C(0x9FB21C651E98DF25);
  level = (level ^ level >> 29) * UINT64_C(0x94D049BB133111EB);
  return (hash ^ hash >> 32) * UINT64_C(0xD1342543DE82EF95) + (level ^ level >> 32);
}

/* Mixes the bits of a complete hash; never returns 0. */
static inline uint64_t finished(uint64_t hash)
{
  hash = (hash ^ hash >> 32) * UINT64_C(0x9E3779B97F4A7C15);
  return (hash ^ hash >> 29) | 1;
}

void stack_cache_hash(struct stack_hashes *hashes, uint64_t seed, const unsigned long *frames, const int *lines,
                      uint32_t depth)
{
  uint64_t hash = seed * UINT64_C(0x9E3779B97F4A7C15);
  for (uint32_t level = 0; level < depth; level++) {
    if (level && level % STACK_CACHE_STEP == 0) hashes->steps[level / STACK_CACHE_STEP - 1] = finished(hash);
    hash = with_level(hash, frames[depth - 1 - level], lines[depth - 1 - level]);
  }
  hashes->whole = finished(hash);
}
