/* SPDX-License-Identifier: MIT */
/* The call graph of a sum as a forest of groups, so that no subtree appears twice.
 *
 * A method that is called by several methods, or by none, is the root of a group of its own; its callers show a
 * reference to the group. Every other method appears once, below its only caller.
 *
 * A node has the time of its calls from the caller above, a root has the time of all its calls; each stack counts once
 * for a node. Recursion is marked and does not count as another caller. Threads: one.
 */
#ifndef RTOP_TUI_GROUPS_H
#define RTOP_TUI_GROUPS_H

#include "tree.h"
#include "tree_choices.h"

enum { RTOP_GROUP_ROWS_MAX = 50000 };

struct rtop_group_row {
  uint64_t key; /* identifies the row in every build; 0: the row for small ones */
  uint32_t frame;
  uint32_t depth;   /* 0: root of a group */
  uint32_t callers; /* methods that call it */
  uint32_t below;   /* number of shown methods that it calls */
  uint64_t lines;   /* a bit for each depth < 64 at which an ancestor has further rows below */
  bool last;
  bool open;
  bool reference; /* the group stands elsewhere */
  bool recursive;
  uint32_t edge; /* private */
};

struct rtop_groups {
  struct rtop_group_row *rows;
  size_t count, capacity;
  size_t group_count; /* with those below the threshold */
  size_t hidden;      /* rows below it */
  uint64_t most_ns;   /* the largest total */
  uint32_t levels;    /* open at first */
  struct rtop_tree_choices choices;
  void *scratch; /* private */
};

struct rtop_groups_look {
  enum rtop_sort_key sort;
  bool reverse;
  enum rtop_mode mode;
  double least_percent; /* of the span: what is below disappears */
  bool shares;          /* times are displayed as shares of length_ns, see tree_places.h */
};

struct rtop_groups_cost {
  uint64_t self_ns, self_samples;   /* of references nothing */
  uint64_t total_ns, total_samples; /* by mode */
  uint64_t calls;                   /* for a sum of calls: number of calls from the
                                       caller above; for a root of all calls */
};

/* Reads the last sum of a tree. False when memory ran out. */
bool rtop_groups_take(struct rtop_groups *groups, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                      const struct rtop_groups_look *look);
/* Builds rows from the sum that was read last, by its mode and sort key. False when memory ran out. */
bool rtop_groups_build(struct rtop_groups *groups, const struct rtop_symbols *symbols,
                       const struct rtop_groups_look *look);
/* Returns the cost of a row of the last build. */
struct rtop_groups_cost rtop_groups_cost(const struct rtop_groups *groups, const struct rtop_group_row *row);
void rtop_groups_destroy(struct rtop_groups *groups);

/* Does the sum that was read last contain the method? */
bool rtop_groups_has(const struct rtop_groups *groups, uint32_t frame);
/* rtop_groups_root_key(): returns the key of a method's group. rtop_groups_reveal(): returns the key of the row where
 * the method itself is shown, after opening the groups that hide it; 0: there is no such row. */
uint64_t rtop_groups_root_key(uint32_t frame);
uint64_t rtop_groups_reveal(struct rtop_groups *groups, uint32_t frame);

#endif
