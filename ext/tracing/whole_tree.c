/* SPDX-License-Identifier: MIT */
/* Finds and makes nodes and methods, with two hash tables. */
#include "whole_tree.h"

#include <string.h>
#include <sys/mman.h>

enum { NODE_LISTS = 1 << 17, METHOD_LISTS = 1 << 15 };

struct tables {
  struct whole_node nodes[WHOLE_NODES_MAX];
  struct whole_told told[WHOLE_NODES_MAX];
  struct whole_method methods[WHOLE_METHODS_MAX];
  uint32_t node_index[NODE_LISTS], method_index[METHOD_LISTS];
};

bool whole_tree_make(struct whole_tree *tree)
{
  if (tree->nodes) return true;
  struct tables *tables =
      mmap(NULL, sizeof *tables, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (tables == MAP_FAILED) return false;
  *tree = (struct whole_tree){ .nodes = tables->nodes,
                               .told = tables->told,
                               .node_index = tables->node_index,
                               .methods = tables->methods,
                               .method_index = tables->method_index };
  atomic_store(&tree->count, 1); /* the root */
  atomic_store(&tree->method_count, 1);
  return true;
}

void whole_tree_clear(struct whole_tree *tree)
{
  if (!tree->nodes) return;
  atomic_store(&tree->count, 1);
  atomic_store(&tree->method_count, 1);
  struct tables *tables = (struct tables *)(void *)tree->nodes;
  if (madvise(tables, sizeof *tables, MADV_DONTNEED) != 0) memset(tables, 0, sizeof *tables);
}

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
  return (a * UINT64_C(0x9E3779B97F4A7C15) ^ b * UINT64_C(0xC2B2AE3D27D4EB4F) ^ c) * UINT64_C(0x165667B19E3779F9);
}

/* Finds or adds a method; 0 when there is no room. The hash table uses open addressing, since entries are never removed
 * one by one. */
static uint32_t find_method(struct whole_tree *tree, uintptr_t entry, uintptr_t id)
{
  uint32_t slot = (uint32_t)(mix(entry, id, 0) >> 40) % METHOD_LISTS;
  for (uint32_t at; (at = tree->method_index[slot]) != 0; slot = (slot + 1) % METHOD_LISTS)
    if (tree->methods[at].entry == entry && tree->methods[at].id == id) return at;
  uint32_t count = atomic_load_explicit(&tree->method_count, memory_order_relaxed);
  if (count == WHOLE_METHODS_MAX) return 0;
  tree->methods[count] = (struct whole_method){ .entry = entry, .id = id };
  tree->method_index[slot] = count;
  atomic_store_explicit(&tree->method_count, count + 1, memory_order_release);
  return count;
}

static uint32_t set_last(struct whole_tree *tree, uint32_t parent, uint32_t child)
{
  uint32_t last = tree->nodes[parent].last;
  if (last) tree->nodes[last].after = child;
  return tree->nodes[parent].last = child;
}

uint32_t whole_tree_find(struct whole_tree *tree, uint32_t parent, uintptr_t entry, uintptr_t id)
{
  uint32_t *list = &tree->node_index[(uint32_t)(mix(entry, id, parent) >> 40) % NODE_LISTS];
  for (uint32_t at = *list; at; at = tree->nodes[at].next) {
    const struct whole_node *node = &tree->nodes[at];
    if (node->parent == parent && whole_node_is(node, entry, id)) return set_last(tree, parent, at);
  }
  uint32_t count = atomic_load_explicit(&tree->count, memory_order_relaxed);
  uint32_t method = count < WHOLE_NODES_MAX ? find_method(tree, entry, id) : 0;
  if (!method) return WHOLE_NO_NODE;
  struct whole_node *node = &tree->nodes[count];
  node->parent = parent;
  node->method = method;
  node->entry = entry;
  node->id = id;
  node->next = *list;
  *list = count;
  atomic_store_explicit(&tree->count, count + 1, memory_order_release);
  return set_last(tree, parent, count);
}
