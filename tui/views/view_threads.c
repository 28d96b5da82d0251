/* The threads: state, history, figures, stack; choosing one for all views. Drawn in view_threads_draw.c. */
#include "view_threads.h"
#include "viewer.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <stdlib.h>
#include <string.h>

enum { STACK_ROWS_FROM = 40, TABLE_ROWS_LEAST = 4 };

static struct threads_view *self(const struct ui *ui)
{
  return ui->data[VIEW_THREADS];
}

static bool create(struct ui *ui)
{
  ui->data[VIEW_THREADS] = calloc(1, sizeof(struct threads_view));
  return ui->data[VIEW_THREADS] != NULL;
}

static void forget(struct ui *ui)
{
  thread_table_destroy(&self(ui)->table);
  thread_strip_destroy(&self(ui)->strip);
  memset(self(ui), 0, sizeof *self(ui));
}

static void destroy(struct ui *ui)
{
  if (self(ui) != NULL) {
    forget(ui);
    free(self(ui));
    ui->data[VIEW_THREADS] = NULL;
  }
}

const struct rtop_thread_row *threads_view_row(const struct ui *ui, size_t place)
{
  const struct thread_table *table = &self(ui)->table;
  return place < table->count ? &ui->sum.threads[table->rows[place]] : NULL;
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
  const struct threads_view *view = self(ui);
  int rows = ui->layout.part[PART_TABLE].rows;
  bool shown = view->stack_open || (ui->layout.rows >= STACK_ROWS_FROM && !view->stack_closed);
  if (!shown || rows < 2 * TABLE_ROWS_LEAST) return 0;
  return rows / 2;
}

static size_t page_rows(const struct ui *ui)
{
  int rows = ui->layout.part[PART_TABLE].rows - 1 - threads_view_stack_rows(ui);
  return rows > 1 ? (size_t)rows : 1;
}

static void anchor_here(struct ui *ui)
{
  struct threads_view *view = self(ui);
  const struct rtop_thread_row *thread = threads_view_row(ui, view->pager.cursor);
  view->anchored = thread != NULL;
  if (thread != NULL) {
    view->source = thread->source;
    view->serial = thread->serial;
  }
}

static void follow(struct ui *ui)
{
  struct threads_view *view = self(ui);
  for (size_t i = 0; view->anchored && ui->follow && i < view->table.count; i++) {
    const struct rtop_thread_row *thread = threads_view_row(ui, i);
    if (thread->serial == view->serial && thread->source == view->source) {
      view->pager.cursor = i;
      return;
    }
  }
}

static void count_matches(struct ui *ui)
{
  ui->match_count = ui->match_at = 0;
  for (size_t i = 0; ui->search[0] != '\0' && i < self(ui)->table.count; i++) {
    if (threads_view_matches(ui, threads_view_row(ui, i))) {
      ui->match_count++;
      ui->match_at = i == self(ui)->pager.cursor ? ui->match_count : ui->match_at;
    }
  }
}

static void update(struct ui *ui)
{
  struct threads_view *view = self(ui);
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
  follow(ui);
  pager_fit(&view->pager, view->table.count, page_rows(ui));
  count_matches(ui);
  ui->more = ui->sum.length_ns > 0 && thread_strip_update(&view->strip, ui->profile, ui->span.end_ns);
}

static void moved(struct ui *ui)
{
  anchor_here(ui);
  pager_fit(&self(ui)->pager, self(ui)->table.count, page_rows(ui));
  count_matches(ui);
}

static bool find(struct ui *ui, enum request request)
{
  struct threads_view *view = self(ui);
  size_t count = view->table.count;
  if (request != REQUEST_SEARCH && ui->search[0] == '\0') return request == REQUEST_NEXT;
  for (size_t i = 0; i < count; i++) {
    size_t step = request == REQUEST_PREVIOUS ? count - 1 - i : i + (request == REQUEST_NEXT);
    size_t place = (view->pager.cursor + step) % count;
    if (threads_view_matches(ui, threads_view_row(ui, place))) {
      view->pager.cursor = place;
      break;
    }
  }
  moved(ui);
  return true;
}

/* All views show what this thread does; the same thread again: all threads. */
static bool choose(struct ui *ui)
{
  struct threads_view *view = self(ui);
  const struct rtop_thread_row *thread = threads_view_row(ui, view->pager.cursor);
  if (thread != NULL) {
    ui_focus_only(ui, thread);
    view->stack_open = ui->focus.count > 0;
    view->stack_closed = false;
    moved(ui);
  }
  return true;
}

/* One more of several; on to the next row, so that a handful is chosen quickly. */
static bool choose_more(struct ui *ui)
{
  struct threads_view *view = self(ui);
  const struct rtop_thread_row *thread = threads_view_row(ui, view->pager.cursor);
  if (thread != NULL) {
    ui_focus_toggle(ui, thread);
    pager_request(&view->pager, REQUEST_DOWN, view->table.count, page_rows(ui));
    moved(ui);
  }
  return true;
}

static bool toggle_stack(struct ui *ui)
{
  bool shown = threads_view_stack_rows(ui) > 0;
  self(ui)->stack_open = !shown;
  self(ui)->stack_closed = shown;
  moved(ui);
  return true;
}

static bool close_stack(struct ui *ui)
{
  struct threads_view *view = self(ui);
  bool open = view->stack_open && ui->layout.rows < STACK_ROWS_FROM;
  view->stack_open = view->stack_open && !open;
  return open;
}

static void click(struct ui *ui, int row, int x)
{
  (void)x;
  if (pager_click(&self(ui)->pager, row - 1, self(ui)->table.count, page_rows(ui))) moved(ui);
}

static bool handle(struct ui *ui, enum request request)
{
  struct threads_view *view = self(ui);
  switch (request) {
  case REQUEST_SEARCH:
  case REQUEST_NEXT:
  case REQUEST_PREVIOUS: return find(ui, request);
  case REQUEST_CHOOSE_THREAD: return choose(ui);
  case REQUEST_CHOOSE_MORE: return choose_more(ui);
  case REQUEST_STACK: return toggle_stack(ui);
  case REQUEST_BACK:
  case REQUEST_QUIT: return close_stack(ui);
  default:
    if (!pager_request(&view->pager, request, view->table.count, page_rows(ui))) return false;
    moved(ui);
    return true;
  }
}

static void draw(struct ui *ui)
{
  pager_fit(&self(ui)->pager, self(ui)->table.count, page_rows(ui));
  threads_view_draw(ui, self(ui));
}

static void note(const struct ui *ui, char *out, size_t bytes)
{
  (void)ui;
  snprintf(out, bytes, "|run :wait .io #gc");
}

const struct view_ops view_threads = {
  .id = VIEW_THREADS,
  .threads = true,
  .create = create,
  .update = update,
  .draw = draw,
  .note = note,
  .handle = handle,
  .click = click,
  .forget = forget,
  .destroy = destroy,
};
