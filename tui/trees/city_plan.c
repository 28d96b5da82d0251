/* Where districts and buildings of the city stand. */
#include "city_impl.h"
#include "tui/text/reserve.h"
#include <math.h>

enum { CROWD_MAX = 6, LOT_STEP = 4, LOT_SPARE = 10, SCREENS_MAX = 2 };
static const double LOW_LEAST = 0.002, LOW_MAX = 0.1; /* ratios */

/* How wide buildings are, roomy to crowded: least columns, columns for all self time as a share of the
 * screen; columns between lots, and the least ones of a lot, so that its name can be read. */
static const struct {
  int least;
  double share;
  int gap, lot;
} crowds[CROWD_MAX + 1] = {
  { 4, 0.40, 2, 8 }, { 3, 0.36, 2, 6 }, { 3, 0.30, 2, 4 }, { 2, 0.30, 1, 4 },
  { 2, 0.20, 1, 3 }, { 2, 0.10, 1, 2 }, { 1, 0.05, 1, 0 },
};

static int wanted_width(const struct city *city, uint32_t at, int crowd, int columns)
{
  double peak = city->pulses[at].peak, before = city->buildings[at].peak_before;
  double self = peak > before ? peak : before;
  double share = self / city->self_sum;
  double extra = (share < 1 ? share : 1) * crowds[crowd].share * columns;
  return crowds[crowd].least + (int)lround(extra);
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

static bool is_quiet(const struct city *city, uint32_t at, int64_t now_ns)
{
  const struct city_building *building = &city->buildings[at];
  double now = city->pulses[at].high, before = building->high_before;
  return (now > before ? now : before) < city->low ||
         (building->present == 0 && now_ns - building->seen_ns > CITY_QUIET_NS);
}

/* Columns that a block needs; what is not shown has none. */
static int block_width(struct city *city, const struct city_block *block, int64_t now_ns, int crowd, int columns,
                       bool shrink, bool apply)
{
  int used = 0;
  for (uint32_t at = first_of(city, block); at != 0; at = next_of(city, at)) {
    struct city_building *building = &city->buildings[at - 1];
    bool quiet = is_quiet(city, at - 1, now_ns) || (building->width == 0 && building->present == 0);
    bool hidden = quiet && (shrink || building->width == 0);
    int width = hidden ? 0 : wanted_width(city, at - 1, crowd, columns);
    if (!shrink && building->width > width) width = building->width;
    building->width = apply ? width : building->width;
    used += width;
  }
  return used;
}

static int street_width(struct city *city, int64_t now_ns, int crowd, int columns, bool shrink)
{
  int used = 0;
  for (uint32_t i = 0; i < city->block_count; i++) {
    int width = block_width(city, &city->blocks[i], now_ns, crowd, columns, shrink, false);
    used += width == 0 ? 0 : (width > crowds[crowd].lot ? width : crowds[crowd].lot) + crowds[crowd].gap;
  }
  return used;
}

/* All self time, at least one whole thread: a lone busy method does not fill the street. */
static double self_sum(const struct city *city)
{
  double sum = city->length_ns > 0 ? (double)city->self_ns / (double)city->length_ns : 0;
  return sum > 1 ? sum : 1;
}

/* Does a building have to grow (or to appear) before the next plan is due? Only one that came or rose can. */
static bool grown(const struct city *city, int columns)
{
  for (uint32_t i = 0; i < city->risen_count; i++) {
    const struct city_building *building = &city->buildings[city->risen[i]];
    const struct city_block *block = &city->blocks[building->block];
    if (building->present == 0 || city_level_of(city, block) != building->level ||
        city_ratio(city, building) < city->low)
      continue;
    int wanted = wanted_width(city, city->risen[i], city->crowd, columns);
    if (building->width == 0 || wanted >= building->width + 3) return true;
  }
  return false;
}

static void place_block(struct city *city, struct city_block *block)
{
  int x = block->x;
  for (uint32_t at = first_of(city, block); at != 0; at = next_of(city, at)) {
    struct city_building *building = &city->buildings[at - 1];
    if (building->width > 0) {
      building->x = x;
      x += building->width;
      city->street[city->street_count++] = at - 1;
    }
  }
}

static bool place(struct city *city, int64_t now_ns, int columns, bool shrink)
{
  if (!rtop_reserve(&city->street, &city->street_capacity, city->count, sizeof *city->street)) return false;
  int x = 1;
  bool tight = city->replan || city->columns > columns;
  city->street_count = 0;
  for (uint32_t i = 0; i < city->block_count; i++) {
    struct city_block *block = &city->blocks[i];
    int used = block_width(city, block, now_ns, city->crowd, columns, shrink, true);
    used = used > 0 && used < crowds[city->crowd].lot ? crowds[city->crowd].lot : used;
    if (used > block->lot) block->lot = block->lot == 0 ? used : (used + LOT_STEP - 1) / LOT_STEP * LOT_STEP;
    else if (shrink && (used == 0 || block->lot > used + LOT_SPARE || tight)) block->lot = used;
    block->x = x;
    place_block(city, block);
    x += block->lot > 0 ? block->lot + crowds[city->crowd].gap : 0;
  }
  city->columns = x;
  return true;
}

/* How narrow buildings must be, and from which height on they are shown, so that the street fits or is at
 * most SCREENS_MAX screens long. */
static int choose_crowd(struct city *city, int64_t now_ns, int columns, bool due)
{
  int crowd = !due ? city->crowd : columns >= 120 ? 0 : 1;
  int longest = SCREENS_MAX * (columns < 80 ? 80 : columns);
  city->low = due ? 0 : city->low;
  while (crowd < CROWD_MAX && street_width(city, now_ns, crowd, columns, due) > columns - 2) crowd++;
  while (due && city->low < LOW_MAX && street_width(city, now_ns, crowd, columns, true) > longest)
    city->low = city->low > 0 ? city->low * 4 : LOW_LEAST;
  return crowd;
}

static void end_period(struct city *city)
{
  for (uint32_t i = 0; i < city->count; i++) {
    struct city_building *building = &city->buildings[i];
    struct city_pulse *pulse = &city->pulses[i];
    building->peak_before = pulse->peak;
    building->high_before = pulse->high;
    pulse->peak = city_self(city, building);
    pulse->high = city_ratio(city, building);
  }
}

bool city_plan(struct city *city, int64_t now_ns, int columns)
{
  bool due = city->replan || now_ns - city->planned_ns >= CITY_PLAN_NS || now_ns < city->planned_ns;
  if (!due && !grown(city, columns)) return true;
  city->self_sum = due ? self_sum(city) : city->self_sum;
  int crowd = choose_crowd(city, now_ns, columns, due);
  bool narrower = crowd > city->crowd;
  city->crowd = crowd;
  bool fine = place(city, now_ns, columns, due || narrower);
  if (due) end_period(city);
  city->planned_ns = due ? now_ns : city->planned_ns;
  city->replan = false;
  return fine;
}
