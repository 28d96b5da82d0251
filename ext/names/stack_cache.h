/* SPDX-License-Identifier: MIT */
/* Stacks that were met before: from what rb_profile_frames() gave to their nodes in the call tree.
 *
 * A stack is known by a hash of its root, its frames and their lines; so is every 32nd level of it, from the root, so
 * that of a new one only what lies below the last of these has to be walked. All threads share it: they run the same
 * code. The hash has 63 bits and stands for the stack; two that share a slot take it from each other.
 *
 * Threads: whoever holds the sampler's lock. No allocation.
 */
#ifndef RTOP_EXT_STACK_CACHE_H
#define RTOP_EXT_STACK_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { STACK_CACHE_SLOTS_LOG2 = 12, STACK_CACHE_STEP = 32, STACK_CACHE_DEPTH_MAX = 2048 };

/* All 0: nothing is known. */
struct stack_cache {
  struct stack_cache_entry {
    uint64_t hash; /* 0: free */
    uint32_t node;
  } entries[1 << STACK_CACHE_SLOTS_LOG2];
};

/* Of a stack: whole, and of its levels 1 to 32, 1 to 64, … that are not all of it. */
struct stack_hashes {
  uint64_t whole;
  uint64_t steps[STACK_CACHE_DEPTH_MAX / STACK_CACHE_STEP];
};

/* Frames (VALUEs) and lines stand leaf first, at most STACK_CACHE_DEPTH_MAX of them. `seed`: what else the node depends on. */
void stack_cache_hash(struct stack_hashes *hashes, uint64_t seed, const unsigned long *frames, const int *lines,
                      uint32_t depth);

/* The node of a hash; false: not known. */
static inline bool stack_cache_find(const struct stack_cache *cache, uint64_t hash, uint32_t *node)
{
  const struct stack_cache_entry *entry = &cache->entries[hash >> (64 - STACK_CACHE_SLOTS_LOG2)];
  *node = entry->node;
  return entry->hash == hash;
}

static inline void stack_cache_set(struct stack_cache *cache, uint64_t hash, uint32_t node)
{
  cache->entries[hash >> (64 - STACK_CACHE_SLOTS_LOG2)] = (struct stack_cache_entry){ .hash = hash, .node = node };
}

#endif
