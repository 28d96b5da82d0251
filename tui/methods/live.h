/* SPDX-License-Identifier: MIT */
/* A sum and its methods, kept up to date while the span slides: an update costs what enters and leaves, not what
 * stays.
 *
 * Kept are the cost of every thread in every node (cells), and the cost of every method over all chosen threads (rows).
 * A change of a cell propagates up its stack; all changes of an update propagate together, so each node is visited
 * once. For ratios, the wall time of every method on each thread's stack is kept, too. All values are integers, so the
 * result always equals a newly computed sum.
 *
 * Threads: one. The live sum owns the memory, which grows with the stacks in the span and is freed when most of it is
 * for stacks that left the span.
 */
#ifndef RTOP_TUI_LIVE_H
#define RTOP_TUI_LIVE_H

#include "methods.h"

struct rtop_live;

/* A node over all threads: the fields that never change. */
struct rtop_live_node {
  uint32_t node;
  uint32_t parent, frame;             /* parent: index of its caller; of the root: 0 */
  uint32_t depth : 31, outermost : 1; /* depth: 0 for the root; outermost: no caller has the same frame */
  uint32_t change;                    /* private: index + 1 of the node's pending change in this update; 0: none */
};

/* Cost of a node over all chosen threads. */
struct rtop_live_spent {
  uint64_t cells; /* number of cells in the node and below it; 0: the node is not in the sum */
  struct rtop_cost total, self;
};

/* NULL when memory ran out. */
struct rtop_live *rtop_live_create(struct rtop_profile *profile);
/* Makes a live sum by label sets only (rtop_slide_open_sets); only its cells are used. */
struct rtop_live *rtop_live_create_sets(struct rtop_profile *profile);
/* Makes a live sum for any single sum, without a sliding span. NULL when memory ran out. */
struct rtop_live *rtop_live_of(const struct rtop_symbols *symbols);
/* Used instead of rtop_live_sum(): makes this the only sum that `live` holds, with those of its threads that are not
 * hidden. False when memory ran out. */
bool rtop_live_take(struct rtop_live *live, const struct rtop_sum *sum);
/* Frees a live sum, before or after the profile. Sums and methods that borrowed from it become invalid. */
void rtop_live_destroy(struct rtop_live **live);

/* Sets whether rows get ratios, which need the time of every thread in every method: rows have them only from the next
   rtop_live_sum() on, else 0. */
void rtop_live_want_ratios(struct rtop_live *live, bool wanted);

/* Like rtop_profile_sum(), but *sum borrows its cells, which are not sorted. To leave threads out, set `hidden` in
 * their rows before the next call. False when memory ran out. */
bool rtop_live_sum(struct rtop_live *live, struct rtop_span span, struct rtop_sum *sum);
/* Like rtop_methods_build() on the sum of the last rtop_live_sum(), without hidden threads. The rows belong to `live`
 * and are valid until the next call. They are not sorted: methods->ranks[frame] is the rank of the frame's name, or of
 * its place if rows are sorted by place. `methods` may be NULL, if no rows are needed. */
bool rtop_live_methods(struct rtop_live *live, const struct rtop_sum *sum, struct rtop_methods *methods,
                       const struct rtop_methods_options *options);

/* Nodes: index 0 is the root, parents come before children. Valid until the next rtop_live_sum(). */
const struct rtop_live_node *rtop_live_nodes(const struct rtop_live *live, uint32_t *count);
/* Costs of the nodes, by the same index as rtop_live_nodes(), as of the last rtop_live_methods(); added up on demand.
   NULL: memory ran out. */
const struct rtop_live_spent *rtop_live_spent(const struct rtop_live *live);
/* Index of a node of the symbols; UINT32_MAX if the node never occurred. */
uint32_t rtop_live_find(const struct rtop_live *live, uint32_t node);

#endif
