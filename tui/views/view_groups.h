/* SPDX-License-Identifier: MIT */
/* Shared by the halves of the groups view: behaviour (view_groups.c) and appearance (view_groups_draw.c).
 */
#ifndef RTOP_TUI_VIEW_GROUPS_H
#define RTOP_TUI_VIEW_GROUPS_H

#include "tui/trees/groups_map.h"
#include "tui/ui/ui_outline.h"

struct ui;

enum { GROUPS_JUMPS_MAX = 64 };

struct groups_view {
  struct rtop_groups groups;
  bool all_open;
  struct ui_outline_cursor at;
  uint64_t jumps[GROUPS_JUMPS_MAX]; /* keys of the rows from which references were followed, to return to */
  int jump_count;
  int threshold; /* which of the steps */
};

bool groups_view_is_method(const struct rtop_group_row *row);
double groups_view_threshold(const struct ui *ui, const struct groups_view *view);
struct ui_rows groups_view_rows(const struct ui *ui);
/* Finds the rows of the callers that are repeated in the top lines. */
size_t groups_view_above(const struct ui *ui, size_t places[RTOP_GROUPS_ABOVE_MAX]);
/* To be called after count, page or cursor changed: keeps the cursor visible below the callers in the top lines. */
void groups_view_fit(const struct ui *ui);
/* Columns of the map at the right. */
int groups_view_map_columns(const struct ui *ui);
enum rtop_groups_measure groups_view_measure(const struct ui *ui);

#endif
