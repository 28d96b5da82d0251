/* SPDX-License-Identifier: MIT */
/* The threads view: state, history, figures, stack; choosing threads for all views. view_threads_draw.c draws it. */
#include "view_threads.h"
#include "tui/stalls/locks.h"
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_row_menu.h"
#include <stdlib.h>
#include <string.h>

enum { STACK_ROWS_FROM = 40, TABLE_ROWS_LEAST = 4, STACK_LEAST = 3 };

static struct threads_view *threads_view(const struct ui *ui)
{
  return ui->data[VIEW_THREADS];
}

static void threads_forget(struct ui *ui)
{
  thread_table_destroy(&threads_view(ui)->table);
  thread_lanes_destroy(&threads_view(ui)->lanes);
  fiber_table_destroy(&threads_view(ui)->fibers);
  wait_sums_destroy(&threads_view(ui)->waits);
  memset(threads_view(ui), 0, sizeof *threads_view(ui));
}

void threads_view_keep(const struct ui *ui, struct rtop_symbols *symbols)
{
  wait_sums_keep(&threads_view(ui)->waits, symbols);
}

const struct rtop_thread_row *threads_view_row(const struct ui *ui, size_t place)
{
  const struct thread_table *table = &threads_view(ui)->table;
  return place < table->count ? &ui->sum.threads[table->rows[place]] : NULL;
}

unsigned threads_view_waiting(const struct ui *ui, size_t row)
{
  return row < ui->sum.thread_count ? ui->sum.threads[row].behind.threads : 0;
}

bool threads_view_has(const struct ui *ui, size_t row)
{
  struct rtop_lock_count locks[RTOP_LOCK_COUNTS_MAX];
  size_t count = rtop_lock_counts(&ui->sum, locks);
  for (size_t i = 0; i < count; i++)
    if (rtop_lock_holder(&ui->sum, locks[i].row) == row) return true;
  return false;
}

bool threads_view_matches(const struct ui *ui, const struct rtop_thread_row *thread)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  const struct rtop_call_node *leaf = rtop_symbols_get_node(symbols, thread->node);
  return ui->search[0] != '\0' && (rtop_text_contains(thread->name, ui->search) ||
                                   rtop_text_contains(rtop_symbols_get(symbols, leaf->frame)->label, ui->search));
}

int threads_view_stack_rows(const struct ui *ui)
{
  const struct threads_view *view = threads_view(ui);
  int rows = ui->layout.part[PART_TABLE].rows;
  bool shown = view->waits_open || view->stack_open || (ui->layout.rows >= STACK_ROWS_FROM && !view->stack_closed);
  if (!shown || rows < 2 * TABLE_ROWS_LEAST) return 0;
  return rows / 2;
}

struct ui_rows threads_view_threads(const struct ui *ui)
{
  return ui_rows_of(ui, &threads_view(ui)->pager, threads_view(ui)->table.count, 1, threads_view_stack_rows(ui));
}

static size_t threads_fibers(const struct ui *ui, size_t *from)
{
  const struct threads_view *view = threads_view(ui);
  const struct rtop_thread_row *thread = threads_view_row(ui, view->pager.cursor);
  return thread != NULL ? fiber_table_of(&view->fibers, thread->source, thread->serial, from) : 0;
}

const struct fiber_row *threads_view_fiber(const struct ui *ui, size_t place)
{
  size_t from = 0, count = threads_fibers(ui, &from);
  return place < count ? &threads_view(ui)->fibers.rows[from + place] : NULL;
}

/* Returns the rows for fibers below the title of the stack, which keeps at least three rows; there are none without
   room or fibers. */
struct ui_rows threads_view_fibers(const struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  int stack = threads_view_stack_rows(ui), room = view->waits_open ? 0 : stack - STACK_LEAST - 2;
  size_t from, count = room > 0 ? threads_fibers(ui, &from) : 0;
  struct ui_rows rows = { .count = count, .cursor = view->in_fibers ? view->fiber_pager.cursor : count };
  rows.pager = &view->fiber_pager;
  rows.page = count < (size_t)room ? count : (size_t)room;
  rows.heading = ui->layout.part[PART_TABLE].rows - stack + 2;
  return rows;
}

struct ui_rows threads_view_rows(const struct ui *ui)
{
  struct ui_rows fibers = threads_view_fibers(ui);
  return threads_view(ui)->in_fibers && fibers.count > 0 ? fibers : threads_view_threads(ui);
}

bool threads_view_fiber_matches(const struct ui *ui, const struct fiber_row *row)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  return ui->search[0] != '\0' && (rtop_text_contains(fiber_row_name(row, symbols), ui->search) ||
                                   rtop_text_contains(fiber_row_wait(row, symbols), ui->search));
}

static bool threads_matches(const struct ui *ui, size_t place)
{
  if (threads_view(ui)->in_fibers) {
    const struct fiber_row *row = threads_view_fiber(ui, place);
    return row != NULL && threads_view_fiber_matches(ui, row);
  }
  return threads_view_matches(ui, threads_view_row(ui, place));
}

static void threads_anchor_here(struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  const struct fiber_row *fiber = view->in_fibers ? threads_view_fiber(ui, view->fiber_pager.cursor) : NULL;
  if (fiber != NULL) view->fiber_kind = fiber->kind;
  const struct rtop_thread_row *thread = threads_view_row(ui, view->pager.cursor);
  view->anchored = thread != NULL;
  if (thread != NULL) {
    view->source = thread->source;
    view->serial = thread->serial;
  }
}

static void threads_follow(struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  for (size_t i = 0; view->anchored && ui->follow && i < view->table.count; i++) {
    const struct rtop_thread_row *thread = threads_view_row(ui, i);
    if (thread->serial == view->serial && thread->source == view->source) {
      view->pager.cursor = i;
      return;
    }
  }
}

/* Keeps the cursor among the fibers as long as the thread has some and there is room for them. */
static void threads_follow_fibers(struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  struct ui_rows rows = threads_view_fibers(ui);
  view->in_fibers = view->in_fibers && rows.count > 0;
  for (size_t i = 0; view->in_fibers && ui->follow && i < rows.count; i++)
    if (threads_view_fiber(ui, i)->kind == view->fiber_kind) {
      view->fiber_pager.cursor = i;
      break;
    }
  if (!view->in_fibers) view->fiber_pager = (struct pager){ 0 };
  else pager_fit(rows.pager, rows.count, rows.page);
}

static void threads_fit(struct ui *ui)
{
  struct ui_rows rows = threads_view_threads(ui);
  pager_fit(rows.pager, rows.count, rows.page);
  ui_rows_fit(ui);
}

/* Chooses the windows of lanes: if the display is frozen, as many after the moment as before it, if available. */
static void threads_look(struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  int columns = threads_view_lane_columns(ui);
  int64_t moment_ns = ui_time_cursor(ui), left_ns = rtop_profile_bounds(ui->profile).end_ns - moment_ns;
  int64_t left = ui->frozen && left_ns > 0 ? (left_ns + THREAD_LANES_NS / 2) / THREAD_LANES_NS : 0;
  view->after = left < columns / 2 ? (int)left : columns / 2;
  view->before = columns - view->after;
  ui->more = columns > 0 && thread_lanes_update(&view->lanes, ui->profile, moment_ns, view->before, view->after);
}

static void threads_update(struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  if (ui->profile == NULL) return;
  struct thread_table_options options = {
    .sort = rtop_sort_key_plain(ui->wanted.sort),
    .reverse = ui->wanted.reverse,
    .filter = ui->wanted.filter,
    .filter_invert = ui->wanted.filter_invert,
    .only_source = ui_processes_alone(ui) + 1,
    .no_idle = ui->focus.no_idle,
  };
  thread_table_build(&view->table, &ui->sum, rtop_profile_symbols(ui->profile), &options);
  const struct fiber_order order = { threads_view_fiber_sort(view), view->fiber_reverse, options.filter,
                                     options.filter_invert };
  fiber_table_build(&view->fibers, ui->profile, &ui->sum);
  fiber_order(&view->fibers, rtop_profile_symbols(ui->profile), &order);
  if (view->waits_open) wait_sums_build(&view->waits, &ui->sum, ui->profile);
  threads_follow(ui);
  threads_follow_fibers(ui);
  threads_fit(ui);
  ui_rows_count(ui);
}

static void threads_moved(struct ui *ui)
{
  threads_anchor_here(ui);
  ui_rows_fit(ui);
  ui_rows_count(ui);
}

/* Makes all views show only this thread; the same thread again: all threads. */
static bool threads_choose(struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  const struct rtop_thread_row *thread = threads_view_row(ui, view->pager.cursor);
  if (thread != NULL) {
    ui_focus_only(ui, thread);
    view->stack_open = ui->focus.count > 0;
    view->stack_closed = false;
    threads_moved(ui);
  }
  return true;
}

/* Adds a thread to those chosen, and goes to the next row, so that several are chosen quickly. */
static bool choose_more(struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  const struct rtop_thread_row *thread = threads_view_row(ui, view->pager.cursor);
  if (thread != NULL) {
    ui_focus_toggle(ui, thread);
    ui_rows_request(ui, REQUEST_DOWN);
  }
  return true;
}

/* Shows or hides the stack; if the waits are shown in its place, shows the stack. */
static bool toggle_stack(struct ui *ui)
{
  bool shown = threads_view_stack_rows(ui) > 0 && !threads_view(ui)->waits_open;
  threads_view(ui)->waits_open = false;
  threads_view(ui)->stack_open = !shown;
  threads_view(ui)->stack_closed = shown;
  threads_moved(ui);
  return true;
}

static bool toggle_waits(struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  view->waits_open = !view->waits_open;
  view->in_fibers = false;
  if (view->waits_open && threads_view_stack_rows(ui) == 0) ui_say(ui, "there is no room for waits here");
  threads_moved(ui);
  ui->stale = true;
  return true;
}

static bool close_stack(struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  if (view->waits_open) return toggle_waits(ui);
  bool open = view->stack_open && ui->layout.rows < STACK_ROWS_FROM;
  view->stack_open = view->stack_open && !open;
  return open;
}

static void threads_go(struct ui *ui, size_t place)
{
  struct threads_view *view = threads_view(ui);
  if (view->in_fibers) view->fiber_pager.cursor = place;
  else view->pager.cursor = place;
  threads_moved(ui);
}

/* ---- fibers ------------------------------------------------------------------------------------------------ */

static bool leave_fibers(struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  bool were = view->in_fibers;
  view->in_fibers = false;
  if (were) threads_moved(ui);
  return were;
}

static bool enter_fibers(struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  size_t from;
  if (view->in_fibers) return true;
  if (threads_fibers(ui, &from) == 0) {
    ui_say(ui, "no fibers of this thread wait in a fiber scheduler");
    return true;
  }
  if (threads_view_stack_rows(ui) == 0 || view->waits_open) toggle_stack(ui);
  view->in_fibers = threads_view_fibers(ui).count > 0;
  if (!view->in_fibers) ui_say(ui, "there is no room for fibers here");
  threads_moved(ui);
  return true;
}

static bool fibers_sort(struct ui *ui, int step, bool reverse)
{
  struct threads_view *view = threads_view(ui);
  int sort = (int)threads_view_fiber_sort(view) + step;
  if (sort < 0 || sort >= FIBER_SORTS) return true;
  view->fiber_sorted = true;
  view->fiber_sort = (enum fiber_sort)sort;
  view->fiber_reverse = reverse;
  ui->stale = true;
  return true;
}

static bool fibers_handle(struct ui *ui, enum request request)
{
  const struct threads_view *view = threads_view(ui);
  switch (request) {
  case REQUEST_FIBERS_BACK:
  case REQUEST_BACK:
  case REQUEST_QUIT: return leave_fibers(ui);
  case REQUEST_SORT_LEFT: return fibers_sort(ui, -1, false);
  case REQUEST_SORT_RIGHT: return fibers_sort(ui, 1, false);
  case REQUEST_REVERSE: return fibers_sort(ui, 0, !view->fiber_reverse);
  default: return false;
  }
}

/* Those above are threads. */
static void threads_click(struct ui *ui, int row, int x)
{
  struct ui_rows fibers = threads_view_fibers(ui);
  threads_view(ui)->in_fibers = fibers.count > 0 && row >= fibers.heading && row < fibers.heading + (int)fibers.page;
  ui_rows_click(ui, row, x);
}

static bool threads_handle(struct ui *ui, enum request request)
{
  if (threads_view(ui)->in_fibers && fibers_handle(ui, request)) return true;
  switch (request) {
  case REQUEST_FIBERS: return enter_fibers(ui);
  case REQUEST_FIBERS_BACK: return true;
  case REQUEST_CHOOSE_THREAD: return threads_choose(ui);
  case REQUEST_CHOOSE_MORE: return choose_more(ui);
  case REQUEST_STACK: return toggle_stack(ui);
  case REQUEST_WAITS: return toggle_waits(ui);
  case REQUEST_BACK:
  case REQUEST_QUIT: return close_stack(ui);
  default: return false;
  }
}

/* Opens the view. Goes to the thread that is to blame for the visited stall. */
static void threads_open(struct ui *ui)
{
  struct threads_view *view = threads_view(ui);
  bool followed = ui->follow;
  if (ui->stalls.serial == 0) return;
  view->anchored = ui->follow = true;
  view->source = ui->stalls.source;
  view->serial = ui->stalls.serial;
  ui->stalls.serial = 0;
  threads_follow(ui);
  ui->follow = followed;
  view->in_fibers = false;
  threads_fit(ui);
}

static void threads_prepare(struct ui *ui)
{
  threads_follow_fibers(ui);
  threads_fit(ui);
  if (ui->profile != NULL) threads_look(ui);
}

/* Returns the frame of the nearest call on the thread's stack of a method with a file; 0: none. */
static uint32_t source_of(const struct rtop_symbols *symbols, uint32_t node)
{
  while (node != 0) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    const struct rtop_symbol *symbol = rtop_symbols_get(symbols, call->frame);
    if (rtop_symbol_has_source(symbol) && symbol->path[0] == '/') return node;
    node = call->parent;
  }
  return 0;
}

/* Its stack stands below. */
static void fibers_menu(struct ui *ui, struct ui_row *row, const struct fiber_row *fiber)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  row->name = row->text;
  snprintf(row->text, sizeof row->text, "%s", fiber_row_name(fiber, symbols));
  row->node = source_of(symbols, fiber->node);
  row->frame = rtop_symbols_get_node(symbols, row->node)->frame;
  threads_anchor_here(ui);
  ui_row_can(row, 'b', "back to the threads", REQUEST_FIBERS_BACK);
  if (row->frame != 0) ui_row_can(row, 's', "source of what they wait in", ROW_SOURCE_OF);
}

static void threads_menu(struct ui *ui, struct ui_row *row)
{
  const struct threads_view *view = threads_view(ui);
  const struct fiber_row *fiber = view->in_fibers ? threads_view_fiber(ui, view->fiber_pager.cursor) : NULL;
  size_t from;
  if (fiber != NULL) {
    fibers_menu(ui, row, fiber);
    return;
  }
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  const struct rtop_thread_row *thread = threads_view_row(ui, threads_view(ui)->pager.cursor);
  row->frame = 0;
  if (thread == NULL) return;
  row->name = row->text;
  if (thread->name[0] != '\0') rtop_text_sanitize(row->text, sizeof row->text, thread->name, strlen(thread->name));
  else snprintf(row->text, sizeof row->text, "%u", thread->native_id);
  row->node = source_of(symbols, thread->node);
  row->frame = rtop_symbols_get_node(symbols, row->node)->frame;
  threads_anchor_here(ui);
  bool chosen = ui_focus_has(ui, thread), alone = chosen && ui->focus.count == 1;
  ui_row_can(row, '=', alone ? "all threads again" : "only this thread, in all views", REQUEST_CHOOSE_THREAD);
  ui_row_can(row, 'c', chosen ? "take it from those chosen" : "add it to those chosen", REQUEST_CHOOSE_MORE);
  bool stack = threads_view_stack_rows(ui) > 0 && !threads_view(ui)->waits_open;
  ui_row_can(row, 'k', stack ? "hide its stack" : "its stack", REQUEST_STACK);
  if (threads_fibers(ui, &from) > 0) ui_row_can(row, 'f', "its fibers", REQUEST_FIBERS);
  if (!alone) ui_row_can(row, 't', "tree of this thread", ROW_THREAD_TREE);
  if (row->frame != 0) ui_row_can(row, 's', "source of what it is in", ROW_SOURCE_OF);
}

static void threads_note(const struct ui *ui, char *out, size_t bytes)
{
  (void)ui;
  snprintf(out, bytes, draw_is_ascii() ? "@held :wait #gc" : "█held ▒wait #gc");
}

const struct view_ops view_threads = {
  .id = VIEW_THREADS,
  .threads = true,
  .bytes = sizeof(struct threads_view),
  .update = threads_update,
  .open = threads_open,
  .prepare = threads_prepare,
  .note = threads_note,
  .handle = threads_handle,
  .click = threads_click,
  .row = threads_menu,
  .rows = threads_view_rows,
  .matches = threads_matches,
  .go = threads_go,
  .forget = threads_forget,
};
