/* The column chooser: a menu of all columns, those that are shown first. */
#include "ui.h"
#include <ncurses.h>

static void columns_add(struct ui *ui, enum rtop_sort_key column, enum rtop_sort_key selected)
{
  const struct column_info *info = columns_info(column);
  char *label = ui->ask.menu_text[ui->ask.menu.count];
  snprintf(label, sizeof ui->ask.menu_text[0], "[%c] %-9s  %s", columns_has(&ui->look.columns, column) ? 'x' : ' ',
           info->title, info->help);
  menu_add(&ui->ask.menu, label, (int)column, column == selected);
}

static void columns_fill(struct ui *ui, enum rtop_sort_key selected)
{
  menu_start(&ui->ask.menu, "Columns: Space on or off, < > move, d usual ones, Esc done");
  for (int i = 0; i < ui->look.columns.count; i++) columns_add(ui, ui->look.columns.at[i], selected);
  for (int column = 0; column < RTOP_SORT_KEYS; column++)
    if (!columns_has(&ui->look.columns, (enum rtop_sort_key)column))
      columns_add(ui, (enum rtop_sort_key)column, selected);
}

void ui_columns_open(struct ui *ui)
{
  ui->ask.menu_for = UI_MENU_COLUMNS;
  columns_fill(ui, ui->look.columns.count > 0 ? ui->look.columns.at[0] : RTOP_SORT_SELF);
}

bool ui_columns_key(struct ui *ui, int key)
{
  enum rtop_sort_key column = (enum rtop_sort_key)menu_value(&ui->ask.menu);
  switch (key) {
  case ' ':
  case '\r':
  case '\n':
  case KEY_ENTER | KEY_FUNCTION: columns_toggle(&ui->look.columns, column); break;
  case '<':
  case KEY_LEFT | KEY_FUNCTION: columns_move(&ui->look.columns, column, -1); break;
  case '>':
  case KEY_RIGHT | KEY_FUNCTION: columns_move(&ui->look.columns, column, 1); break;
  case 'd': ui->look.columns.count = 0; break;
  case 'f': ui->ask.menu.open = false; return true;
  default: return false;
  }
  ui->look.scroll = 0;
  ui->stale = true;
  columns_fill(ui, column);
  return true;
}
