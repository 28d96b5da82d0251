/* SPDX-License-Identifier: MIT */
/* The graph of which method calls which, with the time of every call; groups are made from it.
 *
 * All calls of one caller to one callee form an edge. For each node of the tree, its method and edge are stored, and
 * whether an ancestor has the same method or edge, so that the total includes its time already; these data are computed
 * once and are valid while the tree keeps its ids. Only the requested figures are kept, which saves memory and
 * therefore time. Threads: one. A struct of zeros is empty.
 */
#ifndef RTOP_TUI_GROUPS_GRAPH_H
#define RTOP_TUI_GROUPS_GRAPH_H

#include "tree.h"
#include "tui/text/pairs.h"

enum { GROUPS_NONE = UINT32_MAX };

struct groups_wish {
  enum rtop_mode mode;
  enum rtop_sort_key sort;
};

/* Of a cost, all of them sums. */
struct groups_figures {
  uint64_t ns;    /* by mode */
  uint64_t value; /* figure by sort key (rtop_tree_key()); 0 if the key is self time, which needs none */
  uint64_t samples;
};

struct groups_frame {
  uint32_t take;      /* private: number of the sum for which all other members are
                         valid; an older number: the method is not in the sum */
  uint32_t callers;   /* number of methods that call this one in the sum; the start of a thread counts as method 0 */
  uint32_t caller;    /* sum of the ids of all callers, which is the caller's id if there is only one */
  uint32_t loops;     /* nodes where it is called by itself */
  uint32_t first_out; /* edge + 1 */
  bool root;          /* it is in the list of roots */
  uint64_t self_ns, self_samples;
  struct groups_figures total;
};

struct groups_edge {
  uint32_t caller, callee;
  uint32_t next_out; /* of the same caller, + 1 */
  uint32_t take;     /* private, as above */
  uint64_t calls;    /* samples of the callee itself; in a sum of calls (whole_sum.h), number of calls */
  struct groups_figures total;
};

struct groups_node {
  uint32_t frame;
  uint32_t edge; /* GROUPS_NONE: called by itself */
  bool known, loops;
  bool in_frame, in_edge; /* is the node the outermost occurrence of its method, and of its edge, whose total counts? */
};

struct groups_graph {
  struct groups_frame *frames; /* by frame */
  uint32_t frame_count;
  size_t frame_capacity;
  struct groups_edge *edges; /* all edges ever seen; those in the sum are in the lists of their callers */
  uint32_t edge_count;
  size_t edge_capacity;
  uint32_t *roots; /* frames called by several methods, or by none */
  uint32_t root_count;
  size_t root_capacity;
  struct rtop_pairs edge_of; /* private: (caller, callee): edge + 1 */
  struct groups_node *nodes; /* private: by the tree's node */
  size_t node_capacity;
  const struct rtop_tree *of; /* private: tree and ids for which nodes were computed */
  uint32_t shapes, reuses;
  uint32_t take;
  struct groups_wish wish;
  uint64_t length_ns; /* of the sum */
};

/* Reads the costs of a tree's last sum. False when memory ran out. */
bool groups_graph_take(struct groups_graph *graph, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                       struct groups_wish wish);
void groups_graph_destroy(struct groups_graph *graph);

static inline bool groups_graph_has(const struct groups_graph *graph, uint32_t frame)
{
  return frame != 0 && frame < graph->frame_count && graph->frames[frame].take == graph->take &&
         graph->frames[frame].callers > 0;
}

/* Is the method called by several methods, or by none, so that it has a group of its own? */
static inline bool groups_graph_is_root(const struct groups_frame *frame)
{
  return frame->callers > 1 || frame->caller == 0;
}

#endif
