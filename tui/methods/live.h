/* SPDX-License-Identifier: MIT */
/* A sum and its methods, kept while the span slides: an update costs what came and went, not what stays.
 *
 * Two things are kept, each once: what every thread did in every node (cells), and what was spent in every method
 * over all chosen threads (rows of the table). A change of a cell goes up its stack; all changes of an update go up
 * together, so that a node is met once. For the ratio the wall time of every method on the stack of each thread is
 * kept, too. All is whole numbers: after any number of updates it equals what is added up afresh.
 *
 * Threads: one. Memory belongs to the live sum; it grows with the stacks in the span and is given up when
 * most of it is about stacks that left it.
 */
#ifndef RTOP_TUI_LIVE_H
#define RTOP_TUI_LIVE_H

#include "methods.h"

struct rtop_live;

/* A node of all threads: what never changes of it. */
struct rtop_live_node {
  uint32_t node;
  uint32_t parent, frame;             /* index of the node it is called from; of the root: 0 */
  uint32_t depth : 31, outermost : 1; /* of the root: 0; its frame is not above it */
  uint32_t change;                    /* private: index + 1 of what changes in this update; 0: nothing so far */
};

/* What was spent there, over all chosen threads. */
struct rtop_live_spent {
  uint64_t cells; /* in and below it; 0: not in the sum */
  struct rtop_cost total, self;
};

/* NULL when memory ran out. */
struct rtop_live *rtop_live_create(struct rtop_profile *profile);
/* Of nothing but the sets of labels that time was spent under (rtop_slide_open_sets): its cells are all it is for. */
struct rtop_live *rtop_live_create_sets(struct rtop_profile *profile);
/* Of one sum, whatever it is of: nothing slides. NULL when memory ran out. */
struct rtop_live *rtop_live_of(const struct rtop_symbols *symbols);
/* In place of rtop_live_sum: holds just this sum from now on, of its threads those that are not hidden. False when
 * memory ran out. */
bool rtop_live_take(struct rtop_live *live, const struct rtop_sum *sum);
/* Before or after the profile goes; what was borrowed from it is taken back by the next two calls' users. */
void rtop_live_destroy(struct rtop_live **live);

/* Ratios take the time of every thread in every method: rows have them (else 0) only from the next
 * rtop_live_sum on. */
void rtop_live_want_ratios(struct rtop_live *live, bool wanted);

/* As rtop_profile_sum, but *sum borrows cells that are in no order. Who leaves threads out sets `hidden` in
 * their rows before the next call. False when memory ran out. */
bool rtop_live_sum(struct rtop_live *live, struct rtop_span span, struct rtop_sum *sum);
/* As rtop_methods_build for the sum of the last call, of threads that are not hidden, but *methods borrows its
 * rows, and they are in no order: methods->ranks says by frame which name (or place, when the sort key is
 * that) comes first. */
/* `methods` NULL: nobody looks at rows. */
bool rtop_live_methods(struct rtop_live *live, const struct rtop_sum *sum, struct rtop_methods *methods,
                       const struct rtop_methods_options *options);

/* Nodes: index 0 is the root, a parent comes before its children. Valid until the next rtop_live_sum. */
const struct rtop_live_node *rtop_live_nodes(const struct rtop_live *live, uint32_t *count);
/* By the same index, as of the last rtop_live_methods: it is added up when somebody asks. NULL: memory ran out. */
const struct rtop_live_spent *rtop_live_spent(const struct rtop_live *live);
/* The index of a symbols' node; UINT32_MAX: it was never seen. */
uint32_t rtop_live_find(const struct rtop_live *live, uint32_t node);

#endif
