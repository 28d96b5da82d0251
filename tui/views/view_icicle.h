/* SPDX-License-Identifier: MIT */
/* Shared by the halves of the icicle view: behaviour (view_icicle.c) and appearance (view_icicle_draw.c).
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
  int cell_rows;                     /* rows per cell; 0: not known yet */
  int64_t low_until_ns;              /* cells become higher only after this time (ns), since calls come and go */
  uint32_t root;                     /* node that is zoomed to */
  uint32_t zoomed[ICICLE_ZOOMS_MAX]; /* roots of before, to go back to */
  uint32_t zooms;
  uint32_t node;   /* under the cursor */
  uint32_t wished; /* node that the user chose: the cursor is on this node,
                      or on an ancestor while the node has no cell */
  bool heat;       /* cells are filled by heat, else by state */
  uint32_t top;    /* first depth that is seen */
  bool flipped;    /* the root stands at the bottom */
  bool alone;      /* no chains: each call has a cell */
  bool same;       /* cells of the selected method are highlighted */
  bool seek;       /* the cursor shall go to ui->selected */
  size_t hits;     /* number of highlighted nodes, including those without a cell */
  uint64_t hit_ns; /* time under them */
  bool *covered;   /* is the node or an ancestor highlighted? By node */
  size_t covered_capacity;
};

/* Number of rows for cells, depths visible in them, and number of rows below them. */
int icicle_view_rows(const struct ui *ui);
int icicle_view_page(const struct ui *ui);
int icicle_view_pane_rows(const struct ui *ui);
/* Is it, or a call of its chain, highlighted? */
bool icicle_view_is_hit(const struct ui *ui, const struct icicle_view *view, const struct rtop_icicle_cell *cell);
/* Makes the cells again, for another size. */
void icicle_view_rebuild(struct ui *ui);

/* For a keeper (profile.h): marks the nodes to which the view is zoomed as used. */
struct rtop_symbols;
void icicle_view_keep(const struct ui *ui, struct rtop_symbols *symbols);

#endif
