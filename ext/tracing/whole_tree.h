/* SPDX-License-Identifier: MIT */
/* The calling context tree of all calls while the whole program is traced: what was called from where, how often, how long.
 *
 * Memory is bounded: made once, given back after use page by page. A node belongs to its caller's node and its method;
 * recursion makes nodes as deep as it is. What a method is: its entry in the VM, or of a function in C the class and the
 * id that the VM tells at the call; both stay alive as long as they stand here.
 *
 * Threads: written under the GVL, by hooks; the publisher reads what is atomic below whole_tree_count().
 */
#ifndef RTOP_EXT_WHOLE_TREE_H
#define RTOP_EXT_WHOLE_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { WHOLE_NODES_MAX = 1 << 16, WHOLE_METHODS_MAX = 1 << 14 };
enum { WHOLE_ROOT = 0, WHOLE_NO_NODE = 0 };

struct whole_method {
  uintptr_t entry; /* of the VM; of a function in C its class. Kept alive */
  uintptr_t id;    /* of a function in C; else 0 */
  uint32_t frame;
  bool named;
};

struct whole_node {
  uint32_t parent, last; /* last: the child that was called last */
  uint32_t method, next; /* next: in its list of the index */
  uintptr_t entry;
  uintptr_t id;
  _Atomic uint64_t calls;
  _Atomic int64_t total, self; /* ticks; own costs are taken off, so a little too much may have been */
  _Atomic uint32_t place;      /* call node of the channel; 0: not named yet */
  uint32_t after;              /* the child of the same parent that was called after it the last time */
};

/* What the publisher has told of a node. */
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

/* False: there is no memory. */
bool whole_tree_make(struct whole_tree *tree);
/* Empty again; its pages are given back. */
void whole_tree_clear(struct whole_tree *tree);

/* The child of a node; WHOLE_NO_NODE: there is no room for it. Not inlined: whole_tree_child() guesses first. */
uint32_t whole_tree_find(struct whole_tree *tree, uint32_t parent, uintptr_t entry, uintptr_t id);

static inline bool whole_node_is(const struct whole_node *node, uintptr_t entry, uintptr_t id)
{
  return node->entry == entry && node->id == id;
}

/* A method mostly calls what it called last, or what it called after that the time before. The root's entry is 0, which no
 * method has. */
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
