/* Edges between methods, added up from the nodes of a tree. */
#include "groups_graph.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

/* Another caller. There is room: as many roots as frames. */
static void graph_call(struct groups_graph *graph, const struct groups_edge *edge)
{
  struct groups_frame *callee = &graph->frames[edge->callee];
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
  uint32_t edge = graph->edge_count++;
  struct groups_frame *from = &graph->frames[caller];
  graph->edges[edge] = (struct groups_edge){ .caller = caller, .callee = callee, .next_out = from->first_out };
  *known = from->first_out = edge + 1;
  graph_call(graph, &graph->edges[edge]);
  return edge;
}

/* On the way up: does the method stand there, does it stand there with the same caller? */
static void graph_look_up(const struct groups_graph *graph, struct groups_node *node)
{
  node->in_frame = true;
  node->in_edge = node->edge != GROUPS_NONE;
  for (uint32_t at = node->parent; at != 0; at = graph->nodes[at].parent) {
    const struct groups_node *above = &graph->nodes[at];
    if (above->frame != node->frame) continue;
    node->in_frame = false;
    node->in_edge = node->in_edge && above->edge != node->edge;
    if (!node->in_edge) return;
  }
}

/* A node whose parent was placed before. */
static bool graph_place(struct groups_graph *graph, const struct rtop_symbols *symbols, uint32_t index, uint32_t parent,
                        uint32_t frame)
{
  if (!rtop_reserve(&graph->nodes, &graph->node_capacity, (size_t)index + 1, sizeof *graph->nodes)) return false;
  struct groups_node *node = &graph->nodes[index];
  uint32_t caller = index ? graph->nodes[parent].frame : 0;
  *node = (struct groups_node){ .parent = parent, .frame = frame, .edge = GROUPS_NONE };
  if (index == 0) return true;
  if (caller == frame) /* calls within a file are no calls of it */
    node->loops = rtop_symbols_get(symbols, frame)->kind != RTOP_SYMBOL_GROUP;
  else if ((node->edge = graph_edge(graph, caller, frame)) == GROUPS_NONE) return false;
  graph_look_up(graph, node);
  return true;
}

/* Of self the value is never asked for: `total` knows it. */
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
  struct groups_frame *frame = &graph->frames[node->frame];
  struct groups_figures total = graph_figures(graph, &from->total);
  frame->self_ns += rtop_tree_clock(&from->self, graph->wish.mode);
  frame->self_samples += from->self.samples;
  if (node->in_frame) figures_add(&frame->total, &total);
  if (node->loops) frame->loops++;
  if (node->edge != GROUPS_NONE && node->in_edge) figures_add(&graph->edges[node->edge].total, &total);
}

static bool graph_reserve_frames(struct groups_graph *graph, const struct rtop_symbols *symbols)
{
  uint32_t count = graph->frame_count = rtop_symbols_frame_count(symbols);
  return rtop_reserve(&graph->frames, &graph->frame_capacity, count, sizeof *graph->frames) &&
         rtop_reserve(&graph->roots, &graph->root_capacity, count, sizeof *graph->roots);
}

static bool graph_restart(struct groups_graph *graph, const struct rtop_symbols *symbols, struct groups_wish wish)
{
  graph->edge_count = graph->root_count = 0;
  graph->wish = wish;
  if (graph->frames) memset(graph->frames, 0, graph->frame_capacity * sizeof *graph->frames);
  rtop_pairs_clear(&graph->edge_of);
  return graph_reserve_frames(graph, symbols);
}

bool groups_graph_take(struct groups_graph *graph, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                       struct groups_wish wish)
{
  graph->length_ns = tree->length_ns;
  if (!graph_restart(graph, symbols, wish)) return false;
  for (size_t i = 0; i < tree->touched_count; i++) {
    uint32_t id = tree->touched[i];
    const struct rtop_tree_node *node = &tree->nodes[id];
    if (!graph_place(graph, symbols, id, node->parent, node->frame)) return false;
    if (id != 0) graph_add(graph, &graph->nodes[id], node);
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
