/* SPDX-License-Identifier: MIT */
/* Places the blocks and buildings of the city. */
#include "city_impl.h"
#include "tui/text/reserve.h"
#include "tui/text/text.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
  PLACES_MAX = 1024,
  COLUMNS_MIN = 2,
  COLUMNS_MAX = PLACES_MAX,
  ROWS_LEAST = 5,
  ROWS_OF_TALL = 8,
  TALL_FROM = 24,
  SPARE_PLACES = 4
};
static const double LOW_LEAST = CITY_LOW;

/* A density of the city; densities go from sparse to dense. Columns of a building, between buildings, between lots, and
 * for the name of a lot; and which buildings are shown: recently active ones, or those of a least height. */
struct crowd {
  int bar, between, gap, lot;
  bool lately;
  double low;
};
static const struct crowd crowds[] = {
  { 3, 1, 2, 24, false, 0 }, { 2, 1, 2, 18, false, 0 }, { 2, 1, 2, 12, false, 0 },  { 2, 1, 1, 9, false, 0 },
  { 2, 1, 1, 9, true, 0 },   { 1, 1, 1, 9, true, 0 },   { 1, 1, 1, 9, true, .001 },
};
/* From then on the bound doubles. */
enum { CROWDS = sizeof crowds / sizeof crowds[0], CROWD_LAST = CROWDS + 20 };

struct planning {
  struct city *city;
  struct crowd crowd;
  int64_t now_ns;
};

static struct crowd crowd_at(int crowd)
{
  struct crowd at = crowds[crowd < CROWDS ? crowd : CROWDS - 1];
  for (int i = CROWDS; i <= crowd; i++) at.low *= 2;
  return at;
}

static uint32_t first_of(const struct city *city, const struct city_block *block)
{
  enum city_level level = city_level_of(city, block);
  return level == CITY_PACKAGES ? block->package + 1 : block->first[level];
}

static uint32_t next_of(const struct city *city, uint32_t building)
{
  const struct city_building *at = &city->buildings[building - 1];
  return at->level == CITY_PACKAGES ? 0 : at->next;
}

static double highest(const struct city *city, uint32_t at)
{
  double now = city->pulses[at].peak, before = city->buildings[at].peak_before;
  return now > before ? now : before;
}

static bool wants(const struct planning *planning, const struct city_block *block, uint32_t at)
{
  const struct city_building *building = &planning->city->buildings[at];
  double low = block->low > planning->crowd.low ? block->low : planning->crowd.low;
  bool slept = building->present == 0 && planning->now_ns - building->seen_ns > CITY_QUIET_NS;
  bool bare = !planning->city->by_ratio && !planning->city->pulses[at].stood;
  return !bare && !(planning->crowd.lately && slept) && (low <= 0 || highest(planning->city, at) >= low);
}

static int pitch_of(const struct planning *planning)
{
  return planning->crowd.bar + planning->crowd.between;
}

/* Number of columns of a lot: enough for its places, and for its name and a share. */
static int lot_of(const struct planning *planning, const struct city_block *block, uint32_t places)
{
  enum { SHARE_COLUMNS = 5 };
  int used = (int)places * pitch_of(planning) - planning->crowd.between;
  int name = rtop_text_width(block->name) + block->folded + SHARE_COLUMNS; /* a sign if folded */
  name = name < planning->crowd.lot ? name : planning->crowd.lot;
  return places == 0 ? 0 : used > name ? used : name;
}

static uint32_t count_wanting(const struct planning *planning, const struct city_block *block)
{
  uint32_t wanting = 0;
  for (uint32_t at = first_of(planning->city, block); at != 0; at = next_of(planning->city, at))
    wanting += wants(planning, block, at - 1);
  return wanting;
}

/* Number of places that a block needs. A block too large for a street shows only its highest buildings; if these are
 * so equal that a bound would keep all or none, the first of them. */
static uint32_t places_needed(const struct planning *planning, struct city_block *block, int columns)
{
  uint32_t places, most = (uint32_t)((columns - 1) / pitch_of(planning));
  block->low = 0;
  while ((places = count_wanting(planning, block)) > most && most > 0 && block->low < 1e6)
    block->low = block->low > 0 ? block->low * 2 : LOW_LEAST;
  if (places == 0 && block->low > 0) {
    block->low = block->low > LOW_LEAST ? block->low / 2 : 0;
    places = count_wanting(planning, block);
  }
  return places > most ? most : places;
}

/* Number of streets for this density; INT_MAX: a lot is too wide for any street. */
static int streets_needed(const struct planning *planning, int columns)
{
  struct city *city = planning->city;
  int x = 1, streets = 1;
  for (uint32_t i = 0; i < city->block_count; i++) {
    int lot = lot_of(planning, &city->blocks[i], places_needed(planning, &city->blocks[i], columns - 1));
    if (lot == 0) continue;
    if (lot > columns - 1) return INT_MAX;
    if (x + lot > columns) {
      streets++;
      x = 1;
    }
    x += lot + planning->crowd.gap;
  }
  return streets;
}

static int most_streets(struct city_ground ground)
{
  int least = ground.rows < TALL_FROM ? ROWS_LEAST : ROWS_OF_TALL, fits = ground.rows / least;
  return fits > 1 ? fits : 1;
}

/* Assigns places in a block; buildings beyond its last place, which are as high as the last one shown, are left out. */
static void settle_block(const struct planning *planning, struct city_block *block, uint32_t places)
{
  struct city *city = planning->city;
  block->places = block->hidden = 0;
  for (uint32_t at = first_of(city, block); at != 0; at = next_of(city, at)) {
    struct city_building *building = &city->buildings[at - 1];
    bool shown = block->places < places && wants(planning, block, at - 1);
    building->place = shown ? ++block->places : 0;
    block->hidden += !shown;
  }
}

/* Distributes the remaining columns of a street to its lots, so that they can grow without moving others. */
static void spread_street(const struct planning *planning, int street, int columns)
{
  struct city *city = planning->city;
  int lots = 0, end = 0, moved = 0;
  for (uint32_t i = 0; i < city->block_count; i++) {
    const struct city_block *block = &city->blocks[i];
    if (block->lot == 0 || block->street != street) continue;
    lots++;
    end = block->x + block->lot > end ? block->x + block->lot : end;
  }
  int spare = lots > 0 ? (columns - end) / lots : 0, most = SPARE_PLACES * pitch_of(planning);
  spare = spare > most ? most : spare < 0 ? 0 : spare;
  for (uint32_t i = 0; i < city->block_count; i++) {
    struct city_block *block = &city->blocks[i];
    if (block->lot == 0 || block->street != street) continue;
    block->x += moved;
    block->lot += spare;
    moved += spare;
  }
}

/* Assigns all places again. Blocks for which a tiny screen has no room are hidden. */
static void lay_out(const struct planning *planning, int streets_max)
{
  struct city *city = planning->city;
  int columns = city->planned.columns, x = 1, street = 0;
  for (uint32_t i = 0; i < city->block_count; i++) {
    struct city_block *block = &city->blocks[i];
    uint32_t places = places_needed(planning, block, columns - 1);
    int lot = lot_of(planning, block, places);
    if (lot > 0 && x + lot > columns && x > 1) {
      street++;
      x = 1;
    }
    bool fits = lot > 0 && street < streets_max && x + lot <= columns;
    settle_block(planning, block, fits ? places : 0);
    block->lot = fits ? lot : 0;
    block->street = street;
    block->x = x;
    x += fits ? lot + planning->crowd.gap : 0;
  }
  city->streets = street < streets_max ? street + 1 : streets_max;
  for (int i = 0; i < city->streets; i++) spread_street(planning, i, columns);
  city->street_rows = city->planned.rows / city->streets;
  city->bar = planning->crowd.bar;
}

/* Chooses a density at which all streets fit, at least as dense as `from`. */
static void plan_afresh(struct planning *planning, int from)
{
  struct city *city = planning->city;
  int most = most_streets(city->planned);
  for (city->crowd = from; city->crowd < CROWD_LAST; city->crowd++) {
    planning->crowd = crowd_at(city->crowd);
    if (streets_needed(planning, city->planned.columns) <= most) break;
  }
  planning->crowd = crowd_at(city->crowd);
  lay_out(planning, most);
}

/* Is there room, with an eighth of the columns to spare, for the city with wider gaps between its buildings? Without
 * the spare columns it would soon have to be narrowed again. */
static bool has_room(const struct city *city, int64_t now_ns)
{
  if (city->crowd == 0) return false;
  struct planning roomier = { (struct city *)(uintptr_t)city, crowd_at(city->crowd - 1), now_ns };
  struct city_ground ground = city->planned;
  return streets_needed(&roomier, ground.columns - ground.columns / 8) <= most_streets(ground);
}

/* The first free place in a block. */
static uint32_t free_place(const struct city *city, const struct city_block *block)
{
  uint64_t taken[PLACES_MAX / 64 + 1] = { 0 };
  for (uint32_t at = first_of(city, block); at != 0; at = next_of(city, at)) {
    uint32_t place = city->buildings[at - 1].place;
    if (place > 0 && place < PLACES_MAX) taken[place / 64] |= UINT64_C(1) << place % 64;
  }
  for (uint32_t place = 1; place <= block->places; place++)
    if ((taken[place / 64] >> place % 64 & 1) == 0) return place;
  return block->places + 1;
}

/* Adds a hidden block at the end of the last street. */
static bool open_block(const struct planning *planning, struct city_block *block)
{
  struct city *city = planning->city;
  int x = 1, lot = lot_of(planning, block, 1), last = city->streets - 1;
  for (uint32_t i = 0; i < city->block_count; i++) {
    const struct city_block *other = &city->blocks[i];
    if (other->lot > 0 && other->street == last && other->x + other->lot + planning->crowd.gap > x)
      x = other->x + other->lot + planning->crowd.gap;
  }
  if (x + lot > city->planned.columns) return false;
  block->street = last;
  block->x = x;
  block->lot = lot;
  block->places = 0;
  return true;
}

/* Finds a place for a new building without moving others. False: there is no place. */
static bool move_in(const struct planning *planning, uint32_t at)
{
  struct city *city = planning->city;
  struct city_block *block = &city->blocks[city->buildings[at].block];
  if (block->lot == 0 && !open_block(planning, block)) return false;
  uint32_t place = free_place(city, block);
  if (place > block->places && (place >= PLACES_MAX || lot_of(planning, block, place) > block->lot)) return false;
  block->places = place > block->places ? place : block->places;
  city->buildings[at].place = place;
  block->hidden -= block->hidden > 0;
  return true;
}

/* Shows buildings that are new or have grown before the next plan is due. */
static bool take_risen(const struct planning *planning)
{
  struct city *city = planning->city;
  for (uint32_t i = 0; i < city->risen_count; i++) {
    uint32_t at = city->risen[i];
    const struct city_building *building = &city->buildings[at];
    const struct city_block *block = &city->blocks[building->block];
    if (building->place == 0 && building->present > 0 && city_level_of(city, block) == building->level &&
        wants(planning, block, at) && !move_in(planning, at))
      return false;
  }
  return true;
}

/* Frees the places of buildings that are no longer shown, for new buildings. */
static bool renew_blocks(const struct planning *planning)
{
  struct city *city = planning->city;
  for (uint32_t i = 0; i < city->block_count; i++) {
    struct city_block *block = &city->blocks[i];
    for (uint32_t at = first_of(city, block); at != 0; at = next_of(city, at)) {
      bool leaves = city->buildings[at - 1].place > 0 && !wants(planning, block, at - 1);
      if (leaves) city->buildings[at - 1].place = 0;
      block->hidden += leaves;
    }
    for (uint32_t at = first_of(city, block); at != 0; at = next_of(city, at))
      if (city->buildings[at - 1].place == 0 && wants(planning, block, at - 1) && !move_in(planning, at - 1))
        return false;
  }
  return true;
}

static int by_place(const void *left, const void *right, void *context)
{
  const struct city *city = context;
  const struct city_building *a = &city->buildings[*(const uint32_t *)left];
  const struct city_building *b = &city->buildings[*(const uint32_t *)right];
  int street_a = city->blocks[a->block].street, street_b = city->blocks[b->block].street;
  if (street_a != street_b) return street_a < street_b ? -1 : 1;
  return a->x < b->x ? -1 : a->x > b->x;
}

/* Lists the streets' buildings, and counts the buildings that are in no street. */
static bool list_streets(const struct planning *planning)
{
  struct city *city = planning->city;
  if (!rtop_reserve(&city->street, &city->street_capacity, city->count + 1, sizeof *city->street)) return false;
  city->street_count = city->hidden = 0;
  for (uint32_t i = 0; i < city->block_count; i++) {
    const struct city_block *block = &city->blocks[i];
    city->hidden += block->lot == 0 ? block->hidden : 0;
    for (uint32_t at = first_of(city, block); at != 0 && block->lot > 0; at = next_of(city, at)) {
      struct city_building *building = &city->buildings[at - 1];
      if (building->place == 0) continue;
      building->x = block->x + (int)(building->place - 1) * pitch_of(planning);
      city->street[city->street_count++] = at - 1;
    }
  }
  if (city->street_count > 1) qsort_r(city->street, city->street_count, sizeof *city->street, by_place, city);
  return true;
}

static void end_period(struct city *city)
{
  for (uint32_t i = 0; i < city->count; i++) {
    city->buildings[i].peak_before = city->pulses[i].peak;
    city->pulses[i].peak = city_self(city, &city->buildings[i]);
  }
}

struct city_ground city_ground_of(int columns, int rows)
{
  columns = columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
  return (struct city_ground){ columns > COLUMNS_MIN ? columns : COLUMNS_MIN, rows > 1 ? rows : 1 };
}

bool city_plan(struct city *city, int64_t now_ns, struct city_ground ground)
{
  bool afresh = city->replan || ground.columns != city->planned.columns || ground.rows != city->planned.rows;
  bool due = afresh || now_ns - city->planned_ns >= CITY_PLAN_NS || now_ns < city->planned_ns;
  if (!due && city->risen_count == 0) return true;
  struct planning planning = { city, crowd_at(city->crowd), now_ns };
  city->planned = ground;
  if (afresh || (due && has_room(city, now_ns))) plan_afresh(&planning, 0);
  else if (!(due ? renew_blocks(&planning) : take_risen(&planning))) plan_afresh(&planning, city->crowd);
  if (due) end_period(city);
  city->planned_ns = due ? now_ns : city->planned_ns;
  city->replan = false;
  return list_streets(&planning);
}
