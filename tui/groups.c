#include "groups.h"

#include "groups_graph.h"
#include "reserve.h"
#include "tree_places.h"
#include <stdlib.h>
#include <string.h>

struct groups_scratch {
  struct groups_graph graph;
  struct rtop_tree_places places;
  struct rtop_group_row *stack;
  size_t stack_count, stack_capacity;
};

struct groups_build {
  struct rtop_groups *groups;
  struct groups_scratch *scratch;
  const struct groups_graph *graph;
  const struct rtop_symbols *symbols;
  const struct rtop_groups_look *look;
  uint64_t least_ns;
  struct rtop_cost hidden;
  bool failed;
};

static struct groups_scratch *groups_scratch(struct rtop_groups *groups)
{
  if (!groups->scratch)
    groups->scratch = calloc(1, sizeof(struct groups_scratch));
  return groups->scratch;
}

bool rtop_groups_take(struct rtop_groups *groups, const struct rtop_tree *tree,
                      const struct rtop_symbols *symbols)
{
  struct groups_scratch *scratch = groups_scratch(groups);
  return scratch && groups_graph_take(&scratch->graph, tree, symbols);
}

bool rtop_groups_follow(struct rtop_groups *groups, const struct rtop_live *live, uint64_t length_ns,
                        const struct rtop_symbols *symbols)
{
  struct groups_scratch *scratch = groups_scratch(groups);
  return scratch && groups_graph_follow(&scratch->graph, live, length_ns, symbols);
}

uint64_t rtop_groups_root_key(uint32_t frame)
{
  return UINT64_C(1) << 63 | frame;
}

static uint64_t groups_key(uint32_t caller, uint32_t frame)
{
  return (uint64_t)caller << 32 | frame;
}

/* Where a method stands that is no reference. */
static uint64_t groups_place_key(const struct groups_frame *entry, uint32_t frame)
{
  return groups_graph_is_root(entry) ? rtop_groups_root_key(frame) : groups_key(entry->caller, frame);
}

static int groups_compare(const void *left, const void *right, void *context)
{
  const struct groups_build *build = context;
  const struct rtop_groups_look *look = build->look;
  const struct rtop_group_row *a = left, *b = right;
  uint64_t key_a = rtop_tree_key(&a->self, &a->total, look->sort, look->mode);
  uint64_t key_b = rtop_tree_key(&b->self, &b->total, look->sort, look->mode);
  if (key_a != key_b)
    return (key_a > key_b) != look->reverse ? -1 : 1;
  int by_name = strcmp(rtop_symbols_get(build->symbols, a->frame)->label,
                       rtop_symbols_get(build->symbols, b->frame)->label);
  if (by_name != 0)
    return look->reverse && look->sort == RTOP_SORT_NAME ? -by_name : by_name;
  return a->key < b->key ? -1 : a->key > b->key;
}

static bool groups_big(const struct groups_build *build, const struct rtop_cost *total)
{
  return rtop_tree_clock(total, build->look->mode) >= build->least_ns;
}

/* The edges of a caller that are in the sum, one after the other; NULL: no more. */
static const struct groups_edge *groups_next_call(const struct groups_graph *graph, uint32_t at)
{
  while (at != 0 && graph->edges[at - 1].nodes == 0)
    at = graph->edges[at - 1].next_out;
  return at != 0 ? &graph->edges[at - 1] : NULL;
}

static uint32_t groups_below(const struct groups_build *build, uint32_t frame)
{
  const struct groups_graph *graph = build->graph;
  uint32_t below = 0;
  for (const struct groups_edge *edge = groups_next_call(graph, graph->frames[frame].first_out); edge;
       edge = groups_next_call(graph, edge->next_out))
    below += groups_big(build, &edge->total);
  return below;
}

static void groups_push(struct groups_build *build, const struct rtop_group_row *row)
{
  struct groups_scratch *scratch = build->scratch;
  if (!groups_big(build, &row->total)) {
    build->groups->hidden++;
    if (row->depth == 0)
      rtop_cost_add(&build->hidden, &row->total);
  } else if (rtop_reserve(&scratch->stack, &scratch->stack_capacity, scratch->stack_count + 1,
                            sizeof *scratch->stack)) {
    scratch->stack[scratch->stack_count++] = *row;
  } else {
    build->failed = true;
  }
}

static void groups_push_roots(struct groups_build *build)
{
  const struct groups_graph *graph = build->graph;
  for (uint32_t frame = 1; frame < graph->frame_count; frame++) {
    const struct groups_frame *entry = &graph->frames[frame];
    if (entry->callers == 0 || !groups_graph_is_root(entry))
      continue;
    const struct groups_spent *spent = &graph->spent[frame];
    struct rtop_group_row row = {
      .key = rtop_groups_root_key(frame), .frame = frame, .callers = entry->callers,
      .recursive = entry->loops > 0, .self = spent->self, .total = spent->total};
    build->groups->group_count++;
    uint64_t ns = rtop_tree_clock(&row.total, build->look->mode);
    build->groups->most_ns = ns > build->groups->most_ns ? ns : build->groups->most_ns;
    groups_push(build, &row);
  }
}

static void groups_push_callees(struct groups_build *build, const struct rtop_group_row *parent)
{
  const struct groups_graph *graph = build->graph;
  for (const struct groups_edge *edge = groups_next_call(graph, graph->frames[parent->frame].first_out); edge;
       edge = groups_next_call(graph, edge->next_out)) {
    const struct groups_frame *callee = &graph->frames[edge->callee];
    struct rtop_group_row row = {
      .key = groups_key(edge->caller, edge->callee), .frame = edge->callee, .depth = parent->depth + 1,
      .lines = parent->lines, .callers = callee->callers, .reference = groups_graph_is_root(callee),
      .recursive = callee->loops > 0, .total = edge->total};
    if (!row.reference)
      row.self = graph->spent[edge->callee].self;
    if (!parent->last && parent->depth < 64)
      row.lines |= UINT64_C(1) << parent->depth;
    groups_push(build, &row);
  }
}

static uint64_t groups_value(const struct groups_build *build, const struct rtop_group_row *row)
{
  return rtop_tree_key(&row->self, &row->total, build->look->sort, build->look->mode);
}

/* One pass over sorted siblings: who changed places for next to nothing changes back. */
static void groups_settle(struct groups_build *build, struct rtop_group_row *rows, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    if (rtop_tree_places_swap(&build->scratch->places, rows[i - 1].key, groups_value(build, &rows[i - 1]),
                              rows[i].key, groups_value(build, &rows[i]))) {
      struct rtop_group_row held = rows[i];
      rows[i] = rows[i - 1];
      rows[i - 1] = held;
    }
  }
}

static uint64_t groups_row_key(const void *rows, size_t at)
{
  return ((const struct rtop_group_row *)rows)[at].key;
}

/* What was pushed since `from`: in order, the first one on top. */
static void groups_order(struct groups_build *build, size_t from)
{
  struct rtop_group_row *rows = build->scratch->stack + from;
  size_t count = build->scratch->stack_count - from;
  if (count == 0)
    return;
  qsort_r(rows, count, sizeof *rows, groups_compare, build);
  groups_settle(build, rows, count);
  for (size_t i = 0; i < count / 2; i++) {
    struct rtop_group_row held = rows[i];
    rows[i] = rows[count - 1 - i];
    rows[count - 1 - i] = held;
  }
  rows[0].last = true;
}

static bool groups_is_open(const struct rtop_groups *groups, const struct rtop_group_row *row)
{
  int choice = rtop_tree_choice(&groups->choices, row->key);
  return choice == RTOP_TREE_UNDECIDED ? row->depth < groups->levels : choice == RTOP_TREE_OPEN;
}

static bool groups_emit(struct groups_build *build, const struct rtop_group_row *row)
{
  struct rtop_groups *groups = build->groups;
  if (groups->count == RTOP_GROUP_ROWS_MAX)
    return false;
  if (!rtop_reserve(&groups->rows, &groups->capacity, groups->count + 1, sizeof *groups->rows)) {
    build->failed = true;
    return false;
  }
  groups->rows[groups->count++] = *row;
  return true;
}

static void groups_rows(struct groups_build *build)
{
  struct groups_scratch *scratch = build->scratch;
  groups_push_roots(build);
  groups_order(build, 0);
  while (scratch->stack_count > 0) {
    struct rtop_group_row row = scratch->stack[--scratch->stack_count];
    row.below = row.reference ? 0 : groups_below(build, row.frame);
    row.open = row.below > 0 && groups_is_open(build->groups, &row);
    if (!groups_emit(build, &row))
      return;
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
  if (!scratch)
    return false;
  struct groups_build build = {
    .groups = groups, .scratch = scratch, .graph = &scratch->graph, .symbols = symbols, .look = look,
    .least_ns = (uint64_t)(look->least_percent / 100 * (double)scratch->graph.length_ns)};
  scratch->stack_count = 0;
  rtop_tree_places_begin(&scratch->places, look->sort, look->reverse, scratch->graph.length_ns);
  groups_rows(&build);
  rtop_tree_places_take(&scratch->places, groups->rows, groups->count, groups_row_key);
  if (groups->hidden > 0) {
    struct rtop_group_row other = {.last = true, .total = build.hidden};
    groups_emit(&build, &other);
  }
  return !build.failed;
}

bool rtop_groups_has(const struct rtop_groups *groups, uint32_t frame)
{
  const struct groups_scratch *scratch = groups->scratch;
  return scratch && groups_graph_has(&scratch->graph, frame);
}

uint64_t rtop_groups_reveal(struct rtop_groups *groups, uint32_t frame)
{
  if (!rtop_groups_has(groups, frame))
    return 0;
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
    rtop_tree_places_destroy(&scratch->places);
    free(scratch->stack);
  }
  free(scratch);
  free(groups->rows);
  rtop_tree_choices_clear(&groups->choices);
  *groups = (struct rtop_groups){0};
}
