/* SPDX-License-Identifier: MIT */
/* Draws the sites where the program makes objects, during sampling and after it: class, method and line, and how
   many objects survive. */
#include "view_sites.h"

#include "tui/report/report.h"
#include "tui/report/sites_table.h"
#include "tui/term/draw.h"
#include "tui/term/pager.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_rows.h"
#include <string.h>

enum {
  SITES_HEADINGS = 2,
  SITES_TEXT = 512,
  SITES_FIGURE = 24,
  SITES_WIDE = 100,
  SITES_NARROW = 60,
  SITES_CLASS = 14,
  SITES_CLASS_WIDE = 28
};

struct sites_view {
  struct sites_table table;
  enum sites_order order;
  struct pager pager;
};

static struct sites_view *sites_view(const struct ui *ui)
{
  return ui->data[VIEW_SITES];
}

static struct ui_rows sites_rows(const struct ui *ui)
{
  return ui_rows_of(ui, &sites_view(ui)->pager, sites_view(ui)->table.count, SITES_HEADINGS, 0);
}

/* Uses all held data since sampling last began. */
static void sites_update(struct ui *ui)
{
  struct sites_view *view = sites_view(ui);
  if (ui->profile == NULL) return;
  struct rtop_span span = rtop_profile_bounds(ui->profile);
  if (ui->sites_begin_ns > span.start_ns) span.start_ns = ui->sites_begin_ns;
  if (!sites_table_build(&view->table, ui->profile, span, view->order)) view->table.count = 0;
  ui_rows_fit(ui);
}

static void sites_open(struct ui *ui)
{
  sites_update(ui);
  if (!sites_view(ui)->table.told) ui->wish.sites = true;
}

static bool sites_handle(struct ui *ui, enum request request)
{
  struct sites_view *view = sites_view(ui);
  if (request == REQUEST_SITES) ui->wish.sites = true;
  else if (request == REQUEST_SITES_ORDER)
    view->order = view->order == SITES_BY_OBJECTS ? SITES_BY_BYTES : SITES_BY_OBJECTS;
  else return false;
  ui->stale = true;
  return true;
}

static void sites_go(struct ui *ui, size_t place)
{
  sites_view(ui)->pager.cursor = place;
}

static void sites_forget(struct ui *ui)
{
  sites_table_destroy(&sites_view(ui)->table);
  ui->sites_begin_ns = 0;
}

static bool sites_matches(const struct ui *ui, size_t place)
{
  const struct sites_row *row = &sites_view(ui)->table.rows[place];
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  return rtop_text_contains(rtop_symbols_get(symbols, row->class)->label, ui->search) ||
         rtop_text_contains(rtop_symbols_get(symbols, row->method)->label, ui->search);
}

static void sites_figures(char *out, size_t bytes, const struct sites_row *row, int columns)
{
  char objects[SITES_FIGURE], error[SITES_FIGURE] = "", size[SITES_FIGURE], live[SITES_FIGURE] = "-",
                              live_size[SITES_FIGURE] = "-";
  rtop_text_count(objects, sizeof objects, row->objects);
  if (row->error > 0) rtop_text_count(error, sizeof error, row->error < 1 ? 1 : row->error);
  rtop_text_bytes(size, sizeof size, (uint64_t)row->bytes);
  if (row->judged) {
    rtop_text_count(live, sizeof live, row->live);
    rtop_text_bytes(live_size, sizeof live_size, (uint64_t)row->live_bytes);
  }
  if (columns < SITES_NARROW) snprintf(out, bytes, "%8s %7s", objects, size);
  else snprintf(out, bytes, "%8s %6s %7s %7s %7s", objects, error, size, live, live_size);
}

static int sites_class_columns(int columns)
{
  return columns >= SITES_WIDE ? SITES_CLASS_WIDE : SITES_CLASS;
}

static void sites_draw_row(const void *pen, size_t place, int y, bool selected)
{
  const struct ui *ui = pen;
  const struct sites_row *row = &sites_view(ui)->table.rows[place];
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  const struct rtop_symbol *method = rtop_symbols_get(symbols, row->method);
  struct rect at = ui->layout.part[PART_TABLE];
  enum face face = selected ? FACE_CURSOR : FACE_NORMAL;
  int columns = sites_class_columns(at.columns), x = at.x;
  char figures[SITES_TEXT], class[SITES_TEXT], place_text[SITES_TEXT], where[2 * SITES_TEXT];
  bool known = row->method != row->class;
  sites_figures(figures, sizeof figures, row, at.columns);
  rtop_text_cut(class, sizeof class, known ? rtop_symbols_get(symbols, row->class)->label : "", columns);
  rtop_report_location(place_text, sizeof place_text, method, row->line, false);
  if (known) snprintf(where, sizeof where, *place_text ? "%s (%s)" : "%s%s", method->label, place_text);
  else snprintf(where, sizeof where, "(other sites)");
  draw_blank(y, at.x, at.columns, face);
  x += draw_text(y, x, at.columns, face, figures) + 2;
  draw_text(y, x, columns, face, class);
  x += columns + 1;
  draw_text(y, x, at.x + at.columns - x, face, where);
}

static void sites_draw_head(const struct ui *ui, struct rect at)
{
  const struct sites_table *table = &sites_view(ui)->table;
  const char *text = table->told ? sites_state_text(table->state) : "nothing was sampled yet: M";
  char objects[SITES_FIGURE], samples[SITES_FIGURE];
  rtop_text_count(objects, sizeof objects, (double)table->objects);
  rtop_text_count(samples, sizeof samples, (double)table->samples);
  if (!table->told) draw_text(at.y, at.x + 1, at.columns - 1, FACE_NORMAL, text);
  else
    draw_format(at.y, at.x + 1, at.columns - 1, FACE_NORMAL, "%.1f s, %s objects, %s samples, cost %.2f%%%s%s",
                (double)table->time_ns / 1e9, objects, samples,
                table->time_ns ? 100 * (double)table->own_ns / (double)table->time_ns : 0, *text ? ": " : "", text);
  draw_blank(at.y + 1, at.x, at.columns, FACE_HEADING);
  bool is_narrow = at.columns < SITES_NARROW;
  draw_format(at.y + 1, at.x, at.columns, FACE_HEADING, "%s  %-*s %s",
              is_narrow ? " OBJECTS   BYTES" : " OBJECTS     +-   BYTES   ALIVE   BYTES",
              sites_class_columns(at.columns), "CLASS", "WHERE");
}

void sites_draw(struct ui *ui)
{
  struct rect at = ui->layout.part[PART_TABLE];
  if (ui->layout.tiny) return;
  ui_rows_fit(ui);
  sites_draw_head(ui, at);
  struct ui_rows shown = sites_rows(ui);
  ui_rows_draw(&shown, at, sites_draw_row, ui);
}

const struct view_ops view_sites = {
  .id = VIEW_SITES,
  .threads = true,
  .bytes = sizeof(struct sites_view),
  .update = sites_update,
  .open = sites_open,
  .handle = sites_handle,
  .click = ui_rows_click,
  .forget = sites_forget,
  .rows = sites_rows,
  .matches = sites_matches,
  .go = sites_go,
};
