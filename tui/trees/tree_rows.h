/* SPDX-License-Identifier: MIT */
/* The rows of a tree on the screen: open nodes in order, with small ones combined at the end.
 *
 * Two trees: callees (from the start of threads down), and callers (from the methods with self time up to their
 * callers; built only as far as its nodes are open, since the whole tree would be many times larger).
 *
 * A node without a choice of the user is open if fewer than `levels` branching nodes are above it; once shown open it
 * stays open. An only child opens with its parent.
 *
 * A chain of callees each the only callee of the previous one, becomes one row, named after the last one, if the chain
 * is long enough. A chain ends at a method with self time, at a closed node, and at `kept`.
 *
 * Threads: one. The rows own their memory.
 */
#ifndef RTOP_TUI_TREE_ROWS_H
#define RTOP_TUI_TREE_ROWS_H

#include "tree.h"
#include "tree_gone.h"

enum { RTOP_TREE_ROWS_MAX = 50000 };

struct rtop_tree_row {
  uint64_t key; /* identifies a node in every build; 0: the last row */
  uint32_t frame;
  uint32_t depth;    /* 0: at the left */
  uint32_t node;     /* node of the tree; 0 in the tree of callers */
  uint32_t below;    /* number of nodes below; in the tree of callers: 1 if there are any */
  uint32_t branches; /* private */
  uint64_t lines;    /* a bit for each depth < 64 at which an ancestor has further rows below */
  bool last;         /* of its siblings */
  bool only;         /* the node is an only child: it opens together with its parent */
  bool open;
  bool gone;        /* the call occurs only in the baseline; the row has no current figures */
  uint64_t lost_ns; /* if gone: its cost in the baseline */
  uint32_t chain;   /* number of nodes in this row, which is named after the last one; 0: a single node */
  uint32_t first;   /* the frame of the first of them */
  struct rtop_cost self, total;
  size_t from, count; /* private */
};

struct rtop_tree_rows {
  struct rtop_tree_row *rows;
  size_t count, capacity;
  size_t other_paths;   /* number of paths below the threshold, combined in the last row if > 0 */
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
  bool calls;                        /* samples are calls, which count even if they have no time */
  double least_percent;              /* of the span */
  bool shares;                       /* times are displayed as shares of length_ns, see tree_places.h */
  uint32_t chains;                   /* minimum length of chains; 0: every node has its own row */
  uint64_t kept;                     /* key of a row that must not be hidden in a chain */
  const struct rtop_tree_gone *gone; /* nodes of the earlier sum only, which get rows, too; NULL: none */
};

bool rtop_tree_rows_build(struct rtop_tree_rows *rows, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                          const struct rtop_tree_look *look);
/* Gives every node of the chain a row of its own, until levels are chosen again. */
void rtop_tree_rows_unchain(struct rtop_tree_rows *rows, const struct rtop_tree *tree, const struct rtop_tree_row *row);
void rtop_tree_rows_destroy(struct rtop_tree_rows *rows);

/* Takes effect with the next build. */
void rtop_tree_rows_open(struct rtop_tree_rows *rows, uint64_t key, bool open);
/* Opens the ancestors of a node in the tree of callees. */
void rtop_tree_rows_reveal(struct rtop_tree_rows *rows, const struct rtop_tree *tree, uint32_t node);
/* Forgets all choices; from now on nodes of `levels` levels are open (0: none, INT_MAX: all). */
void rtop_tree_rows_levels(struct rtop_tree_rows *rows, int levels);

#endif
