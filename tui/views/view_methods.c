/* SPDX-License-Identifier: MIT */
/* The method table: order, cursor, search, columns. view_methods_draw.c draws the rows. */
#include "view_methods.h"
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/tables/thread_words.h"
#include "tui/term/screen.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_row_menu.h"
#include <stdlib.h>
#include <string.h>

static const double FOLD_SHARE = 0.0005, FOLD_COUNT = 0.5; /* smaller figures read as zero */
enum { HOLD_NS = 2000000000, FILE_NS = 1000000000, LABELS_NS = 1000000000 };

static struct methods_view *methods_view(const struct ui *ui)
{
  return ui->data[VIEW_METHODS];
}

static void methods_forget(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  order_destroy(&view->order);
  order_destroy(&view->off.order);
  history_destroy(&view->history);
  detail_destroy(&view->detail);
  source_heat_destroy(&view->heat);
  source_file_close(&view->file);
  label_shares_destroy(&view->labels);
  raised_list_destroy(&view->raised);
  memset(view, 0, sizeof *view);
}

const struct rtop_method_row *methods_view_row(const struct ui *ui, size_t place)
{
  const struct methods_view *view = methods_view(ui);
  bool below = methods_view_below_off(view, place);
  const struct order *order = below ? &view->off.order : &view->order;
  size_t at = below ? place - methods_view_off_place(view) - 1 : place;
  if (!below && view->fold.shown && place >= methods_view_above(view)) {
    if (!view->fold.open || place == methods_view_above(view)) return NULL;
    at--;
  }
  /* The order may have been made before another view was shown, so its indexes are checked. */
  bool known = at < order->count && order->rows[at] < ui->methods.count;
  return known ? &ui->methods.rows[order->rows[at]] : NULL;
}

struct ui_rows methods_view_rows(const struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  size_t off = view->off.shown ? 1 + view->off.order.count : 0;
  return ui_rows_of(ui, &view->pager, methods_view_off_place(view) + off, 1, 0);
}

bool methods_view_row_matches(const struct ui *ui, size_t place)
{
  const struct rtop_method_row *row = methods_view_row(ui, place);
  return row != NULL && ui_matches(ui, row->frame);
}

/* Uses an order that the user chose: no row is held in its old place. */
static void take_order(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  bool calls = ui_calls_are_shown(ui);
  if (view->calls != calls) { /* other rows: they open at their top */
    view->pager = (struct pager){ 0 };
    view->anchored = false;
  }
  if (view->sorted != ui->wanted.sort || view->reversed != ui->wanted.reverse || view->mode != ui->wanted.mode ||
      view->calls != calls) {
    view->calls = calls;
    view->mode = ui->wanted.mode;
    view->sorted = ui->wanted.sort;
    view->reversed = ui->wanted.reverse;
    order_forget(&view->order);
    view->hold_until_ns = 0;
    ui->look.scroll = 0;
    view->reordered = true;
  }
}

/* Row of the chosen method; UINT32_MAX: it has none. */
static size_t anchor_place(const struct methods_view *view)
{
  size_t above = methods_view_above(view), off_place = methods_view_off_place(view);
  if (view->anchor == 0 && view->anchor_fold) return view->fold.shown ? above : UINT32_MAX;
  if (view->anchor == 0) return view->off.shown ? off_place : UINT32_MAX;
  size_t place = order_place(&view->order, view->anchor), below = order_place(&view->off.order, view->anchor);
  bool off = view->off.shown && below < view->off.order.count && (view->anchor_off || place >= view->order.count);
  if (off) return off_place + 1 + below;
  if (place < above) return place;
  return place < view->order.count && view->fold.open ? place + 1 : UINT32_MAX;
}

/* Moves the cursor to its method's row; if the table lacks the method, the cursor stays at its row. */
static void methods_follow(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  if (!view->anchored || !ui->follow) return;
  size_t place = anchor_place(view);
  if (place < UINT32_MAX) pager_follow(&view->pager, place, methods_view_rows(ui).page);
}

/* Shows the top after a change of order, wherever the method of the cursor is. */
static void show_top(struct ui *ui)
{
  struct pager *pager = &methods_view(ui)->pager;
  if (methods_view(ui)->reordered) {
    pager->top = 0;
    pager->away = pager->cursor >= methods_view_rows(ui).page;
  }
  methods_view(ui)->reordered = false;
}

static void methods_anchor_here(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  const struct rtop_method_row *row = methods_view_row(ui, view->pager.cursor);
  view->anchor_fold = methods_view_is_fold(view, view->pager.cursor);
  view->anchored = row != NULL || view->anchor_fold || methods_view_is_off(view, view->pager.cursor);
  view->anchor_off = methods_view_below_off(view, view->pager.cursor);
  ui->selected = view->anchor = row != NULL ? row->frame : 0;
}

static bool details_shown(const struct ui *ui)
{
  return ui->layout.part[PART_DETAIL].rows > 0 || methods_view(ui)->details_open;
}

/* Opens the file when another method is selected; otherwise checks it at most once a second. */
static void update_file(struct ui *ui, uint32_t frame)
{
  struct methods_view *view = methods_view(ui);
  const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(ui->profile), frame);
  bool other = strcmp(view->file.path, symbol->path) != 0;
  if (!rtop_symbol_has_source(symbol)) {
    source_file_close(&view->file);
  } else if (other || ui->now_ns >= view->file_until_ns) {
    source_file_open(&view->file, ui_source_pid(ui), ui_source_owner(ui), symbol->path);
    view->file_until_ns = ui->now_ns + FILE_NS;
  }
}

/* Updates the labels, which need a walk through windows: at once for another method, else once a second. */
static void update_labels(struct ui *ui, uint32_t frame)
{
  struct methods_view *view = methods_view(ui);
  struct methods_labels wanted = { frame, rtop_lens_version(rtop_profile_lens(ui->profile)), ui->wanted.mode,
                                   ui->frozen ? ui->sum.span.end_ns : 0 };
  const struct methods_labels *had = &view->labels_of;
  bool same = !ui->touched && had->frame == frame && had->lens == wanted.lens && had->mode == wanted.mode &&
              had->frozen_ns == wanted.frozen_ns;
  if (!rtop_symbols_labelled(rtop_profile_symbols(ui->profile)) || (same && ui->now_ns < view->labels_until_ns)) return;
  if (!label_shares_build(&view->labels, ui->profile, &ui->sum, frame, ui->wanted.mode))
    ui_say(ui, "out of memory: no labels");
  view->labels_of = wanted;
  view->labels_until_ns = ui->now_ns + LABELS_NS;
}

/* Updates the exceptions, as rarely as the labels, since the span may be long. */
static void update_raised(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  struct methods_raised wanted = { rtop_lens_version(rtop_profile_lens(ui->profile)),
                                   ui->frozen ? ui->sum.span.end_ns : 0 };
  bool same = !ui->touched && view->raised_of.lens == wanted.lens && view->raised_of.frozen_ns == wanted.frozen_ns;
  if (same && ui->now_ns < view->raised_until_ns) return;
  if (!raised_list_build(&view->raised, ui->profile, ui->span)) ui_say(ui, "out of memory: no exceptions");
  view->raised_of = wanted;
  view->raised_until_ns = ui->now_ns + LABELS_NS;
}

/* Updates the heat of lines, for the pane only: in place of the table there is no room for a method's text. */
static void update_heat(struct ui *ui, uint32_t frame)
{
  struct methods_view *view = methods_view(ui);
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, frame);
  view->heat_ready = !view->lists && ui->layout.part[PART_DETAIL].rows > 0 && rtop_symbol_has_source(symbol) &&
                     view->file.state == SOURCE_READY &&
                     source_heat_build(&view->heat, ui->live, symbols, symbol, ui->wanted.mode);
}

static bool verdict_names_wait(const struct ui *ui)
{
  enum verdict_kind kind = ui->verdict.verdict.kind;
  return ui->verdict.made && (kind == VERDICT_LOCK || kind == VERDICT_BLOCKED);
}

bool methods_view_is_wait(const struct ui *ui, const struct rtop_method_row *row)
{
  const struct methods_view *view = methods_view(ui);
  return row->frame == view->order.first && verdict_names_wait(ui) && row->frame == ui->verdict.verdict.place.leaf &&
         row->self.wall_ns[RTOP_STATE_BLOCKED] > 0;
}

uint64_t methods_view_waited_ns(const struct ui *ui, const struct rtop_method_row *row)
{
  double ns = ui->verdict.verdict.blocked * (double)ui->methods.length_ns;
  uint64_t most_ns = row->self.wall_ns[RTOP_STATE_BLOCKED];
  return ns < (double)most_ns ? (uint64_t)ns : most_ns;
}

/* The cursor is on that row. */
static bool on_wait(const struct ui *ui)
{
  const struct methods_view *view = methods_view(ui);
  const struct rtop_method_row *row = methods_view_row(ui, view->pager.cursor);
  return row != NULL && !methods_view_below_off(view, view->pager.cursor) && methods_view_is_wait(ui, row);
}

/* Returns the method of the details; 0: the row is not a method. For the wait that the verdict names, that is
 * the application's method. */
static uint32_t detail_frame(const struct ui *ui)
{
  const struct rtop_method_row *row = methods_view_row(ui, methods_view(ui)->pager.cursor);
  const struct verdict_place *place = &ui->verdict.verdict.place;
  if (row == NULL) return 0;
  return on_wait(ui) && place->caller != 0 ? place->caller : row->frame;
}

/* Updates the details. Below the row for time off the GVL, for the wait that the verdict names, and for the culprit of
 * a stall off the GVL, they show time off the GVL. */
static void methods_update_detail(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  uint32_t frame = detail_frame(ui);
  bool off = on_wait(ui) || methods_view_below_off(view, view->pager.cursor) || ui_stalls_is_off_gvl(ui);
  enum rtop_mode mode = off ? RTOP_MODE_WALL : ui->wanted.mode;
  view->detail_ready =
      frame != 0 && details_shown(ui) && detail_build(&view->detail, ui_shown_live(ui), symbols, frame, mode);
  view->heat_ready = false;
  if (view->detail_ready) {
    const struct rtop_method_row *row = methods_view_row(ui, view->pager.cursor);
    view->detail.waits_ns = on_wait(ui) && row->frame != frame ? methods_view_waited_ns(ui, row) : 0;
    detail_lead(&view->detail, symbols, ui_way_node(ui));
    update_file(ui, frame);
    if (ui_calls_are_shown(ui)) return; /* counted calls have neither labels nor lines */
    update_labels(ui, frame);
    update_raised(ui);
    update_heat(ui, frame);
  }
}

static void leave_out(const void *ui, struct rtop_sum *sum)
{
  ui_focus_apply_to(ui, sum);
}

/* Updates the histories: one cell at a time if the column is only shown, all cells at once if rows are sorted by it. */
static void update_history(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  struct history_look look = { ui->wanted.mode, ui_focus_key(ui), leave_out, ui };
  bool sorted = ui->wanted.sort == RTOP_SORT_HISTORY;
  if (ui_calls_are_shown(ui)) return;
  if (view->has_history || sorted) do {
      ui->more = history_update(&view->history, ui->profile, ui->span.end_ns, &look);
    } while (sorted && ui->more);
  if (sorted) history_peaks(&view->history, ui->span.end_ns, &ui->methods);
}

/* Gives time off the GVL a row of its own in busy mode, unless the user requested that time. */
static void fold_off(struct ui *ui)
{
  struct methods_off *off = &methods_view(ui)->off;
  enum rtop_sort_key sort = ui->wanted.sort;
  bool folds = ui->wanted.mode == RTOP_MODE_BUSY && sort != RTOP_SORT_BLOCKED && sort != RTOP_SORT_TOTAL_BLOCKED;
  off->count = off->ns = 0;
  for (size_t i = 0; folds && i < ui->methods.count; i++) {
    const struct rtop_method_row *row = &ui->methods.rows[i];
    off->ns += row->gone ? 0 : row->self.wall_ns[RTOP_STATE_BLOCKED];
    off->count += order_is_off(row) || (!row->gone && row->self.wall_ns[RTOP_STATE_BLOCKED] > 0);
  }
  off->shown = off->count > 0;
  methods_view(ui)->order.part = folds ? ORDER_BUSY : ORDER_ALL;
}

/* Finds the first row if rows are sorted by cost: an unfinished call, else the wait that the verdict names. */
static void find_first(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  enum rtop_sort_key sort = ui->wanted.sort;
  view->order.first = 0;
  if (ui_calls_are_shown(ui)) return;
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  uint32_t node = rtop_symbols_unsampled(symbols);
  bool down = !ui->wanted.reverse && columns_info(sort)->figure == RTOP_FIGURE_TIME;
  bool lasts = down && node != 0 && thread_unfinished(&ui->sum) != NULL;
  if (lasts) view->order.first = rtop_symbols_get_node(symbols, node)->frame;
  else if (verdict_names_wait(ui) && down && (sort == RTOP_SORT_SELF || sort == RTOP_SORT_TOTAL))
    view->order.first = ui->verdict.verdict.place.leaf;
}

/* Folds rows whose displayed value is zero, unless the user filters, compares, or sorts the smallest first. */
static void choose_fold(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  struct order *order = &view->order;
  enum rtop_figure figure = columns_info(ui->wanted.sort)->figure;
  double length = (double)ui->methods.length_ns;
  view->fold.by_count = figure == RTOP_FIGURE_RATE || figure == RTOP_FIGURE_COUNT || figure == RTOP_FIGURE_NOW;
  order->fold_below = 0;
  order->kept = view->fold.open || view->anchor_off ? 0 : view->anchored ? view->anchor : 0;
  if (ui->wanted.reverse || ui->filter[0] != '\0' || ui->baseline.comparing) return;
  if (figure == RTOP_FIGURE_TIME || figure == RTOP_FIGURE_RATIO) order->fold_below = length * FOLD_SHARE;
  else if (view->fold.by_count) order->fold_below = figure == RTOP_FIGURE_RATE ? length / 1e9 * FOLD_COUNT : FOLD_COUNT;
}

static void apply_order(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  struct order *off = &view->off.order;
  size_t frames = rtop_symbols_frame_count(rtop_profile_symbols(ui->profile));
  bool hold = ui->now_ns < view->hold_until_ns;
  fold_off(ui);
  find_first(ui);
  choose_fold(ui);
  view->order.shares = off->shares = ui->look.units == UNITS_PERCENT;
  if (!order_apply(&view->order, &ui->methods, ui->wanted.sort, ui->wanted.reverse, hold, frames))
    view->order.count = view->order.folded = 0;
  view->fold.shown = view->order.folded > 1;
  off->part = ORDER_OFF;
  off->first = view->anchor_off && ui_stalls_is_off_gvl(ui) ? ui->stalls.selected : 0;
  if (!view->off.shown || !view->off.open ||
      !order_apply(off, &ui->methods, RTOP_SORT_BLOCKED, false, hold && off->count > 0, frames)) {
    off->count = 0;
    order_forget(off);
  }
}

static void methods_update(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  if (ui->profile == NULL) return;
  update_history(ui);
  take_order(ui);
  apply_order(ui);
  methods_follow(ui);
  show_top(ui);
  ui_rows_fit(ui);
  if (!view->anchored && methods_view_row(ui, view->pager.cursor) != NULL)
    ui->selected = methods_view_row(ui, view->pager.cursor)->frame;
  ui_rows_count(ui);
  methods_update_detail(ui);
}

/* Call after the user moved the cursor. */
static void methods_moved(struct ui *ui)
{
  methods_view(ui)->hold_until_ns = ui->now_ns + HOLD_NS;
  methods_view(ui)->pager.away = false;
  methods_anchor_here(ui);
  ui_rows_fit(ui);
  ui_rows_count(ui);
  methods_update_detail(ui);
}

void methods_view_go(struct ui *ui, size_t place)
{
  methods_view(ui)->pager.cursor = place;
  methods_moved(ui);
}

/* Moves the cursor to the top, where it keeps its row instead of following a method. */
static bool go_first(struct ui *ui)
{
  ui_rows_request(ui, REQUEST_FIRST);
  methods_view(ui)->anchored = false;
  return true;
}

static bool scroll_columns(struct ui *ui, int step)
{
  int max = columns_scroll_max(&ui->look.columns, ui->layout.part[PART_TABLE].columns, ui->wanted.sort);
  int scroll = ui->look.scroll + step;
  ui->look.scroll = scroll < 0 ? 0 : scroll > max ? max : scroll;
  ui->stale = true; /* other columns may need other figures */
  return true;
}

static bool close_details(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  bool was_open = view->details_open;
  view->details_open = false;
  return was_open;
}

/* Is the column of ratios shown at this width of the screen? */
bool methods_view_ratios(const struct ui *ui)
{
  struct columns_shown shown;
  columns_fit(&shown, &ui->look.columns, COLS, ui->wanted.sort, ui->look.scroll);
  for (int i = 0; i < shown.count; i++)
    if (shown.at[i].column == RTOP_SORT_RATIO) return true;
  return ui->wanted.sort == RTOP_SORT_RATIO;
}

/* Handles a click: on a row, or on a column to sort by; the same column again reverses the order. */
static void methods_click(struct ui *ui, int row, int x)
{
  struct methods_view *view = methods_view(ui);
  struct columns_shown shown;
  if (view->details_open && ui->layout.part[PART_DETAIL].rows == 0) {
    close_details(ui);
  } else if (row > 0) {
    ui_rows_click(ui, row, x);
    return;
  }
  columns_fit(&shown, &ui->look.columns, ui->layout.part[PART_TABLE].columns, ui->wanted.sort, ui->look.scroll);
  for (int i = 0; row == 0 && i < shown.count; i++) {
    if (x >= shown.at[i].x && x < shown.at[i].x + shown.at[i].columns) {
      ui->wanted.reverse = ui->wanted.sort == shown.at[i].column && !ui->wanted.reverse;
      ui->wanted.sort = shown.at[i].column;
      ui->stale = true;
    }
  }
}

/* Opens or closes the row for folded methods. */
static bool toggle_row(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  bool fold = methods_view_is_fold(view, view->pager.cursor), off = methods_view_is_off(view, view->pager.cursor);
  bool *open = fold ? &view->fold.open : &view->off.open;
  if (!fold && !off) return false;
  *open = !*open;
  size_t seen = fold ? view->order.folded : 0;
  methods_update(ui);
  struct ui_rows rows = methods_view_rows(ui);
  size_t end = fold ? view->pager.cursor + 1 + seen : rows.count, last = end > rows.page ? end - rows.page : 0;
  if (*open && last > view->pager.top) /* what was opened is seen */
    view->pager.top = last < view->pager.cursor ? last : view->pager.cursor;
  return true;
}

/* Searches among folded methods, or methods off the GVL, which are opened for a match. */
static bool seek_in(struct ui *ui, bool *open)
{
  struct methods_view *view = methods_view(ui);
  size_t from = open == &view->fold.open ? methods_view_above(view) : methods_view_off_place(view);
  *open = true;
  apply_order(ui);
  for (size_t place = from + 1; place < methods_view_rows(ui).count; place++) {
    if (methods_view_row_matches(ui, place)) {
      methods_view_go(ui, place);
      return true;
    }
  }
  *open = false;
  apply_order(ui);
  return false;
}

static bool methods_seek(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  bool folded = view->fold.shown && !view->fold.open && seek_in(ui, &view->fold.open);
  return folded || (view->off.shown && !view->off.open && seek_in(ui, &view->off.open));
}

static bool methods_handle(struct ui *ui, enum request request)
{
  struct methods_view *view = methods_view(ui);
  switch (request) {
  case REQUEST_FIRST: return go_first(ui);
  case REQUEST_FOLLOW:
    ui->follow = !ui->follow;
    methods_anchor_here(ui);
    ui_say(ui, ui->follow ? "the cursor follows its method" : "the cursor stays on its row");
    return true;
  case REQUEST_LEFT: return scroll_columns(ui, -1);
  case REQUEST_RIGHT: return scroll_columns(ui, 1);
  case REQUEST_OFF_ROW:
  case REQUEST_ENTER: return toggle_row(ui);
  case REQUEST_LISTS: /* If there is no room for a pane, the details replace the table. */
    if (ui->layout.part[PART_DETAIL].rows > 0) view->lists = !view->lists;
    else view->details_open = !view->details_open;
    methods_update_detail(ui);
    return true;
  case REQUEST_BACK:
  case REQUEST_QUIT: return close_details(ui);
  default: return false;
  }
}

/* Returns the row for a culprit of a stall that has no row of its own, because it only called the method that took the
 * time: that method's row. */
static uint32_t row_for(const struct ui *ui, struct methods_view *view)
{
  bool stall = ui->profile != NULL && ui_stalls_selected(ui) && ui->stalls.frame != 0;
  view->anchor = ui->selected;
  return stall && anchor_place(view) == UINT32_MAX ? ui->stalls.frame : ui->selected;
}

/* Is the wait of the first row, which the verdict names, the wait of the stall off the GVL? */
static bool first_row_tells_stall(const struct ui *ui)
{
  const struct rtop_method_row *row = methods_view_row(ui, 0);
  const struct verdict_place *place = &ui->verdict.verdict.place;
  return row != NULL && methods_view_is_wait(ui, row) && place->leaf == ui->stalls.frame &&
         (place->caller != 0 ? place->caller : place->leaf) == ui->stalls.selected;
}

/* Moves the cursor to the top row; in other views, the application's method is selected. */
static void go_to_first_row(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  view->pager = (struct pager){ 0 };
  view->anchored = true;
  view->anchor_off = view->anchor_fold = false;
  view->anchor = ui->stalls.frame;
  view->detail_ready = false; /* the method may be the same, but its time is counted differently */
}

/* Opens the view. Another view may have selected another method. The culprit of a stall off the GVL is shown in the row
   that has its time. */
static void methods_open(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  bool off_gvl = ui->profile != NULL && ui->stalls.seek && view->off.shown && ui_stalls_is_off_gvl(ui);
  if (off_gvl && first_row_tells_stall(ui)) {
    go_to_first_row(ui);
    return;
  }
  if (off_gvl) {
    view->off.open = view->anchor_off = true;
    apply_order(ui);
  }
  if (ui->selected != 0 && ui->selected != ui->chosen) {
    /* This method was only selected by another view's cursor: the list stays at its top. */
    if (view->anchored && view->anchor != 0) ui->selected = view->anchor;
  } else if (ui->selected != 0 && (view->anchored || methods_view_row(ui, view->pager.cursor) == NULL ||
                                   methods_view_row(ui, view->pager.cursor)->frame != ui->selected)) {
    bool followed = ui->follow;
    view->anchored = ui->follow = true;
    view->anchor = row_for(ui, view);
    methods_follow(ui);
    ui->follow = followed;
    view->pager.away = false;
  }
}

/* Describes the row for the menu. The method that the menu names stays selected, even if the cursor keeps its row. */
void methods_view_menu(struct ui *ui, struct ui_row *row)
{
  struct methods_view *view = methods_view(ui);
  const struct rtop_method_row *here = methods_view_row(ui, view->pager.cursor);
  bool fold = methods_view_is_fold(view, view->pager.cursor);
  if (fold || methods_view_is_off(view, view->pager.cursor)) {
    row->frame = 0;
    row->name = fold ? "the others" : "off the GVL";
    ui_row_can(row, 'o', (fold ? view->fold.open : view->off.open) ? "close" : "open", REQUEST_OFF_ROW);
    return;
  }
  if (here != NULL && here->frame == ui->selected) methods_anchor_here(ui);
  ui_row_can(row, 'D', ui->layout.part[PART_DETAIL].rows > 0 ? "source or lists beside it" : "details", REQUEST_LISTS);
}

/* Writes which time counts: in wall time, threads that wait for work would be at the top. */
static void methods_note(const struct ui *ui, char *out, size_t bytes)
{
  bool wall = ui->wanted.mode == RTOP_MODE_WALL && !ui_calls_are_shown(ui); /* of calls there is one clock */
  if (wall) snprintf(out, bytes, ui->layout.wide ? "wall time, sleep and I/O too: W busy time" : "W=busy");
  else snprintf(out, bytes, "filter: (none)");
}

static void methods_prepare(struct ui *ui)
{
  struct methods_view *view = methods_view(ui);
  ui_rows_fit(ui);
  if (details_shown(ui) && (!view->detail_ready || view->detail.frame != detail_frame(ui))) methods_update_detail(ui);
}

const struct view_ops view_methods = {
  .id = VIEW_METHODS,
  .exact = true,
  .detail = true,
  .text = true,
  .bytes = sizeof(struct methods_view),
  .ratios = methods_view_ratios,
  .update = methods_update,
  .row = methods_view_menu,
  .open = methods_open,
  .note = methods_note,
  .prepare = methods_prepare,
  .handle = methods_handle,
  .click = methods_click,
  .rows = methods_view_rows,
  .matches = methods_view_row_matches,
  .go = methods_view_go,
  .seek = methods_seek,
  .forget = methods_forget,
};
