/* SPDX-License-Identifier: MIT */
/* The groups view: opening, jumping from a reference to its group and back, the threshold. view_groups_draw.c draws
 * the rows. */
#include "view_groups.h"
#include "viewer.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_row_menu.h"
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 2, LEVELS_ALL = UINT16_MAX };
static const double thresholds[] = { 0, 0.1, 0.5, 1, 2, 5, 10, 20 };
enum { THRESHOLDS = sizeof thresholds / sizeof thresholds[0], THRESHOLD_FIRST = 1 };

_Static_assert(offsetof(struct rtop_group_row, key) == offsetof(struct ui_outline_row, key) &&
                   offsetof(struct rtop_group_row, frame) == offsetof(struct ui_outline_row, frame) &&
                   offsetof(struct rtop_group_row, depth) == offsetof(struct ui_outline_row, depth),
               "rows are those of an outline");

static struct groups_view *groups_view(const struct ui *ui)
{
  return ui->data[VIEW_GROUPS];
}

static void groups_start(struct ui *ui)
{
  struct groups_view *view = groups_view(ui);
  view->groups.levels = LEVELS;
  view->threshold = THRESHOLD_FIRST;
}

static void groups_forget(struct ui *ui)
{
  struct groups_view *view = groups_view(ui);
  rtop_groups_destroy(&view->groups);
  memset(view, 0, sizeof *view);
  groups_start(ui);
}

bool groups_view_is_method(const struct rtop_group_row *row)
{
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a row within the count exists */
  return row->key != 0;
}

double groups_view_threshold(const struct ui *ui, const struct groups_view *view)
{
  double chosen = thresholds[view->threshold];
  return chosen > ui->wanted.min_percent ? chosen : ui->wanted.min_percent;
}

struct ui_rows groups_view_rows(const struct ui *ui)
{
  return ui_rows_of(ui, &groups_view(ui)->at.pager, groups_view(ui)->groups.count, 1, 0);
}

size_t groups_view_above(const struct ui *ui, size_t places[RTOP_GROUPS_ABOVE_MAX])
{
  enum { PAGE_PER_LINE = 4 };
  const struct groups_view *view = groups_view(ui);
  return rtop_groups_above(&view->groups, view->at.pager.top, groups_view_rows(ui).page / PAGE_PER_LINE, places);
}

void groups_view_fit(const struct ui *ui)
{
  struct pager *pager = &groups_view(ui)->at.pager;
  size_t places[RTOP_GROUPS_ABOVE_MAX];
  ui_rows_fit(ui);
  while (pager->top > 0 && pager->cursor < pager->top + groups_view_above(ui, places)) pager->top--;
}

int groups_view_map_columns(const struct ui *ui)
{
  enum { MAP_FROM = 60, WIDE_FROM = 130, MAP_COLUMNS = 3, WIDE_COLUMNS = 14 };
  int columns = ui->layout.part[PART_TABLE].columns;
  return columns < MAP_FROM ? 0 : columns < WIDE_FROM ? MAP_COLUMNS : WIDE_COLUMNS;
}

/* Bars are of what the figures are. */
enum rtop_groups_measure groups_view_measure(const struct ui *ui)
{
  if (ui_calls_are_shown(ui)) return RTOP_GROUPS_BY_CALLS;
  return ui->look.units == UNITS_SAMPLES ? RTOP_GROUPS_BY_SAMPLES : RTOP_GROUPS_BY_TIME;
}

static const struct rtop_group_row *row_at(const struct ui *ui, size_t place)
{
  const struct rtop_groups *groups = &groups_view(ui)->groups;
  return place < groups->count ? &groups->rows[place] : NULL;
}

static struct ui_outline groups_outline(const struct ui *ui)
{
  const struct rtop_groups *groups = &groups_view(ui)->groups;
  return (struct ui_outline){ groups->rows, groups->count, sizeof *groups->rows, &groups_view(ui)->at };
}

static struct rtop_groups_look look_of(const struct ui *ui)
{
  return (struct rtop_groups_look){
    .sort = rtop_sort_key_of_calls(ui->wanted.sort),
    .reverse = ui->wanted.reverse,
    .mode = ui->wanted.mode,
    .least_percent = groups_view_threshold(ui, groups_view(ui)),
    .shares = ui->look.units == UNITS_PERCENT,
  };
}

static void groups_build(struct ui *ui)
{
  struct groups_view *view = groups_view(ui);
  struct rtop_groups_look look = look_of(ui);
  if (!rtop_groups_build(&view->groups, rtop_profile_symbols(ui->profile), &look))
    ui_say(ui, "out of memory: groups are missing");
}

static bool go_to_key(struct ui *ui, uint64_t key)
{
  struct ui_outline rows = groups_outline(ui);
  return ui_outline_go_to(&rows, key);
}

/* Call after the user moved the cursor. */
static void groups_moved(struct ui *ui)
{
  groups_view_fit(ui);
  struct ui_outline rows = groups_outline(ui);
  ui->selected = ui_outline_moved(&rows, ui->selected);
  ui_rows_count(ui);
}

/* Nobody has moved the cursor yet. */
static void groups_rest(struct ui *ui)
{
  struct ui_outline rows = groups_outline(ui);
  ui->selected = ui_outline_rest(&rows, ui->selected);
  groups_view_fit(ui);
  ui_rows_count(ui);
}

/* Goes to the row where a method itself is shown, after opening the groups that hide it. */
static bool groups_seek(struct ui *ui, uint32_t frame)
{
  const struct rtop_group_row *here = row_at(ui, groups_view(ui)->at.pager.cursor);
  if (here != NULL && groups_view_is_method(here) && here->frame == frame) return true;
  uint64_t key = rtop_groups_reveal(&groups_view(ui)->groups, frame);
  if (key == 0) return false;
  groups_build(ui);
  return go_to_key(ui, key);
}

/* Updates the rows. Opening, closing or new figures do not select another method. */
static void groups_show(struct ui *ui)
{
  struct groups_view *view = groups_view(ui);
  uint32_t selected = ui->selected;
  groups_build(ui);
  go_to_key(ui, view->at.anchor);
  view->at.moved = (view->at.seek && groups_seek(ui, selected)) || view->at.moved;
  view->at.seek = false;
  if (!view->at.moved) {
    groups_rest(ui);
    return;
  }
  groups_moved(ui);
  ui->selected = selected != 0 ? selected : ui->selected;
}

static bool take(struct ui *ui)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  struct rtop_groups_look look = look_of(ui);
  struct rtop_methods_options options = ui_shown_options(ui);
  return rtop_tree_build(&ui->tree, ui_shown_sum(ui), symbols, &options, ui->fold) &&
         rtop_groups_take(&groups_view(ui)->groups, &ui->tree, symbols, &look);
}

static void groups_update(struct ui *ui)
{
  if (ui->profile == NULL) return;
  if (!take(ui)) ui_say(ui, "out of memory: groups are not complete");
  groups_show(ui);
}

static void groups_open(struct ui *ui)
{
  groups_view(ui)->at.seek = ui->selected != 0;
}

static bool groups_set_open(struct ui *ui, bool open)
{
  const struct rtop_group_row *row = row_at(ui, groups_view(ui)->at.pager.cursor);
  if (row == NULL || row->below == 0 || row->open == open) return false;
  rtop_tree_choose(&groups_view(ui)->groups.choices, row->key, open);
  ui_outline_hold(&groups_view(ui)->at, row->key);
  groups_show(ui);
  return true;
}

static bool groups_go_to_parent(struct ui *ui)
{
  struct ui_outline rows = groups_outline(ui);
  ui_outline_go_up(&rows);
  groups_moved(ui);
  return true;
}

static bool groups_go_in(struct ui *ui)
{
  const struct rtop_group_row *row = row_at(ui, groups_view(ui)->at.pager.cursor);
  if (row != NULL && row->open) {
    groups_view(ui)->at.pager.cursor++;
    groups_moved(ui);
  }
  return true;
}

static bool groups_open_all(struct ui *ui)
{
  struct groups_view *view = groups_view(ui);
  view->all_open = !view->all_open;
  rtop_tree_choices_clear(&view->groups.choices);
  view->groups.levels = view->all_open ? LEVELS_ALL : LEVELS;
  groups_show(ui);
  return true;
}

/* Goes from a reference to its group; on other rows, opens or closes the row. */
static bool jump(struct ui *ui)
{
  struct groups_view *view = groups_view(ui);
  const struct rtop_group_row *row = row_at(ui, view->at.pager.cursor);
  if (row == NULL || !row->reference) return row == NULL || groups_set_open(ui, !row->open) || true;
  uint64_t from = row->key;
  if (go_to_key(ui, rtop_groups_root_key(row->frame))) {
    if (view->jump_count == GROUPS_JUMPS_MAX) {
      memmove(view->jumps, view->jumps + 1, sizeof view->jumps - sizeof view->jumps[0]);
      view->jump_count--;
    }
    view->jumps[view->jump_count++] = from;
    groups_moved(ui);
  }
  return true;
}

static bool jump_back(struct ui *ui)
{
  struct groups_view *view = groups_view(ui);
  while (view->jump_count > 0) {
    if (go_to_key(ui, view->jumps[--view->jump_count])) {
      groups_moved(ui);
      return true;
    }
  }
  return false;
}

static bool set_threshold(struct ui *ui, int step)
{
  struct groups_view *view = groups_view(ui);
  int next = view->threshold + step;
  view->threshold = next < 0 ? 0 : next >= THRESHOLDS ? THRESHOLDS - 1 : next;
  ui_say(ui, "groups from %g%% on", groups_view_threshold(ui, view));
  groups_show(ui);
  return true;
}

static bool groups_matches(const struct ui *ui, size_t place)
{
  const struct rtop_group_row *row = row_at(ui, place);
  return row != NULL && groups_view_is_method(row) && ui_matches(ui, row->frame);
}

static void groups_go(struct ui *ui, size_t place)
{
  groups_view(ui)->at.pager.cursor = place;
  groups_moved(ui);
}

/* Among what is closed. */
static bool groups_seek_match(struct ui *ui)
{
  uint32_t frames = ui->profile != NULL ? rtop_symbols_frame_count(rtop_profile_symbols(ui->profile)) : 0;
  for (uint32_t frame = 1; frame < frames; frame++) {
    if (rtop_groups_has(&groups_view(ui)->groups, frame) && ui_matches(ui, frame) && groups_seek(ui, frame)) {
      groups_moved(ui);
      return true;
    }
  }
  return false;
}

static bool groups_handle(struct ui *ui, enum request request)
{
  if (ui->profile == NULL) return false;
  switch (request) {
  case REQUEST_JUMP: return jump(ui);
  case REQUEST_BACK: return jump_back(ui);
  case REQUEST_TREE_OPEN: return groups_set_open(ui, true) || true;
  case REQUEST_TREE_CLOSE: return groups_set_open(ui, false) || true;
  case REQUEST_TREE_ALL: return groups_open_all(ui);
  case REQUEST_TREE_IN: return groups_set_open(ui, true) || groups_go_in(ui);
  case REQUEST_TREE_OUT: return groups_set_open(ui, false) || groups_go_to_parent(ui);
  case REQUEST_THRESHOLD_UP: return set_threshold(ui, 1);
  case REQUEST_THRESHOLD_DOWN: return set_threshold(ui, -1);
  default: return false;
  }
}

/* Handles a click: on a caller in the top lines, on the map, or on a row. */
static void groups_click(struct ui *ui, int row, int x)
{
  struct ui_rows rows = groups_view_rows(ui);
  size_t places[RTOP_GROUPS_ABOVE_MAX], above = groups_view_above(ui, places);
  int at = row - rows.heading;
  bool map = rows.count > rows.page && x >= ui->layout.part[PART_TABLE].columns - groups_view_map_columns(ui);
  if (at >= 0 && map && (size_t)at < rows.page) groups_go(ui, rows.count * (size_t)at / rows.page);
  else if (at >= 0 && (size_t)at < above) groups_go(ui, places[at]);
  else ui_rows_click(ui, row, x);
}

static void groups_menu(struct ui *ui, struct ui_row *row)
{
  const struct rtop_group_row *here = row_at(ui, groups_view(ui)->at.pager.cursor);
  if (here == NULL || !groups_view_is_method(here)) {
    row->frame = 0;
    return;
  }
  ui_outline_hold(&groups_view(ui)->at, here->key); /* what the menu names */
  if (here->reference) ui_row_can(row, 'o', "go to its group", REQUEST_JUMP);
  else if (here->below > 0) ui_row_can(row, 'o', here->open ? "close" : "open", REQUEST_JUMP);
}

static void groups_note(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "%zu groups  ( %g%% )", groups_view(ui)->groups.group_count,
           groups_view_threshold(ui, groups_view(ui)));
}

const struct view_ops view_groups = {
  .id = VIEW_GROUPS,
  .exact = true,
  .calls = true,
  .bytes = sizeof(struct groups_view),
  .start = groups_start,
  .update = groups_update,
  .open = groups_open,
  .note = groups_note,
  .handle = groups_handle,
  .click = groups_click,
  .row = groups_menu,
  .rows = groups_view_rows,
  .matches = groups_matches,
  .go = groups_go,
  .seek = groups_seek_match,
  .forget = groups_forget,
};
