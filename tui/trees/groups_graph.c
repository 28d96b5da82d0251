/* SPDX-License-Identifier: MIT */
/* Edges between methods, added up from the nodes of a tree. */
#include "groups_graph.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

/* Returns the entry of a method, reset at its first use in this sum. */
static struct groups_frame *graph_frame(struct groups_graph *graph, uint32_t frame)
{
  struct groups_frame *entry = &graph->frames[frame];
  if (entry->take != graph->take) *entry = (struct groups_frame){ .take = graph->take };
  return entry;
}

/* Adds the edge to this sum. There is room for as many roots as there are frames. */
static void graph_call(struct groups_graph *graph, uint32_t index)
{
  struct groups_edge *edge = &graph->edges[index];
  if (edge->take == graph->take) return;
  struct groups_frame *caller = graph_frame(graph, edge->caller), *callee = graph_frame(graph, edge->callee);
  *edge = (struct groups_edge){
    .caller = edge->caller, .callee = edge->callee, .next_out = caller->first_out, .take = graph->take
  };
  caller->first_out = index + 1;
  callee->callers++;
  callee->caller += edge->caller;
  if (callee->root || edge->callee == 0 || !groups_graph_is_root(callee)) return;
  callee->root = true;
  graph->roots[graph->root_count++] = edge->callee;
}

/* GROUPS_NONE: memory ran out. */
static uint32_t graph_edge(struct groups_graph *graph, uint32_t caller, uint32_t callee)
{
  uint32_t *known = rtop_pairs_at(&graph->edge_of, caller, callee);
  if (known && *known) return *known - 1;
  if (!known ||
      !rtop_reserve(&graph->edges, &graph->edge_capacity, (size_t)graph->edge_count + 1, sizeof *graph->edges))
    return GROUPS_NONE;
  graph->edges[graph->edge_count] = (struct groups_edge){ .caller = caller, .callee = callee };
  *known = ++graph->edge_count;
  return *known - 1;
}

/* Walks up the stack: does the method occur in an ancestor, and does it with the same caller? */
static void graph_look_up(const struct groups_graph *graph, const struct rtop_tree *tree, uint32_t id,
                          struct groups_node *node)
{
  node->in_frame = true;
  node->in_edge = node->edge != GROUPS_NONE;
  for (uint32_t at = tree->nodes[id].parent; at != 0; at = tree->nodes[at].parent) {
    const struct groups_node *above = &graph->nodes[at];
    if (above->frame != node->frame) continue;
    node->in_frame = false;
    node->in_edge = node->in_edge && above->edge != node->edge;
    if (!node->in_edge) return;
  }
}

/* Adds a new node, whose parent has been added already. */
static bool graph_place(struct groups_graph *graph, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                        uint32_t id)
{
  struct groups_node *node = &graph->nodes[id];
  uint32_t frame = tree->nodes[id].frame, caller = id ? tree->nodes[tree->nodes[id].parent].frame : 0;
  *node = (struct groups_node){ .frame = frame, .edge = GROUPS_NONE, .known = true };
  if (id == 0) return true;
  if (caller == frame) /* calls within a merged file do not count as calls */
    node->loops = rtop_symbols_get(symbols, frame)->kind != RTOP_SYMBOL_GROUP;
  else if ((node->edge = graph_edge(graph, caller, frame)) == GROUPS_NONE) {
    node->known = false;
    return false;
  }
  graph_look_up(graph, tree, id, node);
  return true;
}

/* Computes figures. The value of self time is never needed, since `total` contains it. */
static struct groups_figures graph_figures(const struct groups_graph *graph, const struct rtop_cost *cost)
{
  static const struct rtop_cost nothing;
  return (struct groups_figures){
    rtop_tree_clock(cost, graph->wish.mode),
    rtop_tree_key(&nothing, cost, graph->wish.sort, graph->wish.mode),
    cost->samples,
  };
}

static void figures_add(struct groups_figures *to, const struct groups_figures *from)
{
  to->ns += from->ns;
  to->value += from->value;
  to->samples += from->samples;
}

static void graph_add(struct groups_graph *graph, const struct groups_node *node, const struct rtop_tree_node *from)
{
  struct groups_frame *frame = graph_frame(graph, node->frame);
  struct groups_figures total = graph_figures(graph, &from->total);
  frame->self_ns += rtop_tree_clock(&from->self, graph->wish.mode);
  frame->self_samples += from->self.samples;
  if (node->in_frame) figures_add(&frame->total, &total);
  if (node->loops) frame->loops++;
  if (node->edge == GROUPS_NONE) return;
  graph_call(graph, node->edge);
  graph->edges[node->edge].calls += from->self.samples;
  if (node->in_edge) figures_add(&graph->edges[node->edge].total, &total);
}

/* Discards cached answers after ids have changed. */
static void graph_follow_ids(struct groups_graph *graph, const struct rtop_tree *tree,
                             const struct rtop_symbols *symbols)
{
  uint32_t reuses = rtop_symbols_reuses(symbols);
  if (graph->of == tree && graph->shapes == tree->shapes && graph->reuses == reuses) return;
  if (graph->nodes) memset(graph->nodes, 0, graph->node_capacity * sizeof *graph->nodes);
  rtop_pairs_clear(&graph->edge_of);
  graph->edge_count = 0;
  graph->of = tree;
  graph->shapes = tree->shapes;
  graph->reuses = reuses;
}

static bool graph_restart(struct groups_graph *graph, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                          struct groups_wish wish)
{
  uint32_t count = graph->frame_count = rtop_symbols_frame_count(symbols);
  graph_follow_ids(graph, tree, symbols);
  graph->take++;
  graph->root_count = 0;
  graph->wish = wish;
  graph->length_ns = tree->length_ns;
  return rtop_reserve(&graph->frames, &graph->frame_capacity, count, sizeof *graph->frames) &&
         rtop_reserve(&graph->roots, &graph->root_capacity, count, sizeof *graph->roots) &&
         rtop_reserve(&graph->nodes, &graph->node_capacity, tree->count, sizeof *graph->nodes);
}

bool groups_graph_take(struct groups_graph *graph, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                       struct groups_wish wish)
{
  if (!graph_restart(graph, tree, symbols, wish)) return false;
  for (size_t i = 0; i < tree->touched_count; i++) {
    uint32_t id = tree->touched[i];
    if (!graph->nodes[id].known && !graph_place(graph, tree, symbols, id)) return false;
    if (id != 0) graph_add(graph, &graph->nodes[id], &tree->nodes[id]);
  }
  return true;
}

void groups_graph_destroy(struct groups_graph *graph)
{
  free(graph->frames);
  free(graph->roots);
  free(graph->edges);
  rtop_pairs_destroy(&graph->edge_of);
  free(graph->nodes);
  *graph = (struct groups_graph){ 0 };
}
