/* SPDX-License-Identifier: MIT */
/* The menu of a row. */
#include "ui_row_menu.h"
#include "ui.h"
#include "ui_lens.h"
#include "tui/text/text.h"
#include <string.h>

enum { TITLE_COLUMNS = 40 };

static const struct rtop_symbol *selected(const struct ui *ui)
{
  return rtop_symbols_get(rtop_profile_symbols(ui->profile), ui->selected);
}

void ui_row_can(struct ui_row *row, int letter, const char *label, int action)
{
  if (row->own_count == ROW_OWN_MAX) return;
  row->own[row->own_count].letter = letter;
  row->own[row->own_count].action = action;
  row->own[row->own_count++].label = label;
}

static void add(struct ui *ui, int letter, const char *label, int value)
{
  menu_add(&ui->ask.menu, label, value, false);
  ui->ask.menu.item[ui->ask.menu.count - 1].letter = letter;
}

/* Adds the entries that apply to a method in any view. */
static void add_for_method(struct ui *ui, const struct ui_row *row, bool ruby)
{
  if (ruby && !row->in_source) add(ui, 's', "source", REQUEST_VIEW_SOURCE);
  if (!row->in_callers) add(ui, 'c', "callers", ROW_CALLERS);
  if (!row->in_tree) add(ui, 't', "tree here", ROW_CALLEES);
  add(ui, 'f', "filter: only this", ROW_FILTER);
  add(ui, 'e', "exclude it", ROW_EXCLUDE);
  add(ui, 'y', "copy its name", ROW_COPY_NAME);
  if (ruby) add(ui, 'l', row->line != 0 ? "copy the place of the line" : "copy its location", ROW_COPY_PLACE);
}

void ui_row_menu_open(struct ui *ui)
{
  struct ui_row row = { .frame = ui->profile != NULL ? ui->selected : 0 };
  if (ui->profile != NULL && ui->view->row != NULL) ui->view->row(ui, &row);
  if (row.frame == 0 && row.name == NULL) {
    ui_say(ui, "no method is selected");
    return;
  }
  const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(ui->profile), row.frame);
  char *title = ui->ask.menu_text[0];
  rtop_text_cut(title, sizeof ui->ask.menu_text[0], row.name != NULL ? row.name : rtop_symbol_words(symbol),
                TITLE_COLUMNS);
  snprintf(ui->ask.row_name, sizeof ui->ask.row_name, "%s", row.name != NULL ? row.name : "");
  ui->ask.row_frame = row.frame;
  ui->ask.row_node = row.node;
  ui->ask.row_line = row.line;
  menu_start(&ui->ask.menu, title);
  ui->ask.menu_for = UI_MENU_ROW;
  for (int i = 0; i < row.own_count; i++) add(ui, row.own[i].letter, row.own[i].label, row.own[i].action);
  if (row.name == NULL) add_for_method(ui, &row, rtop_symbol_has_source(symbol));
  else add(ui, 'y', "copy its name", ROW_COPY_NAME);
  add(ui, 'p', "trace for Perfetto ...", ROW_TRACE);
  add(ui, 'x', "export ...", REQUEST_EXPORT);
}

/* Escapes special characters with a backslash. False: the text does not fit; `out` then ends with
   a complete character. */
static bool escape(char *out, size_t bytes, const char *text, const char *special)
{
  size_t used = 0;
  while (*text != '\0') {
    size_t length = 1, before = strchr(special, *text) != NULL;
    while (((unsigned char)text[length] & 0xc0) == 0x80) length++;
    if (used + before + length >= bytes) break;
    if (before > 0) out[used++] = '\\';
    memcpy(out + used, text, length);
    used += length;
    text += length;
  }
  out[used] = '\0';
  return *text == '\0';
}

static void filter_to_it(struct ui *ui, const struct rtop_symbol *symbol)
{
  char text[PROMPT_BYTES] = "^";
  bool whole = escape(text + 1, sizeof text - 2, symbol->label, ".[]{}()*+?^$|\\");
  if (whole) strcat(text, " "); /* The searched text continues with the path. */
  ui_take_filter(ui, text);
  ui_say(ui, "%s", ui->filter_error != NULL ? ui->filter_error : "only this method: Esc shows all again");
  ui->filter_error = NULL;
}

/* A block is treated as the method around it. */
static const char *without_block(const char *label)
{
  const char *method = strncmp(label, "block ", 6) == 0 ? strstr(label, " in ") : NULL;
  return method != NULL ? method + 4 : label;
}

static void exclude_it(struct ui *ui, const struct rtop_symbol *symbol)
{
  char pattern[RTOP_LENS_EXCLUDE_BYTES], all[2 * RTOP_LENS_EXCLUDE_BYTES + 2];
  const char *label = without_block(symbol->label);
  bool fits = escape(pattern, sizeof pattern, label, "*?\\,!");
  const char *comma = ui->lens.exclude[0] != '\0' ? "," : "";
  int wanted = snprintf(all, sizeof all, "%s%s%s", ui->lens.exclude, comma, pattern);
  if (strpbrk(label, "#.") == NULL || strchr(label, ',') != NULL || !fits || wanted >= RTOP_LENS_EXCLUDE_BYTES) {
    ui_say(ui, "%s cannot be hidden by name; X takes patterns", symbol->label);
    return;
  }
  ui_lens_exclude(ui, all);
  if (strcmp(ui->lens.exclude, all) == 0) ui_say(ui, "%s is hidden: X changes that", label);
}

static void copy_place(struct ui *ui, const struct rtop_symbol *symbol)
{
  char place[1024];
  if (ui->ask.row_line != 0) snprintf(place, sizeof place, "%s:%u", symbol->path, ui->ask.row_line);
  else ui_place(place, sizeof place, symbol);
  ui_copy(ui, place);
}

bool ui_row_menu_act(struct ui *ui, int action)
{
  const struct rtop_symbol *symbol = selected(ui);
  switch (action) {
  case ROW_FILTER: filter_to_it(ui, symbol); return true;
  case ROW_EXCLUDE: exclude_it(ui, symbol); return true;
  case ROW_COPY_NAME: ui_copy(ui, ui->ask.row_name[0] != '\0' ? ui->ask.row_name : symbol->label); return true;
  case ROW_COPY_PLACE: copy_place(ui, symbol); return true;
  case ROW_TRACE: ui_ask_command(ui, "export trace "); return true;
  default: return false;
  }
}
