/* SPDX-License-Identifier: MIT */
/* Shared by the halves of the skyline: behaviour (view_skyline.c) and appearance (view_skyline_draw.c).
 */
#ifndef RTOP_TUI_VIEW_SKYLINE_H
#define RTOP_TUI_VIEW_SKYLINE_H

#include "tui/trees/city.h"

struct ui;

struct skyline_view {
  struct city city;
  uint32_t selected; /* index of the building under the cursor in the streets; beyond their end: none */
  int scale;         /* heights are so many times larger */
};

/* Returns the building under the cursor; NULL: there is none. */
const struct city_building *skyline_view_selected(const struct skyline_view *view);
bool skyline_view_matches(const struct ui *ui, const struct city_building *building);
/* "Price#total", "Price" */
const char *skyline_view_name(const struct ui *ui, const struct city_building *building);
/* Number of rows for the legend above the city; a row below the city describes the building under the cursor. All other
   rows are for streets. */
int skyline_view_legend_rows(const struct ui *ui);
struct city_ground skyline_view_ground(const struct ui *ui);
/* Returns the row of the table at which the first street begins. */
int skyline_view_top(const struct ui *ui);

#endif
