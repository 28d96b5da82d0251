/* SPDX-License-Identifier: MIT */
/* Rows of groups: roots, the methods they call, and references. */
#include "groups.h"

#include "groups_graph.h"
#include "tree_places.h"
#include "tui/text/reserve.h"
#include <stdlib.h>

/* A row to come. */
struct groups_item {
  struct rtop_tree_sibling sibling;
  uint64_t lines;
  uint32_t edge; /* + 1; 0: root of a group */
  uint32_t depth;
  bool last;
};

struct groups_scratch {
  struct groups_graph graph;
  struct groups_item *stack; /* the next one last */
  size_t stack_count, stack_capacity;
  uint64_t least_ns; /* of the last build */
};

struct groups_build {
  struct rtop_groups *groups;
  struct groups_scratch *scratch;
  const struct groups_graph *graph;
  const struct rtop_symbols *symbols;
  enum rtop_sort_key sort;
  uint64_t least_ns;
  bool reverse, shares, failed;
};

static struct groups_scratch *groups_scratch(struct rtop_groups *groups)
{
  if (!groups->scratch) groups->scratch = calloc(1, sizeof(struct groups_scratch));
  return groups->scratch;
}

bool rtop_groups_take(struct rtop_groups *groups, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                      const struct rtop_groups_look *look)
{
  struct groups_scratch *scratch = groups_scratch(groups);
  struct groups_wish wish = { look->mode, look->sort };
  return scratch && groups_graph_take(&scratch->graph, tree, symbols, wish);
}

uint64_t rtop_groups_root_key(uint32_t frame)
{
  return UINT64_C(1) << 63 | frame;
}

static uint64_t groups_key(uint32_t caller, uint32_t frame)
{
  return (uint64_t)caller << 32 | frame;
}

/* Returns the key of the row where a method itself is shown, not a reference to it. */
static uint64_t groups_place_key(const struct groups_frame *entry, uint32_t frame)
{
  return groups_graph_is_root(entry) ? rtop_groups_root_key(frame) : groups_key(entry->caller, frame);
}

/* Returns the call at this position in a caller's list; NULL: there are no more. */
static const struct groups_edge *groups_call(const struct groups_graph *graph, uint32_t at)
{
  return at != 0 ? &graph->edges[at - 1] : NULL;
}

static uint32_t groups_below(const struct groups_build *build, uint32_t frame)
{
  const struct groups_graph *graph = build->graph;
  uint32_t below = 0;
  for (const struct groups_edge *edge = groups_call(graph, graph->frames[frame].first_out); edge;
       edge = groups_call(graph, edge->next_out))
    below += edge->total.ns >= build->least_ns;
  return below;
}

static void groups_push(struct groups_build *build, const struct groups_item *item)
{
  struct groups_scratch *scratch = build->scratch;
  if (rtop_reserve(&scratch->stack, &scratch->stack_capacity, scratch->stack_count + 1, sizeof *scratch->stack))
    scratch->stack[scratch->stack_count++] = *item;
  else build->failed = true;
}

static uint64_t groups_value(const struct groups_build *build, const struct groups_figures *total, uint64_t self_ns,
                             uint64_t calls)
{
  if (build->sort == RTOP_SORT_COUNT) return calls;
  return build->sort == RTOP_SORT_SELF ? self_ns : total->value;
}

static void groups_push_roots(struct groups_build *build)
{
  const struct groups_graph *graph = build->graph;
  struct rtop_groups *groups = build->groups;
  groups->group_count = graph->root_count;
  for (uint32_t i = 0; i < graph->root_count; i++) {
    uint32_t frame = graph->roots[i];
    const struct groups_frame *entry = &graph->frames[frame];
    groups->most_ns = entry->total.ns > groups->most_ns ? entry->total.ns : groups->most_ns;
    if (entry->total.ns < build->least_ns) groups->hidden++;
    else
      groups_push(build, &(struct groups_item){ .sibling = { .key = rtop_groups_root_key(frame),
                                                             .frame = frame,
                                                             .value = groups_value(build, &entry->total, entry->self_ns,
                                                                                   entry->self_samples) } });
  }
}

static void groups_push_callees(struct groups_build *build, const struct rtop_group_row *parent)
{
  const struct groups_graph *graph = build->graph;
  struct groups_item item = { .lines = parent->lines, .depth = parent->depth + 1 };
  if (!parent->last && parent->depth < 64) item.lines |= UINT64_C(1) << parent->depth;
  for (const struct groups_edge *edge = groups_call(graph, graph->frames[parent->frame].first_out); edge;
       edge = groups_call(graph, edge->next_out)) {
    const struct groups_frame *callee = &graph->frames[edge->callee];
    if (edge->total.ns < build->least_ns) {
      build->groups->hidden++;
      continue;
    }
    item.edge = (uint32_t)(edge - graph->edges) + 1;
    item.sibling = (struct rtop_tree_sibling){
      .key = groups_key(edge->caller, edge->callee),
      .frame = edge->callee,
      .value = groups_value(build, &edge->total, groups_graph_is_root(callee) ? 0 : callee->self_ns, edge->calls)
    };
    groups_push(build, &item);
  }
}

/* What was pushed since `from`. */
static void groups_order(struct groups_build *build, size_t from)
{
  struct groups_scratch *scratch = build->scratch;
  size_t count = scratch->stack_count - from;
  if (count == 0) return;
  const struct rtop_tree_places places = { build->sort, build->reverse, build->shares ? build->graph->length_ns : 0 };
  rtop_tree_places_order(&places, build->symbols, scratch->stack + from, count, sizeof *scratch->stack);
  scratch->stack[from].last = true;
}

static bool groups_is_open(const struct rtop_groups *groups, const struct rtop_group_row *row)
{
  int choice = rtop_tree_choice(&groups->choices, row->key);
  return choice == RTOP_TREE_UNDECIDED ? row->depth < groups->levels : choice == RTOP_TREE_OPEN;
}

static bool groups_emit(struct groups_build *build, const struct rtop_group_row *row)
{
  struct rtop_groups *groups = build->groups;
  if (groups->count == RTOP_GROUP_ROWS_MAX) return false;
  if (!rtop_reserve(&groups->rows, &groups->capacity, groups->count + 1, sizeof *groups->rows)) {
    build->failed = true;
    return false;
  }
  groups->rows[groups->count++] = *row;
  return true;
}

static struct rtop_group_row groups_row(const struct groups_build *build, const struct groups_item *item)
{
  const struct groups_graph *graph = build->graph;
  uint32_t frame = item->sibling.frame;
  const struct groups_frame *entry = &graph->frames[frame];
  struct rtop_group_row row = { .key = item->sibling.key,
                                .frame = frame,
                                .depth = item->depth,
                                .callers = entry->callers,
                                .lines = item->lines,
                                .last = item->last,
                                .reference = item->edge && groups_graph_is_root(entry),
                                .recursive = entry->loops > 0,
                                .edge = item->edge };
  row.below = row.reference ? 0 : groups_below(build, frame);
  row.open = row.below > 0 && groups_is_open(build->groups, &row);
  return row;
}

static void groups_rows(struct groups_build *build)
{
  struct groups_scratch *scratch = build->scratch;
  groups_push_roots(build);
  groups_order(build, 0);
  while (scratch->stack_count > 0) {
    struct rtop_group_row row = groups_row(build, &scratch->stack[--scratch->stack_count]);
    if (!groups_emit(build, &row)) return;
    if (row.open) {
      size_t from = scratch->stack_count;
      groups_push_callees(build, &row);
      groups_order(build, from);
    }
  }
}

bool rtop_groups_build(struct rtop_groups *groups, const struct rtop_symbols *symbols,
                       const struct rtop_groups_look *look)
{
  struct groups_scratch *scratch = groups_scratch(groups);
  groups->count = groups->group_count = groups->hidden = 0;
  groups->most_ns = 0;
  if (!scratch) return false;
  scratch->least_ns = (uint64_t)(look->least_percent / 100 * (double)scratch->graph.length_ns);
  scratch->stack_count = 0;
  struct groups_build build = { .groups = groups,
                                .scratch = scratch,
                                .graph = &scratch->graph,
                                .symbols = symbols,
                                .sort = scratch->graph.wish.sort,
                                .reverse = look->reverse,
                                .shares = look->shares,
                                .least_ns = scratch->least_ns };
  groups_rows(&build);
  if (groups->hidden > 0) {
    struct rtop_group_row other = { .last = true };
    groups_emit(&build, &other);
  }
  return !build.failed;
}

struct rtop_groups_cost rtop_groups_cost(const struct rtop_groups *groups, const struct rtop_group_row *row)
{
  const struct groups_scratch *scratch = groups->scratch;
  const struct groups_graph *graph = &scratch->graph;
  const struct groups_frame *entry = &graph->frames[row->frame];
  struct rtop_groups_cost cost = { 0 };
  if (row->key != 0) {
    const struct groups_figures *total = row->edge ? &graph->edges[row->edge - 1].total : &entry->total;
    cost = (struct rtop_groups_cost){ row->reference ? 0 : entry->self_ns, row->reference ? 0 : entry->self_samples,
                                      total->ns, total->samples,
                                      row->edge ? graph->edges[row->edge - 1].calls : entry->self_samples };
  }
  /* Small rows hidden within groups are included in the groups' totals. */
  for (uint32_t i = 0; row->key == 0 && i < graph->root_count; i++) {
    const struct groups_figures *total = &graph->frames[graph->roots[i]].total;
    cost.total_ns += total->ns < scratch->least_ns ? total->ns : 0;
    cost.total_samples += total->ns < scratch->least_ns ? total->samples : 0;
  }
  return cost;
}

bool rtop_groups_has(const struct rtop_groups *groups, uint32_t frame)
{
  const struct groups_scratch *scratch = groups->scratch;
  return scratch && groups_graph_has(&scratch->graph, frame);
}

uint64_t rtop_groups_reveal(struct rtop_groups *groups, uint32_t frame)
{
  if (!rtop_groups_has(groups, frame)) return 0;
  const struct groups_frame *frames = ((struct groups_scratch *)groups->scratch)->graph.frames;
  const struct groups_frame *entry = &frames[frame];
  uint64_t key = groups_place_key(entry, frame);
  while (!groups_graph_is_root(entry)) {
    frame = entry->caller;
    entry = &frames[frame];
    rtop_tree_choose(&groups->choices, groups_place_key(entry, frame), true);
  }
  return key;
}

void rtop_groups_destroy(struct rtop_groups *groups)
{
  struct groups_scratch *scratch = groups->scratch;
  if (scratch) {
    groups_graph_destroy(&scratch->graph);
    free(scratch->stack);
  }
  free(scratch);
  free(groups->rows);
  rtop_tree_choices_clear(&groups->choices);
  *groups = (struct rtop_groups){ 0 };
}
