/* The list of stalls and marks below the graphs: newest first, a cursor, one key goes there. */
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
  THREAD_COLUMNS_NARROW = 12
};

static const struct stall *stall_in(const struct ui *ui, size_t place)
{
  const struct stalls *stalls = &ui->stalls.stalls;
  return place < stalls->count ? &stalls->list[stalls->count - 1 - place] : NULL;
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

/* The cursor stays on its stall while others come. */
void time_stalls_update(const struct ui *ui, struct time_view *view)
{
  for (size_t i = 0; view->stall != 0 && i < ui->stalls.stalls.count; i++) {
    if (stall_in(ui, i)->id == view->stall) {
      view->pager.cursor = i;
      break;
    }
  }
  pager_fit(&view->pager, ui->stalls.stalls.count, ui_rows_page(ui, 1));
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
  if (!pager_request(&view->pager, request, ui->stalls.stalls.count, ui_rows_page(ui, 1))) return false;
  pager_fit(&view->pager, ui->stalls.stalls.count, ui_rows_page(ui, 1));
  stall = stall_in(ui, view->pager.cursor);
  view->stall = stall != NULL ? stall->id : 0;
  return true;
}

void time_stalls_menu(struct ui *ui, struct time_view *view, struct ui_row *row)
{
  const struct stall *stall = stall_in(ui, view->pager.cursor);
  row->frame = 0;
  if (stall == NULL) return;
  stall_words(stall, rtop_profile_symbols(ui->profile), row->text, sizeof row->text);
  view->stall = stall->id; /* the cursor stays on it while others come */
  row->name = row->text;
  ui_row_can(row, 'g', "go to it", REQUEST_ENTER);
  ui_row_can(row, 't', "threads then", ROW_STALL_THREADS);
}

static int thread_columns(int columns)
{
  return columns < THREAD_FROM ? 0 : columns < 100 ? THREAD_COLUMNS_NARROW : THREAD_COLUMNS;
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
  int thread = thread_columns(at.columns);
  draw_text(y, x, end - x - thread - 1, face, stall->cause == STALL_MARK ? stall->mark : culprit);
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
  draw_text(at.y, at.x + at.columns - thread_columns(at.columns), thread_columns(at.columns), FACE_HEADING, "THREAD");
  if (ui->stalls.stalls.count == 0) {
    draw_text(at.y + 1, at.x + 2, at.columns - 2, FACE_NORMAL,
              ui->stalls.more ? "looking ..." : "no stalls or marks in the history");
  }
  struct ui_rows rows = ui_rows_of(ui, &view->pager, ui->stalls.stalls.count, 1, 0);
  ui_rows_draw(&rows, at, stalls_draw_row, ui);
}
