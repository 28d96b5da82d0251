/* SPDX-License-Identifier: MIT */
/* Lays cells out, level by level. */
#include "icicle.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

static const double chain_percent = 0.05; /* of the span: less beside a call reads as nothing, and ends no chain */
enum { ICICLE_KEPT = 1 << 30 }; /* Offset of a node's entries among the values kept by struct rtop_hysteresis. */

struct icicle_build {
  struct rtop_icicle *icicle;
  const struct rtop_tree *tree;
  const struct rtop_symbols *symbols;
  const struct rtop_icicle_look *look;
  uint64_t least_ns, chain_ns;
};

static int icicle_compare(const void *left, const void *right, void *context)
{
  const struct icicle_build *build = context;
  const struct rtop_icicle_look *look = build->look;
  const struct rtop_icicle_child *one = left, *other = right;
  uint32_t id_a = one->node, id_b = other->node;
  if (look->sort == RTOP_SORT_TOTAL && one->ns != other->ns) return (one->ns > other->ns) != look->reverse ? -1 : 1;
  const struct rtop_tree_node *a = &build->tree->nodes[id_a], *b = &build->tree->nodes[id_b];
  uint64_t key_a = rtop_tree_key(&a->self, &a->total, look->sort, look->mode);
  uint64_t key_b = rtop_tree_key(&b->self, &b->total, look->sort, look->mode);
  if (look->sort != RTOP_SORT_TOTAL && key_a != key_b) return (key_a > key_b) != look->reverse ? -1 : 1;
  int by_name =
      strcmp(rtop_symbols_get(build->symbols, a->frame)->label, rtop_symbols_get(build->symbols, b->frame)->label);
  if (by_name != 0) return look->reverse && look->sort == RTOP_SORT_NAME ? -by_name : by_name;
  return id_a < id_b ? -1 : id_a > id_b;
}

static bool icicle_cell(struct icicle_build *build, const struct rtop_icicle_cell *cell)
{
  struct rtop_icicle *icicle = build->icicle;
  if (!rtop_reserve(&icicle->cells, &icicle->capacity, icicle->count + 1, sizeof *icicle->cells)) return false;
  icicle->cells[icicle->count++] = *cell;
  return true;
}

/* Keeps each child's part of its parent unchanged, unless the sum of the parts exceeds the parent. */
static void icicle_keep(struct icicle_build *build, uint32_t parent, size_t count)
{
  const struct rtop_icicle_look *look = build->look;
  struct rtop_icicle_child *children = build->icicle->children;
  double whole = (double)rtop_tree_clock(&build->tree->nodes[parent].total, look->mode), sum = 0;
  double samples = look->samples * whole / (double)(build->tree->length_ns + 1);
  if (look->hysteresis == NULL || whole <= 0) return;
  for (int again = 0; again < 2 && (again == 0 || sum > whole + 1); again++)
    for (size_t i = 0; i < count; i++) {
      uint64_t ns = rtop_tree_clock(&build->tree->nodes[children[i].node].total, look->mode);
      double share = (double)ns / whole, noise = again ? 0 : rtop_hysteresis_noise(share, samples);
      double kept =
          rtop_hysteresis_keep(look->hysteresis, rtop_hysteresis_key(children[i].node, ICICLE_KEPT), share, noise);
      children[i].ns = kept == share ? (double)ns : kept * whole;
      sum += children[i].ns;
    }
}

/* Sorts the children of a node and returns their number. */
static size_t icicle_children(struct icicle_build *build, uint32_t node, bool *fine)
{
  struct rtop_icicle *icicle = build->icicle;
  const struct rtop_tree_node *nodes = build->tree->nodes;
  size_t count = 0;
  for (uint32_t id = nodes[node].first_child; id != 0; id = nodes[id].next_sibling) {
    if (!rtop_reserve(&icicle->children, &icicle->children_capacity, count + 1, sizeof *icicle->children)) {
      *fine = false;
      return 0;
    }
    icicle->children[count++] =
        (struct rtop_icicle_child){ id, (double)rtop_tree_clock(&nodes[id].total, build->look->mode) };
  }
  icicle_keep(build, node, count);
  if (count > 1) qsort_r(icicle->children, count, sizeof *icicle->children, icicle_compare, build);
  return count;
}

/* Merges adjacent nodes that are too narrow into one cell, if together they fill a column. */
static bool icicle_merge(struct icicle_build *build, struct rtop_icicle_cell *narrow, int end)
{
  bool fine = true;
  build->icicle->merged += narrow->merged;
  narrow->columns = end - narrow->x;
  if (narrow->merged > 0 && narrow->columns > 0) fine = icicle_cell(build, narrow);
  narrow->merged = 0;
  return fine;
}

/* Makes the cell of a node that of the chain that begins there. */
static void icicle_chain(const struct icicle_build *build, struct rtop_icicle_cell *cell)
{
  const struct rtop_icicle_look *look = build->look;
  uint32_t count = 1, last = cell->node;
  for (uint32_t next = last; look->chains > 0 && last != look->kept; last = next, count++) {
    next = rtop_tree_only_call(build->tree, last, look->mode, build->chain_ns);
    if (next == 0) break;
  }
  if (look->chains == 0 || count < look->chains) return;
  cell->chain = count;
  cell->first = cell->node;
  cell->node = last;
}

static bool icicle_below(struct icicle_build *build, size_t index)
{
  struct rtop_icicle_cell cell = build->icicle->cells[index];
  const struct rtop_tree_node *nodes = build->tree->nodes;
  double whole = (double)rtop_tree_clock(&nodes[cell.node].total, build->look->mode), until = 0;
  bool fine = true;
  size_t count = icicle_children(build, cell.node, &fine);
  struct rtop_icicle_cell narrow = { .parent = (uint32_t)index, .depth = cell.depth + 1 };
  int x = cell.x;
  for (size_t i = 0; i < count && fine && whole > 0; i++) {
    uint32_t id = build->icicle->children[i].node;
    uint64_t ns = rtop_tree_clock(&nodes[id].total, build->look->mode);
    until += build->icicle->children[i].ns;
    int end = cell.x + (int)(until / whole * cell.columns + 0.5);
    if (end - x < RTOP_ICICLE_COLUMNS_MIN || ns < build->least_ns) {
      narrow.x = narrow.merged == 0 ? x : narrow.x;
      narrow.merged += nodes[id].below + 1;
    } else {
      fine = icicle_merge(build, &narrow, x);
      struct rtop_icicle_cell child = {
        .node = id, .parent = (uint32_t)index, .depth = cell.depth + 1, .x = x, .columns = end - x
      };
      icicle_chain(build, &child);
      fine = icicle_cell(build, &child) && fine;
    }
    x = end;
  }
  return icicle_merge(build, &narrow, x) && fine;
}

static bool icicle_depth(struct rtop_icicle *icicle, size_t depth, size_t first)
{
  if (!rtop_reserve(&icicle->first, &icicle->depth_capacity, depth + 2, sizeof *icicle->first)) return false;
  icicle->first[depth] = first;
  return true;
}

bool rtop_icicle_build(struct rtop_icicle *icicle, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                       const struct rtop_icicle_look *look)
{
  struct icicle_build build = {
    icicle, tree, symbols, look, (uint64_t)(look->least_percent / 100 * (double)tree->length_ns), 0
  };
  build.chain_ns = (uint64_t)(chain_percent / 100 * (double)tree->length_ns);
  build.chain_ns = build.chain_ns > build.least_ns ? build.chain_ns : build.least_ns;
  icicle->count = icicle->depths = icicle->merged = 0;
  if (look->columns < 1 || !rtop_tree_has(tree, look->root) ||
      rtop_tree_clock(&tree->nodes[look->root].total, look->mode) == 0)
    return true;
  struct rtop_icicle_cell root = { .node = look->root, .columns = look->columns };
  bool fine = icicle_cell(&build, &root) && icicle_depth(icicle, 0, 0);
  /* The cells of one depth create those of the next depth, which are appended. */
  for (size_t from = 0; fine && from < icicle->count && icicle->depths < RTOP_ICICLE_DEPTH_MAX;) {
    size_t end = icicle->count;
    icicle->depths++;
    for (size_t i = from; i < end && fine; i++)
      if (icicle->cells[i].merged == 0) fine = icicle_below(&build, i);
    fine = icicle_depth(icicle, icicle->depths, end) && fine;
    from = end;
  }
  if (!fine) icicle->count = icicle->depths = 0;
  return fine;
}

void rtop_icicle_destroy(struct rtop_icicle *icicle)
{
  free(icicle->cells);
  free(icicle->first);
  free(icicle->children);
  *icicle = (struct rtop_icicle){ 0 };
}

int rtop_icicle_cell_rows(const struct rtop_icicle *icicle, int rows)
{
  size_t fits = rows > 0 && icicle->depths > 0 ? (size_t)rows / icicle->depths : 1;
  return fits > RTOP_ICICLE_ROWS_MAX ? RTOP_ICICLE_ROWS_MAX : fits > 1 ? (int)fits : 1;
}

/* Is the node one of the chain, from the last to the first? */
static bool icicle_chains(const struct rtop_tree *tree, const struct rtop_icicle_cell *cell, uint32_t node)
{
  uint32_t at = cell->node;
  for (uint32_t i = 1; i < cell->chain && at != node; i++) at = tree->nodes[at].parent;
  return at == node;
}

size_t rtop_icicle_find(const struct rtop_icicle *icicle, const struct rtop_tree *tree, uint32_t node)
{
  for (size_t i = 0; i < icicle->count; i++)
    if (icicle->cells[i].merged == 0 && icicle_chains(tree, &icicle->cells[i], node)) return i;
  return SIZE_MAX;
}

size_t rtop_icicle_at(const struct rtop_icicle *icicle, uint32_t depth, int x)
{
  size_t best = SIZE_MAX;
  int distance = INT32_MAX;
  if (depth >= icicle->depths) return SIZE_MAX;
  for (size_t i = icicle->first[depth]; i < icicle->first[depth + 1]; i++) {
    const struct rtop_icicle_cell *cell = &icicle->cells[i];
    int left = cell->x - x, right = x - (cell->x + cell->columns - 1);
    int away = left > 0 ? left : right > 0 ? right : 0;
    if (away < distance) {
      distance = away;
      best = i;
    }
  }
  return best;
}
