/* The tree of a live sum: nodes that differ only in the line are one, so that what changed in one of them
 * changes the tree's node by as much. */
#include "tree_impl.h"
#include "tui/methods/live.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum { FOLLOW_AHEAD = 6 };

struct follow {
  struct tree_build build;
  const struct rtop_live_node *nodes;
  uint32_t node_count;
  bool members_changed;
};

/* The tree's node; UINT32_MAX: memory ran out, or calls are put together that a sum tells apart. */
static uint32_t follow_id(struct follow *follow, uint32_t index)
{
  struct tree_scratch *scratch = follow->build.scratch;
  struct rtop_tree *tree = follow->build.tree;
  uint32_t id = tree_of(&follow->build, follow->nodes[index].node);
  bool fine = id != UINT32_MAX && !scratch->collapsed &&
              rtop_reserve(&scratch->cells, &scratch->cell_capacity, tree->count, sizeof *scratch->cells);
  return fine ? id : UINT32_MAX;
}

static void follow_unmark(struct follow *follow)
{
  struct tree_scratch *scratch = follow->build.scratch;
  for (uint32_t i = 0; i < scratch->marked_count; i++) {
    struct rtop_tree_node *node = &follow->build.tree->nodes[scratch->marked[i]];
    node->threads = 0;
    node->runs = false;
    memset(node->leaves, 0, sizeof node->leaves);
  }
  scratch->marked_count = 0;
}

/* As tree_mark, and what is marked is remembered. */
static bool follow_mark(struct follow *follow, const struct rtop_sum *sum)
{
  struct tree_scratch *scratch = follow->build.scratch;
  struct rtop_tree *tree = follow->build.tree;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *thread = &sum->threads[i];
    if (thread->hidden || thread->ended || thread->node == 0) continue;
    tree_mark(&follow->build, thread);
    uint32_t id = tree_of(&follow->build, thread->node);
    if (id == UINT32_MAX || !rtop_tree_has(tree, id)) continue;
    for (; id != 0; id = tree->nodes[id].parent) {
      if (!rtop_reserve(&scratch->marked, &scratch->marked_capacity, scratch->marked_count + 1u,
                        sizeof *scratch->marked))
        return false;
      scratch->marked[scratch->marked_count++] = id;
      if (tree->nodes[id].threads > 1) break; /* somebody else has marked what is above */
    }
  }
  return true;
}

/* Nodes that are no part of the sum hold nothing, so that they can become part of it piece by piece. */
static void follow_empty_others(struct rtop_tree *tree)
{
  for (uint32_t id = 0; id < tree->count; id++) {
    struct rtop_tree_node *node = &tree->nodes[id];
    if (!rtop_tree_has(tree, id))
      *node = (struct rtop_tree_node){ .parent = node->parent, .frame = node->frame, .depth = node->depth };
  }
}

/* From all nodes of the live sum. */
static bool follow_all(struct follow *follow)
{
  struct tree_scratch *scratch = follow->build.scratch;
  struct rtop_tree *tree = follow->build.tree;
  tree->touched_count = 0;
  tree->epoch++;
  scratch->marked_count = 0;
  if (!tree_touch(tree, 0)) return false;
  if (scratch->cells) memset(scratch->cells, 0, scratch->cell_capacity * sizeof *scratch->cells);
  for (uint32_t i = 0; i < follow->node_count; i++) {
    uint32_t id = follow->nodes[i].cells ? follow_id(follow, i) : 0;
    if (id == UINT32_MAX || !tree_touch(tree, id)) return false;
    if (!follow->nodes[i].cells) continue;
    rtop_cost_add(&tree->nodes[id].self, &follow->nodes[i].self);
    scratch->cells[id] += follow->nodes[i].cells;
  }
  tree_sum(tree);
  follow_empty_others(tree);
  return true;
}

static void follow_join(struct rtop_tree *tree, uint32_t id)
{
  struct rtop_tree_node *node = &tree->nodes[id], *parent = &tree->nodes[node->parent];
  node->epoch = tree->epoch;
  node->next_sibling = parent->first_child;
  parent->first_child = id;
  for (uint32_t above = id; above != 0;) {
    above = tree->nodes[above].parent;
    tree->nodes[above].below++;
  }
}

/* Those below it have left before. */
static void follow_leave(struct rtop_tree *tree, uint32_t id)
{
  struct rtop_tree_node *node = &tree->nodes[id];
  uint32_t *link = &tree->nodes[node->parent].first_child;
  while (*link && *link != id) link = &tree->nodes[*link].next_sibling;
  if (*link) *link = node->next_sibling;
  for (uint32_t above = id; above != 0;) {
    above = tree->nodes[above].parent;
    tree->nodes[above].below--;
  }
  node->epoch = 0;
  node->next_sibling = 0;
}

/* It changes soon: nodes lie all over the memory. */
static void follow_fetch(const struct follow *follow, uint32_t index)
{
  const struct tree_scratch *scratch = follow->build.scratch;
  uint32_t node = follow->nodes[index].node, id = node < scratch->of_capacity ? scratch->of[node] : 0;
  const char *at = (const char *)&follow->build.tree->nodes[id ? id - 1 : 0];
  for (size_t i = 0; i < sizeof(struct rtop_tree_node); i += 64) __builtin_prefetch(at + i, 1);
}

static bool follow_changes(struct follow *follow, const struct rtop_live_change *changes, uint32_t count)
{
  struct tree_scratch *scratch = follow->build.scratch;
  struct rtop_tree *tree = follow->build.tree;
  follow_unmark(follow);
  for (uint32_t i = 0; i < count; i++) { /* deepest first */
    if (i + FOLLOW_AHEAD < count) follow_fetch(follow, changes[i + FOLLOW_AHEAD].index);
    uint32_t id = follow_id(follow, changes[i].index);
    if (id == UINT32_MAX) return false;
    struct rtop_tree_node *node = &tree->nodes[id];
    bool was = scratch->cells[id] > 0;
    rtop_cost_add(&node->self, &changes[i].self);
    rtop_cost_add(&node->total, &changes[i].total);
    scratch->cells[id] += changes[i].cells;
    bool is = scratch->cells[id] > 0;
    if (id == 0 || was == is) continue;
    follow->members_changed = true;
    if (is) follow_join(tree, id);
    else follow_leave(tree, id);
  }
  return true;
}

/* The root always belongs to it, of the others those that have cells. */
static bool follow_list(struct rtop_tree *tree)
{
  const struct tree_scratch *scratch = tree->scratch;
  size_t known = tree->count < scratch->cell_capacity ? tree->count : scratch->cell_capacity;
  if (!rtop_reserve(&tree->touched, &tree->touched_capacity, known + 1, sizeof *tree->touched)) return false;
  tree->touched_count = 0;
  tree->touched[tree->touched_count++] = 0;
  for (uint32_t id = 1; id < known; id++)
    if (scratch->cells[id]) tree->touched[tree->touched_count++] = id;
  return true;
}

bool rtop_tree_follow(struct rtop_tree *tree, const struct rtop_live *live, const struct rtop_sum *sum,
                      const struct rtop_symbols *symbols, const struct rtop_methods_options *options, bool fold)
{
  if (!tree->scratch) tree->scratch = calloc(1, sizeof(struct tree_scratch));
  struct tree_scratch *scratch = tree->scratch;
  if (!scratch || fold || tree->folded || options->filter || scratch->collapsed)
    return rtop_tree_build(tree, sum, symbols, options, fold);
  struct follow follow = { .build = { tree, scratch, symbols, options } };
  uint32_t count;
  uint64_t turn;
  const struct rtop_live_change *changes = rtop_live_changes(live, &count, &turn);
  follow.nodes = rtop_live_nodes(live, &follow.node_count);
  bool near = scratch->follows && scratch->live == live && turn == scratch->turn + 1;
  tree->length_ns = sum->length_ns;
  scratch->follows = false;
  bool fine = tree_prepare(&follow.build) && (near ? follow_changes(&follow, changes, count) : follow_all(&follow));
  if (fine && follow.members_changed) fine = follow_list(tree);
  if (!fine || scratch->collapsed) return rtop_tree_build(tree, sum, symbols, options, fold);
  scratch->follows = true;
  scratch->live = live;
  scratch->turn = turn;
  return follow_mark(&follow, sum);
}
