/* SPDX-License-Identifier: MIT */
/* The figures of the city's buildings in the present sum. */
#include "city_impl.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

/* News as they are taken. */
struct taking {
  struct city *city;
  const struct city_news *news;
  bool first;
};

static bool push_risen(struct city *city, uint32_t building)
{
  if (!rtop_reserve(&city->risen, &city->risen_capacity, city->risen_count + 1, sizeof *city->risen)) return false;
  city->risen[city->risen_count++] = building;
  return true;
}

static bool come(const struct taking *taking, uint32_t at)
{
  struct city *city = taking->city;
  struct city_building *building = &city->buildings[at];
  int64_t now_ns = taking->news->now_ns;
  if (building->present++ > 0) return true;
  /* Updates may be far apart: a building that was active at the previous update has not slept. */
  if (!taking->first && building->seen_ns != city->updated_ns && now_ns - building->seen_ns > CITY_ASLEEP_NS)
    building->woke_ns = now_ns;
  return push_risen(city, at);
}

static void leave(const struct taking *taking, uint32_t at)
{
  struct city_building *building = &taking->city->buildings[at];
  if (--building->present == 0) building->seen_ns = taking->city->updated_ns;
}

/* Takes the figures of a known method; `row` is NULL if it is not in the sum. */
static bool take(const struct taking *taking, struct city_frame *known, const struct rtop_method_row *row)
{
  struct city *city = taking->city;
  struct city_pulse *pulse = &city->pulses[known->method - 1];
  uint64_t self_ns = row != NULL ? row->self_ns : 0, more_ns = self_ns - pulse->self_ns;
  bool fine = true;
  if (more_ns != 0) {
    city->self_ns += more_ns;
    city->pulses[known->kind - 1].self_ns += more_ns;
    city->pulses[known->package - 1].self_ns += more_ns;
    pulse->self_ns = self_ns;
  }
  pulse->most_ns = row != NULL ? row->most_ns : 0;
  const uint32_t homes[] = { known->method - 1, known->kind - 1, known->package - 1 };
  for (size_t i = 0; (row != NULL) != known->present && i < sizeof homes / sizeof homes[0]; i++)
    if (row != NULL) fine = come(taking, homes[i]) && fine;
    else leave(taking, homes[i]);
  known->present = row != NULL;
  return fine;
}

static bool is_settled(const struct city *city, uint32_t frame)
{
  return frame < city->frame_capacity && city->frames[frame].method != 0;
}

static int by_rank(const void *left, const void *right, void *context)
{
  const uint32_t *ranks = context;
  uint32_t a = ranks[*(const uint32_t *)left], b = ranks[*(const uint32_t *)right];
  return a < b ? -1 : a > b;
}

/* Adds new methods; in order of name if the rows are unsorted. */
static bool settle_newcomers(const struct taking *taking, uint32_t count)
{
  struct city *city = taking->city;
  const uint32_t *ranks = taking->news->methods->ranks;
  bool fine = true;
  if (ranks != NULL && count > 1) qsort_r(city->cells, count, sizeof *city->cells, by_rank, (void *)(uintptr_t)ranks);
  for (uint32_t i = 0; fine && i < count; i++) fine = city_settle(city, taking->news->symbols, city->cells[i]) != NULL;
  return fine;
}

static bool take_rows(const struct taking *taking)
{
  struct city *city = taking->city;
  const struct rtop_methods *methods = taking->news->methods;
  uint32_t newcomers = 0;
  if (!rtop_reserve(&city->cells, &city->cells_capacity, methods->count + 1, sizeof *city->cells)) return false;
  for (size_t i = 0; i < methods->count; i++)
    if (!is_settled(city, methods->rows[i].frame)) city->cells[newcomers++] = methods->rows[i].frame;
  bool fine = settle_newcomers(taking, newcomers);
  for (size_t frame = 0; frame < city->frame_capacity; frame++) city->frames[frame].row = 0;
  for (size_t i = 0; i < methods->count; i++)
    if (is_settled(city, methods->rows[i].frame)) city->frames[methods->rows[i].frame].row = (uint32_t)i + 1;
  for (size_t frame = 0; frame < city->frame_capacity; frame++) {
    struct city_frame *known = &city->frames[frame];
    if (known->method != 0) fine = take(taking, known, known->row != 0 ? &methods->rows[known->row - 1] : NULL) && fine;
  }
  return fine;
}

/* Keeps the largest shares of the plan period: shares, because the span's length varies. */
static bool keep_peaks(struct city *city)
{
  double per_ns = city->length_ns > 0 ? 1 / (double)city->length_ns : 0;
  bool fine = true;
  for (uint32_t i = 0; i < city->count; i++) {
    struct city_pulse *pulse = &city->pulses[i];
    double self = (double)(int64_t)pulse->self_ns * per_ns;
    if (self > pulse->peak) {
      pulse->peak = self;
      pulse->stood = pulse->stood || self >= CITY_LOW;
      fine = push_risen(city, i) && fine;
    }
  }
  return fine;
}

/* Gives the selected method, and the groups that contain it, a lot. */
static bool admit_selected(const struct taking *taking)
{
  struct city *city = taking->city;
  bool fine = true;
  if (taking->news->selected == 0 || !is_settled(city, taking->news->selected)) return true;
  const struct city_frame *known = &city->frames[taking->news->selected];
  const uint32_t homes[] = { known->method - 1, known->kind - 1, known->package - 1 };
  for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++) {
    if (!city->pulses[homes[i]].stood) fine = push_risen(city, homes[i]) && fine;
    city->pulses[homes[i]].stood = true;
  }
  return fine;
}

static const struct rtop_method_row *row_of(const struct taking *taking, uint32_t frame)
{
  const struct city_frame *known = &taking->city->frames[frame];
  return known->present ? &taking->news->methods->rows[known->row - 1] : NULL;
}

static void clear_figures(struct city_building *building)
{
  building->total_ns = 0;
  building->threads = 0;
  building->frame = building->level == CITY_METHODS ? building->frame : 0;
  memset(building->part_ns, 0, sizeof building->part_ns);
}

/* Adds a method's figures to its building, or to the shown group that contains it. */
static void add_figures(const struct taking *taking, struct city_building *building, const struct rtop_method_row *row)
{
  building->threads = row->threads > building->threads ? row->threads : building->threads;
  if (taking->news->by_ratio) {
    uint64_t *most_ns = &building->part_ns[city_storeys[0]];
    *most_ns = row->most_ns > *most_ns ? row->most_ns : *most_ns;
    return;
  }
  for (int state = 0; state < RTOP_STATES; state++)
    building->part_ns[state] += rtop_mode_state(&row->self, taking->news->mode, (enum rtop_state)state);
}

/* Computes the groups of a block from all their methods. */
static void show_groups(const struct taking *taking, const struct city_block *block)
{
  struct city *city = taking->city;
  bool whole = city_level_of(city, block) == CITY_PACKAGES;
  for (uint32_t at = block->first[CITY_METHODS]; at != 0; at = city->buildings[at - 1].next) {
    uint32_t frame = city->buildings[at - 1].frame;
    const struct rtop_method_row *row = row_of(taking, frame);
    const struct city_frame *known = &city->frames[frame];
    struct city_building *group = &city->buildings[(whole ? known->package : known->kind) - 1];
    if (row == NULL || group->place == 0) continue;
    add_figures(taking, group, row);
    if (group->frame == 0 || row->self_ns > group->total_ns) {
      group->frame = frame;
      group->total_ns = row->self_ns;
    }
  }
}

/* Computes everything that is drawn of the buildings in streets. */
static void show_streets(const struct taking *taking)
{
  struct city *city = taking->city;
  for (uint32_t i = 0; i < city->street_count; i++) {
    struct city_building *building = &city->buildings[city->street[i]];
    clear_figures(building);
    const struct rtop_method_row *row = building->level == CITY_METHODS ? row_of(taking, building->frame) : NULL;
    if (row != NULL) {
      add_figures(taking, building, row);
      building->total_ns = row->total_ns;
    }
  }
  for (uint32_t i = 0; i < city->block_count; i++) {
    const struct city_block *block = &city->blocks[i];
    if (block->lot > 0 && city_level_of(city, block) != CITY_METHODS) show_groups(taking, block);
  }
}

/* Empties the city and starts again, for programs that make methods all the time. */
static void city_start_anew(struct city *city)
{
  enum { BUILDINGS_MAX = 1 << 16 };
  enum city_level level = city->level;
  if (city->count < BUILDINGS_MAX) return;
  city_destroy(city);
  city->level = level;
}

/* Rounds up to the next of 1, 1.2, 1.5, 2, 3, 4, 5, 6, 8, 10, 12... percent, so that from 1 % on the highest building
 * is at least two thirds as high as its street. */
static double round_up(double share)
{
  static const double digits[] = { 1, 1.2, 1.5, 2, 3, 4, 5, 6, 8 };
  double unit = 0.01;
  for (int decade = 0; decade < 8; decade++, unit *= 10)
    for (size_t i = 0; i < sizeof digits / sizeof digits[0]; i++)
      if (share <= digits[i] * unit * 1.0001) return digits[i] * unit;
  return 1e6;
}

/* Chooses the scale: running and collecting time is always fully visible, waiting is cut at one thread. The scale grows
 * at once and shrinks only with a plan, so that the city does not pulsate. */
static void choose_full(struct city *city)
{
  static const double LEAST = 0.02;
  double most = LEAST, lately = LEAST, per_ns = city->length_ns > 0 ? 1 / (double)city->length_ns : 0;
  for (uint32_t i = 0; i < city->street_count; i++) {
    const struct city_building *building = &city->buildings[city->street[i]];
    double all = 0, runs = 0, peak = city->pulses[city->street[i]].peak;
    peak = peak > building->peak_before ? peak : building->peak_before;
    for (int state = 0; state < RTOP_STATES; state++) {
      bool waits = state == RTOP_STATE_WAITING || state == RTOP_STATE_BLOCKED;
      all += (double)building->part_ns[state] * per_ns;
      runs += waits ? 0 : (double)building->part_ns[state] * per_ns;
    }
    all = all < 1 ? all : 1;
    peak = peak < 1 ? peak : 1;
    most = runs > most ? runs : all > most ? all : most;
    lately = peak > lately ? peak : lately;
  }
  double full = round_up(most), smaller = round_up(most > lately ? most : lately);
  if (full > city->full) city->full = full;
  else if (city->planned_ns == city->updated_ns && smaller < city->full) city->full = smaller;
}

bool city_update(struct city *city, const struct city_news *news, struct city_ground ground)
{
  city_start_anew(city);
  struct taking taking = { .city = city, .news = news, .first = city->count == 0 };
  city->risen_count = 0;
  city->length_ns = news->methods->length_ns;
  city->replan = city->replan || city->by_ratio != news->by_ratio;
  city->by_ratio = news->by_ratio;
  bool fine = take_rows(&taking);
  city->updated_ns = news->now_ns;
  fine = city_groups(city, news->sum, news->symbols) && fine;
  fine = keep_peaks(city) && fine;
  fine = admit_selected(&taking) && fine;
  fine = city_plan(city, news->now_ns, ground) && fine;
  show_streets(&taking);
  choose_full(city);
  return fine;
}

const enum rtop_state city_storeys[RTOP_STATES] = { RTOP_STATE_RUNNING, RTOP_STATE_MARKING, RTOP_STATE_SWEEPING,
                                                    RTOP_STATE_WAITING, RTOP_STATE_BLOCKED };

void city_heights(const struct city *city, const struct city_building *building, double full, int steps,
                  int tops[RTOP_STATES], bool *cut)
{
  uint64_t until_ns = 0;
  double per_ns = city->length_ns > 0 && full > 0 ? steps / (full * (double)city->length_ns) : 0;
  for (int i = 0; i < RTOP_STATES; i++) {
    until_ns += building->part_ns[city_storeys[i]];
    double top = (double)until_ns * per_ns;
    tops[i] = top < steps ? (int)(top + 0.5) : steps;
  }
  *cut = (double)until_ns * per_ns > steps + 0.5;
}

double city_self(const struct city *city, const struct city_building *building)
{
  uint64_t self_ns = city->pulses[building - city->buildings].self_ns;
  return city->length_ns > 0 ? (double)self_ns / (double)city->length_ns : 0;
}

double city_ratio(const struct city *city, const struct city_building *building)
{
  return rtop_method_ratio(city->pulses[building - city->buildings].most_ns, city->length_ns);
}

double city_height(const struct city *city, const struct city_building *building)
{
  if (!city->by_ratio) return city_self(city, building);
  return rtop_method_ratio(building->part_ns[city_storeys[0]], city->length_ns);
}

bool city_awake(const struct city_building *building, int64_t now_ns)
{
  return building->woke_ns > 0 && now_ns - building->woke_ns < CITY_AWAKE_NS;
}
