#include "groups.h"

#include "reserve.h"
#include "tree_places.h"
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

struct groups_frame {
  uint32_t epoch;                      /* of the build that knows it */
  uint32_t depth;                      /* on the path being walked */
  uint32_t callers, caller;            /* how many, and the last one met */
  uint32_t first_out;                  /* edge; NONE */
  bool recursive;
  struct rtop_cost self, total;
};

struct groups_edge {
  uint32_t caller, callee;
  uint32_t depth;                      /* on the path being walked */
  uint32_t next_out;
  struct rtop_cost total;
};

struct groups_scratch {
  struct groups_frame *frames;         /* by frame */
  size_t frame_capacity;
  uint32_t *seen;                      /* frames of this build */
  size_t seen_count, seen_capacity;
  struct groups_edge *edges;
  size_t edge_count, edge_capacity;
  uint32_t *slots;                     /* hash of (caller, callee): edge + 1 */
  size_t slot_count;
  struct rtop_tree_places places;
  struct rtop_group_row *stack;
  size_t stack_count, stack_capacity;
  uint32_t epoch;
};

struct groups_build {
  struct rtop_groups *groups;
  struct groups_scratch *scratch;
  const struct rtop_tree *tree;
  const struct rtop_symbols *symbols;
  const struct rtop_groups_look *look;
  uint64_t least_ns;
  struct rtop_cost hidden;
  bool failed;
};

static struct groups_frame *groups_frame(struct groups_build *build, uint32_t frame)
{
  struct groups_scratch *scratch = build->scratch;
  struct groups_frame *entry = &scratch->frames[frame];
  if (entry->epoch == scratch->epoch)
    return entry;
  if (!rtop_reserve(&scratch->seen, &scratch->seen_capacity, scratch->seen_count + 1,
                      sizeof *scratch->seen))
    return NULL;
  scratch->seen[scratch->seen_count++] = frame;
  *entry = (struct groups_frame){.epoch = scratch->epoch, .first_out = NONE};
  return entry;
}

static size_t groups_slot(const struct groups_scratch *scratch, uint32_t caller, uint32_t callee)
{
  uint64_t hash = ((uint64_t)caller << 32 | callee) * UINT64_C(0x9e3779b97f4a7c15);
  size_t at = (size_t)(hash >> 32) & (scratch->slot_count - 1);
  while (scratch->slots[at]) {
    const struct groups_edge *edge = &scratch->edges[scratch->slots[at] - 1];
    if (edge->caller == caller && edge->callee == callee)
      break;
    at = (at + 1) & (scratch->slot_count - 1);
  }
  return at;
}

/* There are never more edges than nodes: the table is made once per build, at most half full. */
static bool groups_clear_slots(struct groups_scratch *scratch, size_t nodes)
{
  size_t wanted = scratch->slot_count ? scratch->slot_count : 256;
  while (wanted < nodes * 2)
    wanted *= 2;
  if (wanted != scratch->slot_count) {
    free(scratch->slots);
    scratch->slots = calloc(wanted, sizeof *scratch->slots);
    scratch->slot_count = scratch->slots ? wanted : 0;
  } else {
    memset(scratch->slots, 0, wanted * sizeof *scratch->slots);
  }
  return scratch->slots != NULL;
}

static struct groups_edge *groups_edge(struct groups_build *build, uint32_t caller, uint32_t callee)
{
  struct groups_scratch *scratch = build->scratch;
  size_t slot = groups_slot(scratch, caller, callee);
  if (scratch->slots[slot])
    return &scratch->edges[scratch->slots[slot] - 1];
  struct groups_frame *from = groups_frame(build, caller), *to = groups_frame(build, callee);
  if (!from || !to ||
      !rtop_reserve(&scratch->edges, &scratch->edge_capacity, scratch->edge_count + 1,
                      sizeof *scratch->edges))
    return NULL;
  struct groups_edge *edge = &scratch->edges[scratch->edge_count];
  *edge = (struct groups_edge){.caller = caller, .callee = callee, .next_out = from->first_out};
  from->first_out = (uint32_t)scratch->edge_count++;
  to->callers++;
  to->caller = caller;
  scratch->slots[slot] = (uint32_t)scratch->edge_count;
  return edge;
}

static bool groups_enter(struct groups_build *build, uint32_t id)
{
  const struct rtop_tree_node *node = &build->tree->nodes[id];
  uint32_t caller = build->tree->nodes[node->parent].frame;
  struct groups_frame *frame = groups_frame(build, node->frame);
  if (!frame)
    return false;
  rtop_cost_add(&frame->self, &node->self);
  if (frame->depth++ == 0)
    rtop_cost_add(&frame->total, &node->total);
  if (caller == node->frame) {
    frame->recursive = true;
    return true;
  }
  struct groups_edge *edge = groups_edge(build, caller, node->frame);
  if (edge && edge->depth++ == 0)
    rtop_cost_add(&edge->total, &node->total);
  return edge != NULL;
}

static void groups_leave(struct groups_build *build, uint32_t id)
{
  const struct rtop_tree_node *node = &build->tree->nodes[id];
  uint32_t caller = build->tree->nodes[node->parent].frame;
  build->scratch->frames[node->frame].depth--;
  if (caller != node->frame)
    groups_edge(build, caller, node->frame)->depth--;
}

/* Through the tree without a stack: links lead down, aside and up. */
static bool groups_walk(struct groups_build *build)
{
  const struct rtop_tree_node *nodes = build->tree->nodes;
  uint32_t id = nodes[0].first_child;
  while (id != 0) {
    if (!groups_enter(build, id))
      return false;
    if (nodes[id].first_child != 0) {
      id = nodes[id].first_child;
      continue;
    }
    while (id != 0 && nodes[id].next_sibling == 0) {
      groups_leave(build, id);
      id = nodes[id].parent;
    }
    if (id != 0) {
      groups_leave(build, id);
      id = nodes[id].next_sibling;
    }
  }
  return true;
}

static bool groups_is_root(const struct groups_frame *frame)
{
  return frame->callers != 1 || frame->caller == 0;
}

uint64_t rtop_groups_root_key(uint32_t frame)
{
  return UINT64_C(1) << 63 | frame;
}

static uint64_t groups_key(uint32_t caller, uint32_t frame)
{
  return (uint64_t)caller << 32 | frame;
}

static int groups_compare(const void *left, const void *right, void *context)
{
  const struct groups_build *build = context;
  const struct rtop_groups_look *look = build->look;
  const struct rtop_group_row *a = left, *b = right;
  int by_name = strcmp(rtop_symbols_get(build->symbols, a->frame)->label,
                       rtop_symbols_get(build->symbols, b->frame)->label);
  uint64_t key_a = rtop_tree_key(&a->self, &a->total, look->sort, look->mode);
  uint64_t key_b = rtop_tree_key(&b->self, &b->total, look->sort, look->mode);
  if (key_a != key_b)
    return (key_a > key_b) != look->reverse ? -1 : 1;
  if (by_name != 0)
    return look->reverse && look->sort == RTOP_SORT_NAME ? -by_name : by_name;
  return a->key < b->key ? -1 : a->key > b->key;
}

static bool groups_big(const struct groups_build *build, const struct rtop_cost *total)
{
  return rtop_tree_clock(total, build->look->mode) >= build->least_ns;
}

static uint32_t groups_below(const struct groups_build *build, uint32_t frame)
{
  const struct groups_scratch *scratch = build->scratch;
  uint32_t below = 0;
  for (uint32_t at = scratch->frames[frame].first_out; at != NONE; at = scratch->edges[at].next_out)
    below += groups_big(build, &scratch->edges[at].total);
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
  const struct groups_scratch *scratch = build->scratch;
  for (size_t i = 0; i < scratch->seen_count; i++) {
    uint32_t frame = scratch->seen[i];
    const struct groups_frame *entry = &scratch->frames[frame];
    if (frame == 0 || !groups_is_root(entry))
      continue;
    struct rtop_group_row row = {
      .key = rtop_groups_root_key(frame), .frame = frame, .callers = entry->callers,
      .recursive = entry->recursive, .self = entry->self, .total = entry->total};
    build->groups->group_count++;
    uint64_t ns = rtop_tree_clock(&row.total, build->look->mode);
    build->groups->most_ns = ns > build->groups->most_ns ? ns : build->groups->most_ns;
    groups_push(build, &row);
  }
}

static void groups_push_callees(struct groups_build *build, const struct rtop_group_row *parent)
{
  const struct groups_scratch *scratch = build->scratch;
  uint32_t first = scratch->frames[parent->frame].first_out;
  for (uint32_t at = first; at != NONE; at = scratch->edges[at].next_out) {
    const struct groups_edge *edge = &scratch->edges[at];
    const struct groups_frame *callee = &scratch->frames[edge->callee];
    struct rtop_group_row row = {
      .key = groups_key(edge->caller, edge->callee), .frame = edge->callee, .depth = parent->depth + 1,
      .lines = parent->lines, .callers = callee->callers, .reference = groups_is_root(callee),
      .recursive = callee->recursive, .total = edge->total};
    if (!row.reference)
      row.self = callee->self;
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

bool rtop_groups_build(struct rtop_groups *groups, const struct rtop_tree *tree,
                       const struct rtop_symbols *symbols, const struct rtop_groups_look *look)
{
  groups->count = groups->group_count = groups->hidden = 0;
  groups->most_ns = 0;
  if (!groups->scratch)
    groups->scratch = calloc(1, sizeof(struct groups_scratch));
  struct groups_build build = {
    .groups = groups, .scratch = groups->scratch, .tree = tree, .symbols = symbols, .look = look,
    .least_ns = (uint64_t)(look->least_percent / 100 * (double)tree->length_ns)};
  struct groups_scratch *scratch = groups->scratch;
  if (!scratch || !groups_clear_slots(scratch, tree->touched_count) ||
      !rtop_reserve(&scratch->frames, &scratch->frame_capacity, rtop_symbols_frame_count(symbols),
                      sizeof *scratch->frames))
    return false;
  scratch->epoch++;
  scratch->seen_count = scratch->edge_count = scratch->stack_count = 0;
  if (tree->touched_count == 0)
    return true;
  if (!groups_walk(&build))
    return false;
  rtop_tree_places_begin(&scratch->places, look->sort, look->reverse, tree->length_ns);
  groups_rows(&build);
  rtop_tree_places_take(&scratch->places, groups->rows, groups->count, groups_row_key);
  if (groups->hidden > 0) {
    struct rtop_group_row other = {.last = true, .total = build.hidden};
    groups_emit(&build, &other);
  }
  return !build.failed;
}

static bool groups_knows(const struct groups_scratch *scratch, uint32_t frame)
{
  return scratch && frame < scratch->frame_capacity && scratch->frames[frame].epoch == scratch->epoch;
}

uint64_t rtop_groups_reveal(struct rtop_groups *groups, uint32_t frame)
{
  struct groups_scratch *scratch = groups->scratch;
  if (frame == 0 || !groups_knows(scratch, frame))
    return 0;
  bool root = groups_is_root(&scratch->frames[frame]);
  uint64_t key = root ? rtop_groups_root_key(frame) : groups_key(scratch->frames[frame].caller, frame);
  while (!groups_is_root(&scratch->frames[frame])) {
    frame = scratch->frames[frame].caller;
    const struct groups_frame *above = &scratch->frames[frame];
    rtop_tree_choose(&groups->choices, groups_is_root(above) ? rtop_groups_root_key(frame)
                                                             : groups_key(above->caller, frame), true);
  }
  return key;
}

void rtop_groups_destroy(struct rtop_groups *groups)
{
  struct groups_scratch *scratch = groups->scratch;
  if (scratch) {
    rtop_tree_places_destroy(&scratch->places);
    free(scratch->frames);
    free(scratch->seen);
    free(scratch->edges);
    free(scratch->slots);
    free(scratch->stack);
  }
  free(scratch);
  free(groups->rows);
  rtop_tree_choices_clear(&groups->choices);
  *groups = (struct rtop_groups){0};
}
