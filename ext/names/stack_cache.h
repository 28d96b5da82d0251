/* SPDX-License-Identifier: MIT */
/* A cache from stacks, as rb_profile_frames() returns them, to nodes of the call tree.
 *
 * A stack is identified by a hash of its root, frames and lines. The part of a stack from the root to each 32nd level
 * has such a hash, too, so a new stack is walked only below its last known level. All threads share the cache, since
 * they run the same code. Equal 63-bit hashes count as equal stacks; two stacks with the same slot displace each other.
 *
 * Threads: any thread that holds the sampler's lock. No allocation.
 */
#ifndef RTOP_EXT_STACK_CACHE_H
#define RTOP_EXT_STACK_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { STACK_CACHE_SLOTS_LOG2 = 12, STACK_CACHE_STEP = 32, STACK_CACHE_DEPTH_MAX = 2048 };

/* All fields are 0 in an empty cache. */
struct stack_cache {
  struct stack_cache_entry {
    uint64_t hash; /* 0: free */
    uint32_t node;
  } entries[1 << STACK_CACHE_SLOTS_LOG2];
};

/* Hashes of a stack: one of the whole stack, and one each of its levels 1 to 32, 1 to 64, … as far as these are shorter
 * than the stack. */
struct stack_hashes {
  uint64_t whole;
  uint64_t steps[STACK_CACHE_DEPTH_MAX / STACK_CACHE_STEP];
};

/* Hashes at most STACK_CACHE_DEPTH_MAX frames (VALUEs) and lines, innermost first. `seed`: a hash of everything else
 * that determines the node. */
void stack_cache_hash(struct stack_hashes *hashes, uint64_t seed, const unsigned long *frames, const int *lines,
                      uint32_t depth);

/* Finds the node of a hash. Returns false when the hash is not in the cache. */
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
