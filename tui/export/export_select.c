/* SPDX-License-Identifier: MIT */
/* Selects the cells of a sum that pass the filters. */
#include "export_impl.h"

#include "tui/methods/methods_impl.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum select_answer { SELECT_UNKNOWN, SELECT_PASSES, SELECT_MATCHES };

/* State of a selection; each node of the old symbols is tested only once. */
struct select {
  const struct rtop_symbols *from;
  struct rtop_symbols *to;
  struct methods_regex filter, thread_filter;
  bool invert;
  uint32_t *moved;  /* by old node: the new one */
  uint8_t *answers; /* by old node: enum select_answer */
  uint32_t *path;
  size_t path_capacity;
};

static uint32_t select_move(struct select *select, uint32_t parent, const struct rtop_call_node *node)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(select->from, node->frame);
  uint32_t frame = rtop_symbols_frame_from(select->to, symbol);
  return rtop_symbols_node(select->to, parent, frame, node->line);
}

static uint32_t select_known(const struct select *select, uint32_t node)
{
  return node < rtop_symbols_node_count(select->from) ? node : 0;
}

/* Tests the node and its callers, callers first. */
static bool select_ask(struct select *select, uint32_t node)
{
  size_t depth = 0;
  for (; !select->answers[node]; node = rtop_symbols_get_node(select->from, node)->parent) {
    if (!rtop_reserve(&select->path, &select->path_capacity, depth + 1, sizeof *select->path)) return false;
    select->path[depth++] = node;
  }
  while (depth > 0) {
    uint32_t at = select->path[--depth];
    const struct rtop_call_node *call = rtop_symbols_get_node(select->from, at);
    bool matches =
        select->answers[call->parent] == SELECT_MATCHES ||
        (select->filter.text && methods_regex_matches(&select->filter, rtop_symbols_get(select->from, call->frame)));
    select->answers[at] = matches ? SELECT_MATCHES : SELECT_PASSES;
    select->moved[at] = select->from == select->to ? at : select_move(select, select->moved[call->parent], call);
  }
  return true;
}

static bool select_wants(const struct select *select, const struct rtop_thread_row *thread)
{
  const struct methods_regex *regex = &select->thread_filter;
  return !thread->hidden && (!regex->text || regexec(&regex->compiled, thread->name, 0, NULL, 0) == 0);
}

static bool select_cell(struct select *select, struct rtop_sum *to, const struct rtop_sum_cell *cell)
{
  uint32_t node = select_known(select, cell->node);
  if (!select_ask(select, node)) return false;
  if (select->filter.text && (select->answers[node] == SELECT_MATCHES) == select->invert) return true;
  struct rtop_sum_cell *kept = &to->cells[to->cell_count++];
  *kept = *cell;
  kept->node = select->moved[node];
  rtop_cost_add(&to->threads[cell->thread].cost, &cell->cost);
  rtop_cost_add(&to->total, &cell->cost);
  return true;
}

static int select_compare(const void *left, const void *right)
{
  const struct rtop_sum_cell *a = left, *b = right;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
}

static bool select_cells(struct select *select, struct rtop_sum *to, const struct rtop_sum *from)
{
  bool fine = true;
  for (size_t i = 0; i < from->thread_count; i++) to->threads[i].cost = (struct rtop_cost){ 0 };
  select->answers[0] = SELECT_PASSES;
  for (size_t i = 0; i < from->cell_count; i++)
    if (from->cells[i].thread < from->thread_count && select_wants(select, &from->threads[from->cells[i].thread]))
      fine = select_cell(select, to, &from->cells[i]) && fine;
  for (size_t i = 0; i < to->thread_count; i++) {
    uint32_t node = select_known(select, to->threads[i].node);
    fine = select_ask(select, node) && fine;
    to->threads[i].node = select->moved[node];
  }
  if (select->from != select->to && to->cell_count) qsort(to->cells, to->cell_count, sizeof *to->cells, select_compare);
  return fine;
}

static bool select_room(struct select *select, struct rtop_sum *to, const struct rtop_sum *from)
{
  size_t nodes = rtop_symbols_node_count(select->from);
  *to = *from;
  to->borrowed = false;
  to->total = (struct rtop_cost){ 0 };
  to->cell_count = 0;
  to->cells = malloc((from->cell_count + 1) * sizeof *to->cells);
  to->threads = calloc(from->thread_count + 1, sizeof *to->threads);
  to->cell_capacity = from->cell_count + 1;
  to->thread_capacity = from->thread_count + 1;
  select->answers = calloc(nodes, sizeof *select->answers);
  select->moved = calloc(nodes, sizeof *select->moved);
  if (!to->cells || !to->threads || !select->answers || !select->moved) return false;
  if (from->thread_count) memcpy(to->threads, from->threads, from->thread_count * sizeof *to->threads);
  return true;
}

bool export_select(struct rtop_sum *to, const struct rtop_sum *from, const struct rtop_symbols *from_symbols,
                   struct rtop_symbols *symbols, const struct rtop_methods_options *options)
{
  struct select select = { .from = from_symbols, .to = symbols, .invert = options->filter_invert };
  bool fine = select_room(&select, to, from) && methods_regex_use(&select.filter, options->filter) &&
              methods_regex_use(&select.thread_filter, options->thread_filter) && select_cells(&select, to, from);
  methods_regex_free(&select.filter);
  methods_regex_free(&select.thread_filter);
  free(select.answers);
  free(select.moved);
  free(select.path);
  return fine;
}
