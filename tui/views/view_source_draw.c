/* SPDX-License-Identifier: MIT */
/* How the source looks. */
#include "view_detail.h"
#include "view_source.h"
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <string.h>

enum { TOTAL_FROM = 50, MORE_FROM = 100, HEAT_FROM = 60, HEAT_COLUMNS = 10, NUMBER = 6, LONG_FROM = 100000 };

struct columns {
  int heat, self, total, wait, alloc, number, text; /* x; 0: not shown */
  int heat_columns, number_columns, text_columns;
};

/* Columns of line numbers and a blank or "?"; what follows them does not move while one file is shown. */
static int number_columns(const struct source_view *view)
{
  bool has_long = view->file.state == SOURCE_READY && view->file.line_count >= LONG_FROM;
  for (uint32_t i = 0; i < view->heat.count && !has_long; i++) has_long = view->heat.lines[i].line >= LONG_FROM;
  return has_long ? NUMBER + 1 : NUMBER;
}

static struct columns source_choose(const struct source_view *view, int width)
{
  struct columns at = { 0 };
  int x = 1;
  if (width >= HEAT_FROM) {
    at.heat = x;
    at.heat_columns = HEAT_COLUMNS;
    x += at.heat_columns;
  }
  at.self = x;
  x += 8;
  at.total = width >= TOTAL_FROM ? x : 0;
  x += at.total > 0 ? 8 : 0;
  if (width >= MORE_FROM) {
    at.wait = x;
    at.alloc = x + 7;
    x += 15;
  }
  at.number = x;
  at.number_columns = number_columns(view);
  at.text = x + at.number_columns + 1;
  at.text_columns = width > at.text ? width - at.text : 0;
  return at;
}

static void source_figure(const struct ui *ui, int y, int x, int columns, enum face face, uint64_t ns)
{
  char text[32];
  double length = ui->sum.length_ns > 0 ? (double)ui->sum.length_ns : 1;
  if (ui->look.units == UNITS_PERCENT) draw_percent(text, sizeof text, 100 * (double)ns / length);
  else draw_time(text, sizeof text, ns);
  draw_figure(y, x, columns, face, text);
}

static const char loop_note[] = "^N: counted on line N   ";

static void draw_file_name(const struct ui *ui, const struct source_view *view, struct rect at)
{
  char right[160], share[32];
  double length = ui->sum.length_ns > 0 ? (double)ui->sum.length_ns : 1;
  draw_percent(share, sizeof share, 100 * (double)view->heat.file_ns / length);
  enum source_age age = source_view_age(ui);
  const char *state = view->file.state == SOURCE_MISSING ? "no such file here"
                      : view->file.state != SOURCE_READY ? "not a file"
                      : age == SOURCE_CHANGED            ? "changed since the start: lines marked ?"
                      : age == SOURCE_AGE_UNKNOWN        ? "cannot tell if disk = loaded: marked ?"
                      : view->file.cut                   ? "cut: too large"
                                                         : "disk = loaded";
  snprintf(right, sizeof right, "%sfile %s%%  (%s)", view->loop_count > 0 ? loop_note : "", share, state);
  if (view->loop_count > 0 && at.columns - rtop_text_width(right) <= 24)
    snprintf(right, sizeof right, "file %s%%  (%s)", share, state);
  int width = rtop_text_width(right);
  bool fits = at.columns - width > 24;
  bool trouble = age != SOURCE_AS_LOADED || view->file.state != SOURCE_READY;
  draw_tail(at.y, at.x + 1, fits ? at.columns - width - 3 : trouble ? 0 : at.columns - 1, FACE_TITLE, view->file.path);
  if (fits) draw_right(at.y, at.x + at.columns - width - 1, width, trouble ? FACE_WARN : FACE_NORMAL, right);
  else if (trouble) draw_text(at.y, at.x + 1, at.columns - 1, FACE_WARN, right);
}

static void source_draw_heading(const struct ui *ui, const struct columns *columns, struct rect at)
{
  bool percent = ui->look.units == UNITS_PERCENT;
  int y = at.y + 1;
  draw_blank(y, at.x, at.columns, FACE_HEADING);
  draw_text(y, at.x + columns->heat, columns->heat_columns, FACE_HEADING, "#own+call");
  bool change = ui->baseline.comparing && !ui->baseline.all;
  draw_right(y, at.x + columns->self, 7, FACE_HEADING, change ? "DELTA" : percent ? "SELF%" : "SELF");
  if (columns->total > 0) draw_right(y, at.x + columns->total, 7, FACE_HEADING, percent ? "TOTAL%" : "TOTAL");
  if (columns->wait > 0) {
    draw_right(y, at.x + columns->wait, 6, FACE_HEADING, percent ? "WAIT%" : "WAIT");
    draw_right(y, at.x + columns->alloc, 7, FACE_HEADING, "ALLOC/s");
  }
  draw_right(y, at.x + columns->number, columns->number_columns - 1, FACE_HEADING, "LINE");
  draw_text(y, at.x + columns->text, columns->text_columns, FACE_HEADING, "SOURCE");
}

static void change(const struct ui *ui, int y, int x, enum face face, uint64_t now_ns, uint64_t before_ns)
{
  char text[32];
  ui_baseline_text(text, sizeof text, ui_baseline_change(ui, now_ns, before_ns));
  draw_right(y, x, 7, face, text);
}

static void draw_costs(const struct ui *ui, const struct source_view *view, const struct heat_line *heat,
                       uint32_t source_line, int y, const struct columns *columns, bool selected)
{
  int x = ui->layout.part[PART_TABLE].x;
  enum face face = selected ? FACE_CURSOR : FACE_NORMAL;
  struct draw_heat bar = { heat->self_ns, heat->total_ns, view->heat.hottest_ns };
  draw_heat(y, x + columns->heat, columns->heat_columns, bar, selected);
  const struct heat_line *before = source_heat_line(&view->before, source_line);
  if (ui->baseline.comparing)
    change(ui, y, x + columns->self, face, heat->self_ns, before != NULL ? before->self_ns : 0);
  else source_figure(ui, y, x + columns->self, 7, face, heat->self_ns);
  if (columns->total > 0 && ui->baseline.comparing && ui->baseline.all)
    change(ui, y, x + columns->total, face, heat->total_ns, before != NULL ? before->total_ns : 0);
  else if (columns->total > 0) source_figure(ui, y, x + columns->total, 7, face, heat->total_ns);
  if (columns->wait > 0) {
    char text[32];
    double seconds = ui->sum.length_ns > 0 ? (double)ui->sum.length_ns / 1e9 : 1;
    source_figure(ui, y, x + columns->wait, 6, face, heat->waiting_ns);
    rtop_text_count(text, sizeof text, (double)heat->allocations / seconds);
    draw_figure(y, x + columns->alloc, 7, face, text);
  }
}

/* Returns the text from a column on; a wide character that is cut at this column becomes a blank. */
static const char *shifted(const char *text, int columns)
{
  while (columns > 0 && *text != '\0') {
    const char *next = text + 1;
    while (((unsigned char)*next & 0xc0) == 0x80) next++;
    char one[8] = "";
    memcpy(one, text, (size_t)(next - text) < sizeof one ? (size_t)(next - text) : 0);
    columns -= rtop_text_width(one);
    text = next;
  }
  return text;
}

static bool own_line(const struct source_view *view, uint32_t line)
{
  for (int i = 0; i < view->detail.lines.count; i++)
    if (view->detail.lines.row[i].id == line) return true;
  return false;
}

struct line_pen {
  const struct ui *ui;
  const struct source_view *view;
  const struct columns *columns;
};

static void source_draw_line(const void *pen, size_t place, int y, bool selected)
{
  const struct ui *ui = ((const struct line_pen *)pen)->ui;
  const struct source_view *view = ((const struct line_pen *)pen)->view;
  const struct columns *columns = ((const struct line_pen *)pen)->columns;
  char text[2048];
  struct rect table = ui->layout.part[PART_TABLE];
  uint32_t line = source_view_line(view, place);
  const struct heat_line *heat = source_heat_line(&view->heat, line);
  uint32_t loop = source_view_loop(view, line);
  if (heat != NULL) draw_costs(ui, view, heat, line, y, columns, selected);
  if (loop > 0 && (heat == NULL || heat_of(heat) == 0) && columns->heat_columns > 0) {
    snprintf(text, sizeof text, "^%u", loop);
    draw_text(y, table.x + columns->heat, columns->heat_columns - 1, selected ? FACE_CURSOR : FACE_PLACE, text);
  }
  snprintf(text, sizeof text, "%u", line);
  draw_right(y, table.x + columns->number, columns->number_columns - 1, selected ? FACE_CURSOR : FACE_PLACE, text);
  if (view->file.state == SOURCE_READY && source_view_age(ui) != SOURCE_AS_LOADED)
    draw_text(y, table.x + columns->number + columns->number_columns - 1, 1, selected ? FACE_CURSOR : FACE_WARN, "?");
  source_file_line(&view->file, line, text, sizeof text);
  enum face face = source_view_matches(ui, line) ? FACE_MATCH
                   : selected                    ? FACE_CURSOR
                   : own_line(view, line)        ? FACE_TITLE
                                                 : FACE_NORMAL;
  draw_text(y, table.x + columns->text, columns->text_columns, face, shifted(text, view->shift));
}

static void draw_no_source(const struct ui *ui, const struct source_view *view, struct rect table)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(ui->profile), view->frame);
  const char *why = symbol->kind == RTOP_SYMBOL_C ? " is written in C: there is no Ruby source to show"
                                                  : " is no method: there is no source to show";
  int x = 1 + draw_text(table.y, table.x + 1, table.columns - 1, FACE_TITLE, symbol->label);
  draw_text(table.y, table.x + x, table.columns - x, FACE_NORMAL, why);
  if (view->detail_ready && ui->layout.part[PART_DETAIL].rows == 0 && table.rows > 3) {
    view_detail_draw((struct ui *)ui, &view->detail, NULL,
                     (struct rect){ table.y + 2, table.x, table.rows - 2, table.columns });
  }
}

static void draw_lines(const struct ui *ui, const struct source_view *view, struct rect table)
{
  struct columns columns = source_choose(view, table.columns);
  size_t rows = source_view_rows(view);
  draw_file_name(ui, view, table);
  source_draw_heading(ui, &columns, table);
  if (rows == 0) {
    draw_text(table.y + 2, table.x + 2, table.columns - 2, FACE_NORMAL,
              view->file.state == SOURCE_READY ? "the file is empty" : "and no line of it cost anything");
  }
  struct ui_rows shown = source_view_table(ui);
  struct line_pen pen = { ui, view, &columns };
  ui_rows_draw(&shown, table, source_draw_line, &pen);
}

void source_draw(struct ui *ui)
{
  struct source_view *view = ui->data[VIEW_SOURCE];
  struct rect table = ui->layout.part[PART_TABLE], pane = ui->layout.part[PART_DETAIL];
  if (ui->layout.tiny || ui->profile == NULL || view->frame == 0) {
    int y = ui->layout.tiny ? 0 : table.y;
    draw_text(y, 0, ui->layout.columns, FACE_NORMAL, "no method is selected: choose one in another view");
    move(y, 0);
    return;
  }
  if (pane.rows > 0 && view->detail_ready && view->ruby) {
    uint32_t line = source_view_line(view, view->pager.cursor);
    if (source_heat_callees(&view->heat, ui->live, rtop_profile_symbols(ui->profile), line, ui->wanted.mode))
      view_detail_source(ui, &view->detail, &view->heat, &view->file, line, pane);
  } else if (pane.rows > 0 && view->detail_ready) {
    view_detail_draw(ui, &view->detail, NULL, pane);
  }
  if (view->ruby) {
    draw_lines(ui, view, table);
  } else {
    draw_no_source(ui, view, table);
    move(table.y, table.x);
  }
}
