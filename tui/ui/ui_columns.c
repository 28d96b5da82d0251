/* SPDX-License-Identifier: MIT */
/* The column chooser: a menu of all columns, with shown ones first. */
#include "ui.h"
#include <ncurses.h>

/* Returns the columns that the user chose, or without a choice those that are shown. */
static struct columns_choice columns_now(const struct ui *ui)
{
  struct columns_choice now = ui->look.columns;
  struct columns_shown shown;
  if (now.count > 0) return now;
  columns_fit(&shown, &now, ui->layout.part[PART_TABLE].columns, ui->wanted.sort, ui->look.scroll);
  for (int i = 0; i < shown.count; i++) now.at[now.count++] = shown.at[i].column;
  return now;
}

static void columns_add(struct ui *ui, const struct columns_choice *now, enum rtop_sort_key column,
                        enum rtop_sort_key selected)
{
  const struct column_info *info = columns_info(column);
  char *label = ui->ask.menu_text[ui->ask.menu.count];
  snprintf(label, sizeof ui->ask.menu_text[0], "[%c] %-9s  %s", columns_has(now, column) ? 'x' : ' ', info->title,
           info->help);
  menu_add(&ui->ask.menu, label, (int)column, column == selected);
}

static void columns_fill(struct ui *ui, enum rtop_sort_key selected)
{
  menu_start(&ui->ask.menu, "Columns: Space on or off, < > move, d usual ones, Esc done");
  struct columns_choice now = columns_now(ui);
  for (int i = 0; i < now.count; i++) columns_add(ui, &now, now.at[i], selected);
  for (int column = 0; column < RTOP_SORT_KEYS; column++)
    if (!columns_has(&now, (enum rtop_sort_key)column)) columns_add(ui, &now, (enum rtop_sort_key)column, selected);
}

void ui_columns_open(struct ui *ui)
{
  ui->ask.menu_for = UI_MENU_COLUMNS;
  columns_fill(ui, columns_now(ui).at[0]);
}

bool ui_columns_key(struct ui *ui, int key)
{
  enum rtop_sort_key column = (enum rtop_sort_key)menu_value(&ui->ask.menu);
  struct columns_choice *choice = &ui->look.columns, was = *choice, now = columns_now(ui);
  *choice = now; /* The columns on the screen become the choice that is changed. */
  switch (key) {
  case ' ':
  case '\r':
  case '\n':
  case KEY_ENTER | KEY_FUNCTION: columns_toggle(choice, column); break;
  case '<':
  case KEY_LEFT | KEY_FUNCTION: columns_move(choice, column, -1); break;
  case '>':
  case KEY_RIGHT | KEY_FUNCTION: columns_move(choice, column, 1); break;
  case 'd': choice->count = 0; break;
  case 'f': ui->ask.menu.open = false; /* fall through */
  default: *choice = was; return key == 'f';
  }
  ui->look.scroll = 0;
  ui->stale = true;
  columns_fill(ui, column);
  return true;
}
