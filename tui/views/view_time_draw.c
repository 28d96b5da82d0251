/* SPDX-License-Identifier: MIT */
/* Draws the graphs of the time view: a row or two per figure, the axis, and the window under the cursor. */
#include "view_time.h"
#include "tui/term/draw.h"
#include "tui/term/screen.h"
#include "tui/text/text.h"
#include "tui/text/time_text.h"
#include "tui/ui/ui.h"
#include <string.h>
#include <time.h>

enum { TICK_CELLS = 10, LABEL_CELLS = 20 };

static const struct {
  const char *name;
  enum face face, body; /* the crest, and what is below it */
  double least;         /* least value at full height; 0: the largest value in the graph is at full height */
} graphs[TIMELINE_GRAPHS] = {
  [TIMELINE_RUN] = { "GVL held", FACE_RUN, FACE_BODY_RUN, 1 },
  [TIMELINE_WAIT] = { "wait", FACE_WAIT, FACE_BODY_WAIT, 1 },
  [TIMELINE_BLOCKED] = { "blocked", FACE_BLOCKED, FACE_BODY_BLOCKED, 1 },
  [TIMELINE_GC] = { "GC", FACE_MARK, FACE_MARK, 1 },
  [TIMELINE_CPU] = { "CPU", FACE_STRIP, FACE_BODY_RUN, 1 },
  [TIMELINE_ALLOC] = { "alloc/s", FACE_STRIP, FACE_BODY_RUN, 0 },
  [TIMELINE_RSS] = { "rss", FACE_LABEL, FACE_BODY_MEMORY,
                     0 }, /* usually full, as is the graph above it, so it has another colour */
};

static double full_height(const struct timeline *timeline, int graph)
{
  double most = timeline->most[graph];
  return graphs[graph].least > 0 && (graph == TIMELINE_RUN || most < graphs[graph].least) ? graphs[graph].least
         : most > 0                                                                       ? most
                                                                                          : 1;
}

static void value_text(char *out, size_t bytes, int graph, double value)
{
  switch (graph) {
  case TIMELINE_ALLOC: rtop_text_count(out, bytes, value); break;
  case TIMELINE_RSS: rtop_text_bytes(out, bytes, (uint64_t)value); break;
  default: snprintf(out, bytes, value < 9.995 ? "%.2f" : "%.1f", value);
  }
}

/* Returns the glyph for a share of garbage collection: much, little, none. */
static char gc_glyph(const struct timeline_cell *cell)
{
  double share = cell->value[TIMELINE_GC];
  return share >= 0.10   ? draw_state_glyph(cell->sweeps ? RTOP_STATE_SWEEPING : RTOP_STATE_MARKING)
         : share >= 0.01 ? '-'
                         : ' ';
}

static void time_draw_gc(const struct timeline *timeline, int y, int x)
{
  for (int i = 0; i < timeline->count; i++) {
    const struct timeline_cell *cell = &timeline->cell[i];
    const char glyph[2] = { cell->gap ? '/' : gc_glyph(cell), '\0' };
    draw_text(y, x + i, 1, cell->gap ? FACE_WARN : cell->sweeps ? FACE_SWEEP : FACE_MARK, glyph);
  }
}

/* Draws the part of a cell's height in this row; `row` of `rows` counts from below. */
static void time_draw_cell(const struct timeline *timeline, int graph, int at, int y, int x, int row, int rows)
{
  const struct timeline_cell *cell = &timeline->cell[at];
  if (!cell->known) {
    draw_history_cell(y, x, FACE_NORMAL, cell->gap ? STRIP_GAP : STRIP_UNKNOWN);
    return;
  }
  double height = cell->value[graph] / full_height(timeline, graph) * rows - row;
  enum face face = height > 1 || cell->value[graph] <= 0 ? graphs[graph].body : graphs[graph].face;
  if (row == 0 || height > 0) draw_level(y, x, face, height > 0 ? height : 0);
}

static void draw_graph(const struct timeline *timeline, int graph, int y, int x, int rows)
{
  for (int row = 0; row < rows; row++) screen_shifts(y + row, x + TIME_LABEL_COLUMNS, timeline->count);
  draw_text(y + rows - 1, x, TIME_LABEL_COLUMNS, FACE_LABEL, graphs[graph].name);
  if (rows > 1) {
    char most[16];
    value_text(most, sizeof most, graph, full_height(timeline, graph));
    draw_right(y, x, TIME_LABEL_COLUMNS - 1, FACE_NORMAL, most);
  }
  if (graph == TIMELINE_GC) {
    time_draw_gc(timeline, y, x + TIME_LABEL_COLUMNS);
    return;
  }
  for (int row = 0; row < rows; row++)
    for (int i = 0; i < timeline->count; i++)
      time_draw_cell(timeline, graph, i, y + rows - 1 - row, x + TIME_LABEL_COLUMNS + i, row, rows);
}

static void tick_text(char *out, size_t bytes, int64_t real_ns, int64_t cell_ns)
{
  struct tm parts;
  time_t seconds = (time_t)(real_ns / 1000000000);
  bool days = cell_ns >= INT64_C(1800000000000);
  if (localtime_r(&seconds, &parts) == NULL || strftime(out, bytes, days ? "%m-%d %H" : "%H:%M:%S", &parts) == 0)
    snprintf(out, bytes, "%s", "");
}

/* Number of ticks before a cell; ticks are at round times of the wall clock. */
static int64_t ticks_before(const struct ui *ui, const struct timeline *timeline, int64_t cell, int cells)
{
  int64_t tick_ns = timeline->cell_ns * cells;
  int64_t real_ns = cell * timeline->cell_ns + ui->source.clock_offset_ns;
  return (real_ns + tick_ns - 1) / tick_ns;
}

/* Would marks of stalls split the time at this tick? Such a time is left out. */
static bool is_marked(const struct ui *ui, const struct timeline *timeline, int from, int cells)
{
  size_t each = 0;
  for (const struct stall *stall; (stall = ui_stalls_next(ui, &each)) != NULL;) {
    int64_t first = timeline_cell_at(timeline, stall->start_ns), last = timeline_cell_at(timeline, stall->end_ns - 1);
    if (first < from + cells && (last < first ? first : last) >= from) return true;
  }
  return false;
}

/* Draws a tick every ten cells, and the time at every other tick. */
static void draw_ticks(const struct ui *ui, const struct timeline *timeline, int y, int x)
{
  for (int i = 0, label = 0; i < timeline->count; i++) {
    int64_t cell = timeline->first + i, ticks = ticks_before(ui, timeline, cell + 1, LABEL_CELLS);
    bool tick = ticks_before(ui, timeline, cell + 1, TICK_CELLS) != ticks_before(ui, timeline, cell, TICK_CELLS);
    char text[16];
    if (label-- <= 0) draw_text(y, x + i, 1, FACE_LABEL, tick ? "|" : ".");
    if (ticks != ticks_before(ui, timeline, cell, LABEL_CELLS) && i + 9 <= timeline->count &&
        ui->source.clock_offset_ns != 0 && !is_marked(ui, timeline, i + 1, 8)) {
      tick_text(text, sizeof text, (ticks - 1) * timeline->cell_ns * LABEL_CELLS, timeline->cell_ns);
      label = draw_text(y, x + i + 1, 8, FACE_LABEL, text);
    }
  }
}

static void draw_at(const struct timeline *timeline, int y, int x, int64_t time_ns, const char *glyph)
{
  int64_t at = timeline_cell_at(timeline, time_ns);
  if (at >= 0 && at < timeline->count) draw_text(y, x + (int)at, 1, FACE_CURSOR, glyph);
}

/* Draws '!' for a stall and 'M' for a mark of the program. */
static void draw_stalls(const struct ui *ui, const struct timeline *timeline, int y, int x)
{
  size_t each = 0;
  for (const struct stall *stall; (stall = ui_stalls_next(ui, &each)) != NULL;) {
    int64_t from = timeline_cell_at(timeline, stall->start_ns), to = timeline_cell_at(timeline, stall->end_ns - 1);
    to = to < from ? from : to;
    for (int64_t at = from < 0 ? 0 : from; at <= to && at < timeline->count; at++)
      draw_text(y, x + (int)at, 1, FACE_WARN, stall->cause == STALL_MARK ? "M" : "!");
  }
}

static void draw_axis(const struct ui *ui, const struct time_view *view, int y, int x)
{
  const struct timeline *timeline = &view->timeline;
  struct rtop_span span;
  screen_shifts(y, x, timeline->count);
  draw_ticks(ui, timeline, y, x);
  draw_stalls(ui, timeline, y, x);
  if (ui_time_selected(ui, &span)) {
    int64_t from = timeline_cell_at(timeline, span.start_ns), to = timeline_cell_at(timeline, span.end_ns - 1);
    for (int64_t at = from < 0 ? 0 : from; at <= to && at < timeline->count; at++)
      draw_text(y, x + (int)at, 1, FACE_CURSOR, "=");
    draw_at(timeline, y, x, span.start_ns, "[");
    draw_at(timeline, y, x, span.end_ns - 1, "]");
  }
  draw_at(timeline, y, x, ui_time_cursor(ui) - 1, "^");
}

/* Appends figures of the window, as many as fit: "held 62% wait 1.20 blocked 2.00 GC 21ms cpu 0.84 27.0k/s 412M". */
static void window_figures(const struct time_view *view, char *out, size_t bytes, int columns)
{
  const struct rtop_window_summary *window = &view->summary;
  double length_ns = (double)(view->window.end_ns - view->window.start_ns);
  uint64_t gc_ns = window->wall_ns[RTOP_STATE_MARKING] + window->wall_ns[RTOP_STATE_SWEEPING];
  char words[7][40] = { "" }, rate[16], gc[16];
  double held_ns = (double)(window->wall_ns[RTOP_STATE_RUNNING] + gc_ns);
  rtop_text_count(rate, sizeof rate, (double)window->counters.allocations * 1e9 / length_ns);
  draw_time(gc, sizeof gc, gc_ns);
  snprintf(words[0], sizeof words[0], "held %.0f%%", 100 * held_ns / length_ns / window->sources);
  snprintf(words[1], sizeof words[1], " wait %.2f", (double)window->wall_ns[RTOP_STATE_WAITING] / length_ns);
  snprintf(words[2], sizeof words[2], " blocked %.2f", (double)window->wall_ns[RTOP_STATE_BLOCKED] / length_ns);
  snprintf(words[3], sizeof words[3], " GC %s", gc);
  snprintf(words[4], sizeof words[4], " cpu %.2f", (double)window->counters.cpu_ns / length_ns);
  snprintf(words[5], sizeof words[5], " %s/s", rate);
  if (window->counters.rss_bytes > 0) {
    words[6][0] = ' ';
    rtop_text_bytes(words[6] + 1, sizeof words[6] - 1, window->counters.rss_bytes);
  }
  for (int i = 0; i < 7; i++) {
    size_t used = strlen(out);
    if (rtop_text_width(out) + rtop_text_width(words[i]) <= columns) snprintf(out + used, bytes - used, "%s", words[i]);
  }
}

/* Describes the window: "14:31:52.400 held 62% wait 1.20 blocked 2.00 GC 21ms cpu 0.84 27.0k/s 412M". */
static void window_words(const struct ui *ui, const struct time_view *view, char *out, size_t bytes, int columns)
{
  const struct rtop_window_summary *window = &view->summary;
  double length_ns = (double)(view->window.end_ns - view->window.start_ns);
  int64_t real_ns = view->window.end_ns + ui->source.clock_offset_ns;
  char clock[16];
  time_text_clock(clock, sizeof clock, real_ns, false);
  int used = snprintf(out, bytes, "%s.%03d ", clock, (int)(real_ns / 1000000 % 1000));
  if (length_ns <= 0 || window->gap || window->sources == 0) {
    snprintf(out + used, bytes - (size_t)used,
             length_ns <= 0 ? "nothing is held"
                            : "lost: %.1f s of which nothing"
                              " is known",
             length_ns / 1e9);
    return;
  }
  const struct stall *stall = ui_stalls_at(ui, view->window);
  if (stall != NULL) {
    ui_stalls_words(ui, stall, out + used, bytes - (size_t)used - 80);
    used = (int)strlen(out);
    snprintf(out + used, bytes - (size_t)used, "  ");
  }
  window_figures(view, out, bytes, columns);
}

void time_view_draw(struct ui *ui, const struct time_view *view)
{
  struct rect at = ui->layout.part[PART_GRAPHS];
  char words[400];
  int y = at.y, bottom = at.y + at.rows - 2;
  int tall = layout_graph_rows(&ui->layout);
  for (int i = 0; i < view->lanes && y < bottom; i++) {
    char pid[UI_WHO_BYTES + 2];
    ui_processes_prefix(ui, (uint32_t)i, pid, sizeof pid);
    draw_graph(&view->lane[i], TIMELINE_RUN, y, at.x, 1);
    draw_blank(y, at.x, TIME_LABEL_COLUMNS, FACE_LABEL);
    draw_text(y++, at.x, TIME_LABEL_COLUMNS - 1, FACE_LABEL, pid);
  }
  if (view->timeline.cell_ns <= 0) return; /* not made yet */
  for (int graph = 0; graph < TIMELINE_GRAPHS && y < bottom; graph++) {
    int rows = graph == TIMELINE_GC ? 1 : tall;
    rows = rows < bottom - y ? rows : bottom - y;
    draw_graph(&view->timeline, graph, y, at.x, rows);
    y += rows;
  }
  draw_axis(ui, view, bottom, at.x + TIME_LABEL_COLUMNS);
  int columns = at.columns - TIME_LABEL_COLUMNS;
  window_words(ui, view, words, sizeof words, columns);
  draw_text(bottom + 1, at.x + TIME_LABEL_COLUMNS, columns, FACE_TITLE, words);
}
