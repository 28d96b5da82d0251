/* The list of processes that have a channel, to choose one from. */
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/term/pager.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

struct chooser_view {
  struct pager pager;
  pid_t pid; /* the cursor follows it */
};

static struct chooser_view *self(const struct ui *ui)
{
  return ui->data[VIEW_CHOOSER];
}

static size_t page_rows(const struct ui *ui)
{
  return (size_t)(ui->layout.part[PART_TABLE].rows > 1 ? ui->layout.part[PART_TABLE].rows - 1 : 1);
}

static void remember(struct ui *ui)
{
  struct chooser_view *view = self(ui);
  view->pid = view->pager.cursor < ui->process_count ? ui->processes[view->pager.cursor].pid : 0;
}

static void update(struct ui *ui)
{
  struct chooser_view *view = self(ui);
  for (size_t i = 0; i < ui->process_count; i++) {
    if (ui->processes[i].pid == view->pid) {
      view->pager.cursor = i;
      break;
    }
  }
  pager_fit(&view->pager, ui->process_count, page_rows(ui));
  remember(ui); /* Enter means the row that was looked at, whatever came meanwhile */
}

static void click(struct ui *ui, int row, int x)
{
  (void)x;
  if (pager_click(&self(ui)->pager, row - 1, ui->process_count, page_rows(ui))) remember(ui);
}

static bool handle(struct ui *ui, enum request request)
{
  struct chooser_view *view = self(ui);
  if (request == REQUEST_WATCH) {
    ui->chosen = view->pager.cursor < ui->process_count ? ui->processes[view->pager.cursor].pid : 0;
    return true;
  }
  if (pager_request(&view->pager, request, ui->process_count, page_rows(ui))) {
    remember(ui);
    return true;
  }
  return false;
}

static void draw_row(const struct ui *ui, const struct rtop_list_row *row, int y, bool selected)
{
  char text[512], age[16], rate[16];
  struct rect at = ui->layout.part[PART_TABLE];
  bool alive = row->state == RTOP_FEED_LIVE || row->state == RTOP_FEED_STALLED;
  rtop_list_age(age, sizeof age, row->age_ns);
  snprintf(rate, sizeof rate, row->rate_hz > 0 ? "%u" : "-", row->rate_hz);
  snprintf(text, sizeof text, "%8d %-7s %6s %5s %4u %-7s ", (int)row->pid, rtop_list_state_name(row), age, rate,
           row->threads, row->ruby);
  if (selected) {
    draw_blank(y, at.x, at.columns, FACE_CURSOR);
    draw_text(y, at.x, 1, FACE_CURSOR, ">");
  }
  int x = 1 + draw_text(y, at.x + 1, at.columns - 1, selected ? FACE_CURSOR : alive ? FACE_NORMAL : FACE_C, text);
  int end_columns = *row->end ? (int)strlen(row->end) + 2 : 0;
  if (at.columns - x - end_columns < 16) end_columns = 0;
  x += draw_text(y, at.x + x, at.columns - x - end_columns, selected ? FACE_CURSOR : FACE_TITLE,
                 ui_short_command(row->command));
  if (*row->end) {
    snprintf(text, sizeof text, "  %s", row->end);
    draw_text(y, at.x + x, at.columns - x, selected ? FACE_CURSOR : FACE_C, text);
  }
}

static void draw_nothing(struct rect at)
{
  static const char *const text[] = {
    "No Ruby process has a channel yet. Start one with the extension:",
    "    rperf-top -- ruby app.rb",
    "or, so that it can be watched at any time:",
    "    RUBYOPT=-rrperf_top RUBYLIB=<folder of rperf_top.so> ruby app.rb",
    "The list refreshes by itself.",
  };
  for (int i = 0; i < 5 && i + 2 < at.rows; i++)
    draw_text(at.y + 2 + i, at.x + 2, at.columns - 2, FACE_NORMAL, text[i]);
}

static void draw(struct ui *ui)
{
  struct chooser_view *view = self(ui);
  struct rect at = ui->layout.part[PART_TABLE];
  if (ui->layout.tiny) {
    draw_format(0, 0, ui->layout.columns, FACE_NORMAL, "%zu processes", ui->process_count);
    return;
  }
  pager_fit(&view->pager, ui->process_count, page_rows(ui));
  draw_blank(at.y, at.x, at.columns, FACE_HEADING);
  draw_text(at.y, at.x + 1, at.columns - 1, FACE_HEADING, "     PID STATE      AGE    HZ  THR RUBY    COMMAND");
  if (ui->process_count == 0) draw_nothing(at);
  for (size_t i = 0; i < page_rows(ui) && view->pager.top + i < ui->process_count; i++) {
    size_t place = view->pager.top + i;
    draw_row(ui, &ui->processes[place], at.y + 1 + (int)i, place == view->pager.cursor);
  }
  move(at.y + (ui->process_count > 0 ? 1 + (int)(view->pager.cursor - view->pager.top) : 0), at.x);
}

static bool create(struct ui *ui)
{
  ui->data[VIEW_CHOOSER] = calloc(1, sizeof(struct chooser_view));
  return ui->data[VIEW_CHOOSER] != NULL;
}

static void destroy(struct ui *ui)
{
  free(ui->data[VIEW_CHOOSER]);
  ui->data[VIEW_CHOOSER] = NULL;
}

const struct view_ops view_chooser = {
  .id = VIEW_CHOOSER,
  .create = create,
  .update = update,
  .draw = draw,
  .handle = handle,
  .click = click,
  .destroy = destroy,
};
