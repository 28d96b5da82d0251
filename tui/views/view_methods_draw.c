/* SPDX-License-Identifier: MIT */
/* How the table of methods looks. */
#include "view_detail.h"
#include "view_methods.h"
#include "viewer.h"
#include "tui/tables/thread_words.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <math.h>
#include <ncurses.h>
#include <string.h>

enum { METHOD_NAME_BYTES = 4200 };
enum { STATE_COLUMNS_MIN = 18 }; /* least width (columns) of a method's name at which its state is shown */

struct pen {
  struct ui *ui;
  struct methods_view *view;
  const struct columns_shown *columns;
  struct rect table;
  const struct rtop_method_row *row;
  const struct rtop_symbol *symbol;
  int y;
  bool selected, off; /* off: figures are times off the GVL */
  bool waits;         /* the wait that the verdict names */
};

static enum face face_or_cursor(const struct pen *pen, enum face face)
{
  return pen->selected ? FACE_CURSOR : pen->off && !pen->waits ? FACE_PLACE : face;
}

static void time_text(const struct ui *ui, char *out, size_t bytes, double ns)
{
  if (ui->look.units == UNITS_PERCENT) {
    double length = ui->methods.length_ns > 0 ? (double)ui->methods.length_ns : 1;
    draw_percent(out, bytes, 100 * ns / length);
  } else {
    draw_time(out, bytes, (uint64_t)ns);
  }
}

/* Writes a change with its sign: shares in percentage points, counts per second as such. */
static void methods_change_text(const struct pen *pen, enum rtop_sort_key key, char *out, size_t bytes)
{
  const struct ui *ui = pen->ui;
  double change = rtop_method_delta(pen->row, ui->methods.length_ns, ui_baseline_row(ui, pen->row->frame),
                                    ui->baseline.methods.length_ns, key);
  rtop_changes_text(out, bytes, change, key);
}

static void methods_figure_text(const struct pen *pen, enum rtop_sort_key column, char *out, size_t bytes)
{
  const struct rtop_method_row *row = pen->row;
  const struct ui_baseline *baseline = &pen->ui->baseline;
  if (column == RTOP_SORT_DELTA && (!baseline->comparing || pen->off)) {
    snprintf(out, bytes, "-");
    return;
  }
  if (column == RTOP_SORT_DELTA || (baseline->all && baseline->comparing && !pen->off && rtop_changes_has(column))) {
    methods_change_text(pen, column == RTOP_SORT_DELTA ? baseline->of : column, out, bytes);
    return;
  }
  const struct column_info *info = columns_info(column);
  if (info->figure == RTOP_FIGURE_EXACT) {
    columns_exact_text(row, column, out, bytes);
    return;
  }
  double seconds = (double)pen->ui->methods.length_ns / 1e9;
  double value = rtop_method_value(row, column);
  if (pen->ui->look.units == UNITS_SAMPLES && (column == RTOP_SORT_SELF || column == RTOP_SORT_TOTAL)) {
    rtop_text_count(out, bytes, (double)(column == RTOP_SORT_SELF ? row->self.samples : row->total.samples));
    return;
  }
  switch (info->figure) {
  case RTOP_FIGURE_RATE: rtop_text_count(out, bytes, seconds > 0 ? value / seconds : 0); break;
  case RTOP_FIGURE_COUNT:
  case RTOP_FIGURE_NOW: rtop_text_count(out, bytes, value); break;
  case RTOP_FIGURE_RATIO:
    draw_percent(out, bytes, 100 * rtop_method_ratio((uint64_t)value, pen->ui->methods.length_ns));
    break;
  case RTOP_FIGURE_TIME:
  default: time_text(pen->ui, out, bytes, value); break;
  }
}

static enum face methods_figure_face(const struct pen *pen, enum rtop_sort_key column)
{
  double length = pen->ui->methods.length_ns > 0 ? (double)pen->ui->methods.length_ns : 1;
  double share = rtop_method_value(pen->row, column) / length;
  switch (column) {
  case RTOP_SORT_SELF: return share >= 0.10 ? FACE_TITLE : FACE_NORMAL;
  case RTOP_SORT_WAITING:
  case RTOP_SORT_BLAME: return share >= 0.01 ? FACE_WAIT : FACE_NORMAL;
  case RTOP_SORT_BLOCKED: return share >= 0.01 ? FACE_BLOCKED : FACE_NORMAL;
  case RTOP_SORT_GC: return share >= 0.01 ? FACE_MARK : FACE_NORMAL;
  default: return FACE_NORMAL;
  }
}

/* Returns the height of a bar, by square root, so that a method of one percent is visible and rows can be compared. A
 * share that is displayed as 0.0 has no height. */
static double height(double share)
{
  return share < 0.0005 ? -1 : sqrt(share < 1 ? share : 1);
}

static void draw_history(const struct pen *pen, int x)
{
  double shares[HISTORY_CELLS];
  double length = pen->ui->methods.length_ns > 0 ? (double)pen->ui->methods.length_ns : 1;
  history_get(&pen->view->history, pen->ui->span.end_ns, pen->row->frame, shares);
  shares[HISTORY_CELLS - 1] = (double)pen->row->self_ns / length;
  for (int i = 0; i < HISTORY_CELLS; i++)
    draw_level(pen->y, x + 1 + i, face_or_cursor(pen, FACE_STRIP), height(shares[i]));
}

/* Returns the state with most of the method's self time; RTOP_STATES: it has no self time. */
static enum rtop_state main_state(const struct rtop_method_row *row)
{
  int best = RTOP_STATES;
  for (int state = 0; state < RTOP_STATES; state++) {
    uint64_t ns = row->self.wall_ns[state];
    if (ns > (best < RTOP_STATES ? row->self.wall_ns[best] : 0)) best = state;
  }
  return (enum rtop_state)best;
}

static const struct rtop_symbol *waiter(const struct pen *pen)
{
  uint32_t caller = pen->waits ? pen->ui->verdict.verdict.place.caller : 0;
  return caller != 0 ? rtop_symbols_get(rtop_profile_symbols(pen->ui->profile), caller) : NULL;
}

/* Writes the wait and the application's method, "IO#gets < Db#query", or only that method if there is little room. */
static void write_wait(const struct pen *pen, char *text, size_t bytes, int columns)
{
  char name[METHOD_NAME_BYTES];
  const struct rtop_symbol *symbol = waiter(pen);
  size_t used = (size_t)snprintf(text, bytes, "%s", rtop_symbol_shown(pen->symbol, name, sizeof name));
  if (symbol == NULL || used >= bytes) return;
  const char *caller = rtop_symbol_shown(symbol, name, sizeof name);
  snprintf(text + used, bytes - used, " < %s", caller);
  if (rtop_text_width(text) > columns) snprintf(text, bytes, "%s", caller);
}

static void methods_draw_method(const struct pen *pen, int x, int columns)
{
  enum face face = pen->off && !pen->waits ? FACE_PLACE : rtop_symbol_is_code(pen->symbol) ? FACE_NORMAL : FACE_C;
  if (ui_matches(pen->ui, pen->row->frame)) face = FACE_MATCH;
  if (columns >= STATE_COLUMNS_MIN) {
    enum rtop_state state = main_state(pen->row);
    bool told = !ui_calls_are_shown(pen->ui); /* of calls no state is known */
    const char glyph[2] = { told ? draw_state_glyph(state) : ' ', '\0' };
    draw_text(pen->y, x, 1, face_or_cursor(pen, draw_state_face(state)), glyph);
    x += 2;
    columns -= 2;
  }
  char text[METHOD_NAME_BYTES];
  const char *name = text;
  bool by_name = pen->ui->wanted.sort == RTOP_SORT_NAME; /* whole, as they are sorted */
  if (pen->waits) {
    int used = draw_text(pen->y, x, columns - 1, face_or_cursor(pen, FACE_HOT), "waits: ");
    x += used;
    columns -= used;
    write_wait(pen, text, sizeof text, columns - 1);
  } else {
    name = rtop_symbol_shown(pen->symbol, text, sizeof text);
  }
  draw_text(pen->y, x, columns - 1, pen->selected && face != FACE_MATCH ? FACE_CURSOR : face,
            by_name ? name : ui_label_that_fits(name, columns - 1));
}

static void draw_location(const struct pen *pen, int x, int columns)
{
  char text[1100];
  ui_place(text, sizeof text, waiter(pen) != NULL ? waiter(pen) : pen->symbol);
  draw_tail(pen->y, x, columns, face_or_cursor(pen, FACE_PLACE), text);
}

/* Writes, for an unfinished call, where its thread was last seen, across the remaining row. */
static bool draw_unfinished(const struct pen *pen, enum rtop_sort_key column, int x)
{
  char text[600];
  bool first = !pen->off && pen->row->frame == pen->view->order.first;
  const struct rtop_thread_row *thread = first ? thread_unfinished(&pen->ui->sum) : NULL;
  if (thread == NULL) return false;
  thread_unfinished_words(text, sizeof text, thread, rtop_profile_symbols(pen->ui->profile));
  if (column == RTOP_SORT_NAME)
    draw_text(pen->y, x, pen->table.x + pen->table.columns - x, face_or_cursor(pen, FACE_HOT), text);
  return column == RTOP_SORT_NAME || column == RTOP_SORT_LOCATION;
}

static void methods_draw_cell(const struct pen *pen, enum rtop_sort_key column, int x, int columns)
{
  char text[32];
  if (draw_unfinished(pen, column, x)) return;
  switch (column) {
  case RTOP_SORT_NAME: methods_draw_method(pen, x, columns); break;
  case RTOP_SORT_LOCATION: draw_location(pen, x, columns); break;
  case RTOP_SORT_HISTORY:
    if (!pen->off) draw_history(pen, x);
    break;
  default:
    methods_figure_text(pen, column, text, sizeof text);
    draw_figure(pen->y, x, columns - 1, face_or_cursor(pen, methods_figure_face(pen, column)), text);
  }
}

/* Returns the mark of the sort column, which is absent while rows are held. */
static const char *sort_mark(const struct ui *ui, enum rtop_sort_key column)
{
  const struct methods_view *view = ui->data[VIEW_METHODS];
  bool up = ui->wanted.reverse != (column == RTOP_SORT_NAME || column == RTOP_SORT_LOCATION);
  if (column != ui->wanted.sort) return column >= RTOP_SORT_HISTORY ? "" : " ";
  return ui->now_ns < view->hold_until_ns ? "=" : up ? "^" : "v";
}

static void methods_draw_heading(const struct ui *ui, const struct columns_shown *columns, struct rect table)
{
  draw_blank(table.y, table.x, table.columns, FACE_HEADING);
  for (int i = 0; i < columns->count; i++) {
    enum rtop_sort_key column = columns->at[i].column;
    const struct column_info *info = columns_info(column);
    const char *title = ui->look.units == UNITS_PERCENT ? info->title : info->title_time;
    char text[32];
    bool here = column == ui->wanted.sort;
    snprintf(text, sizeof text, "%s%s", title, sort_mark(ui, column));
    enum face face = here ? FACE_HEADING_SORT : FACE_HEADING;
    int x = table.x + columns->at[i].x;
    x += column == RTOP_SORT_NAME && columns->at[i].columns >= STATE_COLUMNS_MIN ? 2 : 0;
    if (column == RTOP_SORT_NAME || column == RTOP_SORT_LOCATION)
      draw_text(table.y, x, columns->at[i].columns, face, text);
    else if (column == RTOP_SORT_HISTORY) draw_text(table.y, x + 1, columns->at[i].columns - 1, face, text);
    else draw_right(table.y, x, columns->at[i].columns, face, text);
  }
}

/* Draws a row that stands for several methods: "+ (off the GVL: 9.1 threads in 14 methods)", "+ (45
   more below 0.1%)". */
static bool draw_other_rows(const struct pen *pen, size_t place, int y, bool selected)
{
  const struct methods_off *off = &pen->view->off;
  const struct methods_fold *fold = &pen->view->fold;
  bool here = methods_view_is_off(pen->view, place), folds = methods_view_is_fold(pen->view, place);
  char time[32], text[96];
  if (!here && !folds) return false;
  if (here) {
    double length = pen->ui->methods.length_ns > 0 ? (double)pen->ui->methods.length_ns : 1;
    if (pen->ui->look.units == UNITS_PERCENT) snprintf(time, sizeof time, "%.1f threads", (double)off->ns / length);
    else draw_time(time, sizeof time, off->ns);
    snprintf(text, sizeof text, "%c (off the GVL: %s in %zu method%s)", off->open ? '-' : '+', time, off->count,
             off->count == 1 ? "" : "s");
  } else {
    snprintf(text, sizeof text, "%c (%zu %s %s)", fold->open ? '-' : '+', pen->view->order.folded,
             methods_view_above(pen->view) > 0 ? "more" : "methods", fold->by_count ? "without any" : "below 0.1%");
  }
  draw_text(y, pen->table.x + 2, pen->table.columns - 2, selected ? FACE_CURSOR : FACE_PLACE, text);
  return true;
}

static void methods_draw_row(const void *table, size_t place, int y, bool selected)
{
  struct pen pen = *(const struct pen *)table;
  struct rtop_method_row off;
  if (draw_other_rows(&pen, place, y, selected)) return;
  pen.row = methods_view_row(pen.ui, place);
  if (pen.row == NULL) return;
  bool below = methods_view_below_off(pen.view, place);
  pen.waits = !below && methods_view_is_wait(pen.ui, pen.row);
  pen.off = below || (pen.waits && pen.ui->wanted.mode != RTOP_MODE_WALL);
  if (pen.off) {
    off = *pen.row;
    off.self_ns = off.self.wall_ns[RTOP_STATE_BLOCKED];
    off.total_ns = off.total.wall_ns[RTOP_STATE_BLOCKED];
    pen.row = &off;
  }
  if (waiter(&pen) != NULL) {
    off = *pen.row;
    off.self_ns = off.total_ns = methods_view_waited_ns(pen.ui, &off);
    pen.row = &off;
  }
  pen.symbol = rtop_symbols_get(rtop_profile_symbols(pen.ui->profile), pen.row->frame);
  pen.y = y;
  pen.selected = selected;
  for (int i = 0; i < pen.columns->count; i++)
    methods_draw_cell(&pen, pen.columns->at[i].column, pen.table.x + pen.columns->at[i].x, pen.columns->at[i].columns);
}

static void draw_table(struct ui *ui, struct methods_view *view, struct rect table)
{
  struct columns_shown columns;
  columns_fit(&columns, &ui->look.columns, table.columns, ui->wanted.sort, ui->look.scroll);
  view->has_history = false;
  for (int i = 0; i < columns.count; i++)
    view->has_history = view->has_history || columns.at[i].column == RTOP_SORT_HISTORY;
  methods_draw_heading(ui, &columns, table);
  if (methods_view_rows(ui).count == 0) ui_draw_empty(table, ui_why_empty(ui));
  struct ui_rows rows = methods_view_rows(ui);
  struct pen pen = { .ui = ui, .view = view, .columns = &columns, .table = table };
  ui_rows_draw(&rows, table, methods_draw_row, &pen);
}

static void methods_draw_tiny(struct ui *ui)
{
  char text[256], share[16];
  const struct rtop_method_row *row = methods_view_row(ui, 0);
  if (row == NULL) {
    draw_text(0, 0, ui->layout.columns, FACE_NORMAL, ui_why_empty(ui));
    return;
  }
  draw_percent(share, sizeof share, 100 * (double)row->self_ns / (double)(ui->methods.length_ns + 1));
  snprintf(text, sizeof text, "%s%% %s", share,
           rtop_symbol_words(rtop_symbols_get(rtop_profile_symbols(ui->profile), row->frame)));
  draw_text(0, 0, ui->layout.columns, FACE_NORMAL, text);
}

void methods_draw(struct ui *ui)
{
  struct methods_view *view = ui->data[VIEW_METHODS];
  struct rect table = ui->layout.part[PART_TABLE], pane = ui->layout.part[PART_DETAIL];
  bool calls = ui_calls_are_shown(ui);
  struct detail_beside beside = { &view->file, view->heat_ready ? &view->heat : NULL, calls ? NULL : &view->labels,
                                  calls ? NULL : &view->raised };
  if (ui->layout.tiny) {
    methods_draw_tiny(ui);
    return;
  }
  if (view->details_open && pane.rows == 0 && view->detail_ready) {
    view_detail_draw(ui, &view->detail, &beside, table);
    move(table.y, table.x);
    return;
  }
  if (pane.rows > 0 && view->detail_ready) view_detail_draw(ui, &view->detail, &beside, pane);
  draw_table(ui, view, table);
}
