/* SPDX-License-Identifier: MIT */
/* Shows the file of the selected method with the cost of every line. view_source_draw.c draws it. */
#include "view_source.h"
#include "viewer.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_row_menu.h"
#include <stdlib.h>
#include <string.h>

enum { SHIFT_STEP = 8, SHIFT_MAX = 800, HEADING_ROWS = 2 };

static struct source_view *source_view(const struct ui *ui)
{
  return ui->data[VIEW_SOURCE];
}

static void source_forget(struct ui *ui)
{
  source_file_close(&source_view(ui)->file);
  source_heat_destroy(&source_view(ui)->heat);
  source_heat_destroy(&source_view(ui)->before);
  detail_destroy(&source_view(ui)->detail);
  memset(source_view(ui), 0, sizeof *source_view(ui));
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
  source_file_line(&source_view(ui)->file, line, text, sizeof text);
  return rtop_text_contains(text, ui->search);
}

enum source_age source_view_age(const struct ui *ui)
{
  return source_file_age(&source_view(ui)->file, ui_process(ui)->code_real_ns, ui_process(ui)->started_real_ns);
}

struct ui_rows source_view_table(const struct ui *ui)
{
  struct source_view *view = source_view(ui);
  return ui_rows_of(ui, &view->pager, source_view_rows(view), HEADING_ROWS, 0);
}

static bool source_matches(const struct ui *ui, size_t place)
{
  return source_view_matches(ui, source_view_line(source_view(ui), place));
}

/* Goes to a line of the file, and centres the line if it was not visible. */
static void source_go_to(struct ui *ui, uint32_t line)
{
  struct source_view *view = source_view(ui);
  size_t rows = source_view_rows(view), page = ui_rows_page(ui, HEADING_ROWS), row = 0;
  if (view->file.state == SOURCE_READY) row = line > 0 ? line - 1 : 0;
  else
    while (row < rows && source_view_line(view, row) != line) row++;
  view->pager.cursor = row;
  pager_show(&view->pager, rows, page, page);
}

/* Returns the most expensive line of the method itself, else its first line. */
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

/* Chooses the most expensive method that has a file, if none was chosen. */
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

/* Chooses the call that the user refers to, or its nearest caller with lines. False: there is none. */
static bool choose_call(struct ui *ui, struct source_view *view, uint32_t *frame)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  uint32_t node = source_heat_call(symbols, ui_way_node(ui)), shown = rtop_symbols_get_node(symbols, node)->frame;
  if (node == 0 || !rtop_symbol_has_source(rtop_symbols_get(symbols, shown))) return false;
  view->node = node;
  *frame = shown;
  return true;
}

/* Chooses, for a selected method without lines, the method whose lines called it: the previous one if that called at
 * least half as much. */
static uint32_t choose_caller(struct ui *ui, struct source_view *view)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  uint32_t frame = source_heat_caller(&view->heat, ui->live, symbols, ui->selected, ui->wanted.mode, view->frame);
  if (frame == 0) frame = source_heat_caller(&view->heat, ui->live, symbols, ui->selected, RTOP_MODE_WALL, view->frame);
  return frame;
}

/* Chooses the method to show. True: it is another method, or another call of the same one, than before. */
static bool choose_frame(struct ui *ui, struct source_view *view)
{
  uint32_t frame, before = view->node;
  if (!choose_call(ui, view, &frame)) {
    view->node = 0;
    frame = choose_caller(ui, view);
  }
  uint32_t shown = frame != 0 ? frame : ui->selected, called = shown != ui->selected ? ui->selected : 0;
  bool other = view->frame != shown || view->called != called || (view->node != 0 && view->node != before);
  view->frame = shown;
  view->called = called;
  return other;
}

static void source_update(struct ui *ui)
{
  struct source_view *view = source_view(ui);
  choose_method(ui);
  if (ui->profile == NULL || ui->selected == 0) return;
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  bool other = choose_frame(ui, view);
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, view->frame);
  view->ruby = rtop_symbol_has_source(symbol);
  view->detail_ready = detail_build(&view->detail, ui->live, symbols, view->frame, ui->wanted.mode);
  if (!view->ruby) {
    source_file_close(&view->file);
    return;
  }
  uint64_t size_before = view->file.size;
  source_file_open(&view->file, ui_source_pid(ui), ui_source_owner(ui), symbol->path);
  source_heat_build(&view->heat, ui->live, symbols, symbol, ui->wanted.mode);
  source_view_find_loops(view);
  if (ui->baseline.comparing) source_heat_of_sum(&view->before, &ui->baseline.sum, symbols, symbol, ui->wanted.mode);
  if (other) {
    uint32_t calling = view->node != 0 ? rtop_symbols_line(symbols, view->node)
                                       : source_heat_calling_line(&view->heat, ui->live, symbols, view->called,
                                                                  view->frame, RTOP_MODE_WALL);
    view->shift = 0;
    source_go_to(ui, calling > 0 ? calling : first_line(view, symbol));
  }
  if (other || view->file.size != size_before) ui_rows_count(ui);
  ui_rows_fit(ui);
}

static void source_go(struct ui *ui, size_t place)
{
  source_go_to(ui, source_view_line(source_view(ui), place));
}

/* Goes to the next line in order of heat; from a line without cost, to the hottest. */
static bool source_hottest(struct ui *ui, int step)
{
  struct source_view *view = source_view(ui);
  const struct source_heat *heat = &view->heat;
  const struct heat_line *here = source_heat_line(heat, source_view_line(view, view->pager.cursor));
  if (!view->ruby || heat->count == 0) return true;
  int64_t rank = here != NULL ? here - heat->lines + step : 0;
  if (rank >= 0 && rank < heat->count) {
    source_go_to(ui, heat->lines[rank].line);
    ui_say(ui, "line %u: number %lld of %u by time", heat->lines[rank].line, (long long)rank + 1, heat->count);
  } else {
    ui_say(ui, rank < 0 ? "this is the hottest line" : "no other line cost anything");
  }
  return true;
}

static bool source_edit(struct ui *ui)
{
  struct source_view *view = source_view(ui);
  if (!view->ruby || view->file.state != SOURCE_READY) {
    ui_say(ui, "there is no file to edit");
    return true;
  }
  ui->wish.edit.wanted = true;
  ui->wish.edit.owner = ui_source_owner(ui);
  ui->wish.edit.line = source_view_line(view, view->pager.cursor);
  snprintf(ui->wish.edit.path, sizeof ui->wish.edit.path, "%s", view->file.opened);
  return true;
}

static bool shift(struct ui *ui, int step)
{
  int wanted = source_view(ui)->shift + step;
  source_view(ui)->shift = wanted < 0 ? 0 : wanted > SHIFT_MAX ? SHIFT_MAX : wanted;
  return true;
}

static bool source_handle(struct ui *ui, enum request request)
{
  switch (request) {
  case REQUEST_HOTTER: return source_hottest(ui, -1);
  case REQUEST_COOLER: return source_hottest(ui, 1);
  case REQUEST_EDIT: return source_edit(ui);
  case REQUEST_TEXT_LEFT: return shift(ui, -SHIFT_STEP);
  case REQUEST_TEXT_RIGHT: return shift(ui, SHIFT_STEP);
  default: return false;
  }
}

static void source_menu(struct ui *ui, struct ui_row *row)
{
  const struct source_view *view = source_view(ui);
  row->in_source = true;
  if (!view->ruby) return;
  row->line = source_view_line(view, view->pager.cursor);
  if (view->file.state == SOURCE_READY) ui_row_can(row, 'E', "edit the line", REQUEST_EDIT);
  ui_row_can(row, '.', "hottest line; again: next", REQUEST_COOLER);
}

/* Opens the view. The search may have changed in another view. */
static void source_open(struct ui *ui)
{
  ui_rows_count(ui);
}

static void source_prepare(struct ui *ui)
{
  ui_rows_fit(ui);
}

static void source_note(const struct ui *ui, char *out, size_t bytes)
{
  (void)ui;
  snprintf(out, bytes, ", . hottest  e edit");
}

static void source_state(const struct ui *ui, char *out, size_t bytes)
{
  uint32_t called = source_view(ui)->called;
  if (called == 0 || ui->profile == NULL) return;
  snprintf(out, bytes, "calls %s", rtop_symbols_get(rtop_profile_symbols(ui->profile), called)->label);
}

const struct view_ops view_source = {
  .id = VIEW_SOURCE,
  .detail = true,
  .bytes = sizeof(struct source_view),
  .update = source_update,
  .open = source_open,
  .note = source_note,
  .state = source_state,
  .prepare = source_prepare,
  .handle = source_handle,
  .click = ui_rows_click,
  .row = source_menu,
  .rows = source_view_table,
  .matches = source_matches,
  .go = source_go,
  .forget = source_forget,
};
