/* SPDX-License-Identifier: MIT */
/* The call graph of a sum as a forest of groups.
 *
 * A method that is called from two or more methods, or by nobody, is the root of a group of its own;
 * where it is called it stands as a reference to that group. Every other method stands once, under its
 * only caller. So a tree can be read without ever meeting the same thing twice.
 *
 * A node has the time of its calls from the caller above it, a root that of all its calls; a stack counts
 * once for each. A method that calls itself is marked, that is no second caller. Threads: one.
 */
#ifndef RTOP_TUI_GROUPS_H
#define RTOP_TUI_GROUPS_H

#include "tree.h"
#include "tree_choices.h"

enum { RTOP_GROUP_ROWS_MAX = 50000 };

struct rtop_group_row {
  uint64_t key; /* the same in every build; 0: what is below the threshold */
  uint32_t frame;
  uint32_t depth;   /* 0: root of a group */
  uint32_t callers; /* methods that call it */
  uint32_t below;   /* methods that it calls and that are shown */
  uint64_t lines;   /* bit by depth < 64: an ancestor there has more rows to come */
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
  bool shares;          /* times are shown as shares of it, see tree_places.h */
};

struct rtop_groups_cost {
  uint64_t self_ns, self_samples;   /* of references nothing */
  uint64_t total_ns, total_samples; /* by mode */
  uint64_t calls;                   /* of a sum of calls: from the caller above, of a root all of them */
};

/* What groups are made of, from the last sum of a tree. False when memory ran out. */
bool rtop_groups_take(struct rtop_groups *groups, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                      const struct rtop_groups_look *look);
/* Rows of what was taken last, by the mode and the sort key of then. False when memory ran out. */
bool rtop_groups_build(struct rtop_groups *groups, const struct rtop_symbols *symbols,
                       const struct rtop_groups_look *look);
/* What a row of the last build has spent. */
struct rtop_groups_cost rtop_groups_cost(const struct rtop_groups *groups, const struct rtop_group_row *row);
void rtop_groups_destroy(struct rtop_groups *groups);

/* Is the method in what was taken last? */
bool rtop_groups_has(const struct rtop_groups *groups, uint32_t frame);
/* Keys: of the group of a method; of the place where a method stands that is no reference, opening what
 * hides it (0: it is not there). */
uint64_t rtop_groups_root_key(uint32_t frame);
uint64_t rtop_groups_reveal(struct rtop_groups *groups, uint32_t frame);

#endif
