/* Hashes of stacks. */
#include "stack_cache.h"

/* A polynomial over the levels, so that one multiplication and one addition stand between one level and the next. */
static inline uint64_t with_level(uint64_t hash, unsigned long frame, int line)
{
  uint64_t level = ((uint64_t)frame ^ (uint64_t)(uint32_t)line << 40) * UINT64_C(0xBF58476D1CE4E5B9);
  level = (level ^ level >> 29) * UINT64_C(0x94D049BB133111EB);
  return hash * UINT64_C(0xD1342543DE82EF95) + (level ^ level >> 32);
}

/* Never 0. */
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
