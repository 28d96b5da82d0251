/* SPDX-License-Identifier: MIT */
/* What the two halves of the skyline share: what it does (view_skyline.c) and how it looks
 * (view_skyline_draw.c).
 */
#ifndef RTOP_TUI_VIEW_SKYLINE_H
#define RTOP_TUI_VIEW_SKYLINE_H

#include "tui/trees/city.h"

struct ui;

struct skyline_view {
  struct city city;
  uint32_t selected; /* place in the streets; beyond their end: nothing is there */
  int scale;         /* heights are so many times larger */
};

/* The building under the cursor; NULL: there is none. */
const struct city_building *skyline_view_selected(const struct skyline_view *view);
bool skyline_view_matches(const struct ui *ui, const struct city_building *building);
/* "Price#total", "Price" */
const char *skyline_view_name(const struct ui *ui, const struct city_building *building);
/* Rows for the legend above the city; below it is one for what the cursor is on. The rest is planned. */
int skyline_view_legend_rows(const struct ui *ui);
struct city_ground skyline_view_ground(const struct ui *ui);
/* The row of the table where the first street begins. */
int skyline_view_top(const struct ui *ui);

#endif
