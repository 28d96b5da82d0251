/* SPDX-License-Identifier: MIT */
/* Adds up the figures of processes by call tree node, and walks the tree once. */
#include "whole_table.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

/* A node that has calls, or a caller of one; slot 0 is the root. */
struct whole_slot {
  uint32_t node, parent, first, next; /* first: of those that it calls */
  struct whole_figures figures;
};

#define WHOLE_BACK (UINT32_C(1) << 31) /* there are fewer nodes */

struct whole_walk {
  struct whole_table *table;
  const struct rtop_symbols *symbols;
  bool failed;
};

static uint32_t whole_new_slot(struct whole_walk *walk, uint32_t node, uint32_t parent)
{
  struct whole_table *table = walk->table;
  if (!rtop_reserve(&table->slots, &table->slot_capacity, table->slot_count + 1, sizeof *table->slots)) {
    walk->failed = true;
    return 0;
  }
  struct whole_slot *slot = &table->slots[table->slot_count];
  *slot = (struct whole_slot){ .node = node, .parent = parent };
  if (node) {
    slot->next = table->slots[parent].first;
    table->slots[parent].first = (uint32_t)table->slot_count;
    table->slot_of[node] = (uint32_t)table->slot_count;
  }
  return (uint32_t)table->slot_count++;
}

/* Finds or adds the slot of a node. Callers are added before callees: walks up to a known node and down again, keeping
   the path in the slots that are not in use yet. */
static uint32_t whole_slot_of(struct whole_walk *walk, uint32_t node)
{
  struct whole_table *table = walk->table;
  uint32_t at = node, below = 0;
  if (node >= table->node_capacity) return 0;
  while (at && !table->slot_of[at]) {
    uint32_t above = rtop_symbols_get_node(walk->symbols, at)->parent;
    table->slot_of[at] = WHOLE_BACK | below;
    below = at;
    at = above < at ? above : 0;
  }
  while (below) {
    uint32_t next = table->slot_of[below] & ~WHOLE_BACK;
    table->slot_of[below] = 0;
    whole_new_slot(walk, below, table->slot_of[at]);
    at = below;
    below = next;
  }
  return table->slot_of[node];
}

static void whole_take_number(struct whole_walk *walk, const struct whole_number *number)
{
  uint32_t at = whole_slot_of(walk, number->node);
  struct whole_figures *figures = &walk->table->slots[at].figures;
  if (at == 0) return;
  figures->calls += number->calls;
  figures->total_ns += number->total_ns;
  figures->self_ns += number->self_ns;
}

static const struct whole_table *whole_sorted; /* qsort() has no context; one thread */

static int whole_compare_slots(const void *left, const void *right)
{
  const struct whole_slot *a = &whole_sorted->slots[*(const uint32_t *)left];
  const struct whole_slot *b = &whole_sorted->slots[*(const uint32_t *)right];
  if (a->figures.total_ns != b->figures.total_ns) return a->figures.total_ns > b->figures.total_ns ? -1 : 1;
  if (a->figures.calls != b->figures.calls) return a->figures.calls > b->figures.calls ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

/* Sorts callees by time: slots are taken in this order, from the last one on, and each is prepended to
   its caller's list. */
static bool whole_sort_slots(struct whole_table *table)
{
  uint32_t *order = malloc(table->slot_count * sizeof *order);
  if (!order) return false;
  for (uint32_t i = 0; i < table->slot_count; i++) {
    order[i] = i;
    table->slots[i].first = 0;
  }
  whole_sorted = table;
  qsort(order + 1, table->slot_count - 1, sizeof *order, whole_compare_slots);
  for (size_t i = table->slot_count; i-- > 1;) {
    struct whole_slot *slot = &table->slots[order[i]], *parent = &table->slots[slot->parent];
    slot->next = parent->first;
    parent->first = order[i];
  }
  free(order);
  return true;
}

static struct whole_method *whole_method_of(struct whole_table *table, uint32_t *method_of, uint32_t frame)
{
  if (!method_of[frame]) {
    if (!rtop_reserve(&table->methods, &table->method_capacity, table->method_count + 1, sizeof *table->methods))
      return NULL;
    table->methods[table->method_count++] = (struct whole_method){ .frame = frame };
    method_of[frame] = (uint32_t)table->method_count;
  }
  return &table->methods[method_of[frame] - 1];
}

static bool whole_enter(struct whole_table *table, const struct whole_slot *slot, uint32_t frame, int parent,
                        uint32_t *method_of)
{
  struct whole_method *method = whole_method_of(table, method_of, frame);
  if (!method || !rtop_reserve(&table->tree, &table->tree_capacity, table->tree_count + 1, sizeof *table->tree) ||
      !table->tree)
    return false;
  const struct whole_call *caller = parent == WHOLE_NO_PARENT ? NULL : &table->tree[parent];
  uint64_t whole_ns = caller ? caller->figures.total_ns : table->top_ns;
  table->tree[table->tree_count++] = (struct whole_call){
    .node = slot->node,
    .frame = frame,
    .parent = parent,
    .depth = caller ? caller->depth + 1 : 0,
    .figures = slot->figures,
    .share = whole_ns ? (double)slot->figures.total_ns / (double)whole_ns : 0,
  };
  method->figures.calls += slot->figures.calls;
  method->figures.self_ns += slot->figures.self_ns;
  if (table->depth_of[frame]++ == 0) method->figures.total_ns += slot->figures.total_ns;
  return true;
}

/* Moves to the first callee, else to the next sibling, else up; walk->at is the position. */
static bool whole_walk_tree(struct whole_walk *walk, uint32_t *method_of)
{
  struct whole_table *table = walk->table;
  uint32_t slot = table->slots[0].first;
  int parent = WHOLE_NO_PARENT;
  while (slot) {
    uint32_t frame = rtop_symbols_get_node(walk->symbols, table->slots[slot].node)->frame;
    if (frame >= table->frame_capacity || !whole_enter(table, &table->slots[slot], frame, parent, method_of))
      return false;
    int own = (int)table->tree_count - 1;
    if (table->slots[slot].first) {
      parent = own;
      slot = table->slots[slot].first;
      continue;
    }
    table->depth_of[frame]--;
    while (slot && !table->slots[slot].next) {
      slot = table->slots[slot].parent;
      if (!slot) break;
      table->depth_of[table->tree[parent].frame]--;
      parent = table->tree[parent].parent;
    }
    if (slot) slot = table->slots[slot].next;
  }
  return true;
}

static int whole_compare_methods(const void *left, const void *right)
{
  const struct whole_method *a = left, *b = right;
  if (a->figures.self_ns != b->figures.self_ns) return a->figures.self_ns > b->figures.self_ns ? -1 : 1;
  if (a->figures.calls != b->figures.calls) return a->figures.calls > b->figures.calls ? -1 : 1;
  return (a->frame > b->frame) - (a->frame < b->frame);
}

static bool whole_make_rows(struct whole_walk *walk)
{
  struct whole_table *table = walk->table;
  size_t frames = rtop_symbols_frame_count(walk->symbols);
  uint32_t *method_of = calloc(frames + 1, sizeof *method_of);
  for (uint32_t at = table->slots[0].first; at; at = table->slots[at].next)
    table->top_ns += table->slots[at].figures.total_ns;
  bool fine = method_of && rtop_reserve(&table->depth_of, &table->frame_capacity, frames, sizeof *table->depth_of);
  if (fine) {
    table->frame_capacity = frames;
    memset(table->depth_of, 0, frames * sizeof *table->depth_of);
    fine = whole_sort_slots(table) && whole_walk_tree(walk, method_of);
  }
  free(method_of);
  if (fine && table->method_count)
    qsort(table->methods, table->method_count, sizeof *table->methods, whole_compare_methods);
  return fine;
}

bool whole_table_build(struct whole_table *table, const struct rtop_profile *profile, struct rtop_span span)
{
  struct whole_walk walk = { .table = table, .symbols = rtop_profile_symbols((struct rtop_profile *)profile) };
  size_t nodes = rtop_symbols_node_count(walk.symbols);
  table->top_ns = 0;
  table->tree_count = table->method_count = table->slot_count = 0;
  if (!whole_numbers_build(&table->numbers, profile, span) ||
      !rtop_reserve(&table->slot_of, &table->node_capacity, nodes + 1, sizeof *table->slot_of))
    return false;
  memset(table->slot_of, 0, table->node_capacity * sizeof *table->slot_of);
  whole_new_slot(&walk, 0, 0);
  for (size_t i = 0; i < table->numbers.count && !walk.failed; i++) whole_take_number(&walk, &table->numbers.all[i]);
  if (walk.failed) return false;
  return table->slot_count == 1 || whole_make_rows(&walk);
}

void whole_table_destroy(struct whole_table *table)
{
  whole_numbers_destroy(&table->numbers);
  free(table->tree);
  free(table->methods);
  free(table->slots);
  free(table->slot_of);
  free(table->depth_of);
  *table = (struct whole_table){ 0 };
}

static const struct {
  const char *name, *text;
} whole_states[RTOP_WHOLE_STATE_END] = {
  [0] = { "ended", "" },
  [RTOP_WHOLE_ON] = { "on", "it goes on" },
  [RTOP_WHOLE_TELLING] = { "telling", "it has ended, and not all of it is told yet" },
  [RTOP_WHOLE_DONE] = { "done", "" },
  [RTOP_WHOLE_FULL] = { "full", "it ended early: there was no more room for call nodes or open calls" },
  [RTOP_WHOLE_YJIT] = { "yjit", "not done: YJIT is on, and what it compiled would be slower for good "
                                "(--trace-all=force does it anyway)" },
  [RTOP_WHOLE_REFUSED] = { "refused", "not done: the process cannot do it on this Ruby" },
};

const char *whole_state_name(enum rtop_whole_state state)
{
  return whole_states[state].name;
}

const char *whole_state_text(enum rtop_whole_state state)
{
  return whole_states[state].text;
}

bool whole_state_final(enum rtop_whole_state state)
{
  return state >= RTOP_WHOLE_DONE;
}
