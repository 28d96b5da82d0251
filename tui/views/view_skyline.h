/* What the two halves of the skyline share: what it does (view_skyline.c) and how it looks
 * (view_skyline_draw.c).
 */
#ifndef RTOP_TUI_VIEW_SKYLINE_H
#define RTOP_TUI_VIEW_SKYLINE_H

#include "tui/trees/city.h"

struct ui;

struct skyline_view {
  struct city city;
  uint32_t selected; /* place in the street; beyond its end: nothing is there */
  int left;          /* first column of the street on the screen */
  int scale;         /* heights are so many times larger */
};

/* The building under the cursor; NULL: there is none. */
const struct city_building *skyline_view_selected(const struct skyline_view *view);
bool skyline_view_matches(const struct ui *ui, const struct city_building *building);
/* "Price#total", "class Price (folded)" */
const char *skyline_view_name(const struct ui *ui, const struct city_building *building);

#endif
