/* SPDX-License-Identifier: MIT */
/* Lists the open rows of either tree. */
#include "tree_rows.h"

#include "tree_choices.h"
#include "tree_places.h"
#include "tui/text/reserve.h"
#include "tui/text/text.h"
#include <limits.h>
#include <stdlib.h>

/* A stack in the tree of callers: the node that has the time, and the node reached so far. */
struct rows_entry {
  uint32_t leaf, at;
};

struct rows_item {
  struct rtop_tree_sibling sibling;
  struct rtop_tree_row row;
};

struct rows_scratch {
  struct rtop_tree_choices choices;
  struct rows_item *stack; /* rows to come, the next one last */
  size_t stack_count, stack_capacity;
  struct rows_entry *entries;
  size_t entry_count, entry_capacity;
};

struct rows_build {
  struct rtop_tree_rows *rows;
  struct rows_scratch *scratch;
  const struct rtop_tree *tree;
  const struct rtop_symbols *symbols;
  const struct rtop_tree_look *look;
  uint64_t least_ns;
  struct rtop_cost other_self, other_total;
  bool failed;
};

static bool rows_is_open(struct rows_build *build, const struct rtop_tree_row *row)
{
  int choice = rtop_tree_choice(&build->scratch->choices, row->key);
  if (choice != RTOP_TREE_UNDECIDED) return choice == RTOP_TREE_OPEN;
  bool open = row->only || (int64_t)row->branches < build->rows->levels;
  if (open) rtop_tree_choose(&build->scratch->choices, row->key, true);
  return open;
}

/* Change of a node's share, in nanoseconds of the span; a decrease is encoded as less than 1 << 62. */
static uint64_t rows_change(const struct rows_build *build, const struct rtop_tree_row *row)
{
  const struct rtop_tree_gone *gone = build->look->gone;
  bool known = row->node < gone->count && gone->before_ns > 0;
  double was = known ? (double)rtop_tree_clock(&gone->before[row->node], gone->mode) : 0;
  double scale = known ? (double)build->tree->length_ns / (double)gone->before_ns : 0;
  double change = (double)rtop_tree_clock(&row->total, build->look->mode) - was * scale;
  return (UINT64_C(1) << 62) + (uint64_t)(int64_t)change;
}

/* Makes a sibling for sorting. Rows that are gone come last, the largest loss first. */
static struct rtop_tree_sibling rows_sibling(const struct rows_build *build, const struct rtop_tree_row *row)
{
  const struct rtop_tree_look *look = build->look;
  if (look->sort == RTOP_SORT_DELTA && look->gone && !look->callers)
    return (struct rtop_tree_sibling){ .key = row->key, .frame = row->frame, .value = rows_change(build, row) };
  return (struct rtop_tree_sibling){ .key = row->key,
                                     .frame = row->frame,
                                     .value = rtop_tree_key(&row->self, &row->total, look->sort, look->mode),
                                     .behind = row->gone && look->sort != RTOP_SORT_NAME ? ~row->lost_ns : 0 };
}

static void rows_other(struct rows_build *build, const struct rtop_cost *self, const struct rtop_cost *total)
{
  build->rows->other_paths++;
  rtop_cost_add(&build->other_self, self);
  rtop_cost_add(&build->other_total, total);
}

/* Adds a child of the current row: to the stack, or if it is small to the combined row. */
static void rows_child(struct rows_build *build, const struct rtop_tree_row *child)
{
  struct rows_scratch *scratch = build->scratch;
  if (!child->gone && rtop_tree_clock(&child->total, build->look->mode) < build->least_ns)
    rows_other(build, &child->self, &child->total);
  else if (rtop_reserve(&scratch->stack, &scratch->stack_capacity, scratch->stack_count + 1, sizeof *scratch->stack))
    scratch->stack[scratch->stack_count++] = (struct rows_item){ rows_sibling(build, child), *child };
  else build->failed = true;
}

static void rows_gone(struct rows_build *build, uint32_t node)
{
  const struct rtop_tree_gone *gone = build->look->gone;
  for (uint32_t id = node < gone->count ? gone->first_child[node] : 0; id != 0; id = gone->next_sibling[id]) {
    struct rtop_tree_row child = { .key = id,
                                   .node = id,
                                   .frame = build->tree->nodes[id].frame,
                                   .below = gone->below[id],
                                   .gone = true,
                                   .lost_ns = rtop_tree_clock(&gone->before[id], gone->mode) };
    rows_child(build, &child);
  }
}

static void rows_callees(struct rows_build *build, uint32_t node, bool is_gone)
{
  const struct rtop_tree_node *nodes = build->tree->nodes;
  const struct rtop_tree_gone *gone = build->look->gone;
  for (uint32_t id = is_gone ? 0 : nodes[node].first_child; id != 0; id = nodes[id].next_sibling) {
    if (rtop_tree_clock(&nodes[id].total, build->look->mode) < build->least_ns) {
      rows_other(build, &nodes[id].self, &nodes[id].total);
      continue;
    }
    struct rtop_tree_row child = { .key = id,
                                   .node = id,
                                   .frame = nodes[id].frame,
                                   .below = nodes[id].below,
                                   .self = nodes[id].self,
                                   .total = nodes[id].total };
    child.below += gone && id < gone->count ? gone->below[id] : 0;
    rows_child(build, &child);
  }
  if (gone) rows_gone(build, node);
}

static int rows_compare_entries(const void *left, const void *right, void *context)
{
  const struct rows_entry *a = left, *b = right;
  const struct rtop_tree_node *nodes = context;
  uint32_t frame_a = nodes[a->at].frame, frame_b = nodes[b->at].frame;
  if (frame_a != frame_b) return frame_a < frame_b ? -1 : 1;
  return a->leaf < b->leaf ? -1 : a->leaf > b->leaf;
}

static uint64_t rows_caller_key(uint64_t parent_key, uint32_t frame)
{
  uint64_t key = (parent_key ^ frame) * UINT64_C(0x9e3779b97f4a7c15);
  return (key ^ key >> 29) | UINT64_C(1) << 63;
}

/* Groups the entries from number `from` on by their next method, and adds one child for each. */
static void rows_group(struct rows_build *build, size_t from, uint64_t parent_key)
{
  struct rows_entry *entries = build->scratch->entries;
  const struct rtop_tree_node *nodes = build->tree->nodes;
  size_t end = build->scratch->entry_count;
  if (end > from) qsort_r(entries + from, end - from, sizeof *entries, rows_compare_entries, build->tree->nodes);
  for (size_t i = from; i < end;) {
    uint32_t frame = nodes[entries[i].at].frame;
    struct rtop_tree_row child = { .key = rows_caller_key(parent_key, frame), .frame = frame, .from = i };
    for (; i < end && nodes[entries[i].at].frame == frame; i++) {
      rtop_cost_add(&child.total, &nodes[entries[i].leaf].self);
      child.below = child.below || nodes[entries[i].at].parent != 0;
    }
    child.count = i - child.from;
    if (parent_key == 1) child.self = child.total;
    rows_child(build, &child);
  }
}

static bool rows_entry(struct rows_build *build, uint32_t leaf, uint32_t at)
{
  struct rows_scratch *scratch = build->scratch;
  if (!rtop_reserve(&scratch->entries, &scratch->entry_capacity, scratch->entry_count + 1, sizeof *scratch->entries)) {
    build->failed = true;
    return false;
  }
  scratch->entries[scratch->entry_count++] = (struct rows_entry){ leaf, at };
  return true;
}

static void rows_leaves(struct rows_build *build)
{
  const struct rtop_tree *tree = build->tree;
  build->scratch->entry_count = 0;
  for (size_t i = 0; i < tree->touched_count; i++) {
    uint32_t id = tree->touched[i];
    const struct rtop_cost *self = &tree->nodes[id].self;
    bool calls = build->look->calls && self->samples > 0;
    if (id != 0 && (calls || rtop_cost_wall(self) || self->cpu_ns) && !rows_entry(build, id, id)) return;
  }
  rows_group(build, 0, 1);
  const struct rtop_tree_gone *gone = build->look->gone;
  for (size_t i = 0; gone && i < gone->leaf_count; i++) {
    const struct rtop_tree_leaf *leaf = &gone->leaves[i];
    struct rtop_tree_row child = {
      .key = rows_caller_key(1, leaf->frame), .frame = leaf->frame, .gone = true, .lost_ns = leaf->lost_ns
    };
    rows_child(build, &child);
  }
}

static void rows_callers(struct rows_build *build, const struct rtop_tree_row *row)
{
  size_t from = build->scratch->entry_count;
  for (size_t i = 0; i < row->count; i++) {
    struct rows_entry entry = build->scratch->entries[row->from + i];
    uint32_t caller = build->tree->nodes[entry.at].parent;
    if (caller != 0 && !rows_entry(build, entry.leaf, caller)) return;
  }
  rows_group(build, from, row->key);
}

/* Sorts the children added to the stack since position `from`. */
static void rows_order(struct rows_build *build, size_t from, const struct rtop_tree_row *parent)
{
  struct rows_scratch *scratch = build->scratch;
  size_t count = scratch->stack_count - from;
  const struct rtop_tree_places places = { build->look->sort, build->look->reverse,
                                           build->look->shares ? build->tree->length_ns : 0 };
  rtop_tree_places_order(&places, build->symbols, scratch->stack + from, count, sizeof *scratch->stack);
  for (size_t i = 0; i < count; i++) {
    struct rtop_tree_row *child = &scratch->stack[from + i].row;
    child->last = i == 0;
    child->only = parent && count == 1;
    child->depth = parent ? parent->depth + 1 : 0;
    child->branches = parent ? parent->branches + (count > 1) : 0;
    child->lines = parent ? parent->lines : 0;
    if (parent && !parent->last && parent->depth < 64) child->lines |= UINT64_C(1) << parent->depth;
  }
}

static bool rows_emit(struct rows_build *build, const struct rtop_tree_row *row)
{
  struct rtop_tree_rows *rows = build->rows;
  if (rows->count == RTOP_TREE_ROWS_MAX) {
    rows->cut = true;
    return false;
  }
  if (!rtop_reserve(&rows->rows, &rows->capacity, rows->count + 1, sizeof *rows->rows)) {
    build->failed = true;
    return false;
  }
  rows->rows[rows->count++] = *row;
  return true;
}

/* ---- chains ------------------------------------------------------------------------------------------ */

#define ROWS_ALONE (UINT64_C(1) << 62) /* flag in the key of a node's choice: the node has a row of its own */

static bool rows_alone(const struct rows_build *build, uint32_t node)
{
  return rtop_tree_choice(&build->scratch->choices, node | ROWS_ALONE) == RTOP_TREE_OPEN;
}

/* The next node of a chain; 0: the chain ends there. */
static uint32_t rows_next_in_chain(const struct rows_build *build, uint32_t node)
{
  bool ends = node == build->look->kept || rows_alone(build, node) ||
              rtop_tree_choice(&build->scratch->choices, node) == RTOP_TREE_CLOSED;
  uint32_t next = ends ? 0 : rtop_tree_only_call(build->tree, node, build->look->mode, build->least_ns);
  return next != 0 && rows_alone(build, next) ? 0 : next;
}

/* Adds the small nodes beside those of a chain to the combined row. */
static void rows_small_beside(struct rows_build *build, uint32_t node)
{
  const struct rtop_tree_node *nodes = build->tree->nodes;
  for (uint32_t id = nodes[node].first_child; id != 0; id = nodes[id].next_sibling)
    if (rtop_tree_clock(&nodes[id].total, build->look->mode) < build->least_ns)
      rows_other(build, &nodes[id].self, &nodes[id].total);
}

/* Turns the row of an open node into the row of the chain that begins with it. */
static void rows_chain(struct rows_build *build, struct rtop_tree_row *row)
{
  const struct rtop_tree_look *look = build->look;
  const struct rtop_tree_node *nodes = build->tree->nodes;
  uint32_t count = 1, last = row->node;
  if (look->chains == 0 || look->callers || look->gone || look->calls || build->rows->levels == INT_MAX) return;
  for (uint32_t next = rows_next_in_chain(build, last); next != 0; next = rows_next_in_chain(build, last)) {
    last = next;
    count++;
  }
  if (count < look->chains) return;
  for (uint32_t node = row->node; node != last;
       node = rtop_tree_only_call(build->tree, node, look->mode, build->least_ns))
    rows_small_beside(build, node);
  bool only = row->only;
  row->chain = count;
  row->first = row->frame;
  row->key = row->node = last;
  row->frame = nodes[last].frame;
  row->below = nodes[last].below;
  row->self = nodes[last].self;
  row->total = nodes[last].total;
  row->only = true; /* below the one before it */
  row->open = row->below > 0 && rows_is_open(build, row);
  row->only = only;
}

void rtop_tree_rows_unchain(struct rtop_tree_rows *rows, const struct rtop_tree *tree, const struct rtop_tree_row *row)
{
  struct rows_scratch *scratch = rows->scratch;
  uint32_t node = row->node;
  for (uint32_t i = 0; scratch && i < row->chain && node != 0; i++, node = tree->nodes[node].parent)
    rtop_tree_choose(&scratch->choices, node | ROWS_ALONE, true);
}

/* ------------------------------------------------------------------------------------------------------ */

static void rows_walk(struct rows_build *build)
{
  struct rows_scratch *scratch = build->scratch;
  while (scratch->stack_count > 0) {
    struct rtop_tree_row row = scratch->stack[--scratch->stack_count].row;
    row.open = row.below > 0 && rows_is_open(build, &row);
    if (row.open && !row.gone) rows_chain(build, &row);
    if (!rows_emit(build, &row)) return;
    size_t from = scratch->stack_count;
    if (row.open && build->look->callers) rows_callers(build, &row);
    else if (row.open) rows_callees(build, row.node, row.gone);
    rows_order(build, from, &row);
  }
}

bool rtop_tree_rows_build(struct rtop_tree_rows *rows, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                          const struct rtop_tree_look *look)
{
  rows->count = rows->other_paths = 0;
  rows->cut = false;
  rows->least_percent = look->least_percent;
  if (!rows->scratch) rows->scratch = calloc(1, sizeof(struct rows_scratch));
  if (!rows->scratch) return false;
  struct rows_build build = {
    .rows = rows,
    .scratch = rows->scratch,
    .tree = tree,
    .symbols = symbols,
    .look = look,
    .least_ns = (uint64_t)(look->least_percent / 100 * (double)tree->length_ns),
  };
  build.scratch->stack_count = 0;
  if (tree->touched_count == 0 && !look->gone) return true;
  if (look->callers) rows_leaves(&build);
  else rows_callees(&build, 0, false);
  rows_order(&build, 0, NULL);
  rows_walk(&build);
  if (rows->other_paths > 0) {
    struct rtop_tree_row other = { .last = true, .self = build.other_self, .total = build.other_total };
    rows_emit(&build, &other);
  }
  return !build.failed;
}

void rtop_tree_rows_open(struct rtop_tree_rows *rows, uint64_t key, bool open)
{
  struct rows_scratch *scratch = rows->scratch;
  if (scratch && key != 0) rtop_tree_choose(&scratch->choices, key, open);
}

void rtop_tree_rows_reveal(struct rtop_tree_rows *rows, const struct rtop_tree *tree, uint32_t node)
{
  struct rows_scratch *scratch = rows->scratch;
  if (scratch && node != 0) rtop_tree_choose(&scratch->choices, node | ROWS_ALONE, true);
  while (node != 0 && tree->nodes[node].parent != 0) {
    node = tree->nodes[node].parent;
    rtop_tree_rows_open(rows, node, true);
  }
}

void rtop_tree_rows_levels(struct rtop_tree_rows *rows, int levels)
{
  rows->levels = levels;
  if (rows->scratch) rtop_tree_choices_clear(&((struct rows_scratch *)rows->scratch)->choices);
}

void rtop_tree_rows_destroy(struct rtop_tree_rows *rows)
{
  struct rows_scratch *scratch = rows->scratch;
  if (scratch) {
    rtop_tree_choices_clear(&scratch->choices);
    free(scratch->stack);
    free(scratch->entries);
  }
  free(scratch);
  free(rows->rows);
  *rows = (struct rtop_tree_rows){ 0 };
}
