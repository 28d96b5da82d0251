/* SPDX-License-Identifier: MIT */
/* Where names stand in the sky of the city: above the roof of their building or beside it, over nobody.
 *
 * Pure: the same city and the same sky make the same places. Threads: one. Nothing here allocates.
 */
#ifndef RTOP_TUI_CITY_NAMES_H
#define RTOP_TUI_CITY_NAMES_H

#include "city.h"

enum { CITY_NAMES_MAX = 12, CITY_NAME_LEAST = 8, CITY_EIGHTHS = 8 };

/* The rows of a street above its ground, numbered from the top; the first is for names only, when there are some. */
struct city_sky {
  int rows, bar_rows;
  double full; /* the share that is as high as bar_rows */
};
struct city_sky city_sky_of(const struct city *city, int scale);
/* Rows that a building takes of the sky, 1 at least. */
int city_rows(const struct city *city, const struct city_building *building, const struct city_sky *sky);

struct city_name_place {
  uint32_t building;
  int wanted;          /* columns that the whole name takes */
  int row, x, columns; /* 0 columns: there is no room */
};
/* The highest ones, at most `most`; those without self time are none of them. Returns how many. */
int city_highest(const struct city *city, struct city_name_place *names, int most);
/* Finds places in the order given. */
void city_place_names(const struct city *city, const struct city_sky *sky, struct city_name_place *names, int count);
/* Is there a row above a roof, and no name in that column of it? */
bool city_is_sky(const struct city_name_place *names, int count, const struct city *city, int street, int row, int x);

#endif
