/* SPDX-License-Identifier: MIT */
/* Draws the timeline in the header: a cell per second, with cursor and selected span. */
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/term/screen.h"
#include "tui/ui/ui.h"

/* "-70s"; from `limit` seconds on "-12m", "-3h". */
static void short_age(char *text, size_t bytes, int64_t age_ns, int limit)
{
  long long seconds = (age_ns + 500000000) / 1000000000;
  if (seconds < limit) snprintf(text, bytes, "-%llds", seconds);
  else if (seconds < 6000) snprintf(text, bytes, "-%lldm", seconds / 60);
  else snprintf(text, bytes, "-%lldh", seconds / 3600);
}

static int strip_cell(const struct ui *ui, int64_t time_ns)
{
  int64_t behind = strip_cell_of(ui->strip.end_ns - 1) - strip_cell_of(time_ns);
  return ui->strip.cells - 1 - (int)(behind < 0 ? -1 : behind < ui->strip.cells ? behind : ui->strip.cells);
}

/* Draws the cursor on its cell; the selected span is shown in reverse video, with its ends. */
static void draw_strip_cursor(const struct ui *ui, int y, int x, int first)
{
  struct rtop_span span;
  int cells = ui->strip.cells - first;
  if (ui_time_selected(ui, &span)) {
    int from = strip_cell(ui, span.start_ns) - first, to = strip_cell(ui, span.end_ns - 1) - first;
    int left = from < 0 ? 0 : from, right = to >= cells ? cells - 1 : to;
    draw_paint(y, x + left, right - left + 1, FACE_CURSOR);
    if (from >= 0 && from < cells) draw_text(y, x + from, 1, FACE_CURSOR, "[");
    if (to > from && to < cells) draw_text(y, x + to, 1, FACE_CURSOR, "]");
  }
  int at = strip_cell(ui, ui_time_cursor(ui) - 1) - first;
  if (ui->frozen && at >= 0 && at < cells) draw_text(y, x + at, 1, FACE_CURSOR, "^");
}

/* Draws '!' for a stall and 'M' for a mark of the program. */
static void draw_strip_stalls(const struct ui *ui, int y, int x, int first)
{
  int cells = ui->strip.cells - first;
  size_t each = 0;
  for (const struct stall *stall; (stall = ui_stalls_next(ui, &each)) != NULL;) {
    bool mark = stall->cause == STALL_MARK;
    int from = strip_cell(ui, stall->start_ns) - first, to = mark ? from : strip_cell(ui, stall->end_ns - 1) - first;
    to = to < cells ? to : cells - 1;
    for (int at = from < 0 ? 0 : from; at <= to; at++) draw_text(y, x + at, 1, FACE_WARN, mark ? "M" : "!");
  }
}

void view_strip_draw(const struct ui *ui)
{
  char age[16];
  struct rect at = ui->layout.part[PART_TIMELINE];
  int cells = at.columns - 9, first = ui->strip.cells - cells;
  if (cells < 8) return;
  bool now = !ui->frozen && ui_lives(ui_process(ui)->state);
  int64_t age_ns = !now ? ui_time_age_ns(ui, ui->strip.end_ns) : 0;
  short_age(age, sizeof age, age_ns + cells * STRIP_CELL_NS, 1000);
  draw_text(at.y, at.x, 5, FACE_LABEL, age);
  for (int i = 0; i < cells; i++) {
    double share = first + i >= 0 && first + i < ui->strip.cells ? ui->strip.busy[first + i] : -1;
    draw_history_cell(at.y, at.x + 5 + i, FACE_STRIP, share);
  }
  draw_strip_stalls(ui, at.y, at.x + 5, first);
  draw_strip_cursor(ui, at.y, at.x + 5, first);
  screen_shifts(at.y, at.x + 5, cells);
  short_age(age, sizeof age, age_ns, 100);
  draw_right(at.y, at.x + 5 + cells, 4, FACE_LABEL, age_ns < 500000000 ? "now" : age);
}
