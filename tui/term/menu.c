/* SPDX-License-Identifier: MIT */
/* Moves in a menu and draws it. */
#include "menu.h"
#include "draw.h"
#include "keys.h"
#include "tui/text/text.h"
#include <stdio.h>

enum { MENU_BESIDE = 24 };

void menu_start(struct menu *menu, const char *title)
{
  *menu = (struct menu){ .open = true, .title = title };
}

void menu_add(struct menu *menu, const char *label, int value, bool selected)
{
  if (menu->count < MENU_ITEMS_MAX) {
    menu->cursor = selected ? menu->count : menu->cursor;
    menu->item[menu->count].label = label;
    menu->item[menu->count].value = value;
    menu->count++;
  }
}

static enum menu_result go_to(struct menu *menu, int row)
{
  menu->cursor = row < 0 ? 0 : row >= menu->count ? menu->count - 1 : row;
  return MENU_MOVED;
}

static bool choose_letter(struct menu *menu, int key)
{
  for (int i = 0; i < menu->count; i++) {
    if (menu->item[i].letter == 0 || menu->item[i].letter != key) continue;
    menu->cursor = i;
    menu->open = false;
    return true;
  }
  return false;
}

enum menu_result menu_key(struct menu *menu, int key)
{
  if (choose_letter(menu, key)) return MENU_CHOSEN;
  const struct key_row *row = keys_find(key, VIEW_METHODS, NULL);
  switch (row != NULL ? row->request : REQUEST_NONE) {
  case REQUEST_UP: return go_to(menu, menu->cursor - 1);
  case REQUEST_DOWN: return go_to(menu, menu->cursor + 1);
  case REQUEST_FIRST:
  case REQUEST_PAGE_UP:
  case REQUEST_HALF_UP: return go_to(menu, 0);
  case REQUEST_LAST:
  case REQUEST_PAGE_DOWN:
  case REQUEST_HALF_DOWN: return go_to(menu, menu->count - 1);
  case REQUEST_ENTER: menu->open = false; return menu->count > 0 ? MENU_CHOSEN : MENU_CLOSED;
  case REQUEST_BACK:
  case REQUEST_QUIT:
  case REQUEST_SORT_MENU: menu->open = false; return MENU_CLOSED;
  default: return MENU_IGNORED;
  }
}

int menu_value(const struct menu *menu)
{
  return menu->item[menu->cursor].value;
}

/* Columns for letters, when there are any. */
static int letter_columns(const struct menu *menu)
{
  for (int i = 0; i < menu->count; i++)
    if (menu->item[i].letter != 0) return 3;
  return 0;
}

static int menu_rows(const struct menu *menu, struct rect area)
{
  return area.rows - 1 < menu->count ? area.rows - 1 : menu->count;
}

/* Number of columns for "12 of 23"; 0 if all entries are visible. */
static int count_columns(const struct menu *menu, struct rect area)
{
  return menu_rows(menu, area) < menu->count ? 10 : 0;
}

/* Number of columns of the menu, which covers the table if too little of it would remain visible beside the menu. */
static int menu_columns(const struct menu *menu, struct rect area)
{
  int columns = 4 + rtop_text_width(menu->title) + count_columns(menu, area);
  for (int i = 0; i < menu->count; i++) {
    int width = 4 + letter_columns(menu) + rtop_text_width(menu->item[i].label);
    columns = width > columns ? width : columns;
  }
  return columns > area.columns - MENU_BESIDE ? area.columns : columns;
}

/* The first entry that is seen. */
static int menu_top(const struct menu *menu, int rows)
{
  return menu->cursor >= rows ? menu->cursor - rows + 1 : 0;
}

int menu_at(const struct menu *menu, struct rect area, int y, int x)
{
  int rows = menu_rows(menu, area), row = y - area.y - 1;
  bool beside = x < area.x || x >= area.x + menu_columns(menu, area);
  return beside || row < 0 || row >= rows ? -1 : menu_top(menu, rows) + row;
}

void menu_draw(const struct menu *menu, struct rect area)
{
  int columns = menu_columns(menu, area), rows = menu_rows(menu, area), top = menu_top(menu, rows);
  int letters = letter_columns(menu);
  draw_blank(area.y, area.x, columns, FACE_HEADING);
  draw_text(area.y, area.x + 1, columns - 1, FACE_HEADING, menu->title);
  draw_text(area.y, area.x + columns - 1, 1, FACE_NORMAL, "|");
  if (rows < menu->count) {
    char count[32];
    snprintf(count, sizeof count, "%d of %d", menu->cursor + 1, menu->count);
    draw_right(area.y, area.x + columns - 12, 10, FACE_HEADING, count);
  }
  for (int i = 0; i < rows; i++) {
    bool selected = top + i == menu->cursor;
    enum face face = selected ? FACE_CURSOR : FACE_NORMAL;
    draw_blank(area.y + 1 + i, area.x, columns, face);
    draw_text(area.y + 1 + i, area.x, 1, face, selected ? ">" : " ");
    const char letter[2] = { (char)menu->item[top + i].letter, '\0' };
    draw_text(area.y + 1 + i, area.x + 2, letters, selected ? face : FACE_LABEL, letter);
    draw_text(area.y + 1 + i, area.x + 2 + letters, columns - 3 - letters, face, menu->item[top + i].label);
    bool above = i == 0 && top > 0, below = i + 1 == rows && top + rows < menu->count;
    draw_text(area.y + 1 + i, area.x + columns - 1, 1, above || below ? FACE_TITLE : FACE_NORMAL,
              above   ? "^"
              : below ? "v"
                      : "|");
  }
  if (rows + 1 < area.rows) draw_blank(area.y + 1 + rows, area.x, columns, FACE_HEADING); /* what ends is seen */
  move(area.y + 1 + menu->cursor - top, area.x);
}
