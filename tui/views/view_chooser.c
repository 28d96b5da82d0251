/* SPDX-License-Identifier: MIT */
/* The list of processes to choose from: those that have a channel, or those that are watched, with the
   condition of each. */
#include "viewer.h"
#include "tui/feed/list.h"
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
  uint32_t source;
  bool follows;
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
  view->follows = view->pager.cursor < ui->list.process_count;
  view->pid = view->follows ? ui->list.processes[view->pager.cursor]->pid : 0;
  view->source = view->follows ? ui->list.source[view->pager.cursor] : UI_ALL_SOURCES;
}

static void chooser_update(struct ui *ui)
{
  struct chooser_view *view = chooser_view(ui);
  ui_list_refresh(ui);
  for (size_t i = 0; i < ui->list.process_count; i++) {
    if (view->follows && ui->list.processes[i]->pid == view->pid && ui->list.source[i] == view->source) {
      view->pager.cursor = i;
      break;
    }
  }
  ui_rows_fit(ui);
  /* Until the user moves the cursor is on the top row; then Enter chooses the row that the user saw, whatever has come
   * meanwhile. */
  if (view->follows) remember(ui);
}

static void chooser_go(struct ui *ui, size_t place)
{
  chooser_view(ui)->pager.cursor = place;
  remember(ui);
}

static bool chooser_handle(struct ui *ui, enum request request)
{
  struct chooser_view *view = chooser_view(ui);
  if (request == REQUEST_WATCH && ui->profile != NULL) {
    remember(ui);
    if (view->follows && view->pid == 0) return true; /* a host without a process */
    ui_list_take(ui, view->pager.cursor);
    ui_open_view(ui, ui->first_view == VIEW_CHOOSER ? VIEW_METHODS : ui->first_view);
    return true;
  }
  if (request == REQUEST_WATCH) {
    ui->wish.chosen = view->pager.cursor < ui->list.process_count ? ui->list.processes[view->pager.cursor]->pid : 0;
    return true;
  }
  return false;
}

/* ---- columns -------------------------------------------------------------------------------------------------- */

enum chooser_column {
  BY_HOST,
  BY_USER,
  BY_STATE,
  BY_CPU,
  BY_GVL,
  BY_WAIT,
  BY_GC,
  BY_P99,
  BY_STALLS,
  BY_RSS,
  BY_THREADS,
  BY_AGE,
  BY_HZ,
  BY_RUBY,
  CHOOSER_COLUMNS
};

/* Columns in their order; `worth`: those with lower numbers are dropped first if there is little room. A list of
   watched processes has no row `all`. */
static const struct chooser_heading {
  const char *heading;
  int columns, worth;
  bool left, all;
} chooser_headings[CHOOSER_COLUMNS] = {
  [BY_HOST] = { "HOST", 13, 14, true, false },   [BY_USER] = { "USER", 9, 5, true, true },
  [BY_STATE] = { "STATE", 8, 6, true, false },   [BY_CPU] = { "CPU", 6, 13, false, false },
  [BY_GVL] = { "GVL", 5, 12, false, false },     [BY_WAIT] = { "WAIT", 5, 10, false, false },
  [BY_GC] = { "GC", 5, 9, false, false },        [BY_P99] = { "P99", 7, 11, false, false },
  [BY_STALLS] = { "STALL", 6, 8, false, false }, [BY_RSS] = { "RSS", 6, 7, false, false },
  [BY_THREADS] = { "THR", 5, 3, false, true },   [BY_AGE] = { "AGE", 7, 4, false, false },
  [BY_HZ] = { "HZ", 6, 1, false, true },         [BY_RUBY] = { "RUBY", 8, 2, true, false },
};

enum { PID_COLUMNS = 8, COMMAND_LEAST = 16, VERDICT_LEAST = 36, COMMAND_MOST = 40 };

struct chooser_plan {
  bool shows[CHOOSER_COLUMNS];
  int command, verdict; /* columns of these */
};

static int command_width(const struct ui_list *list)
{
  int most = COMMAND_LEAST;
  for (size_t i = 0; i < list->process_count; i++) {
    int width = rtop_text_width(ui_short_command(list->processes[i]->command));
    most = width > most ? width : most;
  }
  return most < COMMAND_MOST ? most : COMMAND_MOST;
}

/* Does any process have a label, so that the column of its time is worth its room? */
static bool knows_p99(const struct ui_list *list)
{
  for (size_t i = 0; i < list->process_count; i++)
    if (list->doctor[i] != NULL && list->doctor[i]->p99_known) return true;
  return false;
}

/* Command and verdict share what is left when all columns have theirs, the command what it needs up to nearly half. */
static struct chooser_plan chooser_plan(const struct ui *ui, int columns)
{
  struct chooser_plan plan = { .command = COMMAND_LEAST };
  bool labels = knows_p99(&ui->list);
  int room = columns - 1 - PID_COLUMNS - COMMAND_LEAST - 1 - VERDICT_LEAST;
  for (int worth = CHOOSER_COLUMNS; worth > 0; worth--)
    for (int i = 0; i < CHOOSER_COLUMNS; i++) {
      const struct chooser_heading *column = &chooser_headings[i];
      if (column->worth != worth || column->columns > room || (column->all && ui->profile != NULL)) continue;
      if (i == BY_P99 && !labels) continue;
      if (i == BY_HOST && (ui->profile == NULL || !ui_processes_have_hosts(ui))) continue;
      plan.shows[i] = true;
      room -= column->columns;
    }
  int both = COMMAND_LEAST + VERDICT_LEAST + (room > 0 ? room : 0), wanted = command_width(&ui->list) + 1;
  int most = both * 9 / 20; /* of 80 columns "puma: cluster worker 0" */
  plan.command = wanted < most ? wanted : most;
  plan.verdict = both - plan.command;
  return plan;
}

static void share_text(char *out, size_t bytes, double share)
{
  snprintf(out, bytes, "%.0f%%", 100 * (share < 9.99 ? share : 9.99));
}

/* What the list itself knows. */
static void chooser_text(char *out, size_t bytes, enum chooser_column column, const struct rperf_top_process *row)
{
  switch (column) {
  case BY_USER: snprintf(out, bytes, "%.8s", row->user); return;
  case BY_STATE: snprintf(out, bytes, "%s", rtop_list_state_name(row->state, row->by_exec)); return;
  case BY_THREADS: snprintf(out, bytes, "%u", row->threads); return;
  case BY_AGE: rtop_list_age(out, bytes, row->age_ns); return;
  case BY_HZ: snprintf(out, bytes, "%u", row->rate_hz); return;
  case BY_RUBY: snprintf(out, bytes, "%.7s", row->ruby); return;
  default: snprintf(out, bytes, "-"); return;
  }
}

/* What is known of how it is. */
static void chooser_figure(char *out, size_t bytes, enum chooser_column column, const struct doctor_process *doctor)
{
  switch (column) {
  case BY_CPU: snprintf(out, bytes, "%.2f", doctor->cores); return;
  case BY_GVL: share_text(out, bytes, doctor->held); return;
  case BY_WAIT: snprintf(out, bytes, "%.1f", doctor->waiting); return;
  case BY_GC: share_text(out, bytes, doctor->gc); return;
  case BY_P99:
    if (doctor->p99_known) draw_time(out, bytes, doctor->p99_ns);
    return;
  case BY_STALLS: snprintf(out, bytes, "%u%s", doctor->stalls, doctor->stalls_on ? "!" : ""); return;
  case BY_RSS:
    if (doctor->rss_bytes > 0) rtop_text_bytes(out, bytes, doctor->rss_bytes);
    return;
  default: return;
  }
}

/* ---- rows ----------------------------------------------------------------------------------------------------- */

/* Why nothing comes from a host. */
static void host_words(const struct ui_host *host, char *out, size_t bytes)
{
  char later[32] = "";
  if (host->retry_seconds > 0) snprintf(later, sizeof later, " (again in %d s)", host->retry_seconds);
  if (host->state == RTOP_HOST_SILENT) snprintf(out, bytes, "nothing came for %d s", host->silent_seconds);
  else if (host->state == RTOP_HOST_CONNECTING) snprintf(out, bytes, "connecting");
  else snprintf(out, bytes, "away%s%s%s", host->reason[0] != '\0' ? ": " : "", host->reason, later);
}

/* What it suffers from, or how it ended. */
static void chooser_words(const struct ui *ui, size_t place, int columns, struct verdict_words *words)
{
  const struct rperf_top_process *row = ui->list.processes[place];
  const struct doctor_process *doctor = ui->list.doctor[place];
  words->text[0] = '\0';
  const struct ui_host *host = ui_list_host(ui, place);
  if (host != NULL && host->state != RTOP_HOST_THERE && row->state == RPERF_TOP_STALLED) {
    host_words(host, words->text, sizeof words->text);
  } else if (row->state == RPERF_TOP_STALLED) {
    snprintf(words->text, sizeof words->text,
             row->threads > 0 ? "no data: stopped, or frozen" : "nobody watched it yet");
  } else if (row->state != RPERF_TOP_LIVE) {
    const char *state = rtop_list_state_name(row->state, row->by_exec);
    snprintf(words->text, sizeof words->text, "%s%s%s", state, row->end[0] != '\0' ? ": " : "", row->end);
  } else if (doctor != NULL && ui->list.symbols != NULL) {
    const struct verdict_say say = { .symbols = ui->list.symbols, .process = "", .stall_process = "" };
    verdict_words(words, &doctor->verdict, &say, columns);
  }
}

static void chooser_draw_row(const void *pen, size_t place, int y, bool selected)
{
  static struct verdict_words words; /* large */
  const struct ui *ui = pen;
  const struct rperf_top_process *row = ui->list.processes[place];
  struct rect at = ui->layout.part[PART_TABLE];
  struct chooser_plan plan = chooser_plan(ui, at.columns);
  bool alive = row->state == RPERF_TOP_LIVE || row->state == RPERF_TOP_STALLED;
  enum face face = selected ? FACE_CURSOR : alive ? FACE_NORMAL : FACE_C;
  char text[64];
  int x = at.x + 1;
  snprintf(text, sizeof text, row->pid > 0 ? "%d" : "-", (int)row->pid);
  draw_format(y, x, at.columns - 1, face, "%*s", PID_COLUMNS - 1, text);
  x += PID_COLUMNS - 1;
  for (int i = 0; i < CHOOSER_COLUMNS; i++) {
    const struct chooser_heading *column = &chooser_headings[i];
    if (!plan.shows[i]) continue;
    chooser_text(text, sizeof text, (enum chooser_column)i, row);
    const struct ui_host *host = ui_list_host(ui, place);
    if (i == BY_STATE && host != NULL && host->state != RTOP_HOST_THERE && row->state == RPERF_TOP_STALLED)
      snprintf(text, sizeof text, "%.7s", rtop_host_state_name(host->state));
    if (i == BY_HOST) rtop_text_cut(text, sizeof text, ui_list_host_name(ui, place), column->columns - 1);
    if (alive && ui->list.doctor[place] != NULL)
      chooser_figure(text, sizeof text, (enum chooser_column)i, ui->list.doctor[place]);
    draw_format(y, x + 1, at.columns - x - 1, face, "%*s", column->left ? 1 - column->columns : column->columns - 1,
                text);
    x += column->columns;
  }
  draw_text(y, x + 1, plan.command - 1, selected ? FACE_CURSOR : FACE_TITLE, ui_short_command(row->command));
  x += plan.command + 1;
  chooser_words(ui, place, plan.verdict, &words);
  if (x < at.columns) draw_text(y, x, at.columns - x, face, words.text);
}

static void draw_headings(const struct ui *ui, struct rect at)
{
  struct chooser_plan plan = chooser_plan(ui, at.columns);
  int x = at.x + 1;
  draw_blank(at.y, at.x, at.columns, FACE_HEADING);
  draw_format(at.y, x, at.columns - 1, FACE_HEADING, "%*s", PID_COLUMNS - 1, "PID");
  x += PID_COLUMNS - 1;
  for (int i = 0; i < CHOOSER_COLUMNS; i++) {
    const struct chooser_heading *column = &chooser_headings[i];
    if (!plan.shows[i]) continue;
    draw_format(at.y, x + 1, at.columns - x - 1, FACE_HEADING, "%*s",
                column->left ? 1 - column->columns : column->columns - 1, column->heading);
    x += column->columns;
  }
  draw_text(at.y, x + 1, at.columns - x - 1, FACE_HEADING, "COMMAND");
  x += plan.command + 1;
  if (x < at.columns) draw_text(at.y, x, at.columns - x, FACE_HEADING, "VERDICT");
}

/* Draws processes into which the extension could be loaded. Returns the next free row. */
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
  draw_headings(ui, at);
  if (ui->list.process_count == 0) draw_nothing(&ui->list, at);
  struct ui_rows shown = chooser_rows(ui);
  ui_rows_draw(&shown, at, chooser_draw_row, ui);
}

const struct view_ops view_chooser = {
  .id = VIEW_CHOOSER,
  .threads = true,
  .bytes = sizeof(struct chooser_view),
  .update = chooser_update,
  .handle = chooser_handle,
  .click = ui_rows_click,
  .rows = chooser_rows,
  .go = chooser_go,
};
