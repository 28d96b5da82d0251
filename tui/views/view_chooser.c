/* SPDX-License-Identifier: MIT */
/* The list of processes with a channel, to choose one from. */
#include "viewer.h"
#include "tui/feed/list.h"
#include "tui/term/draw.h"
#include "tui/term/pager.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

enum { CHOOSER_WIDE = 100 };

struct chooser_view {
  struct pager pager;
  pid_t pid; /* the cursor follows it */
};

static struct chooser_view *chooser_view(const struct ui *ui)
{
  return ui->data[VIEW_CHOOSER];
}

static struct ui_rows chooser_rows(const struct ui *ui)
{
  return ui_rows_of(ui, &chooser_view(ui)->pager, ui->list.process_count, 1, 0);
}

static void remember(struct ui *ui)
{
  struct chooser_view *view = chooser_view(ui);
  view->pid = view->pager.cursor < ui->list.process_count ? ui->list.processes[view->pager.cursor]->pid : 0;
}

static void chooser_update(struct ui *ui)
{
  struct chooser_view *view = chooser_view(ui);
  for (size_t i = 0; i < ui->list.process_count; i++) {
    if (ui->list.processes[i]->pid == view->pid) {
      view->pager.cursor = i;
      break;
    }
  }
  ui_rows_fit(ui);
  remember(ui); /* Enter chooses the row that the user saw, whatever has come meanwhile. */
}

static void chooser_go(struct ui *ui, size_t place)
{
  chooser_view(ui)->pager.cursor = place;
  remember(ui);
}

static bool chooser_handle(struct ui *ui, enum request request)
{
  struct chooser_view *view = chooser_view(ui);
  if (request == REQUEST_WATCH) {
    ui->wish.chosen = view->pager.cursor < ui->list.process_count ? ui->list.processes[view->pager.cursor]->pid : 0;
    return true;
  }
  return false;
}

static void chooser_draw_row(const void *pen, size_t place, int y, bool selected)
{
  const struct ui *ui = pen;
  const struct rperf_top_process *row = ui->list.processes[place];
  char text[512], age[16], wide[64] = "", cores[16] = "-", held[16] = "-";
  struct rect at = ui->layout.part[PART_TABLE];
  bool alive = row->state == RPERF_TOP_LIVE || row->state == RPERF_TOP_STALLED;
  rtop_list_age(age, sizeof age, row->age_ns);
  if (row->does[0] != '\0') snprintf(cores, sizeof cores, "%.2f", row->cores);
  if (row->does[0] != '\0') snprintf(held, sizeof held, "%.0f%%", 100 * row->held);
  if (at.columns >= CHOOSER_WIDE) snprintf(wide, sizeof wide, "%5u %-7s ", row->rate_hz, row->ruby);
  snprintf(text, sizeof text, "%8d %-8.8s %-7s %5s %5s %-5s %4u %5s %s", (int)row->pid, row->user,
           rtop_list_state_name(row->state, row->by_exec), cores, held, row->does, row->threads, age, wide);
  int x = 1 + draw_text(y, at.x + 1, at.columns - 1, selected ? FACE_CURSOR : alive ? FACE_NORMAL : FACE_C, text);
  x += rtop_list_indent(row->depth);
  int end_columns = *row->end ? (int)strlen(row->end) + 2 : 0;
  if (at.columns - x - end_columns < 16) end_columns = 0;
  x += draw_text(y, at.x + x, at.columns - x - end_columns, selected ? FACE_CURSOR : FACE_TITLE,
                 ui_short_command(row->command));
  if (*row->end) {
    snprintf(text, sizeof text, "  %s", row->end);
    draw_text(y, at.x + x, at.columns - x, selected ? FACE_CURSOR : FACE_C, text);
  }
}

/* Draws processes into which the extension could still be loaded. Returns the next free row. */
static int draw_bare(const struct ui_list *list, struct rect at, int y)
{
  int end = at.y + at.rows;
  size_t shown = list->bare_count < RTOP_BARE_MAX ? list->bare_count : RTOP_BARE_MAX;
  if (shown == 0 || y + 1 >= end) return y;
  draw_text(y++, at.x + 2, at.columns - 2, FACE_NORMAL, "These run without it. To load it into one of them, by gdb:");
  for (size_t i = 0; i < shown && y < end; i++)
    draw_format(y++, at.x + 2, at.columns - 2, FACE_NORMAL, "    rperf-top --inject -p %-8d %s", (int)list->bare[i].pid,
                ui_short_command(list->bare[i].command));
  if (list->bare_count > shown && y < end)
    draw_format(y++, at.x + 2, at.columns - 2, FACE_NORMAL, "    and %zu more", list->bare_count - shown);
  return y;
}

static void draw_nothing(const struct ui_list *list, struct rect at)
{
  static const char *const text[] = {
    "No Ruby process has a channel yet. Start one with the extension:",
    "    rperf-top -- ruby app.rb",
    "or, so that it can be watched at any time:",
    "    eval \"$(rperf-top --env)\"; ruby app.rb",
  };
  int y = at.y + 2;
  for (size_t i = 0; i < sizeof text / sizeof text[0] && y < at.y + at.rows; i++)
    draw_text(y++, at.x + 2, at.columns - 2, FACE_NORMAL, text[i]);
  y = draw_bare(list, at, y);
  if (y < at.y + at.rows) draw_text(y, at.x + 2, at.columns - 2, FACE_NORMAL, "The list refreshes by itself.");
}

void chooser_draw(struct ui *ui)
{
  struct rect at = ui->layout.part[PART_TABLE];
  if (ui->layout.tiny) {
    draw_format(0, 0, ui->layout.columns, FACE_NORMAL, "%zu processes", ui->list.process_count);
    return;
  }
  ui_rows_fit(ui);
  draw_blank(at.y, at.x, at.columns, FACE_HEADING);
  draw_format(at.y, at.x + 1, at.columns - 1, FACE_HEADING,
              "     PID USER     STATE     CPU   GVL DOES   THR   AGE %sCOMMAND",
              at.columns >= CHOOSER_WIDE ? "   HZ RUBY    " : "");
  if (ui->list.process_count == 0) draw_nothing(&ui->list, at);
  struct ui_rows shown = chooser_rows(ui);
  ui_rows_draw(&shown, at, chooser_draw_row, ui);
}

const struct view_ops view_chooser = {
  .id = VIEW_CHOOSER,
  .bytes = sizeof(struct chooser_view),
  .update = chooser_update,
  .handle = chooser_handle,
  .click = ui_rows_click,
  .rows = chooser_rows,
  .go = chooser_go,
};
