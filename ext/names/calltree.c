/* SPDX-License-Identifier: MIT */
/* The call tree: finds a node by parent, frame and line, or makes it. */
#include "calltree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 2048 };

int calltree_create(struct calltree *tree, uint32_t capacity)
{
  uint32_t slots = FIRST_SLOTS;
  while (slots < capacity * 2) slots *= 2;
  tree->entries = calloc(capacity, sizeof *tree->entries);
  tree->index = calloc(slots, sizeof *tree->index);
  if (!tree->entries || !tree->index) {
    calltree_destroy(tree);
    return -1;
  }
  tree->capacity = capacity;
  tree->mask = FIRST_SLOTS - 1;
  tree->mask_most = slots - 1;
  /* Reserved frames have the ids of their nodes, which are children of the root and are never looked up. */
  for (uint32_t id = 1; id < RTOP_NODE_FIRST_FREE; id++)
    tree->entries[id] = (struct rtop_node_entry){ .parent = RTOP_NODE_ROOT, .frame = id, .depth = 1 };
  atomic_store(&tree->count, RTOP_NODE_FIRST_FREE);
  atomic_store(&tree->overflowed, 0);
  return 0;
}

void calltree_destroy(struct calltree *tree)
{
  free(tree->entries);
  free(tree->index);
  tree->entries = NULL;
  tree->index = NULL;
}

static uint32_t hash_key(uint32_t parent, uint32_t frame, uint32_t line)
{
  uint64_t key = ((uint64_t)parent << 32 | frame) * UINT64_C(0x9E3779B97F4A7C15);
  key = (key ^ key >> 29 ^ line) * UINT64_C(0xBF58476D1CE4E5B9);
  return (uint32_t)(key >> 32);
}

static bool matches(const struct rtop_node_entry *entry, uint32_t parent, uint32_t frame, uint32_t line)
{
  return entry->parent == parent && entry->frame == frame && entry->line == line;
}

/* Doubles the hash table and inserts all nodes again, at a few ns per node. */
static void grow(struct calltree *tree, uint32_t count)
{
  memset(tree->index, 0, (tree->mask + 1) * sizeof *tree->index);
  tree->mask = 2 * tree->mask + 1;
  for (uint32_t id = RTOP_NODE_FIRST_FREE; id < count; id++) {
    const struct rtop_node_entry *entry = &tree->entries[id];
    uint32_t slot = hash_key(entry->parent, entry->frame, entry->line) & tree->mask;
    while (tree->index[slot]) slot = (slot + 1) & tree->mask;
    tree->index[slot] = id;
  }
}

uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t frame, uint32_t line)
{
  uint32_t slot = hash_key(parent, frame, line) & tree->mask;
  while (tree->index[slot]) {
    if (matches(&tree->entries[tree->index[slot]], parent, frame, line)) return tree->index[slot];
    slot = (slot + 1) & tree->mask;
  }
  uint32_t id = atomic_load_explicit(&tree->count, memory_order_relaxed);
  if (id >= tree->capacity) {
    atomic_fetch_add_explicit(&tree->overflowed, 1, memory_order_relaxed);
    return parent;
  }
  tree->entries[id] = (struct rtop_node_entry){
    .parent = parent,
    .frame = frame,
    .line = line,
    .depth = tree->entries[parent].depth + 1,
  };
  tree->index[slot] = id;
  atomic_store_explicit(&tree->count, id + 1, memory_order_release);
  if (id > tree->mask / 2 && tree->mask < tree->mask_most) grow(tree, id + 1);
  return id;
}

uint32_t calltree_both(const struct calltree *tree, uint32_t a, uint32_t b)
{
  const struct rtop_node_entry *nodes = tree->entries;
  uint32_t below_a = 0, below_b = 0;
  while (a != b) {
    bool climb_a = nodes[a].depth >= nodes[b].depth, climb_b = nodes[b].depth >= nodes[a].depth;
    if (climb_a) a = nodes[below_a = a].parent;
    if (climb_b) b = nodes[below_b = b].parent;
  }
  bool one_method = below_a && below_b && nodes[below_a].frame == nodes[below_b].frame;
  return one_method ? below_b : b;
}

uint32_t calltree_between(const struct calltree *tree, uint32_t a, uint32_t b)
{
  uint32_t both = calltree_both(tree, a, b);
  return both == a || both == b ? tree->entries[both].parent : both;
}
