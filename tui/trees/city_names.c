/* SPDX-License-Identifier: MIT */
/* Names in the sky of the city. */
#include "city_names.h"

struct city_sky city_sky_of(const struct city *city, int scale)
{
  int rows = city->street_rows > 1 ? city->street_rows - 1 : 1;
  return (struct city_sky){ rows, rows > 2 ? rows - 1 : rows, scale > 0 ? city->full / scale : city->full };
}

int city_rows(const struct city *city, const struct city_building *building, const struct city_sky *sky)
{
  int tops[RTOP_STATES];
  bool cut;
  city_heights(city, building, sky->full, sky->bar_rows * CITY_EIGHTHS, tops, &cut);
  int rows = (tops[RTOP_STATES - 1] + CITY_EIGHTHS - 1) / CITY_EIGHTHS;
  return rows > 1 ? rows : 1;
}

int city_highest(const struct city *city, struct city_name_place *names, int most)
{
  int count = 0;
  for (uint32_t i = 0; i < city->street_count; i++) {
    uint32_t at = city->street[i];
    double height = city_height(city, &city->buildings[at]);
    int place = count;
    if (height <= 0) continue;
    while (place > 0 && city_height(city, &city->buildings[names[place - 1].building]) < height) {
      if (place < most) names[place] = names[place - 1];
      place--;
    }
    if (place < most) names[place] = (struct city_name_place){ .building = at };
    count += count < most;
  }
  return count;
}

static int street_of(const struct city *city, uint32_t building)
{
  return city->blocks[city->buildings[building].block].street;
}

static bool meets_name(const struct city *city, const struct city_name_place *name, int street, int row, int x, int end)
{
  return name->columns > 0 && name->row == row && street_of(city, name->building) == street &&
         x <= name->x + name->columns && end >= name->x;
}

/* Is the position free, with a blank on both sides, so that a name is not mistaken for part of its neighbour's? */
static bool is_free(const struct city *city, const struct city_sky *sky, const struct city_name_place *names, int count,
                    int street, int row, int x, int end)
{
  if (row < 0 || row >= sky->rows || x < 0 || end > city->planned.columns) return false;
  for (int i = 0; i < count; i++)
    if (meets_name(city, &names[i], street, row, x, end)) return false;
  for (uint32_t i = 0; i < city->street_count; i++) {
    const struct city_building *building = &city->buildings[city->street[i]];
    if (street_of(city, city->street[i]) == street && building->x <= end && building->x + city->bar >= x &&
        row >= sky->rows - city_rows(city, building, sky))
      return false;
  }
  return true;
}

struct search {
  const struct city *city;
  const struct city_sky *sky;
  const struct city_name_place *names; /* that have their places */
  int count;
};

static bool take_place(const struct search *search, struct city_name_place *name, int row, int x, int columns)
{
  if (!is_free(search->city, search->sky, search->names, search->count, street_of(search->city, name->building), row, x,
               x + columns))
    return false;
  name->row = row;
  name->x = x;
  name->columns = columns;
  return true;
}

/* Tries a row above the roof, at a position that touches the building's column. */
static bool take_above(const struct search *search, struct city_name_place *name, int row, int columns)
{
  const struct city_building *building = &search->city->buildings[name->building];
  for (int shift = 0; shift < columns; shift++)
    if (take_place(search, name, row, building->x - shift, columns)) return true;
  return false;
}

static bool take_beside(const struct search *search, struct city_name_place *name, int row, int columns)
{
  const struct city_building *building = &search->city->buildings[name->building];
  return take_place(search, name, row, building->x + search->city->bar + 1, columns) ||
         take_place(search, name, row, building->x - 1 - columns, columns);
}

static bool take_near(const struct search *search, struct city_name_place *name, int roof, int columns)
{
  enum { BESIDE_ROWS = 3 };
  if (take_above(search, name, roof - 1, columns)) return true;
  for (int row = roof; row < roof + BESIDE_ROWS && row < search->sky->rows - 1; row++)
    if (take_beside(search, name, row, columns)) return true;
  return take_above(search, name, roof - 2, columns);
}

static bool take_far(const struct search *search, struct city_name_place *name, int roof, int columns)
{
  for (int row = roof - 3; row >= 0; row--)
    if (take_above(search, name, row, columns)) return true;
  return false;
}

static int shorter(int columns)
{
  return columns * 3 / 4 > CITY_NAME_LEAST ? columns * 3 / 4 : CITY_NAME_LEAST;
}

/* Places a name: a short form beside its building is preferred to a long one far above it. */
static void place_name(const struct search *search, struct city_name_place *name, int most)
{
  const struct city *city = search->city;
  int roof = search->sky->rows - city_rows(city, &city->buildings[name->building], search->sky), columns = most;
  while (!take_near(search, name, roof, columns) && columns > CITY_NAME_LEAST) columns = shorter(columns);
  if (name->columns > 0) return;
  for (columns = most; !take_far(search, name, roof, columns) && columns > CITY_NAME_LEAST;) columns = shorter(columns);
}

void city_place_names(const struct city *city, const struct city_sky *sky, struct city_name_place *names, int count)
{
  int most = city->planned.columns - 1;
  for (int i = 0; i < count; i++) {
    struct search search = { city, sky, names, i };
    names[i].columns = 0;
    place_name(&search, &names[i], names[i].wanted < most ? names[i].wanted : most);
  }
}

bool city_is_sky(const struct city_name_place *names, int count, const struct city *city, int street, int row, int x)
{
  for (int i = 0; i < count; i++)
    if (meets_name(city, &names[i], street, row, x, x)) return false;
  return row >= 0;
}
