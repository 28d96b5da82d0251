/* SPDX-License-Identifier: MIT */
/* Which method calls which, with the time of every call: what groups are made of.
 *
 * Calls of the same caller to the same callee, wherever they stand, are one edge. Of a node of the tree it is
 * known to which method and which edge it belongs, and whether the same one is above it, so that its time is in
 * the total already: that is found out once and holds as long as the tree keeps its ids. Of all figures of a cost only
 * those that are asked for are kept, because what takes the time is memory. Threads: one. A zeroed struct is empty.
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
  uint64_t value; /* by sort key (rtop_tree_key); of self, that is not looked at: 0 */
  uint64_t samples;
};

struct groups_frame {
  uint32_t take;      /* private: what follows is of this one; of an older one: it is not in the sum */
  uint32_t callers;   /* methods that call it now; the start of a thread is 0 */
  uint32_t caller;    /* all of them added up: the caller, when it is one */
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
  uint64_t calls;    /* samples of the callee itself: of a sum of calls (whole_sum.h), calls */
  struct groups_figures total;
};

struct groups_node {
  uint32_t frame;
  uint32_t edge; /* GROUPS_NONE: called by itself */
  bool known, loops;
  bool in_frame, in_edge; /* is it the outermost one, whose total counts? */
};

struct groups_graph {
  struct groups_frame *frames; /* by frame */
  uint32_t frame_count;
  size_t frame_capacity;
  struct groups_edge *edges; /* all that were met; those of the sum are in the lists of their callers */
  uint32_t edge_count;
  size_t edge_capacity;
  uint32_t *roots; /* frames that are called by several methods, or by nobody */
  uint32_t root_count;
  size_t root_capacity;
  struct rtop_pairs edge_of; /* private: (caller, callee): edge + 1 */
  struct groups_node *nodes; /* private: by the tree's node */
  size_t node_capacity;
  const struct rtop_tree *of; /* private: the tree, and which ids of it and of the symbols nodes were found out for */
  uint32_t shapes, reuses;
  uint32_t take;
  struct groups_wish wish;
  uint64_t length_ns; /* of the sum */
};

/* From the last sum of a tree. False when memory ran out. */
bool groups_graph_take(struct groups_graph *graph, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                       struct groups_wish wish);
void groups_graph_destroy(struct groups_graph *graph);

static inline bool groups_graph_has(const struct groups_graph *graph, uint32_t frame)
{
  return frame != 0 && frame < graph->frame_count && graph->frames[frame].take == graph->take &&
         graph->frames[frame].callers > 0;
}

/* Called by several methods, or by nobody: it stands alone. */
static inline bool groups_graph_is_root(const struct groups_frame *frame)
{
  return frame->callers > 1 || frame->caller == 0;
}

#endif
