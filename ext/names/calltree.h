/* SPDX-License-Identifier: MIT */
/* The calling context tree of the process: maps (parent, frame, line) to a node. Node ids are dense and never reused.
 *
 * Memory is private, of fixed capacity, and becomes resident page by page. The publisher copies new nodes into the
 * segment with the same ids.
 *
 * Threads: calltree_child() under the sampler's lock. The publisher may read entries below calltree_count() at any
 * time. Allocates only in calltree_create().
 */
#ifndef RTOP_EXT_CALLTREE_H
#define RTOP_EXT_CALLTREE_H

#include "shm/base/format.h"
#include <stdatomic.h>
#include <stdint.h>

struct calltree {
  struct rtop_node_entry *entries;
  uint32_t *index; /* hash table, open addressing: node id, 0 = free */
  uint32_t capacity;
  /* mask of the used part of `index`, which grows with the tree so that a small tree touches few pages */
  uint32_t mask, mask_most;
  _Atomic uint32_t count;
  _Atomic uint64_t overflowed; /* number of stacks charged to an ancestor because the tree is full */
};

/* Creates a tree that contains the reserved nodes of format.h. Returns 0, or -1 when memory ran out. */
int calltree_create(struct calltree *tree, uint32_t capacity);
void calltree_destroy(struct calltree *tree);

/* Finds or adds the child of `parent`; returns the parent itself when the tree is full. */
uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t frame, uint32_t line);

/* Returns the deepest common node of two stacks. A method at two different lines counts as common, at the line of
 * `b`. */
uint32_t calltree_both(const struct calltree *tree, uint32_t a, uint32_t b);

/* Returns the node to charge for the time between two waits with these stacks: their common caller, since all calls
 * below that caller have returned or not begun. */
uint32_t calltree_between(const struct calltree *tree, uint32_t a, uint32_t b);

static inline uint32_t calltree_count(struct calltree *tree)
{
  return atomic_load_explicit(&tree->count, memory_order_acquire);
}

#endif
