/* The menu of a row. */
#include "ui_row_menu.h"
#include "ui.h"
#include "ui_lens.h"
#include "tui/text/text.h"
#include <string.h>

static const struct rtop_symbol *selected(const struct ui *ui)
{
  return rtop_symbols_get(rtop_profile_symbols(ui->profile), ui->selected);
}

static void add(struct ui *ui, int letter, const char *label, int value)
{
  menu_add(&ui->ask.menu, label, value, false);
  ui->ask.menu.item[ui->ask.menu.count - 1].letter = letter;
}

void ui_row_menu_open(struct ui *ui)
{
  if (ui->profile == NULL || ui->selected == 0) {
    ui_say(ui, "no method is selected");
    return;
  }
  const struct rtop_symbol *symbol = selected(ui);
  bool ruby = rtop_symbol_has_source(symbol);
  char *title = ui->ask.menu_text[0];
  rtop_text_cut(title, sizeof ui->ask.menu_text[0], symbol->label, 40);
  menu_start(&ui->ask.menu, title);
  ui->ask.menu_for = UI_MENU_ROW;
  if (ui->view->id == VIEW_METHODS || ui->view->id == VIEW_TIME)
    add(ui, 'D', ui->layout.part[PART_DETAIL].rows > 0 ? "source or lists beside it" : "details", REQUEST_LISTS);
  if (ruby && ui->view->id != VIEW_SOURCE) add(ui, 's', "source", REQUEST_VIEW_SOURCE);
  add(ui, 'c', "callers", ROW_CALLERS);
  add(ui, 't', "tree here", ROW_CALLEES);
  add(ui, 'f', "filter: only this", ROW_FILTER);
  add(ui, 'e', "exclude it", ROW_EXCLUDE);
  add(ui, 'y', "copy its name", ROW_COPY_NAME);
  if (ruby) add(ui, 'l', "copy its location", ROW_COPY_PLACE);
  add(ui, 'x', "export ...", REQUEST_EXPORT);
}

/* Puts a backslash before what means something else. False: it does not fit; `out` ends before a whole character. */
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
  if (whole) strcat(text, " "); /* what is searched goes on with its path */
  ui_take_filter(ui, text);
  ui_say(ui, "%s", ui->filter_error != NULL ? ui->filter_error : "only this method: Esc shows all again");
  ui->filter_error = NULL;
}

/* A block goes with the method around it. */
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
    ui_say(ui, "%s has no name to exclude it by: X takes patterns", symbol->label);
    return;
  }
  ui_lens_exclude(ui, all);
  if (strcmp(ui->lens.exclude, all) == 0) ui_say(ui, "%s is hidden: X changes that", label);
}

bool ui_row_menu_act(struct ui *ui, int action)
{
  char place[1024];
  const struct rtop_symbol *symbol = selected(ui);
  switch (action) {
  case ROW_FILTER: filter_to_it(ui, symbol); return true;
  case ROW_EXCLUDE: exclude_it(ui, symbol); return true;
  case ROW_COPY_NAME: ui_copy(ui, symbol->label); return true;
  case ROW_COPY_PLACE:
    ui_place(place, sizeof place, symbol);
    ui_copy(ui, place);
    return true;
  default: return false;
  }
}
