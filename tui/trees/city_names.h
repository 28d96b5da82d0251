/* SPDX-License-Identifier: MIT */
/* Places names in the sky of the city: above the roof of their building or beside it, without covering other
 * names or buildings.
 *
 * Pure: the same city and sky give the same places. Threads: one. Nothing allocates.
 */
#ifndef RTOP_TUI_CITY_NAMES_H
#define RTOP_TUI_CITY_NAMES_H

#include "city.h"

enum { CITY_NAMES_MAX = 12, CITY_NAME_LEAST = 8, CITY_EIGHTHS = 8 };

/* The rows of a street above its ground, numbered from the top; the first row is for names only, if there
   are enough rows. */
struct city_sky {
  int rows, bar_rows;
  double full; /* share that is as high as bar_rows */
};
struct city_sky city_sky_of(const struct city *city, int scale);
/* Number of rows of a building, at least 1. */
int city_rows(const struct city *city, const struct city_building *building, const struct city_sky *sky);

struct city_name_place {
  uint32_t building;
  int wanted;          /* columns that the whole name takes */
  int row, x, columns; /* 0 columns: there is no room */
};
/* Selects the highest buildings with self time, at most `most`. Returns their number. */
int city_highest(const struct city *city, struct city_name_place *names, int most);
/* Finds places in the order given. */
void city_place_names(const struct city *city, const struct city_sky *sky, struct city_name_place *names, int count);
/* Is this cell above a roof, and free of names? */
bool city_is_sky(const struct city_name_place *names, int count, const struct city *city, int street, int row, int x);

#endif
