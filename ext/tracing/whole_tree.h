/* SPDX-License-Identifier: MIT */
/* The calling context tree of all calls while they are counted: which method called which, how often, and for how long.
 *
 * Memory is bounded, allocated once, and given back page by page after use. A node is identified by its caller's node
 * and its method, so recursion adds a node per level. A method is identified by its VM entry, or for a C function by
 * the class and id that the VM reports at the call; both are kept alive while they are in the tree.
 *
 * Threads: hooks write with the GVL; the publisher reads the atomic fields of the nodes below index whole_tree_count().
 */
#ifndef RTOP_EXT_WHOLE_TREE_H
#define RTOP_EXT_WHOLE_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { WHOLE_NODES_MAX = 1 << 16, WHOLE_METHODS_MAX = 1 << 14 };
enum { WHOLE_ROOT = 0, WHOLE_NO_NODE = 0 };

struct whole_method {
  uintptr_t entry; /* VM entry of the method; for a C function, its class. Kept alive */
  uintptr_t id;    /* ID of a C function; 0 for other methods */
  uint32_t frame;
  bool named;
};

struct whole_node {
  uint32_t parent, last; /* last: child that was called most recently */
  uint32_t method, next; /* next: next node in the same list of the index */
  uintptr_t entry;
  uintptr_t id;
  _Atomic uint64_t calls;
  _Atomic int64_t total, self; /* ticks without overhead; slightly too much may have been subtracted */
  _Atomic uint32_t place;      /* call tree node in the channel; 0: not named yet */
  uint32_t after;              /* child of the same parent whose call followed the last call of this one */
};

/* The values of a node that the publisher has reported so far. */
struct whole_told {
  uint64_t calls, total_ns, self_ns;
};

struct whole_tree {
  struct whole_node *nodes;
  struct whole_told *told;
  uint32_t *node_index;
  struct whole_method *methods;
  uint32_t *method_index;
  _Atomic uint32_t count;
  _Atomic uint32_t method_count;
};

/* Allocates the tree. False when memory ran out. */
bool whole_tree_make(struct whole_tree *tree);
/* Empties the tree and gives its pages back. */
void whole_tree_clear(struct whole_tree *tree);

/* Finds or adds the child of a node; WHOLE_NO_NODE when there is no room. whole_tree_child() tries a guess before it
 * calls this function. */
uint32_t whole_tree_find(struct whole_tree *tree, uint32_t parent, uintptr_t entry, uintptr_t id);

static inline bool whole_node_is(const struct whole_node *node, uintptr_t entry, uintptr_t id)
{
  return node->entry == entry && node->id == id;
}

/* Finds the child of a node, first by a guess: most calls repeat the last call, or the call that followed it the last
 * time. The root's entry is 0, which no method has. */
static inline uint32_t whole_tree_child(struct whole_tree *tree, uint32_t parent, uintptr_t entry, uintptr_t id)
{
  uint32_t last = tree->nodes[parent].last, after = tree->nodes[last].after;
  if (whole_node_is(&tree->nodes[last], entry, id)) return last;
  if (!whole_node_is(&tree->nodes[after], entry, id)) return whole_tree_find(tree, parent, entry, id);
  return tree->nodes[parent].last = after;
}

static inline uint32_t whole_tree_count(struct whole_tree *tree)
{
  return atomic_load_explicit(&tree->count, memory_order_acquire);
}

#endif
