/* SPDX-License-Identifier: MIT */
/* The calling context tree: its shape, filter, and the costs of a sum. */
#include "tree.h"

#include "tui/methods/methods_impl.h"
#include "tui/text/pairs.h"
#include "tui/text/reserve.h"
#include "tui/text/text.h"
#include <stdlib.h>
#include <string.h>

enum { FRAME_UNKNOWN, FRAME_MATCHES, FRAME_DIFFERS };

struct tree_frame {  /* does the filter match it? */
  const char *label; /* label when the filter was applied; it may be completed later */
  uint8_t answer;
};

/* Number of nodes at which the tree is rebuilt, if most are for calls that left the span. */
enum { TREE_IDLE_MAX = 1 << 16 };

struct tree_scratch {
  uint32_t *of; /* node of the tree + 1, by node of the symbols; 0: not merged yet */
  size_t of_capacity;
  uint32_t reuses;            /* rtop_symbols_reuses() when that was valid */
  struct rtop_pairs children; /* (parent, frame): node */
  uint32_t *path;             /* nodes on the way to the root */
  size_t path_capacity;
  struct tree_frame *frames;
  size_t frame_capacity;
  uint32_t *passed; /* 2 * epoch, + 1 if the filter lets the node pass, by node */
  size_t passed_capacity;
  bool *wanted; /* by thread of the sum */
  size_t wanted_capacity;
  struct methods_regex filter, thread_filter;
  char *filter_text; /* what `frames` answers */
};

struct tree_build {
  struct rtop_tree *tree;
  struct tree_scratch *scratch;
  const struct rtop_symbols *symbols;
  const struct rtop_methods_options *options;
};

/* Returns the nearest node with this frame, from the node itself upwards; 0: none. */
static uint32_t tree_above(const struct rtop_tree *tree, uint32_t node, uint32_t frame)
{
  while (node != 0 && tree->nodes[node].frame != frame) node = tree->nodes[node].parent;
  return node;
}

/* Makes room for one more node, and for marking all nodes as touched. */
static bool tree_has_room(struct rtop_tree *tree)
{
  return rtop_reserve(&tree->nodes, &tree->capacity, tree->count + 1, sizeof *tree->nodes) &&
         rtop_reserve(&tree->touched, &tree->touched_capacity, tree->count + 1, sizeof *tree->touched);
}

/* Finds or adds the child of `parent` for a frame. UINT32_MAX: memory ran out. */
static uint32_t tree_child(struct tree_build *build, uint32_t parent, uint32_t frame)
{
  struct rtop_tree *tree = build->tree;
  uint32_t above = tree->folded ? tree_above(tree, parent, frame) : 0;
  if (above) return above;
  if (tree->nodes[parent].frame == frame && rtop_symbols_get(build->symbols, frame)->kind == RTOP_SYMBOL_GROUP)
    return parent; /* calls within a merged file do not count as calls */
  uint32_t *known = rtop_pairs_at(&build->scratch->children, parent, frame);
  if (known == NULL) return UINT32_MAX;
  if (*known != 0) return *known;
  if (!tree_has_room(tree)) return UINT32_MAX;
  uint32_t id = (uint32_t)tree->count++;
  tree->nodes[id] = (struct rtop_tree_node){ .parent = parent, .frame = frame, .depth = tree->nodes[parent].depth + 1 };
  *known = id;
  return id;
}

/* Returns the tree's node for a node of the symbols; merges its path from the last known ancestor on. UINT32_MAX:
 * memory ran out. */
static uint32_t tree_of(struct tree_build *build, uint32_t node)
{
  struct tree_scratch *scratch = build->scratch;
  size_t depth = 0;
  node = node < rtop_symbols_node_count(build->symbols) ? node : 0;
  while (!scratch->of[node]) {
    if (!rtop_reserve(&scratch->path, &scratch->path_capacity, depth + 1, sizeof *scratch->path)) return UINT32_MAX;
    scratch->path[depth++] = node;
    node = rtop_symbols_get_node(build->symbols, node)->parent;
  }
  uint32_t id = scratch->of[node] - 1;
  while (depth > 0) {
    node = scratch->path[--depth];
    id = tree_child(build, id, rtop_symbols_get_node(build->symbols, node)->frame);
    if (id == UINT32_MAX) return UINT32_MAX;
    scratch->of[node] = id + 1;
  }
  return id;
}

static bool tree_frame_matches(struct tree_build *build, uint32_t frame)
{
  struct tree_frame *entry = &build->scratch->frames[frame];
  const struct rtop_symbol *symbol = rtop_symbols_get(build->symbols, frame);
  if (entry->answer == FRAME_UNKNOWN || entry->label != symbol->label) {
    bool matches = methods_regex_matches(&build->scratch->filter, symbol);
    *entry = (struct tree_frame){ symbol->label, matches ? FRAME_MATCHES : FRAME_DIFFERS };
  }
  return entry->answer == FRAME_MATCHES;
}

/* Does any method on the path from the root match? Each node is tested once per build. */
static bool tree_matches(struct tree_build *build, uint32_t id)
{
  struct tree_scratch *scratch = build->scratch;
  uint32_t known = build->tree->epoch * 2;
  size_t depth = 0;
  uint32_t at = id;
  for (; at != 0 && (scratch->passed[at] | 1) != (known | 1); at = build->tree->nodes[at].parent) {
    if (!rtop_reserve(&scratch->path, &scratch->path_capacity, depth + 1, sizeof *scratch->path)) return false;
    scratch->path[depth++] = at;
  }
  bool matches = at != 0 && scratch->passed[at] == (known | 1);
  while (depth > 0) {
    at = scratch->path[--depth];
    matches = matches || tree_frame_matches(build, build->tree->nodes[at].frame);
    scratch->passed[at] = matches ? known | 1 : known;
  }
  return matches;
}

/* *fine becomes false when memory ran out. */
static bool tree_passes(struct tree_build *build, uint32_t id, bool *fine)
{
  struct tree_scratch *scratch = build->scratch;
  if (!scratch->filter.text) return true;
  if (!rtop_reserve(&scratch->passed, &scratch->passed_capacity, build->tree->count, sizeof *scratch->passed)) {
    *fine = false;
    return false;
  }
  return tree_matches(build, id) != build->options->filter_invert;
}

/* Marks the node and its callers as part of this sum. */
static void tree_touch(struct rtop_tree *tree, uint32_t id)
{
  for (; !rtop_tree_has(tree, id); id = tree->nodes[id].parent) {
    tree->touched[tree->touched_count++] = id;
    tree->nodes[id].epoch = tree->epoch;
  }
}

/* Clears the last sum in the order of memory, which is much faster than in the order of cells. */
static void tree_clear(struct rtop_tree *tree)
{
  for (size_t i = 0; i < tree->touched_count; i++) {
    struct rtop_tree_node *node = &tree->nodes[tree->touched[i]];
    *node = (struct rtop_tree_node){ .parent = node->parent, .frame = node->frame, .depth = node->depth };
  }
  tree->touched_count = 0;
}

static bool tree_add(struct tree_build *build, const struct rtop_sum_cell *cell)
{
  uint32_t id = tree_of(build, cell->node);
  bool fine = id != UINT32_MAX;
  if (!fine || !tree_passes(build, id, &fine)) return fine;
  tree_touch(build->tree, id);
  rtop_cost_add(&build->tree->nodes[id].self, &cell->cost);
  return true;
}

/* Marks the node where the thread is at the end of the span, if known. */
static void tree_mark(struct tree_build *build, const struct rtop_thread_row *thread)
{
  struct rtop_tree *tree = build->tree;
  if (thread->ended || thread->stale || thread->node == 0) return;
  uint32_t id = tree_of(build, thread->node);
  if (id == UINT32_MAX || !rtop_tree_has(tree, id)) return;
  tree->nodes[id].leaves[thread->state < RTOP_STATES ? thread->state : RTOP_STATE_BLOCKED]++;
  for (; id != 0; id = tree->nodes[id].parent) {
    tree->nodes[id].threads++;
    tree->nodes[id].runs = tree->nodes[id].runs || thread->state == RTOP_STATE_RUNNING;
  }
}

static bool tree_threads(struct tree_build *build, const struct rtop_sum *sum)
{
  struct tree_scratch *scratch = build->scratch;
  bool fine = true;
  if (!rtop_reserve(&scratch->wanted, &scratch->wanted_capacity, sum->thread_count + 1, sizeof *scratch->wanted))
    return false;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct methods_regex *regex = &scratch->thread_filter;
    scratch->wanted[i] =
        !sum->threads[i].hidden && (!regex->text || regexec(&regex->compiled, sum->threads[i].name, 0, NULL, 0) == 0);
  }
  for (size_t at = 0; at < sum->cell_count; at++)
    if (sum->cells[at].thread < sum->thread_count && scratch->wanted[sum->cells[at].thread])
      fine = tree_add(build, &sum->cells[at]) && fine;
  for (size_t i = 0; i < sum->thread_count; i++)
    if (scratch->wanted[i]) tree_mark(build, &sum->threads[i]);
  return fine;
}

static int tree_compare(const void *left, const void *right)
{
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

/* Sorts the touched nodes; when most nodes are touched, scans all nodes, which is faster. */
static void tree_sort(struct rtop_tree *tree)
{
  if (tree->touched_count < tree->count / 8) {
    qsort(tree->touched, tree->touched_count, sizeof *tree->touched, tree_compare);
    return;
  }
  size_t written = 0;
  for (uint32_t id = 0; id < tree->count; id++)
    if (rtop_tree_has(tree, id)) tree->touched[written++] = id;
}

/* Adds costs of children to their parents, and builds lists of children. */
static void tree_sum(struct rtop_tree *tree)
{
  tree_sort(tree);
  for (size_t i = tree->touched_count; i-- > 0;) {
    uint32_t id = tree->touched[i];
    struct rtop_tree_node *node = &tree->nodes[id], *parent = &tree->nodes[node->parent];
    rtop_cost_add(&node->total, &node->self);
    if (id == 0) continue;
    rtop_cost_add(&parent->total, &node->total);
    parent->below += node->below + 1;
    node->next_sibling = parent->first_child;
    parent->first_child = id;
  }
}

static void tree_forget_answers(struct tree_scratch *scratch, const char *filter)
{
  const char *before = scratch->filter_text ? scratch->filter_text : "", *now = filter ? filter : "";
  if (strcmp(before, now) == 0) return;
  if (scratch->frames) memset(scratch->frames, 0, scratch->frame_capacity * sizeof *scratch->frames);
  free(scratch->filter_text);
  scratch->filter_text = strdup(now);
}

/* Discards the mapping from the symbols' nodes when ids of the symbols were reused. */
static void tree_follow_reuses(struct tree_build *build)
{
  struct tree_scratch *scratch = build->scratch;
  uint32_t reuses = rtop_symbols_reuses(build->symbols);
  if (scratch->reuses != reuses && scratch->of) memset(scratch->of, 0, scratch->of_capacity * sizeof *scratch->of);
  scratch->reuses = reuses;
}

static bool tree_prepare(struct tree_build *build)
{
  struct tree_scratch *scratch = build->scratch;
  struct rtop_tree *tree = build->tree;
  tree_follow_reuses(build);
  tree_forget_answers(scratch, build->options->filter);
  bool fine = methods_regex_use(&scratch->filter, build->options->filter);
  fine = methods_regex_use(&scratch->thread_filter, build->options->thread_filter) && fine;
  if (!rtop_reserve(&scratch->of, &scratch->of_capacity, rtop_symbols_node_count(build->symbols),
                    sizeof *scratch->of) ||
      !rtop_reserve(&scratch->frames, &scratch->frame_capacity, rtop_symbols_frame_count(build->symbols),
                    sizeof *scratch->frames) ||
      (tree->count == 0 && !tree_has_room(tree)))
    return false;
  if (tree->count == 0) tree->nodes[tree->count++] = (struct rtop_tree_node){ 0 };
  scratch->of[0] = 1;
  return fine;
}

bool rtop_tree_build(struct rtop_tree *tree, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                     const struct rtop_methods_options *options, bool fold)
{
  bool idle = tree->count > TREE_IDLE_MAX && tree->touched_count < tree->count / 2;
  if (fold != tree->folded || idle) rtop_tree_forget(tree);
  tree->folded = fold;
  if (!tree->scratch) tree->scratch = calloc(1, sizeof(struct tree_scratch));
  struct tree_build build = { tree, tree->scratch, symbols, options };
  tree_clear(tree);
  tree->length_ns = sum->length_ns;
  tree->epoch++;
  if (!tree->scratch || !tree_prepare(&build)) return false;
  tree_touch(tree, 0);
  bool fine = tree_threads(&build, sum);
  tree_sum(tree);
  return fine;
}

/* Forgets all nodes. The epoch is not reset, so that old answers are never mistaken for new ones. */
void rtop_tree_forget(struct rtop_tree *tree)
{
  struct tree_scratch *scratch = tree->scratch;
  tree->count = tree->touched_count = 0;
  tree->shapes++;
  if (scratch && scratch->of) memset(scratch->of, 0, scratch->of_capacity * sizeof *scratch->of);
  if (scratch) rtop_pairs_clear(&scratch->children);
  if (scratch && scratch->frames) memset(scratch->frames, 0, scratch->frame_capacity * sizeof *scratch->frames);
}

void rtop_tree_destroy(struct rtop_tree *tree)
{
  struct tree_scratch *scratch = tree->scratch;
  if (scratch) {
    methods_regex_free(&scratch->filter);
    methods_regex_free(&scratch->thread_filter);
    free(scratch->of);
    rtop_pairs_destroy(&scratch->children);
    free(scratch->path);
    free(scratch->frames);
    free(scratch->passed);
    free(scratch->wanted);
    free(scratch->filter_text);
  }
  free(scratch);
  free(tree->nodes);
  free(tree->touched);
  *tree = (struct rtop_tree){ .shapes = tree->shapes + 1 };
}

bool rtop_tree_has(const struct rtop_tree *tree, uint32_t node)
{
  return node < tree->count && tree->nodes[node].epoch == tree->epoch;
}

uint32_t rtop_tree_find(const struct rtop_tree *tree, uint32_t frame, enum rtop_mode mode)
{
  uint32_t best = 0;
  uint64_t most = 0;
  for (size_t i = 1; i < tree->touched_count; i++) {
    const struct rtop_tree_node *node = &tree->nodes[tree->touched[i]];
    uint64_t total = rtop_tree_clock(&node->total, mode) + 1;
    if (node->frame == frame && total > most) {
      most = total;
      best = tree->touched[i];
    }
  }
  return best;
}

uint32_t rtop_tree_of(const struct rtop_tree *tree, uint32_t node)
{
  const struct tree_scratch *scratch = tree->scratch;
  bool known = scratch && node < scratch->of_capacity && scratch->of[node];
  return known ? scratch->of[node] - 1 : 0;
}

uint64_t rtop_tree_clock(const struct rtop_cost *cost, enum rtop_mode mode)
{
  return rtop_mode_clock(cost, mode);
}

uint32_t rtop_tree_only_call(const struct rtop_tree *tree, uint32_t node, enum rtop_mode mode, uint64_t least_ns)
{
  const struct rtop_tree_node *nodes = tree->nodes;
  double self = (double)rtop_tree_clock(&nodes[node].self, mode);
  uint32_t only = 0;
  if (rtop_text_tenths(100 * self / (double)(tree->length_ns + 1)) > 0) return 0;
  for (uint32_t id = nodes[node].first_child; id != 0; id = nodes[id].next_sibling) {
    if (rtop_tree_clock(&nodes[id].total, mode) < least_ns) continue;
    if (only != 0) return 0;
    only = id;
  }
  return only;
}

uint64_t rtop_tree_key(const struct rtop_cost *self, const struct rtop_cost *total, enum rtop_sort_key sort,
                       enum rtop_mode mode)
{
  switch (sort) {
  case RTOP_SORT_SELF: return rtop_tree_clock(self, mode);
  case RTOP_SORT_CPU: return total->cpu_ns;
  case RTOP_SORT_RUNNING: return total->wall_ns[RTOP_STATE_RUNNING];
  case RTOP_SORT_SAMPLES: return total->samples;
  case RTOP_SORT_WAITING: return total->wall_ns[RTOP_STATE_WAITING];
  case RTOP_SORT_BLOCKED: return total->wall_ns[RTOP_STATE_BLOCKED];
  case RTOP_SORT_GC: return total->wall_ns[RTOP_STATE_MARKING] + total->wall_ns[RTOP_STATE_SWEEPING];
  case RTOP_SORT_BLAME: return total->blame_ns;
  case RTOP_SORT_ALLOC: return total->allocations;
  case RTOP_SORT_COUNT: return self->samples; /* of calls: of this node alone */
  case RTOP_SORT_NAME: return 0;
  default: return rtop_tree_clock(total, mode);
  }
}
