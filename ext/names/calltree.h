/* SPDX-License-Identifier: MIT */
/* The calling context tree of the process: (parent, frame, line) -> node, dense ids, never reused.
 *
 * Private memory of fixed capacity, touched page by page as it fills; the publisher copies new nodes
 * into the segment. Node ids here are the ids in the segment.
 *
 * Threads: calltree_child() under the sampler's lock. The publisher may read entries below
 * calltree_count() at any time. No allocation after create.
 */
#ifndef RTOP_EXT_CALLTREE_H
#define RTOP_EXT_CALLTREE_H

#include "shm/base/format.h"
#include <stdatomic.h>
#include <stdint.h>

struct calltree {
  struct rtop_node_entry *entries;
  uint32_t *index; /* open addressing: node id, 0 = free */
  uint32_t capacity;
  uint32_t mask, mask_most; /* of the part of index that is used; it grows, so that few nodes are on few pages */
  _Atomic uint32_t count;
  _Atomic uint64_t overflowed; /* stacks charged to an ancestor because the tree is full */
};

/* 0, or -1 when memory ran out. Starts with the reserved nodes of format.h. */
int calltree_create(struct calltree *tree, uint32_t capacity);
void calltree_destroy(struct calltree *tree);

/* The child, made when it is new; the parent itself when the tree is full. */
uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t frame, uint32_t line);

/* The lowest node both stacks have; a method that is at two of its lines counts as shared, at that of `b`. */
uint32_t calltree_both(const struct calltree *tree, uint32_t a, uint32_t b);

/* What ran between two waits with these stacks: what called both, as both have returned or are not there yet. */
uint32_t calltree_between(const struct calltree *tree, uint32_t a, uint32_t b);

static inline uint32_t calltree_count(struct calltree *tree)
{
  return atomic_load_explicit(&tree->count, memory_order_acquire);
}

#endif
