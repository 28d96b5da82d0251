/* SPDX-License-Identifier: MIT */
/* The list of stalls and marks below the graphs: newest first, with a cursor; a key goes to the stall. */
#include "view_time.h"
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/text/time_text.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_row_menu.h"
#include <ncurses.h>
#include <string.h>

enum {
  CLOCK_COLUMNS = 14,
  CAUSE_COLUMNS = 14,
  LONG_COLUMNS = 9,
  THREAD_FROM = 60,
  THREAD_COLUMNS = 20,
  THREAD_COLUMNS_NARROW = 12,
  PID_FROM = 80,
  PID_COLUMNS = 8
};

/* Returns the stall at an index among those of the shown processes, newest first. */
static const struct stall *stall_in(const struct ui *ui, size_t place)
{
  const struct stall *stall = NULL;
  size_t at = 0, count = ui_stalls_count(ui);
  if (place >= count) return NULL;
  for (size_t behind = count - place; behind > 0; behind--) stall = ui_stalls_next(ui, &at);
  return stall;
}

static struct time_view *stalls_view(const struct ui *ui)
{
  return ui->data[VIEW_TIME];
}

void time_stalls_open(struct ui *ui)
{
  struct time_view *view = stalls_view(ui);
  const struct view_ops *from = ui->view;
  bool listed = view->list;
  if (from->id != VIEW_TIME) ui_open_view(ui, VIEW_TIME);
  view->listed = listed;
  view->from = from;
  view->list = true;
  ui->stale = true;
}

bool time_stalls_leave(struct ui *ui)
{
  struct time_view *view = stalls_view(ui);
  const struct view_ops *from = view->from;
  if (ui->view->id != VIEW_TIME || from == NULL || !view->list) return false;
  view->list = view->listed;
  view->from = NULL;
  if (from->id != VIEW_TIME) ui_open_view(ui, from->id);
  ui->stale = true;
  return true;
}

/* Updates the list. The cursor stays on its stall when others are added. */
void time_stalls_update(const struct ui *ui, struct time_view *view)
{
  size_t count = ui_stalls_count(ui), at = 0, before = 0;
  for (const struct stall *stall; view->stall != 0 && (stall = ui_stalls_next(ui, &at)) != NULL; before++)
    if (stall->id == view->stall) view->pager.cursor = count - 1 - before;
  pager_fit(&view->pager, count, ui_rows_page(ui, 1));
  const struct stall *stall = stall_in(ui, view->pager.cursor);
  view->stall = stall != NULL && view->pager.cursor > 0 ? stall->id : 0;
}

bool time_stalls_handle(struct ui *ui, struct time_view *view, enum request request)
{
  const struct stall *stall = stall_in(ui, view->pager.cursor);
  if (request == REQUEST_ENTER) {
    if (stall != NULL) {
      view->stall = stall->id;
      ui_stalls_go(ui, stall);
    }
    return true;
  }
  size_t count = ui_stalls_count(ui);
  if (!pager_request(&view->pager, request, count, ui_rows_page(ui, 1))) return false;
  pager_fit(&view->pager, count, ui_rows_page(ui, 1));
  stall = stall_in(ui, view->pager.cursor);
  view->stall = stall != NULL ? stall->id : 0;
  return true;
}

void time_stalls_menu(struct ui *ui, struct time_view *view, struct ui_row *row)
{
  const struct stall *stall = stall_in(ui, view->pager.cursor);
  row->frame = 0;
  if (stall == NULL) return;
  ui_stalls_words(ui, stall, row->text, sizeof row->text);
  view->stall = stall->id; /* From now on the cursor stays on this stall when others are added. */
  row->name = row->text;
  ui_row_can(row, 'g', "go to it", REQUEST_ENTER);
  ui_row_can(row, 't', "threads then", ROW_STALL_THREADS);
}

static int thread_columns(int columns)
{
  return columns < THREAD_FROM ? 0 : columns < 100 ? THREAD_COLUMNS_NARROW : THREAD_COLUMNS;
}

/* Number of columns for the process of a stall; 0 if there is only one process, or no room. */
static int pid_columns(const struct ui *ui, int columns)
{
  return columns >= PID_FROM && ui_processes_mixed(ui) ? PID_COLUMNS : 0;
}

static void stalls_draw_row(const void *pen, size_t place, int y, bool selected)
{
  const struct ui *ui = pen;
  const struct stall *stall = stall_in(ui, place);
  struct rect at = ui->layout.part[PART_TABLE];
  char clock[16], length[16] = "", culprit[256], threads[96];
  enum face face = selected ? FACE_CURSOR : FACE_NORMAL;
  int x = at.x + 1, end = at.x + at.columns;
  time_text_clock(clock, sizeof clock, stall->start_ns + ui->source.clock_offset_ns, true);
  if (stall->cause != STALL_MARK) draw_time(length, sizeof length, (uint64_t)(stall->end_ns - stall->start_ns));
  stall_culprit(stall, rtop_profile_symbols(ui->profile), culprit, sizeof culprit);
  draw_text(y, x, CLOCK_COLUMNS, face, clock);
  draw_text(y, x += CLOCK_COLUMNS, CAUSE_COLUMNS, selected || stall->cause == STALL_MARK ? face : FACE_WARN,
            stall_cause_name(stall->cause));
  draw_right(y, x += CAUSE_COLUMNS, LONG_COLUMNS - 3, face, length);
  draw_text(y, x + LONG_COLUMNS - 3, 1, face, stall->open ? "+" : "");
  x += LONG_COLUMNS - 1;
  int thread = thread_columns(at.columns), pid = pid_columns(ui, at.columns);
  draw_text(y, x, end - x - thread - pid - 1, face, stall->cause == STALL_MARK ? stall->mark : culprit);
  if (pid > 0 && stall->source < UI_SOURCES_MAX)
    draw_format(y, end - thread - pid, pid - 1, face, "%d", (int)ui->source.at[stall->source].pid);
  stall_threads(stall, threads, sizeof threads);
  draw_text(y, end - thread, thread, face, threads);
}

void time_stalls_draw(struct ui *ui, struct time_view *view)
{
  struct rect at = ui->layout.part[PART_TABLE];
  int x = at.x + 1;
  time_stalls_update(ui, view);
  draw_blank(at.y, at.x, at.columns, FACE_HEADING);
  draw_text(at.y, x, CLOCK_COLUMNS, FACE_HEADING, "SINCE");
  draw_text(at.y, x += CLOCK_COLUMNS, CAUSE_COLUMNS, FACE_HEADING, "STALL");
  draw_right(at.y, x += CAUSE_COLUMNS, LONG_COLUMNS - 3, FACE_HEADING, "LONG");
  x += LONG_COLUMNS - 1;
  draw_text(at.y, x, at.x + at.columns - x, FACE_HEADING, "CULPRIT OR MARK");
  int thread = thread_columns(at.columns), pid = pid_columns(ui, at.columns);
  size_t count = ui_stalls_count(ui);
  draw_text(at.y, at.x + at.columns - thread - pid, pid, FACE_HEADING, "PID");
  draw_text(at.y, at.x + at.columns - thread, thread, FACE_HEADING, "THREAD");
  if (count == 0) draw_text(at.y + 1, at.x + 2, at.columns - 2, FACE_NORMAL, ui_stalls_why_none(ui));
  struct ui_rows rows = ui_rows_of(ui, &view->pager, count, 1, 0);
  ui_rows_draw(&rows, at, stalls_draw_row, ui);
}
