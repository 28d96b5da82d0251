/* SPDX-License-Identifier: MIT */
/* How labels look: a row each, and where there is room a bar of where its time went. */
#include "view_labels.h"

#include "tui/term/draw.h"
#include "tui/text/text.h"
#include <ncurses.h>
#include <string.h>

enum { BAR_FROM = 120, BAR_COLUMNS = 30, NAME_COLUMN = 1 };

struct labels_pen {
  struct ui *ui;
  const struct labels_view *view;
  struct rect table;
  int name, name_columns;
  int bar; /* column; 0: not shown */
};

static struct labels_pen take_pen(struct ui *ui, const struct labels_view *view)
{
  struct labels_pen pen = { .ui = ui, .view = view, .table = ui->layout.part[PART_TABLE] };
  for (int i = 0; i < LABELS_COLUMNS; i++)
    if (labels_column_is_shown(ui, i)) pen.name += labels_column(i)->columns;
  pen.name += NAME_COLUMN;
  pen.bar = pen.table.columns >= BAR_FROM ? pen.table.columns - BAR_COLUMNS : 0;
  pen.name_columns = (pen.bar > 0 ? pen.bar - 1 : pen.table.columns) - pen.name;
  return pen;
}

static const char *title_of(const struct ui *ui, int index)
{
  const struct labels_column *column = labels_column(index);
  bool percent = ui->look.units == UNITS_PERCENT, cpu = ui->wanted.mode == RTOP_MODE_CPU;
  if (column->sort == RTOP_SORT_SELF && cpu) return percent ? "CPU%" : "CPU";
  return percent ? column->title : column->title_time;
}

static void labels_draw_heading(const struct labels_pen *pen)
{
  const struct ui *ui = pen->ui;
  struct rect at = pen->table;
  enum rtop_sort_key sort = labels_view_sort(ui);
  const char *mark = ui->wanted.reverse ? "^" : "v";
  bool by_name = sort == RTOP_SORT_NAME;
  char text[RTOP_LABEL_KEY_MAX + 32];
  int x = at.x;
  draw_blank(at.y, at.x, at.columns, FACE_HEADING);
  for (int i = 0; i < LABELS_COLUMNS; i++) {
    if (!labels_column_is_shown(ui, i)) continue;
    bool here = labels_column(i)->sort == sort;
    snprintf(text, sizeof text, "%s%s", title_of(ui, i), here ? mark : " ");
    draw_right(at.y, x, labels_column(i)->columns, here ? FACE_HEADING_SORT : FACE_HEADING, text);
    x += labels_column(i)->columns;
  }
  snprintf(text, sizeof text, "%s%s%s", pen->view->key[0] != '\0' ? pen->view->key : "LABEL",
           by_name ? (ui->wanted.reverse ? "v" : "^") : "", pen->view->table.key_count > 1 ? "  (c: next key)" : "");
  draw_text(at.y, at.x + pen->name, pen->name_columns, by_name ? FACE_HEADING_SORT : FACE_HEADING, text);
  if (pen->bar > 0) draw_text(at.y, at.x + pen->bar, BAR_COLUMNS, FACE_HEADING, "WHERE ITS TIME GOES");
}

/* A figure of all threads beside those of some would mean nothing. */
static void figure_text(const struct labels_pen *pen, const struct label_row *row, int index, char *text, size_t bytes)
{
  const struct ui *ui = pen->ui;
  enum rtop_sort_key sort = labels_column(index)->sort;
  double value = label_table_value(row, sort, ui->wanted.mode);
  double seconds = (double)pen->view->sum.length_ns / 1e9;
  text[0] = '\0';
  switch (sort) {
  case RTOP_SORT_SAMPLES:
    if (!pen->view->table.counted) snprintf(text, bytes, "-");
    else rtop_text_count(text, bytes, value);
    return;
  case RTOP_SORT_RATIO:
    if (!pen->view->table.counted || row->count == 0) snprintf(text, bytes, "-");
    else if (value < 1) snprintf(text, bytes, "?"); /* none of it was met */
    else draw_time(text, bytes, (uint64_t)value);
    return;
  case RTOP_SORT_ALLOC: rtop_text_count(text, bytes, seconds > 0 ? value / seconds : 0); return;
  case RTOP_SORT_SELF:
  case RTOP_SORT_TOTAL: ui_figure_text(ui, text, bytes, (uint64_t)value, row->cost.samples); return;
  default:
    if (ui->look.units == UNITS_PERCENT) draw_percent(text, bytes, 100 * ui_share(ui, (uint64_t)value));
    else draw_time(text, bytes, (uint64_t)value);
  }
}

static void draw_where(const struct labels_pen *pen, const struct label_row *row, int y)
{
  static const enum rtop_state states[] = { RTOP_STATE_RUNNING, RTOP_STATE_WAITING, RTOP_STATE_MARKING,
                                            RTOP_STATE_SWEEPING, RTOP_STATE_BLOCKED };
  struct draw_segment segments[RTOP_STATES];
  uint64_t all_ns = rtop_cost_wall(&row->cost);
  for (int i = 0; i < RTOP_STATES; i++) {
    double share = all_ns > 0 ? (double)row->cost.wall_ns[states[i]] / (double)all_ns : 0;
    segments[i] = (struct draw_segment){ share, states[i] };
  }
  if (all_ns > 0) draw_bar(y, pen->table.x + pen->bar, BAR_COLUMNS - 1, segments, RTOP_STATES);
}

static void labels_draw_row(const void *table, size_t place, int y, bool selected)
{
  const struct labels_pen *pen = table;
  const struct label_row *row = labels_view_row(pen->ui, place);
  enum face face = selected ? FACE_CURSOR : FACE_NORMAL;
  int x = pen->table.x;
  char text[32];
  if (row == NULL) return;
  for (int i = 0; i < LABELS_COLUMNS; i++) {
    if (!labels_column_is_shown(pen->ui, i)) continue;
    figure_text(pen, row, i, text, sizeof text);
    draw_right(y, x, labels_column(i)->columns - 1, face, text);
    x += labels_column(i)->columns;
  }
  bool found = pen->ui->search[0] != '\0' && rtop_text_contains(row->name, pen->ui->search);
  draw_text(y, pen->table.x + pen->name, pen->name_columns, found ? FACE_MATCH : face, label_row_value(row));
  if (pen->bar > 0) draw_where(pen, row, y);
}

static const char *why_empty(const struct ui *ui)
{
  bool data = ui->profile != NULL && ui->sum.length_ns > 0 && ui->filter[0] == '\0';
  if (!data) return ui_why_empty(ui);
  if (rtop_symbols_labelled(rtop_profile_symbols(ui->profile))) return "no work of this span has labels";
  return "no work has labels yet: RperfTop.label and middlewares give them, see rperf_top(3)";
}

static void labels_draw_tiny(struct ui *ui)
{
  char text[300];
  const struct label_row *row = labels_view_row(ui, 0);
  if (row == NULL) snprintf(text, sizeof text, "%s", why_empty(ui));
  else {
    char share[16];
    draw_percent(share, sizeof share, 100 * ui_share(ui, rtop_mode_clock(&row->cost, ui->wanted.mode)));
    snprintf(text, sizeof text, "%s%% %s", share, label_row_value(row));
  }
  draw_text(0, 0, ui->layout.columns, FACE_NORMAL, text);
}

void labels_draw(struct ui *ui)
{
  const struct labels_view *view = ui->data[VIEW_LABELS];
  if (ui->layout.tiny) {
    labels_draw_tiny(ui);
    return;
  }
  struct labels_pen pen = take_pen(ui, view);
  labels_draw_heading(&pen);
  if (view->table.count == 0) ui_draw_empty(pen.table, why_empty(ui));
  struct ui_rows rows = labels_view_rows(ui);
  ui_rows_draw(&rows, pen.table, labels_draw_row, &pen);
}
