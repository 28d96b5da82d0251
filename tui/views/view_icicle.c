/* SPDX-License-Identifier: MIT */
/* The icicle view: cursor over cells, zoom, highlighting. view_icicle_draw.c draws the cells. */
#include "view_icicle.h"
#include "viewer.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_row_menu.h"
#include <stdlib.h>
#include <string.h>

enum { PANE_ROWS = 6, PANE_FROM = 14, LOW_NS = 2000000000 };

static struct icicle_view *icicle_view(const struct ui *ui)
{
  return ui->data[VIEW_ICICLE];
}

static void icicle_forget(struct ui *ui)
{
  struct icicle_view *view = icicle_view(ui);
  rtop_icicle_destroy(&view->icicle);
  free(view->covered);
  memset(view, 0, sizeof *view);
}

void icicle_view_keep(const struct ui *ui, struct rtop_symbols *symbols)
{
  const struct icicle_view *view = icicle_view(ui);
  rtop_symbols_use_node(symbols, view->root);
  rtop_symbols_use_node(symbols, view->node);
  rtop_symbols_use_node(symbols, view->wished);
  for (uint32_t i = 0; i < view->zooms; i++) rtop_symbols_use_node(symbols, view->zoomed[i]);
}

int icicle_view_pane_rows(const struct ui *ui)
{
  return ui->layout.part[PART_TABLE].rows >= PANE_FROM ? PANE_ROWS : 1;
}

int icicle_view_rows(const struct ui *ui)
{
  int rows = ui->layout.part[PART_TABLE].rows - icicle_view_pane_rows(ui);
  return rows > 1 ? rows : 1;
}

int icicle_view_page(const struct ui *ui)
{
  int high = icicle_view(ui)->cell_rows, page = high > 1 ? icicle_view_rows(ui) / high : icicle_view_rows(ui);
  return page > 1 ? page : 1;
}

static bool is_hit(const struct ui *ui, const struct icicle_view *view, uint32_t frame)
{
  return view->same ? frame == ui->selected : ui_matches(ui, frame);
}

bool icicle_view_is_hit(const struct ui *ui, const struct icicle_view *view, const struct rtop_icicle_cell *cell)
{
  uint32_t node = cell->node;
  bool hit = node != 0 && is_hit(ui, view, ui->tree.nodes[node].frame);
  for (uint32_t i = 1; i < cell->chain && !hit; i++) {
    node = ui->tree.nodes[node].parent;
    hit = is_hit(ui, view, ui->tree.nodes[node].frame);
  }
  return hit;
}

/* Time under all highlighted nodes; each stack counts once. */
static void measure_hits(struct ui *ui)
{
  struct icicle_view *view = icicle_view(ui);
  const struct rtop_tree *tree = &ui->tree;
  view->hit_ns = 0;
  view->hits = 0;
  if (!view->same && ui->search[0] == '\0') return;
  if (tree->count > view->covered_capacity) {
    bool *covered = realloc(view->covered, tree->count * sizeof *covered);
    if (covered == NULL) return;
    view->covered = covered;
    view->covered_capacity = tree->count;
  }
  for (size_t i = 0; i < tree->touched_count; i++) {
    uint32_t id = tree->touched[i];
    const struct rtop_tree_node *node = &tree->nodes[id];
    bool hit = id != 0 && is_hit(ui, view, node->frame);
    bool above = id != 0 && view->covered[node->parent];
    view->hits += hit;
    view->hit_ns += hit && !above ? rtop_tree_clock(&node->total, ui->wanted.mode) : 0;
    view->covered[id] = hit || above;
  }
}

static struct ui_rows icicle_rows(const struct ui *ui)
{
  const struct icicle_view *view = icicle_view(ui);
  if (ui->profile == NULL || ui->tree.count == 0) return (struct ui_rows){ 0 };
  return (struct ui_rows){ .count = view->icicle.count,
                           .cursor = rtop_icicle_find(&view->icicle, &ui->tree, view->node) };
}

static bool icicle_matches(const struct ui *ui, size_t place)
{
  const struct rtop_icicle_cell *cell = &icicle_view(ui)->icicle.cells[place];
  uint32_t node = cell->node;
  for (uint32_t i = 1; i < cell->chain && !ui_matches(ui, ui->tree.nodes[node].frame); i++)
    node = ui->tree.nodes[node].parent;
  return node != 0 && ui_matches(ui, ui->tree.nodes[node].frame);
}

/* Chooses the height of cells so that all depths fit. While calls come and go, cells become lower at once but higher
 * only after a delay, so that they do not jump at every update; the user's actions take effect at once. */
static void choose_height(struct ui *ui)
{
  struct icicle_view *view = icicle_view(ui);
  int fits = rtop_icicle_cell_rows(&view->icicle, icicle_view_rows(ui));
  bool higher = fits > view->cell_rows;
  if (!higher || view->cell_rows == 0 || ui->frozen || ui->touched || ui->now_ns >= view->low_until_ns) {
    view->cell_rows = fits;
    view->low_until_ns = ui->now_ns + LOW_NS;
  }
}

static bool icicle_build(struct ui *ui)
{
  struct icicle_view *view = icicle_view(ui);
  if (view->root >= ui->tree.count)
    view->root = view->zooms = 0; /* forgets the root, unless it merely has no time in this span */
  struct rtop_icicle_look look = {
    .root = view->root,
    .columns = ui->layout.part[PART_TABLE].columns,
    .sort = ui->wanted.sort,
    .reverse = ui->wanted.reverse,
    .mode = ui->wanted.mode,
    .least_percent = ui->wanted.min_percent,
    .hysteresis = ui->hysteresis,
    .samples = ui_hysteresis_samples(ui),
    .kept = view->wished,
  };
  if (!view->alone && !ui_calls_are_shown(ui) && !ui->baseline.comparing) look.chains = UI_CHAINS_FROM;
  look.sort = rtop_sort_key_of_calls(look.sort);
  bool resized = view->columns != look.columns || view->rows != ui->layout.part[PART_TABLE].rows;
  view->cell_rows = resized ? 0 : view->cell_rows;
  view->columns = look.columns;
  view->rows = ui->layout.part[PART_TABLE].rows;
  bool fine = rtop_icicle_build(&view->icicle, &ui->tree, rtop_profile_symbols(ui->profile), &look);
  choose_height(ui);
  return fine;
}

static void icicle_keep_in_view(struct ui *ui)
{
  struct icicle_view *view = icicle_view(ui);
  size_t here = rtop_icicle_find(&view->icicle, &ui->tree, view->node);
  uint32_t depth = here != SIZE_MAX ? view->icicle.cells[here].depth : 0;
  uint32_t page = (uint32_t)icicle_view_page(ui);
  if (depth < view->top) view->top = depth;
  else if (depth >= view->top + page) view->top = depth - page + 1;
}

/* Puts the cursor on an existing cell: that of the user's choice, else of its nearest ancestor. The cursor returns to
 * the choice when that has a cell again, for instance in the next window of a replay. */
static void settle(struct ui *ui)
{
  struct icicle_view *view = icicle_view(ui);
  view->wished = view->wished < ui->tree.count ? view->wished : view->root;
  view->node = view->wished;
  while (view->node != view->root && view->node != 0 &&
         rtop_icicle_find(&view->icicle, &ui->tree, view->node) == SIZE_MAX)
    view->node = ui->tree.nodes[view->node].parent;
  view->node = rtop_icicle_find(&view->icicle, &ui->tree, view->node) == SIZE_MAX ? view->root : view->node;
  icicle_keep_in_view(ui);
}

static void icicle_moved(struct ui *ui)
{
  struct icicle_view *view = icicle_view(ui);
  view->wished = view->node;
  settle(ui);
  if (view->node != 0) {
    ui->selected = ui->tree.nodes[view->node].frame;
    ui_way_call(ui, view->node);
  }
  ui_rows_count(ui);
  measure_hits(ui);
}

void icicle_view_rebuild(struct ui *ui)
{
  if (ui->profile != NULL && ui->tree.count > 0) {
    if (!icicle_build(ui)) ui_say(ui, "out of memory: no icicle");
    settle(ui);
    ui_rows_count(ui);
    measure_hits(ui);
  }
}

static void icicle_update(struct ui *ui)
{
  struct icicle_view *view = icicle_view(ui);
  if (ui->profile == NULL) return;
  if (view->seek) {
    view->seek = false;
    uint32_t node = ui_way_in_tree(ui, ui->selected);
    bool there = rtop_tree_has(&ui->tree, view->node) && view->node != 0 &&
                 ui->tree.nodes[view->node].frame == ui->selected && ui_way_node(ui) == 0;
    view->wished = node != 0 && !there ? node : view->wished;
  }
  icicle_view_rebuild(ui);
}

static void icicle_open(struct ui *ui)
{
  icicle_view(ui)->seek = ui->selected != 0;
}

static bool icicle_go(struct ui *ui, size_t index)
{
  struct icicle_view *view = icicle_view(ui);
  if (index != SIZE_MAX && view->icicle.cells[index].merged == 0) {
    view->node = view->icicle.cells[index].node;
    icicle_moved(ui);
  }
  return true;
}

/* Goes to the parent, or to the first cell below. */
static bool go_deeper(struct ui *ui, int step)
{
  const struct rtop_icicle *icicle = &icicle_view(ui)->icicle;
  size_t here = rtop_icicle_find(icicle, &ui->tree, icicle_view(ui)->node);
  if (here == SIZE_MAX) return true;
  if (step < 0) return icicle_go(ui, icicle->cells[here].parent);
  for (size_t i = here + 1; i < icicle->count; i++)
    if (icicle->cells[i].parent == here && icicle->cells[i].merged == 0) return icicle_go(ui, i);
  return true;
}

/* The next cell of the same row. */
static bool go_aside(struct ui *ui, int step)
{
  const struct rtop_icicle *icicle = &icicle_view(ui)->icicle;
  size_t here = rtop_icicle_find(icicle, &ui->tree, icicle_view(ui)->node);
  if (here == SIZE_MAX) return true;
  uint32_t depth = icicle->cells[here].depth;
  for (size_t i = here + (size_t)step; i < icicle->count && icicle->cells[i].depth == depth; i += (size_t)step)
    if (icicle->cells[i].merged == 0) return icicle_go(ui, i);
  return true;
}

static bool icicle_zoom(struct ui *ui)
{
  struct icicle_view *view = icicle_view(ui);
  if (view->node != view->root && view->zooms < ICICLE_ZOOMS_MAX) {
    view->zoomed[view->zooms++] = view->root;
    view->root = view->wished = view->node;
    view->top = 0;
    view->cell_rows = 0;
    icicle_view_rebuild(ui);
  }
  return true;
}

static bool zoom_out(struct ui *ui)
{
  struct icicle_view *view = icicle_view(ui);
  if (view->zooms == 0) return false;
  view->root = view->zoomed[--view->zooms];
  view->top = 0;
  view->cell_rows = 0;
  icicle_view_rebuild(ui);
  return true;
}

/* Gives each call of the chains a cell of its own, or makes chains of them again. */
static bool icicle_unchain(struct ui *ui)
{
  struct icicle_view *view = icicle_view(ui);
  view->alone = !view->alone;
  view->cell_rows = 0;
  icicle_view_rebuild(ui);
  ui_say(ui,
         view->alone ? "a cell for every call; *: chains in one" : "calls that only make the next one share a cell");
  return true;
}

static bool show_same(struct ui *ui)
{
  struct icicle_view *view = icicle_view(ui);
  view->same = !view->same;
  measure_hits(ui);
  return true;
}

static void icicle_go_to(struct ui *ui, size_t place)
{
  icicle_go(ui, place);
}

/* Goes to a match that is too narrow for a cell, or outside the zoomed root. */
static bool icicle_seek_match(struct ui *ui)
{
  measure_hits(ui);
  if (icicle_view(ui)->hits > 0)
    ui_say(ui, "%zu matches too narrow to show, or outside of the zoom", icicle_view(ui)->hits);
  return false;
}

static bool go_page(struct ui *ui, enum request request)
{
  struct icicle_view *view = icicle_view(ui);
  const struct rtop_icicle *icicle = &view->icicle;
  size_t here = rtop_icicle_find(icicle, &ui->tree, view->node);
  if (here == SIZE_MAX) return false;
  struct pager pager = { .cursor = icicle->cells[here].depth, .top = view->top };
  if (!pager_request(&pager, request, icicle->depths, (size_t)icicle_view_page(ui))) return false;
  return icicle_go(ui, rtop_icicle_at(icicle, (uint32_t)pager.cursor, icicle->cells[here].x));
}

static void icicle_click(struct ui *ui, int row, int x)
{
  struct icicle_view *view = icicle_view(ui);
  int rows = icicle_view_rows(ui), seen = view->flipped ? rows - 1 - row : row;
  uint32_t depth = view->top + (uint32_t)(seen > 0 && view->cell_rows > 0 ? seen / view->cell_rows : 0);
  if (ui->profile == NULL || ui->tree.count == 0 || seen < 0 || row < 0 || row >= rows ||
      depth >= view->icicle.depths || depth >= view->top + (uint32_t)icicle_view_page(ui))
    return;
  size_t at = rtop_icicle_at(&view->icicle, depth, x);
  const struct rtop_icicle_cell *cell = at != SIZE_MAX ? &view->icicle.cells[at] : NULL;
  if (cell != NULL && x >= cell->x && x < cell->x + cell->columns) icicle_go(ui, at);
}

static bool icicle_handle(struct ui *ui, enum request request)
{
  struct icicle_view *view = icicle_view(ui);
  if (ui->profile == NULL || ui->tree.count == 0) return false;
  switch (request) {
  case REQUEST_UP: return go_deeper(ui, view->flipped ? 1 : -1);
  case REQUEST_DOWN: return go_deeper(ui, view->flipped ? -1 : 1);
  case REQUEST_CELL_LEFT: return go_aside(ui, -1);
  case REQUEST_CELL_RIGHT: return go_aside(ui, 1);
  case REQUEST_ZOOM: return icicle_zoom(ui);
  case REQUEST_BACK: return zoom_out(ui);
  case REQUEST_FLIP: view->flipped = !view->flipped; return true;
  case REQUEST_SAME: return show_same(ui);
  case REQUEST_TREE_ALL: return icicle_unchain(ui);
  case REQUEST_CELL_COLOR: view->heat = !view->heat; return true;
  case REQUEST_TREE_FOLD:
    ui->fold = !ui->fold;
    view->root = view->zooms = view->node = view->wished = 0;
    view->seek = ui->stale = true;
    ui_say(ui, ui->fold ? "recursion folded into its first call" : "recursion is not folded");
    return true;
  default: return go_page(ui, request);
  }
}

static void icicle_menu(struct ui *ui, struct ui_row *row)
{
  const struct icicle_view *view = icicle_view(ui);
  if (view->node == 0) row->frame = 0;
  if (view->node == 0 && view->zooms > 0) row->name = "all";
  if (view->node != view->root) ui_row_can(row, 'z', "zoom in", REQUEST_ZOOM);
  if (view->zooms > 0) ui_row_can(row, 'b', "zoom out", REQUEST_BACK);
  if (view->node != 0) ui_row_can(row, '=', view->same ? "highlight it no more" : "highlight its calls", REQUEST_SAME);
}

static void icicle_note(const struct ui *ui, char *out, size_t bytes)
{
  (void)ui;
  snprintf(out, bytes, "zoom: all");
}

static void icicle_state(const struct ui *ui, char *out, size_t bytes)
{
  uint32_t root = icicle_view(ui)->root;
  if (ui->profile == NULL || root == 0 || root >= ui->tree.count) return;
  snprintf(out, bytes, "zoom: %.100s",
           rtop_symbols_get(rtop_profile_symbols(ui->profile), ui->tree.nodes[root].frame)->label);
}

const struct view_ops view_icicle = {
  .id = VIEW_ICICLE,
  .exact = true,
  .calls = true,
  .tree = true,
  .bytes = sizeof(struct icicle_view),
  .update = icicle_update,
  .open = icicle_open,
  .note = icicle_note,
  .state = icicle_state,
  .handle = icicle_handle,
  .click = icicle_click,
  .row = icicle_menu,
  .rows = icicle_rows,
  .matches = icicle_matches,
  .go = icicle_go_to,
  .seek = icicle_seek_match,
  .forget = icicle_forget,
};
