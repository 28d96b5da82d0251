#include "detail.h"
#include <stdlib.h>
#include <string.h>

/* What one stack says about the frame. */
struct sighting {
  bool found;
  bool leaf;                           /* the frame itself is the leaf */
  bool has_caller;
  uint32_t caller, callee, line;
};

static struct sighting look(const struct rtop_symbols *symbols, uint32_t node, uint32_t frame)
{
  struct sighting sighting = { 0 };
  uint32_t below = 0;
  bool has_below = false;
  while (node != 0) {
    const struct rtop_call_node *at = rtop_symbols_get_node(symbols, node);
    if (at->frame == frame) {
      if (!sighting.found) {
        sighting.found = true;
        sighting.leaf = !has_below;
        sighting.callee = below;
        sighting.line = at->line;
      }
      sighting.has_caller = at->parent != 0;
      sighting.caller = rtop_symbols_get_node(symbols, at->parent)->frame;
    }
    below = at->frame;
    has_below = true;
    node = at->parent < node ? at->parent : 0;
  }
  return sighting;
}

static int by_id(const void *left, const void *right)
{
  const struct detail_row *a = left, *b = right;
  return a->id < b->id ? -1 : a->id > b->id;
}

static int by_total(const void *left, const void *right)
{
  const struct detail_row *a = left, *b = right;
  if (a->total_ns != b->total_ns) {
    return a->total_ns > b->total_ns ? -1 : 1;
  }
  return by_id(left, right);
}

/* Merges equal ids and keeps the largest. */
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
  qsort(rows, kept, sizeof *rows, by_total);
  list->count = kept < DETAIL_ROWS_MAX ? (int)kept : DETAIL_ROWS_MAX;
  memcpy(list->row, rows, (size_t)list->count * sizeof *rows);
}

static bool reserve(struct detail *detail, size_t cells)
{
  if (cells > detail->scratch_capacity) {
    struct detail_row *scratch = realloc(detail->scratch, 3 * cells * sizeof *scratch);
    if (scratch == NULL) {
      return false;
    }
    detail->scratch = scratch;
    detail->scratch_capacity = cells;
  }
  return true;
}

bool detail_build(struct detail *detail, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                  uint32_t frame, enum rtop_mode mode)
{
  detail->frame = frame;
  detail->self_ns = 0;
  memset(&detail->total, 0, sizeof detail->total);
  detail->callers.count = detail->callees.count = detail->lines.count = 0;
  if (!reserve(detail, sum->cell_count + 1)) {
    return false;
  }
  struct detail_row *callers = detail->scratch, *callees = callers + detail->scratch_capacity;
  struct detail_row *lines = callees + detail->scratch_capacity;
  size_t caller_count = 0, callee_count = 0, line_count = 0;
  for (size_t i = 0; i < sum->cell_count; i++) {
    const struct rtop_cost *cost = &sum->cells[i].cost;
    struct sighting sighting = look(symbols, sum->cells[i].node, frame);
    if (!sighting.found || rtop_sum_hides(sum, &sum->cells[i])) {
      continue;
    }
    uint64_t ns = mode == RTOP_MODE_CPU ? cost->cpu_ns : rtop_cost_wall(cost);
    uint64_t self_ns = sighting.leaf ? ns : 0;
    rtop_cost_add(&detail->total, cost);
    detail->self_ns += self_ns;
    if (sighting.has_caller) {
      callers[caller_count++] = (struct detail_row){ sighting.caller, ns, 0 };
    }
    if (!sighting.leaf) {
      callees[callee_count++] = (struct detail_row){ sighting.callee, ns, 0 };
    }
    lines[line_count++] = (struct detail_row){ sighting.line, ns, self_ns };
  }
  fold(&detail->callers, callers, caller_count);
  fold(&detail->callees, callees, callee_count);
  fold(&detail->lines, lines, line_count);
  return true;
}

void detail_destroy(struct detail *detail)
{
  free(detail->scratch);
  memset(detail, 0, sizeof *detail);
}
