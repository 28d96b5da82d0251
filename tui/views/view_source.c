/* The file of the selected method with what every line cost. Drawn in view_source_draw.c. */
#include "view_source.h"
#include "viewer.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <stdlib.h>
#include <string.h>

enum { SHIFT_STEP = 8, SHIFT_MAX = 800, HEADING_ROWS = 2 };

static struct source_view *self(const struct ui *ui)
{
  return ui->data[VIEW_SOURCE];
}

static bool create(struct ui *ui)
{
  ui->data[VIEW_SOURCE] = calloc(1, sizeof(struct source_view));
  return ui->data[VIEW_SOURCE] != NULL;
}

static void forget(struct ui *ui)
{
  source_file_close(&self(ui)->file);
  source_heat_destroy(&self(ui)->heat);
  source_heat_destroy(&self(ui)->before);
  detail_destroy(&self(ui)->detail);
  memset(self(ui), 0, sizeof *self(ui));
}

static void destroy(struct ui *ui)
{
  if (self(ui) != NULL) {
    forget(ui);
    free(self(ui));
    ui->data[VIEW_SOURCE] = NULL;
  }
}

size_t source_view_rows(const struct source_view *view)
{
  return view->file.state == SOURCE_READY ? view->file.line_count : view->heat.count;
}

uint32_t source_view_line(const struct source_view *view, size_t row)
{
  if (view->file.state == SOURCE_READY) return (uint32_t)row + 1;
  return row < view->heat.count ? view->heat.lines[row].line : 0;
}

bool source_view_matches(const struct ui *ui, uint32_t line)
{
  char text[2048];
  if (ui->search[0] == '\0') return false;
  source_file_line(&self(ui)->file, line, text, sizeof text);
  return rtop_text_contains(text, ui->search);
}

bool source_view_changed(const struct ui *ui)
{
  return source_file_is_newer(&self(ui)->file, ui_process(ui)->started_real_ns);
}

static size_t page_rows(const struct ui *ui)
{
  int rows = ui->layout.part[PART_TABLE].rows - HEADING_ROWS;
  return rows > 1 ? (size_t)rows : 1;
}

/* To a line of the file, in the middle of the page when it was not in sight. */
static void go_to(struct ui *ui, uint32_t line)
{
  struct source_view *view = self(ui);
  size_t rows = source_view_rows(view), page = page_rows(ui), row = 0;
  if (view->file.state == SOURCE_READY) row = line > 0 ? line - 1 : 0;
  else
    while (row < rows && source_view_line(view, row) != line) row++;
  bool seen = row >= view->pager.top && row < view->pager.top + page;
  view->pager.cursor = row;
  if (!seen) view->pager.top = row > page / 2 ? row - page / 2 : 0;
  pager_fit(&view->pager, rows, page);
}

/* The line of the method itself that cost most, else where it begins. */
static uint32_t first_line(const struct source_view *view, const struct rtop_symbol *symbol)
{
  uint32_t best = symbol->line;
  uint64_t best_ns = 0;
  for (int i = 0; i < view->detail.lines.count; i++) {
    const struct detail_row *row = &view->detail.lines.row[i];
    uint64_t ns = row->self_ns > 0 ? row->self_ns : row->total_ns / 1000;
    if (row->id != 0 && ns > best_ns) {
      best = row->id;
      best_ns = ns;
    }
  }
  return best;
}

/* Counted when the text or the file changes, not for every refresh. */
static void count_matches(struct ui *ui)
{
  struct source_view *view = self(ui);
  ui->match_count = ui->match_at = 0;
  for (uint32_t line = 1; ui->search[0] != '\0' && line <= view->file.line_count; line++) {
    if (source_view_matches(ui, line)) {
      ui->match_count++;
      ui->match_at = line == view->pager.cursor + 1 ? ui->match_count : ui->match_at;
    }
  }
}

/* Nobody has chosen a method yet: the one with a file that costs most. */
static void choose_method(struct ui *ui)
{
  uint64_t best_ns = 0;
  uint32_t best = ui->selected;
  for (size_t i = 0; ui->profile != NULL && ui->selected == 0 && i < ui->methods.count; i++) {
    const struct rtop_method_row *row = &ui->methods.rows[i];
    const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(ui->profile), row->frame);
    if (rtop_symbol_has_source(symbol) && symbol->path[0] != '<' && row->self_ns > best_ns) {
      best_ns = row->self_ns;
      best = row->frame;
    }
  }
  ui->selected = best;
}

static void update(struct ui *ui)
{
  struct source_view *view = self(ui);
  choose_method(ui);
  if (ui->profile == NULL || ui->selected == 0) return;
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, ui->selected);
  bool other = view->frame != ui->selected;
  view->frame = ui->selected;
  view->ruby = rtop_symbol_has_source(symbol);
  view->detail_ready = detail_build(&view->detail, ui->live, symbols, view->frame, ui->wanted.mode);
  if (!view->ruby) {
    source_file_close(&view->file);
    return;
  }
  uint64_t size_before = view->file.size;
  source_file_open(&view->file, ui_source_pid(ui), ui_source_owner(ui), symbol->path);
  source_heat_build(&view->heat, ui->live, symbols, symbol->path, ui->wanted.mode);
  source_view_find_loops(view);
  if (ui->baseline.comparing)
    source_heat_of_sum(&view->before, &ui->baseline.sum, symbols, symbol->path, ui->wanted.mode);
  if (other) {
    view->shift = 0;
    go_to(ui, first_line(view, symbol));
  }
  if (other || view->file.size != size_before) count_matches(ui);
  pager_fit(&view->pager, source_view_rows(view), page_rows(ui));
}

static bool find(struct ui *ui, enum request request)
{
  struct source_view *view = self(ui);
  size_t count = view->file.line_count;
  if (request != REQUEST_SEARCH && ui->search[0] == '\0') return request == REQUEST_NEXT;
  for (size_t i = 0; i < count; i++) {
    size_t step = request == REQUEST_PREVIOUS ? count - 1 - i : i + (request == REQUEST_NEXT);
    uint32_t line = (uint32_t)((view->pager.cursor + step) % count) + 1;
    if (source_view_matches(ui, line)) {
      go_to(ui, line);
      break;
    }
  }
  count_matches(ui);
  return true;
}

/* Lines in the order of their heat; from a line that cost nothing to the hottest. */
static bool hottest(struct ui *ui, int step)
{
  struct source_view *view = self(ui);
  const struct source_heat *heat = &view->heat;
  const struct heat_line *here = source_heat_line(heat, source_view_line(view, view->pager.cursor));
  if (!view->ruby || heat->count == 0) return true;
  int64_t rank = here != NULL ? here - heat->lines + step : 0;
  if (rank >= 0 && rank < heat->count) {
    go_to(ui, heat->lines[rank].line);
    ui_say(ui, "line %u is %lld. of %u", heat->lines[rank].line, (long long)rank + 1, heat->count);
  } else {
    ui_say(ui, rank < 0 ? "this is the hottest line" : "no other line cost anything");
  }
  return true;
}

static bool edit(struct ui *ui)
{
  struct source_view *view = self(ui);
  if (!view->ruby || view->file.state != SOURCE_READY) {
    ui_say(ui, "there is no file to edit");
    return true;
  }
  ui->edit.wanted = true;
  ui->edit.owner = ui_source_owner(ui);
  ui->edit.line = source_view_line(view, view->pager.cursor);
  snprintf(ui->edit.path, sizeof ui->edit.path, "%s", view->file.opened);
  return true;
}

static bool shift(struct ui *ui, int step)
{
  int wanted = self(ui)->shift + step;
  self(ui)->shift = wanted < 0 ? 0 : wanted > SHIFT_MAX ? SHIFT_MAX : wanted;
  return true;
}

static void click(struct ui *ui, int row, int x)
{
  (void)x;
  pager_click(&self(ui)->pager, row - HEADING_ROWS, source_view_rows(self(ui)), page_rows(ui));
}

static bool handle(struct ui *ui, enum request request)
{
  struct source_view *view = self(ui);
  switch (request) {
  case REQUEST_SEARCH:
  case REQUEST_NEXT:
  case REQUEST_PREVIOUS: return find(ui, request);
  case REQUEST_HOTTER: return hottest(ui, -1);
  case REQUEST_COOLER: return hottest(ui, 1);
  case REQUEST_EDIT: return edit(ui);
  case REQUEST_TEXT_LEFT: return shift(ui, -SHIFT_STEP);
  case REQUEST_TEXT_RIGHT: return shift(ui, SHIFT_STEP);
  default: return pager_request(&view->pager, request, source_view_rows(view), page_rows(ui));
  }
}

/* The search may have changed in another view. */
static void open_view(struct ui *ui)
{
  count_matches(ui);
}

static void draw(struct ui *ui)
{
  pager_fit(&self(ui)->pager, source_view_rows(self(ui)), page_rows(ui));
  source_view_draw(ui, self(ui));
}

static void note(const struct ui *ui, char *out, size_t bytes)
{
  (void)ui;
  snprintf(out, bytes, ", . hottest  e edit");
}

const struct view_ops view_source = {
  .id = VIEW_SOURCE,
  .name = "Source",
  .key = '5',
  .detail = true,
  .create = create,
  .update = update,
  .open = open_view,
  .note = note,
  .draw = draw,
  .handle = handle,
  .click = click,
  .forget = forget,
  .destroy = destroy,
};
