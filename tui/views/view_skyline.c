/* SPDX-License-Identifier: MIT */
/* The skyline: methods as buildings at stable places, street below street. view_skyline_draw.c draws it. */
#include "view_skyline.h"
#include "viewer.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_row_menu.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE_MAX = 64 };

static struct skyline_view *skyline_view(const struct ui *ui)
{
  return ui->data[VIEW_SKYLINE];
}

static void skyline_start(struct ui *ui)
{
  skyline_view(ui)->scale = 1;
}

static void skyline_forget(struct ui *ui)
{
  city_destroy(&skyline_view(ui)->city);
  memset(skyline_view(ui), 0, sizeof *skyline_view(ui));
  skyline_start(ui);
}

const struct city_building *skyline_view_selected(const struct skyline_view *view)
{
  const struct city *city = &view->city;
  return view->selected < city->street_count ? &city->buildings[city->street[view->selected]] : NULL;
}

const char *skyline_view_name(const struct ui *ui, const struct city_building *building)
{
  if (building->name != NULL) return building->name;
  return rtop_symbol_words(rtop_symbols_get(rtop_profile_symbols(ui->profile), building->frame));
}

bool skyline_view_matches(const struct ui *ui, const struct city_building *building)
{
  return ui->search[0] != '\0' && rtop_text_contains(skyline_view_name(ui, building), ui->search);
}

static const struct city_building *building_at(const struct skyline_view *view, uint32_t place)
{
  return &view->city.buildings[view->city.street[place]];
}

/* Moves the cursor to the building of the selected method; while that is idle, the cursor stays. */
static void skyline_follow(struct ui *ui)
{
  struct skyline_view *view = skyline_view(ui);
  const struct city_building *home = ui->selected != 0 ? city_of(&view->city, ui->selected) : NULL;
  for (uint32_t i = 0; home != NULL && i < view->city.street_count; i++) {
    if (building_at(view, i) == home) {
      view->selected = i;
      return;
    }
  }
  if (view->selected >= view->city.street_count)
    view->selected = view->city.street_count > 0 ? view->city.street_count - 1 : 0;
}

int skyline_view_legend_rows(const struct ui *ui)
{
  enum { LEGEND_FROM = 10 };
  return ui->layout.part[PART_TABLE].rows >= LEGEND_FROM;
}

struct city_ground skyline_view_ground(const struct ui *ui)
{
  struct rect table = ui->layout.part[PART_TABLE];
  return city_ground_of(table.columns, table.rows - 1 - skyline_view_legend_rows(ui));
}

int skyline_view_top(const struct ui *ui)
{
  const struct city *city = &skyline_view(ui)->city;
  return skyline_view_legend_rows(ui) + skyline_view_ground(ui).rows - city->streets * city->street_rows;
}

static struct ui_rows skyline_rows(const struct ui *ui)
{
  const struct skyline_view *view = skyline_view(ui);
  return (struct ui_rows){ .count = view->city.street_count, .cursor = view->selected };
}

static bool skyline_matches(const struct ui *ui, size_t place)
{
  return skyline_view_matches(ui, building_at(skyline_view(ui), (uint32_t)place));
}

static void skyline_update(struct ui *ui)
{
  struct skyline_view *view = skyline_view(ui);
  if (ui->profile == NULL) return;
  struct city_news news = {
    .methods = &ui->methods,
    .sum = &ui->sum,
    .symbols = rtop_profile_symbols(ui->profile),
    .mode = ui->wanted.mode,
    .by_ratio = ui->wanted.sort == RTOP_SORT_RATIO,
    .selected = ui->selected,
    .now_ns = ui->now_ns,
  };
  if (!city_update(&view->city, &news, skyline_view_ground(ui)))
    ui_say(ui, "out of memory: the skyline is not complete");
  skyline_follow(ui);
  ui_rows_count(ui);
}

/* Moves the cursor for the user: the method at this index becomes selected in all views. */
static bool skyline_go_to(struct ui *ui, uint32_t place)
{
  struct skyline_view *view = skyline_view(ui);
  if (place < view->city.street_count) {
    view->selected = place;
    const struct city_building *building = building_at(view, place);
    ui->selected = building->frame != 0 ? building->frame : ui->selected;
  }
  ui_rows_count(ui);
  return true;
}

static int street_of(const struct skyline_view *view, uint32_t place)
{
  return view->city.blocks[building_at(view, place)->block].street;
}

/* Goes to the nearest building in the next street up or down. */
static bool go_street(struct ui *ui, int step)
{
  struct skyline_view *view = skyline_view(ui);
  const struct city_building *here = skyline_view_selected(view);
  if (here == NULL) return true;
  uint32_t best = view->selected;
  int wanted = street_of(view, view->selected) + step, distance = INT_MAX;
  for (uint32_t i = 0; i < view->city.street_count; i++) {
    int away = abs(building_at(view, i)->x - here->x);
    if (street_of(view, i) == wanted && away < distance) {
      distance = away;
      best = i;
    }
  }
  return skyline_go_to(ui, best);
}

/* To the first building of another block. */
static bool go_block(struct ui *ui, int step)
{
  struct skyline_view *view = skyline_view(ui);
  const struct city_building *here = skyline_view_selected(view);
  if (here == NULL) return true;
  int64_t place = view->selected;
  uint32_t block = here->block;
  while (place >= 0 && place < view->city.street_count && building_at(view, (uint32_t)place)->block == block)
    place += step;
  if (place < 0 || place >= view->city.street_count) return true;
  block = building_at(view, (uint32_t)place)->block;
  while (place > 0 && building_at(view, (uint32_t)place - 1)->block == block) place--;
  return skyline_go_to(ui, (uint32_t)place);
}

static void skyline_go(struct ui *ui, size_t place)
{
  skyline_go_to(ui, (uint32_t)place);
}

static double full_height(const struct ui *ui)
{
  return 100 * skyline_view(ui)->city.full / skyline_view(ui)->scale;
}

static bool rescale(struct ui *ui, bool larger)
{
  struct skyline_view *view = skyline_view(ui);
  view->scale = larger ? view->scale * 2 : view->scale / 2;
  view->scale = view->scale > SCALE_MAX ? SCALE_MAX : view->scale < 1 ? 1 : view->scale;
  ui_say(ui, "full height: %g%% of one thread's time", full_height(ui));
  return true;
}

static bool next_level(struct ui *ui)
{
  static const char *const names[CITY_LEVELS] = { "methods", "classes", "packages" };
  city_next_level(&skyline_view(ui)->city);
  ui_say(ui, "each building stands for one of the %s", names[skyline_view(ui)->city.level]);
  ui->stale = true;
  return true;
}

static bool skyline_fold(struct ui *ui)
{
  const struct city_building *building = skyline_view_selected(skyline_view(ui));
  if (building != NULL) {
    city_fold(&skyline_view(ui)->city, building->block);
    ui->stale = true;
  }
  return true;
}

/* Handles a click on a building, or on the sky above it. */
static void skyline_click(struct ui *ui, int row, int x)
{
  struct skyline_view *view = skyline_view(ui);
  const struct city *city = &view->city;
  int top = skyline_view_top(ui);
  for (uint32_t i = 0; i < city->street_count; i++) {
    const struct city_building *building = building_at(view, i);
    bool here = row >= top && (row - top) / city->street_rows == street_of(view, i);
    if (here && x >= building->x && x < building->x + city->bar) {
      skyline_go_to(ui, i);
      return;
    }
  }
}

static bool skyline_handle(struct ui *ui, enum request request)
{
  struct skyline_view *view = skyline_view(ui);
  uint32_t last = view->city.street_count > 0 ? view->city.street_count - 1 : 0;
  switch (request) {
  case REQUEST_CITY_LEFT: return skyline_go_to(ui, view->selected > 0 ? view->selected - 1 : 0);
  case REQUEST_CITY_RIGHT: return skyline_go_to(ui, view->selected + 1);
  case REQUEST_FIRST: return skyline_go_to(ui, 0);
  case REQUEST_LAST: return skyline_go_to(ui, last);
  case REQUEST_UP: return go_street(ui, -1);
  case REQUEST_DOWN: return go_street(ui, 1);
  case REQUEST_PAGE_UP:
  case REQUEST_HALF_UP: return go_block(ui, -1);
  case REQUEST_PAGE_DOWN:
  case REQUEST_HALF_DOWN: return go_block(ui, 1);
  case REQUEST_CITY_HIGHER: return rescale(ui, true);
  case REQUEST_CITY_LOWER: return rescale(ui, false);
  case REQUEST_CITY_FOLD: return skyline_fold(ui);
  case REQUEST_CITY_LEVEL: return next_level(ui);
  default: return false;
  }
}

static void skyline_prepare(struct ui *ui)
{
  struct city_ground ground = skyline_view_ground(ui), planned = skyline_view(ui)->city.planned;
  if (planned.columns > 0 && ui->profile != NULL && (planned.columns != ground.columns || planned.rows != ground.rows))
    skyline_update(ui);
}

static void skyline_menu(struct ui *ui, struct ui_row *row)
{
  const struct skyline_view *view = skyline_view(ui);
  const struct city_building *here = skyline_view_selected(view);
  row->frame = here != NULL ? here->frame : 0;
  if (here == NULL) return;
  row->name = here->name;
  if (here->name == NULL) ui->selected = here->frame;
  bool folded = view->city.blocks[here->block].folded;
  ui_row_can(row, 'u', folded ? "unfold its block" : "fold its block", REQUEST_CITY_FOLD);
  ui_row_can(row, '*', "methods, classes or packages", REQUEST_CITY_LEVEL);
}

static void skyline_note(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "full height %g%%", full_height(ui));
}

static void skyline_open(struct ui *ui)
{
  skyline_follow(ui);
}

/* The line below the city tells them. */
static bool ratios(const struct ui *ui)
{
  (void)ui;
  return true;
}

const struct view_ops view_skyline = {
  .id = VIEW_SKYLINE,
  .bytes = sizeof(struct skyline_view),
  .start = skyline_start,
  .ratios = ratios,
  .update = skyline_update,
  .open = skyline_open,
  .note = skyline_note,
  .prepare = skyline_prepare,
  .handle = skyline_handle,
  .click = skyline_click,
  .row = skyline_menu,
  .rows = skyline_rows,
  .matches = skyline_matches,
  .go = skyline_go,
  .forget = skyline_forget,
};
