/* SPDX-License-Identifier: MIT */
/* The call tree view: opening and closing, cursor, search. view_tree_draw.c draws the rows. */
#include "view_tree.h"
#include "viewer.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_row_menu.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_CALLEES = 4, LEVELS_CALLERS = 0, BUTTERFLY_SCREEN_ROWS = 40 };
static const double least_percent = 0.05;

_Static_assert(offsetof(struct rtop_tree_row, key) == offsetof(struct ui_outline_row, key) &&
                   offsetof(struct rtop_tree_row, frame) == offsetof(struct ui_outline_row, frame) &&
                   offsetof(struct rtop_tree_row, depth) == offsetof(struct ui_outline_row, depth),
               "rows are those of an outline");

static struct tree_view *tree_view(const struct ui *ui)
{
  return ui->data[VIEW_TREE];
}

struct rtop_tree_rows *tree_view_rows(struct tree_view *view)
{
  return &view->trees[view->callers];
}

bool tree_view_is_method(const struct rtop_tree_row *row)
{
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a row within the count exists */
  return row->key != 0;
}

int tree_view_butterfly_rows(const struct ui *ui)
{
  int rows = ui->layout.part[PART_TABLE].rows;
  return ui->layout.rows >= BUTTERFLY_SCREEN_ROWS ? rows * 2 / 5 : 0;
}

struct ui_rows tree_view_table(const struct ui *ui)
{
  struct tree_view *view = ui->data[VIEW_TREE];
  return ui_rows_of(ui, &view->at.pager, tree_view_rows(view)->count, 1, tree_view_butterfly_rows(ui));
}

static void tree_start(struct ui *ui)
{
  struct tree_view *view = tree_view(ui);
  view->trees[0].levels = LEVELS_CALLEES;
  view->trees[1].levels = LEVELS_CALLERS;
}

static void tree_forget(struct ui *ui)
{
  struct tree_view *view = tree_view(ui);
  rtop_tree_rows_destroy(&view->trees[0]);
  rtop_tree_rows_destroy(&view->trees[1]);
  detail_destroy(&view->detail);
  memset(view, 0, sizeof *view);
  tree_start(ui);
}

static const struct rtop_tree_row *row_at(const struct ui *ui, size_t place)
{
  struct rtop_tree_rows *rows = tree_view_rows(tree_view(ui));
  return place < rows->count ? &rows->rows[place] : NULL;
}

static struct ui_outline tree_outline(const struct ui *ui)
{
  struct rtop_tree_rows *rows = tree_view_rows(tree_view(ui));
  return (struct ui_outline){ rows->rows, rows->count, sizeof *rows->rows, &tree_view(ui)->at };
}

static void tree_update_detail(struct ui *ui)
{
  struct tree_view *view = tree_view(ui);
  const struct rtop_tree_row *row = row_at(ui, view->at.pager.cursor);
  view->detail_ready =
      row != NULL && tree_view_is_method(row) && tree_view_butterfly_rows(ui) > 0 &&
      detail_build(&view->detail, ui_shown_live(ui), rtop_profile_symbols(ui->profile), row->frame, ui->wanted.mode);
  if (view->detail_ready) detail_lead(&view->detail, rtop_profile_symbols(ui->profile), ui_way_node(ui));
}

/* Are rows sorted by change? Never in the tree of callers: the baseline knows callers only as methods, not
   who called whom. */
bool tree_view_by_delta(const struct ui *ui, const struct tree_view *view)
{
  return ui->wanted.sort == RTOP_SORT_DELTA && ui->baseline.comparing && !view->callers;
}

static bool tree_build(struct ui *ui)
{
  struct tree_view *view = tree_view(ui);
  struct rtop_tree_look look = {
    .callers = view->callers,
    .sort = ui->wanted.sort,
    .reverse = ui->wanted.reverse,
    .mode = ui->wanted.mode,
    .shares = ui->look.units == UNITS_PERCENT,
    .chains = UI_CHAINS_FROM,
    .kept = view->at.anchor,
    .least_percent = ui->wanted.min_percent > least_percent ? ui->wanted.min_percent : least_percent,
  };
  if (ui_calls_are_shown(ui)) { /* a call counts, however short it was */
    look.calls = true;
    look.least_percent = ui->wanted.min_percent;
  }
  /* Self, the default order of the method table, would hide the way down in a tree of callees; in a tree of callers all
     time belongs to the method at the top. */
  look.gone = ui_baseline_gone(ui, look.least_percent);
  look.sort = tree_view_by_delta(ui, view) ? RTOP_SORT_DELTA : rtop_sort_key_of_calls(look.sort);
  return rtop_tree_rows_build(tree_view_rows(view), &ui->tree, rtop_profile_symbols(ui->profile), &look);
}

/* Moves the cursor with its node; if that is gone, the cursor stays at its row. */
static void tree_follow(struct ui *ui)
{
  struct ui_outline rows = tree_outline(ui);
  ui_outline_go_to(&rows, tree_view(ui)->at.anchor);
}

/* Call after the user moved the cursor. */
static void tree_moved(struct ui *ui)
{
  ui_rows_fit(ui);
  struct ui_outline rows = tree_outline(ui);
  ui->selected = ui_outline_moved(&rows, ui->selected);
  ui_rows_count(ui);
  tree_update_detail(ui);
}

/* Notes that the user chose this call of the method, which other views use, too. */
static void tree_means_call(struct ui *ui)
{
  const struct rtop_tree_row *row = row_at(ui, tree_view(ui)->at.pager.cursor);
  if (row == NULL || !tree_view_is_method(row) || row->frame != ui->selected) return;
  if (tree_view(ui)->callers) ui_way_drop(ui);
  else ui_way_call(ui, (uint32_t)row->key);
}

/* Nobody has moved the cursor yet. */
static void tree_rest(struct ui *ui)
{
  struct ui_outline rows = tree_outline(ui);
  ui->selected = ui_outline_rest(&rows, ui->selected);
  ui_rows_fit(ui);
  ui_rows_count(ui);
  tree_update_detail(ui);
}

/* Opens the nodes that hide the method, and goes to it. */
static void tree_seek(struct ui *ui, uint32_t frame)
{
  struct tree_view *view = tree_view(ui);
  const struct rtop_tree_row *here = row_at(ui, view->at.pager.cursor);
  bool stands = here != NULL && tree_view_is_method(here) && here->frame == frame;
  bool meant = !view->callers && ui_way_node(ui) != 0;
  if (frame == 0) return;
  if (stands && !meant) {
    ui_outline_hold(&view->at, here->key);
    return;
  }
  if (view->callers) {
    struct rtop_tree_rows *rows = tree_view_rows(view);
    for (size_t i = 0; i < rows->count; i++)
      if (rows->rows[i].depth == 0 && tree_view_is_method(&rows->rows[i]) && rows->rows[i].frame == frame)
        ui_outline_hold(&view->at, rows->rows[i].key);
  } else {
    uint32_t node = ui_way_in_tree(ui, frame);
    if (node != 0) {
      rtop_tree_rows_reveal(tree_view_rows(view), &ui->tree, node);
      ui_outline_hold(&view->at, node);
      tree_build(ui);
    }
  }
  tree_follow(ui);
}

/* Updates the rows. Opening, closing or new figures do not select another method: the chosen one stays selected, even
   without a row. */
static void tree_show(struct ui *ui)
{
  uint32_t selected = ui->selected;
  if (!tree_build(ui)) ui_say(ui, "out of memory: the tree is not complete");
  tree_follow(ui);
  if (tree_view(ui)->at.seek) {
    tree_view(ui)->at.seek = false;
    tree_seek(ui, selected);
  }
  if (!tree_view(ui)->at.moved) {
    tree_rest(ui);
    return;
  }
  tree_moved(ui);
  ui->selected = selected != 0 ? selected : ui->selected;
}

static void tree_update(struct ui *ui)
{
  if (ui->profile != NULL) tree_show(ui);
}

static void tree_open(struct ui *ui)
{
  tree_view(ui)->at.seek = true;
}

/* Splits a chain and moves the cursor to its first node. */
static bool tree_unchain(struct ui *ui)
{
  struct tree_view *view = tree_view(ui);
  const struct rtop_tree_row *row = row_at(ui, view->at.pager.cursor);
  if (row == NULL || row->chain == 0) return false;
  uint32_t first = row->node;
  for (uint32_t i = 1; i < row->chain; i++) first = ui->tree.nodes[first].parent;
  rtop_tree_rows_unchain(tree_view_rows(view), &ui->tree, row);
  ui_outline_hold(&view->at, first);
  tree_show(ui);
  tree_moved(ui);
  tree_means_call(ui);
  return true;
}

static bool tree_set_open(struct ui *ui, bool open)
{
  const struct rtop_tree_row *row = row_at(ui, tree_view(ui)->at.pager.cursor);
  if (open && tree_unchain(ui)) return true;
  if (row == NULL || row->below == 0 || row->open == open) return false;
  rtop_tree_rows_open(tree_view_rows(tree_view(ui)), row->key, open);
  ui_outline_hold(&tree_view(ui)->at, row->key);
  tree_show(ui);
  return true;
}

static bool tree_toggle(struct ui *ui)
{
  const struct rtop_tree_row *row = row_at(ui, tree_view(ui)->at.pager.cursor);
  return row == NULL || tree_set_open(ui, row->chain > 0 || !row->open) || true;
}

static bool tree_go_to_parent(struct ui *ui)
{
  struct ui_outline rows = tree_outline(ui);
  ui_outline_go_up(&rows);
  tree_moved(ui);
  tree_means_call(ui);
  return true;
}

static bool tree_go_in(struct ui *ui)
{
  struct tree_view *view = tree_view(ui);
  const struct rtop_tree_row *row = row_at(ui, view->at.pager.cursor);
  if (row != NULL && row->open) {
    view->at.pager.cursor++;
    tree_moved(ui);
    tree_means_call(ui);
  }
  return true;
}

static bool levels(struct ui *ui, int step)
{
  struct tree_view *view = tree_view(ui);
  struct rtop_tree_rows *rows = tree_view_rows(view);
  int now = rows->levels == INT_MAX ? (view->callers ? LEVELS_CALLERS : LEVELS_CALLEES) : rows->levels;
  int next = now + step < 0 ? 0 : now + step > 64 ? 64 : now + step;
  rtop_tree_rows_levels(rows, next);
  view->all_open[view->callers] = false;
  ui_say(ui, "branches are open to level %d", next);
  tree_show(ui);
  return true;
}

static bool tree_open_all(struct ui *ui)
{
  struct tree_view *view = tree_view(ui);
  bool *all = &view->all_open[view->callers];
  *all = !*all;
  rtop_tree_rows_levels(tree_view_rows(view), *all ? INT_MAX : view->callers ? LEVELS_CALLERS : LEVELS_CALLEES);
  tree_show(ui);
  if (tree_view_rows(view)->cut) ui_say(ui, "only the first %d rows", RTOP_TREE_ROWS_MAX);
  return true;
}

static bool invert(struct ui *ui)
{
  struct tree_view *view = tree_view(ui);
  view->callers = !view->callers;
  view->at.anchor = 0;
  view->at.pager = (struct pager){ 0 };
  view->at.seek = true;
  if (ui->profile != NULL) tree_show(ui);
  return true;
}

/* Changes the folding of recursion, which makes new nodes, so no opened node keeps its key. */
static bool tree_fold(struct ui *ui)
{
  struct tree_view *view = tree_view(ui);
  ui->fold = !ui->fold;
  rtop_tree_rows_levels(&view->trees[0], LEVELS_CALLEES);
  rtop_tree_rows_levels(&view->trees[1], LEVELS_CALLERS);
  view->at.anchor = 0;
  view->at.seek = ui->stale = true;
  ui_say(ui, ui->fold ? "recursion folded into its first call" : "recursion is not folded");
  return true;
}

static bool tree_matches(const struct ui *ui, size_t place)
{
  const struct rtop_tree_row *row = row_at(ui, place);
  if (row == NULL || !tree_view_is_method(row)) return false;
  uint32_t node = row->node;
  for (uint32_t i = 1; i < row->chain; i++) {
    node = ui->tree.nodes[node].parent;
    if (ui_matches(ui, ui->tree.nodes[node].frame)) return true;
  }
  return ui_matches(ui, row->frame);
}

static void tree_go(struct ui *ui, size_t place)
{
  tree_view(ui)->at.pager.cursor = place;
  tree_moved(ui);
  tree_means_call(ui);
}

/* Among what is closed. */
static bool tree_seek_match(struct ui *ui)
{
  for (size_t i = 1; i < ui->tree.touched_count && !tree_view(ui)->callers; i++) {
    uint32_t frame = ui->tree.nodes[ui->tree.touched[i]].frame;
    if (ui_matches(ui, frame)) {
      tree_seek(ui, frame);
      tree_moved(ui);
      return true;
    }
  }
  return false;
}

static bool tree_handle(struct ui *ui, enum request request)
{
  if (ui->profile == NULL) return false;
  switch (request) {
  case REQUEST_TREE_OPEN: return tree_set_open(ui, true) || true;
  case REQUEST_TREE_CLOSE: return tree_set_open(ui, false) || true;
  case REQUEST_TREE_TOGGLE: return tree_toggle(ui);
  case REQUEST_TREE_ALL: return tree_open_all(ui);
  case REQUEST_TREE_MORE: return levels(ui, 1);
  case REQUEST_TREE_FEWER: return levels(ui, -1);
  case REQUEST_TREE_INVERT: return invert(ui);
  case REQUEST_TREE_FOLD: return tree_fold(ui);
  case REQUEST_TREE_IN: return tree_set_open(ui, true) || tree_go_in(ui);
  case REQUEST_TREE_OUT: return tree_set_open(ui, false) || tree_go_to_parent(ui);
  default: return false;
  }
}

static void tree_menu(struct ui *ui, struct ui_row *row)
{
  const struct rtop_tree_row *here = row_at(ui, tree_view(ui)->at.pager.cursor);
  row->in_callers = tree_view(ui)->callers;
  row->in_tree = !row->in_callers;
  if (here == NULL || !tree_view_is_method(here)) {
    row->frame = 0;
    return;
  }
  ui_outline_hold(&tree_view(ui)->at, here->key); /* what the menu names */
  if (here->below > 0) ui_row_can(row, 'o', here->open ? "close" : "open", REQUEST_TREE_TOGGLE);
}

static void tree_note(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "%s", tree_view(ui)->callers ? "callers (i=callees)" : "callees (i=callers)");
}

static void tree_state(const struct ui *ui, char *out, size_t bytes)
{
  if (ui->fold) snprintf(out, bytes, "recursion folded");
}

static void tree_prepare(struct ui *ui)
{
  struct tree_view *view = tree_view(ui);
  ui_rows_fit(ui);
  const struct rtop_tree_row *row = row_at(ui, view->at.pager.cursor);
  if (tree_view_butterfly_rows(ui) > 0 && row != NULL && tree_view_is_method(row) &&
      (!view->detail_ready || view->detail.frame != row->frame))
    tree_update_detail(ui);
}

const struct view_ops view_tree = {
  .id = VIEW_TREE,
  .exact = true,
  .calls = true,
  .tree = true,
  .bytes = sizeof(struct tree_view),
  .start = tree_start,
  .update = tree_update,
  .open = tree_open,
  .note = tree_note,
  .state = tree_state,
  .prepare = tree_prepare,
  .handle = tree_handle,
  .click = ui_rows_click,
  .row = tree_menu,
  .rows = tree_view_table,
  .matches = tree_matches,
  .go = tree_go,
  .seek = tree_seek_match,
  .forget = tree_forget,
};
