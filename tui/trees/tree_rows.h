/* SPDX-License-Identifier: MIT */
/* The rows of a tree on the screen: what is open, in order, small things put together at the end.
 *
 * Two trees: callees (from the start of threads down) and callers (from the methods whose own time it is,
 * up to who called them; made as far as it is open, because all of it would be many times the other).
 *
 * A node that nobody touched is open when fewer than `levels` nodes that branch are above it; once it was
 * shown open it stays so, whatever the figures do. An only child opens with its parent.
 *
 * Callees of which each has nothing but the next are one row, if there are enough of them (chains): it stands for the
 * last one. A chain ends where a method has time of its own, at what is closed, and at `kept`.
 *
 * Threads: one. Memory belongs to the rows.
 */
#ifndef RTOP_TUI_TREE_ROWS_H
#define RTOP_TUI_TREE_ROWS_H

#include "tree.h"
#include "tree_gone.h"

enum { RTOP_TREE_ROWS_MAX = 50000 };

struct rtop_tree_row {
  uint64_t key; /* the same node has the same key in every build; 0: the last row */
  uint32_t frame;
  uint32_t depth;    /* 0: at the left */
  uint32_t node;     /* of the tree, 0 in the tree of callers */
  uint32_t below;    /* nodes under it; callers: 1 when there are any */
  uint32_t branches; /* private */
  uint64_t lines;    /* bit by depth < 64: an ancestor there has more rows to come */
  bool last;         /* of its siblings */
  bool only;         /* it has none: opens with what is above it */
  bool open;
  bool gone;        /* it was there only before: nothing in it */
  uint64_t lost_ns; /* then: what it cost */
  uint32_t chain;   /* so many nodes are in this row, the last of which it is; 0: it is one */
  uint32_t first;   /* the frame of the first of them */
  struct rtop_cost self, total;
  size_t from, count; /* private */
};

struct rtop_tree_rows {
  struct rtop_tree_row *rows;
  size_t count, capacity;
  size_t other_paths;   /* under the threshold, also in the last row when > 0 */
  bool cut;             /* more than RTOP_TREE_ROWS_MAX */
  double least_percent; /* the threshold that was used */
  int levels;
  void *scratch; /* private */
};

struct rtop_tree_look {
  bool callers;
  enum rtop_sort_key sort; /* RTOP_SORT_DELTA: callees only, and with `gone` */
  bool reverse;
  enum rtop_mode mode;
  bool calls;                        /* samples are calls: they count where they took no time, too */
  double least_percent;              /* of the span */
  bool shares;                       /* times are shown as shares of it, see tree_places.h */
  uint32_t chains;                   /* of so many nodes and more; 0: every node has its row */
  uint64_t kept;                     /* the key of a row that does not vanish in a chain */
  const struct rtop_tree_gone *gone; /* what is no more gets rows, too; NULL: it does not */
};

bool rtop_tree_rows_build(struct rtop_tree_rows *rows, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                          const struct rtop_tree_look *look);
/* Every node of the chain gets a row of its own, until levels are chosen anew. */
void rtop_tree_rows_unchain(struct rtop_tree_rows *rows, const struct rtop_tree *tree, const struct rtop_tree_row *row);
void rtop_tree_rows_destroy(struct rtop_tree_rows *rows);

/* Takes effect with the next build. */
void rtop_tree_rows_open(struct rtop_tree_rows *rows, uint64_t key, bool open);
/* Opens what is above a node of the tree of callees. */
void rtop_tree_rows_reveal(struct rtop_tree_rows *rows, const struct rtop_tree *tree, uint32_t node);
/* Forgets what was opened and closed; from now on `levels` are open (0: nothing, INT_MAX: all). */
void rtop_tree_rows_levels(struct rtop_tree_rows *rows, int levels);

#endif
