/* SPDX-License-Identifier: MIT */
/* Callers, callees and lines of one method, computed from the nodes of a live sum. */
#include "detail.h"
#include "tui/text/reserve.h"
#include "tui/trees/tree.h"
#include <stdlib.h>
#include <string.h>

static int by_id(const void *left, const void *right)
{
  const struct detail_row *a = left, *b = right;
  return a->id < b->id ? -1 : a->id > b->id;
}

static int by_total(const void *left, const void *right)
{
  const struct detail_row *a = left, *b = right;
  if (a->total_ns != b->total_ns) return a->total_ns > b->total_ns ? -1 : 1;
  return by_id(left, right);
}

/* Merges rows with equal ids, drops rows whose sum is zero, and keeps the largest. */
static void fold(struct detail_list *list, struct detail_row *rows, size_t count)
{
  size_t kept = 0;
  qsort(rows, count, sizeof *rows, by_id);
  for (size_t i = 0; i < count; i++) {
    if (kept > 0 && rows[kept - 1].id == rows[i].id) {
      rows[kept - 1].total_ns += rows[i].total_ns;
      rows[kept - 1].self_ns += rows[i].self_ns;
    } else {
      rows[kept++] = rows[i];
    }
  }
  count = kept;
  kept = 0;
  for (size_t i = 0; i < count; i++)
    if (rows[i].total_ns > 0 || rows[i].self_ns > 0) rows[kept++] = rows[i];
  qsort(rows, kept, sizeof *rows, by_total);
  list->count = kept < DETAIL_ROWS_MAX ? (int)kept : DETAIL_ROWS_MAX;
  memcpy(list->row, rows, (size_t)list->count * sizeof *rows);
}

static bool reserve(struct detail *detail, size_t cells)
{
  if (cells > detail->scratch_capacity) {
    struct detail_row *scratch = realloc(detail->scratch, 3 * cells * sizeof *scratch);
    if (scratch == NULL) return false;
    detail->scratch = scratch;
    detail->scratch_capacity = cells;
  }
  return true;
}

/* Position of a node relative to the calls of the frame. */
struct passage {
  uint32_t near; /* index + 1 of the innermost node of the frame at or above this node; 0: none */
  uint32_t via;  /* index + 1 of the node called by `near` on the way to this node; 0: this node is `near` */
};

struct survey {
  struct detail *detail;
  const struct rtop_symbols *symbols;
  const struct rtop_live_node *nodes;
  const struct rtop_live_spent *spent;
  enum rtop_mode mode;
  struct detail_row *callers, *callees, *lines;
  size_t caller_count, callee_count, line_count;
};

static uint32_t line_at(const struct survey *survey, uint32_t index)
{
  return rtop_symbols_line(survey->symbols, survey->nodes[index].node);
}

/* Adds a node of the frame itself: everything below belongs to this call, no longer to an outer one. */
static void survey_frame(struct survey *survey, uint32_t index, struct passage above)
{
  const struct rtop_live_spent *spent = &survey->spent[index];
  uint32_t parent = survey->nodes[index].parent;
  uint64_t ns = rtop_tree_clock(&spent->total, survey->mode);
  uint64_t self_ns = rtop_tree_clock(&spent->self, survey->mode);
  survey->detail->self_ns += self_ns;
  survey->lines[survey->line_count++] = (struct detail_row){ line_at(survey, index), ns, self_ns };
  if (above.near == 0) {
    rtop_cost_add(&survey->detail->total, &spent->total);
    if (parent != 0)
      survey->callers[survey->caller_count++] = (struct detail_row){ survey->nodes[parent].frame, ns, 0 };
    return;
  }
  survey->lines[survey->line_count++] = (struct detail_row){ line_at(survey, above.near - 1), 0 - ns, 0 };
  if (above.via != 0) {
    uint32_t callee = survey->nodes[above.via - 1].frame;
    survey->callees[survey->callee_count++] = (struct detail_row){ callee, 0 - ns, 0 };
  }
}

/* Adds the own time of the root; all other time is below it. */
static void survey_root(struct survey *survey)
{
  const struct rtop_live_spent *root = &survey->spent[0];
  uint64_t ns = rtop_tree_clock(&root->self, survey->mode);
  rtop_cost_add(&survey->detail->total, &root->self);
  survey->detail->self_ns = ns;
  survey->lines[survey->line_count++] = (struct detail_row){ 0, ns, ns };
}

static void survey_nodes(struct survey *survey, uint32_t count, struct passage *passages)
{
  for (uint32_t i = 1; i < count; i++) {
    const struct rtop_live_node *node = &survey->nodes[i];
    struct passage above = passages[node->parent];
    passages[i] = above;
    if (node->frame == survey->detail->frame) {
      passages[i] = (struct passage){ i + 1, 0 };
      if (survey->spent[i].cells > 0) survey_frame(survey, i, above);
    } else if (above.near != 0 && above.via == 0) {
      uint64_t ns = rtop_tree_clock(&survey->spent[i].total, survey->mode);
      passages[i].via = i + 1;
      survey->callees[survey->callee_count++] = (struct detail_row){ node->frame, ns, 0 };
    }
  }
}

bool detail_build(struct detail *detail, const struct rtop_live *live, const struct rtop_symbols *symbols,
                  uint32_t frame, enum rtop_mode mode)
{
  uint32_t count;
  const struct rtop_live_node *nodes = rtop_live_nodes(live, &count);
  const struct rtop_live_spent *spent = rtop_live_spent(live);
  detail->frame = frame;
  detail->mode = mode;
  detail->led_from = 0;
  detail->self_ns = detail->waits_ns = 0;
  memset(&detail->total, 0, sizeof detail->total);
  detail->callers.count = detail->callees.count = detail->lines.count = 0;
  /* Each node adds at most two entries, for lines and callees. */
  if (!spent || !reserve(detail, 2 * (size_t)count + 2) ||
      !rtop_reserve(&detail->passages, &detail->passage_capacity, count + 1u, sizeof(struct passage)))
    return false;
  struct survey survey = { .detail = detail, .symbols = symbols, .nodes = nodes, .spent = spent, .mode = mode };
  struct passage *passages = detail->passages;
  survey.callers = detail->scratch;
  survey.callees = survey.callers + detail->scratch_capacity;
  survey.lines = survey.callees + detail->scratch_capacity;
  passages[0] = (struct passage){ 0 };
  if (frame != 0) survey_nodes(&survey, count, passages);
  else if (count > 0) survey_root(&survey);
  fold(&detail->callers, survey.callers, survey.caller_count);
  fold(&detail->callees, survey.callees, survey.callee_count);
  fold(&detail->lines, survey.lines, survey.line_count);
  return true;
}

/* Puts the caller first. Of nested calls the outermost counts, as in the list of callers. */
void detail_lead(struct detail *detail, const struct rtop_symbols *symbols, uint32_t node)
{
  struct detail_list *list = &detail->callers;
  uint32_t from = 0;
  for (const struct rtop_call_node *call; node != 0; node = call->parent) {
    call = rtop_symbols_get_node(symbols, node);
    from = call->frame == detail->frame ? rtop_symbols_get_node(symbols, call->parent)->frame : from;
  }
  for (int i = 0; from != 0 && i < list->count; i++) {
    struct detail_row row = list->row[i];
    if (row.id != from) continue;
    memmove(list->row + 1, list->row, (size_t)i * sizeof row);
    list->row[0] = row;
    detail->led_from = from;
  }
}

void detail_destroy(struct detail *detail)
{
  free(detail->scratch);
  free(detail->passages);
  memset(detail, 0, sizeof *detail);
}
