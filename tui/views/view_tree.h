/* SPDX-License-Identifier: MIT */
/* Shared by the halves of the tree view: behaviour (view_tree.c) and appearance (view_tree_draw.c).
 */
#ifndef RTOP_TUI_VIEW_TREE_H
#define RTOP_TUI_VIEW_TREE_H

#include "tui/tables/detail.h"
#include "tui/trees/tree_rows.h"
#include "tui/ui/ui_outline.h"

struct ui;

struct tree_view {
  struct rtop_tree_rows trees[2]; /* callees, callers */
  bool callers;                   /* which one is shown */
  bool all_open[2];
  struct ui_outline_cursor at;
  struct detail detail; /* of the selected method, for the butterfly */
  bool detail_ready;
};

struct rtop_tree_rows *tree_view_rows(struct tree_view *view);
/* Is the row a method? Not the last one, if it stands for combined small nodes. */
bool tree_view_is_method(const struct rtop_tree_row *row);
/* Are rows sorted by the change against the baseline? */
bool tree_view_by_delta(const struct ui *ui, const struct tree_view *view);
struct ui_rows tree_view_table(const struct ui *ui);
/* Rows for the butterfly under the tree. */
int tree_view_butterfly_rows(const struct ui *ui);

#endif
