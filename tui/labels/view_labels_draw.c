/* SPDX-License-Identifier: MIT */
/* Draws the labels: one row each, and if there is room, a bar of its time by state or cause. */
#include "view_labels.h"

#include "tui/term/draw.h"
#include "tui/text/text.h"
#include <ncurses.h>
#include <string.h>

enum { BAR_FROM = 120, BAR_COLUMNS = 30, CAUSES_FROM = 76, CAUSES_COLUMNS = 21, NAME_COLUMN = 1 };

/* Quantiles of durations of blocks. Rows are not sorted by them. */
static const struct labels_times {
  const char *title;
  int from; /* the width of the table */
} labels_times[] = { { "P50", 56 }, { "P90", 130 }, { "P99", 40 }, { "MAX", 64 } };
enum { TIMES = sizeof labels_times / sizeof labels_times[0], TIMES_COLUMNS = 8 };

struct labels_pen {
  struct ui *ui;
  const struct labels_view *view;
  struct rect table;
  int name, name_columns;
  bool timed;
  int bar, bar_columns; /* column; 0: not shown */
};

/* Are the quantiles shown? If there is little room for names, the sort column replaces P50. */
static bool times_are_shown(const struct labels_pen *pen, int index)
{
  enum rtop_sort_key sort = labels_view_sort(pen->ui);
  bool gives_way = index == 0 && pen->table.columns < 100 && (sort == RTOP_SORT_RATIO || sort == RTOP_SORT_SELF);
  return pen->timed && !gives_way && pen->table.columns >= labels_times[index].from;
}

static struct labels_pen take_pen(struct ui *ui, const struct labels_view *view)
{
  struct labels_pen pen = { .ui = ui, .view = view, .table = ui->layout.part[PART_TABLE] };
  for (int i = 0; i < LABELS_COLUMNS; i++)
    if (labels_column_is_shown(ui, i)) pen.name += labels_column(i)->columns;
  pen.timed = labels_are_timed(ui);
  for (int i = 0; i < TIMES; i++)
    if (times_are_shown(&pen, i)) pen.name += TIMES_COLUMNS;
  pen.name += NAME_COLUMN;
  pen.bar_columns = pen.table.columns >= BAR_FROM ? BAR_COLUMNS : CAUSES_COLUMNS;
  bool bar = pen.table.columns >= (pen.timed ? CAUSES_FROM : BAR_FROM);
  pen.bar = bar ? pen.table.columns - pen.bar_columns : 0;
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
  for (int i = 0; i < TIMES; i++) {
    if (!times_are_shown(pen, i)) continue;
    snprintf(text, sizeof text, "%s ", labels_times[i].title);
    draw_right(at.y, x, TIMES_COLUMNS, FACE_HEADING, text);
    x += TIMES_COLUMNS;
  }
  snprintf(text, sizeof text, "%s%s%s", pen->view->key[0] != '\0' ? pen->view->key : "LABEL",
           by_name ? (ui->wanted.reverse ? "v" : "^") : "", pen->view->table.key_count > 1 ? "  (c: next key)" : "");
  draw_text(at.y, at.x + pen->name, pen->name_columns, by_name ? FACE_HEADING_SORT : FACE_HEADING, text);
  if (pen->bar > 0) draw_text(at.y, at.x + pen->bar, pen->bar_columns, FACE_HEADING, "WHERE ITS TIME GOES");
}

static bool is_timed(const struct label_row *row)
{
  return row->work != NULL && row->work->ended > 0;
}

/* Writes a figure. Figures over all threads are left out while some threads are hidden. */
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
    if (!pen->view->table.counted || (row->count == 0 && !is_timed(row))) snprintf(text, bytes, "-");
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
  if (all_ns > 0) draw_bar(y, pen->table.x + pen->bar, pen->bar_columns - 1, segments, RTOP_STATES);
}

static void times_text(const struct label_row *row, int index, char *text, size_t bytes)
{
  text[0] = '\0';
  if (!is_timed(row)) return;
  const struct work_time *whole = &row->work->of[RTOP_WORK_WHOLE];
  const uint64_t ns[TIMES] = { whole->p50_ns, whole->p90_ns, whole->p99_ns, whole->longest_ns };
  if (index < TIMES - 1 && !whole->known) snprintf(text, bytes, "-");
  else draw_time(text, bytes, ns[index]);
}

/* Writes the largest causes, as many as fit: "sleep 62% GVL 20%". */
static void causes_text(const struct work_figures *work, char *text, size_t bytes)
{
  uint64_t ns[RTOP_WORK_CAUSES];
  for (int cause = 0; cause < RTOP_WORK_CAUSES; cause++) ns[cause] = work->of[cause].sum_ns;
  work_causes_words(text, bytes, ns, ns[RTOP_WORK_WHOLE]);
}

/* Draws the causes. An open block that has already taken longer than all ended ones takes precedence. */
static void draw_causes(const struct labels_pen *pen, const struct label_row *row, int y, enum face face)
{
  const struct work_figures *work = row->work;
  char text[BAR_COLUMNS + 32], age[24];
  if (work->open > 0 && work->oldest_ns > work->of[RTOP_WORK_WHOLE].longest_ns) {
    draw_time(age, sizeof age, work->oldest_ns);
    snprintf(text, sizeof text, work->open > 1 ? "%llu open, oldest %s" : "%llu open, for %s",
             (unsigned long long)work->open, age);
  } else {
    causes_text(work, text, (size_t)pen->bar_columns);
  }
  draw_text(y, pen->table.x + pen->bar, pen->bar_columns - 1, face, text);
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
  for (int i = 0; i < TIMES; i++) {
    if (!times_are_shown(pen, i)) continue;
    times_text(row, i, text, sizeof text);
    draw_right(y, x, TIMES_COLUMNS - 1, face, text);
    x += TIMES_COLUMNS;
  }
  bool found = pen->ui->search[0] != '\0' && rtop_text_contains(row->name, pen->ui->search);
  draw_text(y, pen->table.x + pen->name, pen->name_columns, found ? FACE_MATCH : face, label_row_value(row));
  if (pen->bar > 0 && pen->timed && row->work != NULL) draw_causes(pen, row, y, face);
  else if (pen->bar > 0) draw_where(pen, row, y);
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
  int below = labels_slow_rows(ui);
  pen.table.rows -= below;
  labels_draw_heading(&pen);
  if (view->table.count == 0) ui_draw_empty(pen.table, why_empty(ui));
  struct ui_rows rows = labels_view_rows(ui);
  ui_rows_draw(&rows, pen.table, labels_draw_row, &pen);
  if (below > 0)
    labels_draw_slow(ui, (struct rect){ pen.table.y + pen.table.rows, pen.table.x, below, pen.table.columns });
}
