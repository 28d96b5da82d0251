/* SPDX-License-Identifier: MIT */
/* Keys with the same meaning in every view of data: order, window, units. */
#include "ui.h"
#include "tui/term/draw.h"
#include "tui/term/screen.h"
#include "tui/text/text.h"
#include <string.h>

enum { COPY_BYTES = 1000 };

const char *ui_why_empty(const struct ui *ui)
{
  bool calls = ui_calls_are_shown(ui) && ui->filter[0] == '\0';
  if (calls) return ui->calls.running ? "no call was traced yet" : "no call was traced";
  if (ui->source.problem != NULL) return ui->source.problem;
  if (ui->source.waits != NULL) return ui->source.waits;
  if (!ui->source.ready && ui->source.hosts > 0) return "connecting to the hosts ...";
  if (!ui->source.ready) return "waiting for the process to load the extension ...";
  const char *absent = ui_processes_why_absent(ui);
  if (absent != NULL) return absent;
  if (ui->sum.length_ns == 0 && ui->frozen) return "nothing is known about this moment: its windows were lost";
  if (ui->sum.length_ns == 0) return "waiting for the first window ...";
  return ui->filter[0] != '\0' ? "nothing matches the filter (Esc shows everything again)"
                               : "no thread did anything in this span";
}

void ui_draw_empty(struct rect table, const char *why)
{
  int rows = draw_sentence_rows(why, table.columns - 3, table.rows > 2 ? table.rows - 1 : 1);
  draw_sentence(table.y + 1, table.x + 1, rows, table.columns - 1, FACE_NORMAL, why);
}

double ui_share(const struct ui *ui, uint64_t ns)
{
  uint64_t length_ns = ui_shown_sum(ui)->length_ns;
  return length_ns > 0 ? (double)ns / (double)length_ns : 0;
}

void ui_cost_text(const struct ui *ui, char *out, size_t bytes, const struct rtop_cost *cost)
{
  ui_figure_text(ui, out, bytes, rtop_tree_clock(cost, ui->wanted.mode), cost->samples);
}

void ui_figure_text(const struct ui *ui, char *out, size_t bytes, uint64_t ns, uint64_t samples)
{
  if (ui->look.units == UNITS_SAMPLES) rtop_text_count(out, bytes, (double)samples);
  else if (ui->look.units == UNITS_TIME) draw_time(out, bytes, ns);
  else draw_percent(out, bytes, 100 * ui_share(ui, ns));
}

bool ui_matches(const struct ui *ui, uint32_t frame)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(ui->profile), frame);
  return ui->search[0] != '\0' &&
         (rtop_text_contains(symbol->label, ui->search) || rtop_text_contains(rtop_symbol_words(symbol), ui->search) ||
          rtop_text_contains(symbol->path, ui->search));
}

const char *ui_label_that_fits(const char *label, int columns)
{
  while (*label >= 'A' && *label <= 'Z' && rtop_text_width(label) > columns) {
    const char *end = label + strcspn(label, ":#. (<");
    if (end[0] != ':' || end[1] != ':' || end[2] == '\0') break;
    label = end + 2;
  }
  return label;
}

static bool sort_by(struct ui *ui, enum rtop_sort_key key)
{
  if (ui_calls_are_shown(ui) && !columns_of_calls(key)) {
    ui_say(ui, "that is not known of calls: only how many, and their time");
    return true;
  }
  ui->wanted.reverse = ui->wanted.sort == key && key != RTOP_SORT_NAME ? ui->wanted.reverse : false;
  ui->wanted.sort = key;
  ui->look.scroll = 0; /* the column sorted by is shown */
  ui->stale = true;
  return true;
}

/* Returns the columns in the order of the screen: those that the user chose, or all. */
static int column_order(const struct ui *ui, enum rtop_sort_key *order)
{
  bool all = ui->look.columns.count == 0 || ui_calls_are_shown(ui);
  for (int i = 0; all && i < RTOP_SORT_KEYS; i++) order[i] = (enum rtop_sort_key)i;
  for (int i = 0; !all && i < ui->look.columns.count; i++) order[i] = ui->look.columns.at[i];
  return all ? RTOP_SORT_KEYS : ui->look.columns.count;
}

/* Can rows be sorted by the column? Not by differences without a comparison, nor calls by figures that they lack. */
static bool sortable(const struct ui *ui, enum rtop_sort_key column)
{
  if (ui_calls_are_shown(ui)) return columns_of_calls(column);
  return column != RTOP_SORT_DELTA || ui->baseline.comparing;
}

/* Selects the next column that can be sorted by. */
static bool sort_step(struct ui *ui, int step)
{
  enum rtop_sort_key order[RTOP_SORT_KEYS] = { 0 };
  int count = column_order(ui, order), at = 0;
  while (at < count && order[at] != ui->wanted.sort) at++;
  at = at == count ? 0 : at + step;
  for (; at >= 0 && at < count; at += step)
    if (sortable(ui, order[at])) return sort_by(ui, order[at]);
  return true;
}

static bool sort_menu(struct ui *ui)
{
  ui->ask.menu_for = UI_MENU_SORT;
  menu_start(&ui->ask.menu, "Sort by");
  for (int column = 0; column < RTOP_SORT_KEYS; column++) {
    const struct column_info *info = columns_info((enum rtop_sort_key)column);
    if (sortable(ui, (enum rtop_sort_key)column)) {
      char *label = ui->ask.menu_text[column];
      snprintf(label, sizeof ui->ask.menu_text[column], "%-9s  %s", info->title, info->help);
      menu_add(&ui->ask.menu, label, column, column == (int)ui->wanted.sort);
    }
  }
  return true;
}

static bool reverse(struct ui *ui)
{
  ui->wanted.reverse = !ui->wanted.reverse;
  ui->stale = true;
  return true;
}

static bool next_window(struct ui *ui)
{
  static const int64_t seconds[] = { 1, 10, 60 };
  int64_t next = 0;
  if (ui->length_ns <= 0) next = seconds[0];
  else
    for (size_t i = 0; i < sizeof seconds / sizeof seconds[0] && next == 0; i++)
      next = seconds[i] * 1000000000 > ui->length_ns ? seconds[i] : 0;
  ui->length_ns = next * 1000000000;
  ui->stale = true;
  if (next == 0) ui_say(ui, "span: everything there is");
  else ui_say(ui, "span: %d s", (int)next);
  return true;
}

/* Calls have no samples. */
static bool next_units(struct ui *ui)
{
  int count = ui_calls_are_shown(ui) ? UNITS_SAMPLES : UNITS_SAMPLES + 1;
  ui->look.units = (enum ui_units)(((int)ui->look.units + 1) % count);
  return true;
}

/* Switches to this mode, or if it is the present one, back to busy. */
static bool switch_mode(struct ui *ui, enum rtop_mode mode)
{
  static const char *const words[RTOP_MODES] = {
    [RTOP_MODE_WALL] = "wall time: all time counts, sleep and I/O too",
    [RTOP_MODE_CPU] = "CPU time",
    [RTOP_MODE_BUSY] = "busy: running and GC, with the GVL",
  };
  ui->wanted.mode = ui->wanted.mode == mode ? RTOP_MODE_BUSY : mode;
  ui->stale = true;
  ui_say(ui, "%s", words[ui->wanted.mode]);
  return true;
}

void ui_copy(struct ui *ui, const char *text)
{
  char fits[COPY_BYTES + 1];
  size_t bytes = strlen(text);
  if (bytes > COPY_BYTES) {
    bytes = COPY_BYTES;
    while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80) bytes--;
  }
  snprintf(fits, sizeof fits, "%.*s", (int)bytes, text);
  if (ui->look.clipboard) screen_copy(fits);
  ui_say(ui, "%s%s", ui->look.clipboard ? "copied " : "", fits);
}

static bool copy(struct ui *ui)
{
  char text[2400];
  if (ui->selected != 0 && ui->profile != NULL) {
    const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(ui->profile), ui->selected);
    char place[1024];
    ui_place(place, sizeof place, symbol);
    snprintf(text, sizeof text, "%s %s", symbol->label, place);
    ui_copy(ui, text);
  }
  return true;
}

bool ui_figures_request(struct ui *ui, enum request request)
{
  switch (request) {
  case REQUEST_SORT_MENU: return sort_menu(ui);
  case REQUEST_SORT_LEFT: return sort_step(ui, -1);
  case REQUEST_SORT_RIGHT: return sort_step(ui, 1);
  case REQUEST_SORT_SELF: return sort_by(ui, RTOP_SORT_SELF);
  case REQUEST_SORT_TOTAL: return sort_by(ui, RTOP_SORT_TOTAL);
  case REQUEST_SORT_ALLOC: return sort_by(ui, RTOP_SORT_ALLOC);
  case REQUEST_SORT_NAME: return sort_by(ui, RTOP_SORT_NAME);
  case REQUEST_REVERSE: return reverse(ui);
  case REQUEST_WINDOW: return next_window(ui);
  case REQUEST_UNITS: return next_units(ui);
  case REQUEST_MODE_CPU: return switch_mode(ui, RTOP_MODE_CPU);
  case REQUEST_MODE_WALL: return switch_mode(ui, RTOP_MODE_WALL);
  case REQUEST_COPY: return copy(ui);
  default: return false;
  }
}

int ui_chain_text(unsigned chain, const char *first, const char *last, const char *alone, char *out, size_t bytes,
                  int columns)
{
  enum { FIRST_LEAST = 10 };
  char cut[512];
  int used = snprintf(out, bytes, "chain of %u: ", chain), room = columns - used - rtop_text_width(last) - 3;
  if (room >= FIRST_LEAST) {
    rtop_text_cut(cut, sizeof cut, ui_label_that_fits(first, room), room);
    snprintf(out + used, bytes - (size_t)used, "%s > %s", cut, last);
  } else {
    snprintf(out + used, bytes - (size_t)used, "%s", ui_label_that_fits(alone, columns - used));
  }
  return rtop_text_width(out);
}
