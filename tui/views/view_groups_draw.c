/* SPDX-License-Identifier: MIT */
/* Draws the groups: a tree each, with a bar per row and the threshold as a line across the bars. */
#include "view_groups.h"
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <string.h>

enum { FIGURE_COLUMNS = 7, CALLS_COLUMNS = 11, SELF_FROM = 48, BAR_FROM = 60, PLACE_FROM = 110, PLACE_COLUMNS = 32 };

struct groups_pen {
  struct ui *ui;
  const struct groups_view *view;
  struct rect table;
  int figures; /* column of the total, which self follows; for calls their number comes first */
  bool calls, self;
  int tree, tree_columns;
  int place;            /* column; 0: not shown */
  int bar, bar_columns; /* 0: not shown */
  int line;             /* column of the threshold within the bar; -1: none */
  int map_columns;      /* at the right; 0: not shown */
  enum rtop_groups_measure measure;
  uint64_t most; /* by that measure */
};

static struct groups_pen take_pen(struct ui *ui, const struct groups_view *view)
{
  struct groups_pen pen = { .ui = ui, .view = view, .table = ui->layout.part[PART_TABLE] };
  int width = pen.table.columns;
  pen.calls = ui_calls_are_shown(ui);
  pen.figures = 1 + (pen.calls ? CALLS_COLUMNS : 0);
  pen.self = width >= SELF_FROM;
  pen.tree = 1 + pen.figures + (pen.self ? 2 : 1) * FIGURE_COLUMNS;
  pen.bar_columns = width < BAR_FROM ? 0 : width / 4 < 40 ? width / 4 : 40;
  pen.map_columns = groups_view_map_columns(ui);
  pen.bar = width - pen.map_columns - pen.bar_columns;
  pen.measure = groups_view_measure(ui);
  pen.most = pen.measure == RTOP_GROUPS_BY_TIME ? view->groups.most_ns : rtop_groups_most(&view->groups, pen.measure);
  pen.place = width < PLACE_FROM ? 0 : pen.bar - PLACE_COLUMNS;
  pen.tree_columns = (pen.place > 0 ? pen.place : pen.bar) - pen.tree;
  double most = ui_share(ui, view->groups.most_ns), least = groups_view_threshold(ui, view) / 100;
  bool time = pen.measure == RTOP_GROUPS_BY_TIME;
  pen.line = time && most > 0 && least > 0 ? (int)(least / most * (pen.bar_columns - 1)) : -1;
  return pen;
}

static void groups_draw_heading(const struct groups_pen *pen)
{
  const struct ui *ui = pen->ui;
  bool percent = ui->look.units == UNITS_PERCENT;
  enum rtop_sort_key sort = rtop_sort_key_of_calls(ui->wanted.sort);
  bool total = sort == RTOP_SORT_TOTAL, calls = pen->calls && sort == RTOP_SORT_COUNT;
  const char *mark = ui->wanted.reverse ? "^" : "v";
  struct rect at = pen->table;
  char text[64];
  draw_blank(at.y, at.x, at.columns, FACE_HEADING);
  if (pen->calls) {
    snprintf(text, sizeof text, "CALLS%s", calls ? mark : " ");
    draw_right(at.y, at.x + 1, CALLS_COLUMNS, calls ? FACE_HEADING_SORT : FACE_HEADING, text);
  }
  snprintf(text, sizeof text, "%s%s", percent ? "TOTAL%" : "TOTAL", total ? mark : " ");
  draw_right(at.y, at.x + pen->figures, FIGURE_COLUMNS, total ? FACE_HEADING_SORT : FACE_HEADING, text);
  if (pen->self) {
    draw_right(at.y, at.x + pen->figures + FIGURE_COLUMNS, FIGURE_COLUMNS - 1, FACE_HEADING,
               ui->baseline.comparing && !ui->baseline.all ? "DELTA"
               : percent                                   ? "SELF%"
                                                           : "SELF");
  }
  snprintf(text, sizeof text, "GROUPS");
  if (!total && !calls) snprintf(text, sizeof text, "GROUPS  (by %s%s)", rtop_sort_key_name(sort), mark);
  draw_text(at.y, at.x + pen->tree, pen->tree_columns, FACE_HEADING, text);
  if (pen->place > 0) draw_text(at.y, pen->place, PLACE_COLUMNS - 1, FACE_HEADING, "LOCATION");
  if (pen->bar_columns > 0) {
    if (pen->measure != RTOP_GROUPS_BY_TIME)
      draw_text(at.y, at.x + pen->bar, pen->bar_columns, FACE_HEADING, pen->calls ? "CALLS" : "SAMPLES");
    else
      draw_format(at.y, at.x + pen->bar, pen->bar_columns, FACE_HEADING, "TIME  %s %s%g%%", draw_is_ascii() ? "!" : "┊",
                  pen->bar_columns < 26 ? "" : "threshold ", groups_view_threshold(ui, pen->view));
  }
}

static void groups_frame_text(const struct rtop_group_row *row, char *out, size_t bytes)
{
  bool ascii = draw_is_ascii();
  size_t used = 0;
  out[0] = '\0';
  for (uint32_t depth = 1; depth < row->depth && used + 8 < bytes; depth++) {
    bool goes_on = depth < 64 && (row->lines >> depth & 1) != 0;
    used += (size_t)snprintf(out + used, bytes - used, "%s", goes_on ? ascii ? "| " : "│ " : "  ");
  }
  if (row->depth > 0 && used + 8 < bytes)
    used += (size_t)snprintf(out + used, bytes - used, "%s", row->last ? ascii ? "`-" : "└─" : ascii ? "|-" : "├─");
  const char *box = row->reference    ? ascii ? "--> " : "──→ "
                    : row->below == 0 ? ascii ? "--- " : "─── "
                    : row->open       ? "[-] "
                                      : "[+] ";
  snprintf(out + used, bytes - used, "%s", box);
}

/* Writes the annotation after the name of a row. */
static void tail_text(const struct rtop_group_row *row, char *out, size_t bytes)
{
  char calls[48] = "";
  if (row->depth == 0 && row->callers > 1) snprintf(calls, sizeof calls, "  (%u callers)", row->callers);
  snprintf(out, bytes, "%s%s", calls, row->recursive ? "  recursive" : "");
}

static void groups_draw_method(const struct groups_pen *pen, const struct rtop_group_row *row, int y, bool selected)
{
  char frame[1024], tail[64];
  const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(pen->ui->profile), row->frame);
  enum face face = symbol->kind == RTOP_SYMBOL_C ? FACE_C : row->depth == 0 ? FACE_TITLE : FACE_NORMAL;
  int x = pen->tree, end = x + pen->tree_columns - 1;
  groups_frame_text(row, frame, sizeof frame);
  tail_text(row, tail, sizeof tail);
  x += draw_text(y, x, end - x, selected ? FACE_CURSOR : FACE_NORMAL, frame);
  int room = end - x - (int)strlen(tail);
  face = ui_matches(pen->ui, row->frame) ? FACE_MATCH : selected ? FACE_CURSOR : face;
  x += draw_text(y, x, room > 12 ? room : end - x, face, rtop_symbol_shown(symbol, frame, sizeof frame));
  draw_text(y, x, end - x, selected ? FACE_CURSOR : FACE_LABEL, tail);
  if (pen->place > 0) {
    char place[1100];
    ui_place(place, sizeof place, symbol);
    draw_tail(y, pen->place, PLACE_COLUMNS - 1, selected ? FACE_CURSOR : FACE_PLACE, place);
  }
}

/* Thin lines, so that many rows are no wall; what is small is dimmer. */
static enum face line_face(double share)
{
  return share >= 0.2 ? FACE_STRIP : share >= 0.05 ? FACE_PLACE : FACE_C;
}

static void draw_bar_of(const struct groups_pen *pen, const struct rtop_group_row *row, uint64_t value, int y,
                        bool selected)
{
  double most = pen->most > 0 ? (double)pen->most : 1;
  int filled = (int)((double)value / most * (pen->bar_columns - 1) + 0.5);
  bool ascii = draw_is_ascii();
  enum face face = selected ? FACE_CURSOR : line_face((double)value / most);
  for (int column = 0; column < pen->bar_columns - 1; column++) {
    bool line = column == pen->line && (column > 0 || filled == 0);
    if (line) {
      attrset((int)theme_attr(selected ? FACE_CURSOR : FACE_LABEL));
      mvaddstr(y, pen->bar + column, ascii ? "!" : "┊");
    } else if (column < filled) {
      attrset((int)theme_attr(face));
      mvaddstr(y, pen->bar + column, row->reference ? ascii ? "-" : "─" : ascii ? "=" : "━");
    }
  }
  attrset(A_NORMAL);
}

static uint64_t before_ns(const struct ui *ui, const struct rtop_cost *before)
{
  return before != NULL ? rtop_tree_clock(before, ui->wanted.mode) : 0;
}

static void groups_change_text(const struct ui *ui, uint64_t ns, uint64_t ns_before, char *text, size_t bytes)
{
  ui_baseline_text(text, bytes, ui_baseline_change(ui, ns, ns_before));
}

/* Writes the total. Methods and references have a total in the baseline; the row of a group's small nodes has none. */
static void total_text(const struct ui *ui, const struct rtop_group_row *row, const struct rtop_groups_cost *cost,
                       char *text, size_t bytes)
{
  const struct rtop_method_row *before = ui_baseline_row(ui, row->frame);
  if (ui->baseline.comparing && ui->baseline.all && row->key != 0)
    groups_change_text(ui, cost->total_ns, before_ns(ui, before != NULL ? &before->total : NULL), text, bytes);
  else ui_figure_text(ui, text, bytes, cost->total_ns, cost->total_samples);
}

/* Writes self; in a comparison the change of self, or of the total. */
static void self_text(const struct ui *ui, const struct rtop_group_row *row, const struct rtop_groups_cost *cost,
                      char *text, size_t bytes)
{
  const struct rtop_method_row *before = ui_baseline_row(ui, row->frame);
  if (!ui->baseline.comparing) ui_figure_text(ui, text, bytes, cost->self_ns, cost->self_samples);
  else if (ui->baseline.all)
    groups_change_text(ui, cost->self_ns, before_ns(ui, before != NULL ? &before->self : NULL), text, bytes);
  else groups_change_text(ui, cost->total_ns, before_ns(ui, before != NULL ? &before->total : NULL), text, bytes);
}

static void groups_draw_row(const void *table, size_t place, int y, bool selected)
{
  const struct groups_pen *pen = table;
  const struct rtop_group_row *row = &pen->view->groups.rows[place];
  char text[32];
  enum face face = selected ? FACE_CURSOR : FACE_NORMAL;
  struct rtop_groups_cost cost = rtop_groups_cost(&pen->view->groups, row);
  /* Small rows hidden within groups are included in the groups' totals. */
  if (groups_view_is_method(row) || cost.total_ns > 0) {
    total_text(pen->ui, row, &cost, text, sizeof text);
    draw_figure(y, pen->figures, FIGURE_COLUMNS - 1, face, text);
  }
  if (pen->calls && groups_view_is_method(row)) {
    snprintf(text, sizeof text, "%llu", (unsigned long long)cost.calls);
    draw_figure(y, 1, CALLS_COLUMNS - 1, face, text);
  }
  if (pen->self && !row->reference && groups_view_is_method(row)) {
    self_text(pen->ui, row, &cost, text, sizeof text);
    draw_figure(y, pen->figures + FIGURE_COLUMNS, FIGURE_COLUMNS - 1, face, text);
  }
  if (!groups_view_is_method(row)) {
    draw_format(y, pen->tree, pen->tree_columns, face, "%s (below %g%%: %zu)", draw_is_ascii() ? "---" : "───",
                groups_view_threshold(pen->ui, pen->view), pen->view->groups.hidden);
    return;
  }
  groups_draw_method(pen, row, y, selected);
  if (pen->bar_columns > 0) draw_bar_of(pen, row, rtop_groups_value(&cost, pen->measure), y, selected);
}

/* Draws a map of all rows: a mark for the visible ones, and the heat of each row, as bars if there is room. */
static void draw_map(const struct groups_pen *pen, const struct ui_rows *rows)
{
  static const char *const ascii[] = { " ", ".", "-", "=", "#" }, *const lines[] = { " ", "╌", "─", "━", "━" };
  enum { LEVELS = sizeof ascii / sizeof ascii[0], DEPTH_MAX = 4 };
  int x = pen->table.x + pen->table.columns - pen->map_columns, width = pen->map_columns - 2;
  if (pen->map_columns == 0 || rows->count <= rows->page) return;
  for (size_t i = 0; i < rows->page; i++) {
    struct rtop_groups_band band = rtop_groups_band(&pen->view->groups, pen->measure, i, rows->page);
    int y = pen->table.y + rows->heading + (int)i, level = 0, indent = (int)band.depth;
    bool seen = band.end > rows->pager->top && band.first < rows->pager->top + rows->page;
    double share = pen->most > 0 ? (double)band.most / (double)pen->most : 0;
    while (level + 1 < LEVELS && share > (level > 0 ? 0.02 * (1 << (2 * (level - 1))) : 0)) level++;
    indent = width < DEPTH_MAX * 2 ? 0 : indent < DEPTH_MAX ? indent : DEPTH_MAX;
    int columns = width < DEPTH_MAX * 2 ? width : 1 + (int)(share * (width - indent - 1));
    draw_blank(y, x, pen->map_columns, FACE_NORMAL);
    bool here = rows->cursor >= band.first && rows->cursor < band.end;
    draw_text(y, x + 1, 1, FACE_TITLE, here ? ">" : seen ? "|" : " ");
    for (int k = 0; k < columns && indent + k < width; k++)
      draw_text(y, x + 2 + indent + k, 1, line_face(share), (draw_is_ascii() ? ascii : lines)[level]);
  }
}

static void draw_above(const struct groups_pen *pen, const struct ui_rows *rows)
{
  size_t places[RTOP_GROUPS_ABOVE_MAX], above = groups_view_above(pen->ui, places);
  for (size_t i = 0; i < above; i++) {
    int y = pen->table.y + rows->heading + (int)i;
    draw_blank(y, pen->table.x, pen->table.columns - pen->map_columns, FACE_NORMAL);
    groups_draw_row(pen, places[i], y, false);
    draw_text(y, pen->table.x, 1, FACE_WARN, "^");
  }
}

static void groups_draw_tiny(struct ui *ui, const struct rtop_groups *groups)
{
  char share[32], text[300];
  if (groups->count == 0 || !groups_view_is_method(&groups->rows[0])) {
    draw_text(0, 0, ui->layout.columns, FACE_NORMAL, ui_why_empty(ui));
    return;
  }
  struct rtop_groups_cost cost = rtop_groups_cost(groups, &groups->rows[0]);
  ui_figure_text(ui, share, sizeof share, cost.total_ns, cost.total_samples);
  snprintf(text, sizeof text, "%s %.250s", share,
           rtop_symbols_get(rtop_profile_symbols(ui->profile), groups->rows[0].frame)->label);
  draw_text(0, 0, ui->layout.columns, FACE_NORMAL, text);
}

void groups_draw(struct ui *ui)
{
  struct groups_view *view = ui->data[VIEW_GROUPS];
  if (ui->layout.tiny) {
    groups_draw_tiny(ui, &view->groups);
    return;
  }
  groups_view_fit(ui);
  struct groups_pen pen = take_pen(ui, view);
  groups_draw_heading(&pen);
  if (view->groups.count == 0) ui_draw_empty(pen.table, ui_why_empty(ui));
  struct ui_rows rows = groups_view_rows(ui);
  ui_rows_draw(&rows, pen.table, groups_draw_row, &pen);
  int y, x;
  getyx(stdscr, y, x);
  draw_above(&pen, &rows);
  draw_map(&pen, &rows);
  move(y, x);
}
