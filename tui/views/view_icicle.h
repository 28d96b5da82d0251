/* SPDX-License-Identifier: MIT */
/* What the two halves of the icicle view share: what it does (view_icicle.c) and how it looks
 * (view_icicle_draw.c).
 */
#ifndef RTOP_TUI_VIEW_ICICLE_H
#define RTOP_TUI_VIEW_ICICLE_H

#include "tui/term/pager.h"
#include "tui/trees/icicle.h"

struct ui;

enum { ICICLE_ZOOMS_MAX = 64 };

struct icicle_view {
  struct rtop_icicle icicle;
  int columns, rows;                 /* for which it was made */
  int cell_rows;                     /* how high a cell is; 0: not known yet */
  int64_t low_until_ns;              /* cells grow higher only after that: calls come and go */
  uint32_t root;                     /* node that is zoomed to */
  uint32_t zoomed[ICICLE_ZOOMS_MAX]; /* roots of before, to go back to */
  uint32_t zooms;
  uint32_t node;   /* under the cursor */
  uint32_t wished; /* the one that the user chose: the cursor is there, or above it while it has no cell */
  bool heat;       /* cells are filled by heat, else by state */
  uint32_t top;    /* first depth that is seen */
  bool flipped;    /* the root stands at the bottom */
  bool same;       /* cells of the selected method are highlighted */
  bool seek;       /* the cursor is to go to ui->selected */
  size_t hits;     /* nodes that are highlighted, also those that have no cell */
  uint64_t hit_ns; /* time under them */
  bool *covered;   /* by node: it or one above it is highlighted */
  size_t covered_capacity;
};

/* Rows for cells, depths that are seen in them, and rows for what stands under them. */
int icicle_view_rows(const struct ui *ui);
int icicle_view_page(const struct ui *ui);
int icicle_view_pane_rows(const struct ui *ui);
bool icicle_view_is_hit(const struct ui *ui, const struct icicle_view *view, uint32_t frame);
/* Makes the cells again, for another size. */
void icicle_view_rebuild(struct ui *ui);

/* For a keeper (profile.h): the nodes that are zoomed to. */
struct rtop_symbols;
void icicle_view_keep(const struct ui *ui, struct rtop_symbols *symbols);

#endif
