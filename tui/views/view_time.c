/* SPDX-License-Identifier: MIT */
/* The time view: graphs of the history with the cursor on them, and the methods at the cursor. */
#include "view_time.h"
#include "view_methods.h"
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/ui/ui.h"
#include <stdlib.h>
#include <string.h>

static const int64_t first_cell_ns = INT64_C(500000000);

static struct time_view *time_view(const struct ui *ui)
{
  return ui->data[VIEW_TIME];
}

static void time_start(struct ui *ui)
{
  time_view(ui)->cell_ns = first_cell_ns;
}

static void time_forget(struct ui *ui)
{
  struct time_view *view = time_view(ui);
  timeline_destroy(&view->timeline);
  for (int i = 0; i < TIME_LANES_MAX; i++) timeline_destroy(&view->lane[i]);
  view->end_ns = 0;
  view->stall = 0;
}

static int cells_shown(void)
{
  int cells = COLS - TIME_LABEL_COLUMNS;
  return cells < 1 ? 1 : cells > TIMELINE_CELLS_MAX ? TIMELINE_CELLS_MAX : cells;
}

/* Chooses the end of the graphs: if live, the newest shown data are at the right; if frozen, the graphs move only when
 * the cursor leaves them. */
static void place_end(struct ui *ui, int cells)
{
  struct time_view *view = time_view(ui);
  struct rtop_span held = rtop_profile_bounds(ui->profile);
  int64_t cursor_ns = ui_time_cursor(ui), length_ns = cells * view->cell_ns;
  if (!ui->frozen || view->end_ns == 0) view->end_ns = ui->frozen ? held.end_ns : cursor_ns;
  if (cursor_ns > view->end_ns || cursor_ns <= view->end_ns - length_ns + view->cell_ns)
    view->end_ns = cursor_ns + length_ns / 2 < held.end_ns ? cursor_ns + length_ns / 2 : held.end_ns;
}

/* Finds the window under the cursor. For a process shown alone, that is the process's window that ends at the cursor;
 * otherwise it may belong to another process and end later. */
static void look_at_window(struct ui *ui, uint32_t alone)
{
  struct time_view *view = time_view(ui);
  view->window = ui_time_window(ui);
  memset(&view->summary, 0, sizeof view->summary);
  if (alone == UI_ALL_SOURCES) {
    rtop_profile_windows(ui->profile, view->window, &view->summary, 1);
    return;
  }
  int64_t end_ns = ui_time_cursor(ui), length_ns = view->window.end_ns - view->window.start_ns;
  view->window = (struct rtop_span){ end_ns - length_ns, end_ns };
  rtop_profile_window_alone(ui->profile, alone, view->window, &view->summary);
}

static void time_update(struct ui *ui)
{
  struct time_view *view = time_view(ui);
  view_methods.update(ui);
  if (ui->profile == NULL) return;
  int cells = cells_shown();
  place_end(ui, cells);
  uint32_t alone = ui_processes_alone(ui);
  bool fine = timeline_build(&view->timeline, ui->profile, view->end_ns, cells, view->cell_ns, alone);
  int apart = ui->apart == 1 ? ui_processes_apart(ui) : 0;
  view->lanes = apart < TIME_LANES_MAX ? apart : TIME_LANES_MAX;
  for (int i = 0; i < view->lanes; i++)
    fine = timeline_build(&view->lane[i], ui->profile, view->end_ns, cells, view->cell_ns, (uint32_t)i) && fine;
  if (!fine) ui_say(ui, "out of memory");
  look_at_window(ui, alone);
}

/* Zooms such that the position under the cursor stays in place as far as possible. */
static bool time_zoom(struct ui *ui, int step)
{
  struct time_view *view = time_view(ui);
  struct rtop_span held = rtop_profile_bounds(ui->profile);
  int cells = cells_shown();
  int64_t cell_ns = timeline_zoom(view->cell_ns, step, held.end_ns - held.start_ns, cells);
  char length[16];
  draw_time(length, sizeof length, (uint64_t)cell_ns);
  if (cell_ns == view->cell_ns) {
    ui_say(ui, step < 0 ? "%s per cell is the finest zoom" : "%s per cell: the whole history", length);
    return true;
  }
  int64_t behind_ns = view->end_ns - ui_time_cursor(ui);
  view->end_ns = ui_time_cursor(ui) + (int64_t)((double)behind_ns * (double)cell_ns / (double)view->cell_ns);
  view->end_ns = view->end_ns < held.end_ns ? view->end_ns : held.end_ns;
  view->cell_ns = cell_ns;
  ui_say(ui, "%s per cell", length);
  ui->stale = true;
  return true;
}

static bool time_handle(struct ui *ui, enum request request)
{
  struct time_view *view = time_view(ui);
  switch (request) {
  case REQUEST_STALL_LIST:
    view->list = !view->list;
    view->from = NULL;
    ui->stale = true;
    return true;
  case REQUEST_ZOOM_IN: return ui->profile != NULL && time_zoom(ui, -1);
  case REQUEST_ZOOM_OUT: return ui->profile != NULL && time_zoom(ui, 1);
  default:
    if (view->list && time_stalls_handle(ui, view, request)) return true;
    return view_methods.handle(ui, request);
  }
}

static void time_menu(struct ui *ui, struct ui_row *row)
{
  if (time_view(ui)->list) time_stalls_menu(ui, time_view(ui), row);
  else methods_view_menu(ui, row);
}

static void time_note(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "%s", ui->layout.wide ? "[ ] step  { } x10  b go to  +- zoom" : "[]step +-zoom");
}

static void time_open(struct ui *ui)
{
  if (!ui->stalls.seek) time_view(ui)->from = NULL; /* not by the key of the list */
  view_methods.open(ui);
}

static void time_prepare(struct ui *ui)
{
  if (!time_view(ui)->list || ui->layout.tiny) view_methods.prepare(ui);
}

void time_draw(struct ui *ui)
{
  if (!ui->layout.tiny && ui->layout.part[PART_GRAPHS].rows > 0 && ui->profile != NULL)
    time_view_draw(ui, time_view(ui));
  if (time_view(ui)->list && !ui->layout.tiny) time_stalls_draw(ui, time_view(ui));
  else methods_draw(ui);
}

const struct view_ops view_time = {
  .id = VIEW_TIME,
  .graphs = true,
  .bytes = sizeof(struct time_view),
  .start = time_start,
  .ratios = methods_view_ratios,
  .update = time_update,
  .open = time_open,
  .note = time_note,
  .prepare = time_prepare,
  .handle = time_handle,
  .row = time_menu,
  .rows = methods_view_rows,
  .matches = methods_view_row_matches,
  .go = methods_view_go,
  .forget = time_forget,
};
