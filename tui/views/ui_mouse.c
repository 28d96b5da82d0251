/* SPDX-License-Identifier: MIT */
/* Handles clicks: on a tab, a key of the footer, an entry of a menu; all others are passed to the view. */
#include "viewer.h"
#include "tui/term/mouse.h"
#include "tui/ui/ui.h"
#include <ncurses.h>

enum { WHEEL_ROWS = 3, DOUBLE_NS = 400000000 };

static bool inside(struct rect rect, int y, int x)
{
  return y >= rect.y && y < rect.y + rect.rows && x >= rect.x && x < rect.x + rect.columns;
}

static void press_tab(struct ui *ui, int x)
{
  for (int id = 0; id < VIEW_DATA_COUNT; id++) {
    if (x >= ui->drawn.tab[id].x && x < ui->drawn.tab[id].x + ui->drawn.tab[id].columns) {
      ui_open_view(ui, (enum view_id)id);
      return;
    }
  }
}

static void press_footer(struct ui *ui, int x)
{
  for (int i = 0; i < ui->drawn.footer_keys; i++) {
    if (x >= ui->drawn.footer_key[i].x && x < ui->drawn.footer_key[i].x + ui->drawn.footer_key[i].columns) {
      ui_key(ui, ui->drawn.footer_key[i].key);
      return;
    }
  }
}

/* Handles a click in a menu. A click on an entry chooses it; a click beside the menu closes the menu. */
static void press_menu(struct ui *ui, int y, int x)
{
  int entry = menu_at(&ui->ask.menu, ui->layout.part[PART_TABLE], y, x);
  if (entry >= 0) {
    ui->ask.menu.cursor = entry;
    ui_key(ui, '\r');
  } else {
    ui->ask.menu.open = false;
  }
}

/* Handles a click in the table. A second click at the same position opens the menu of that row. */
static void press_table(struct ui *ui, int y, int x)
{
  struct rect table = ui->layout.part[PART_TABLE];
  uint32_t selected = ui->selected;
  bool again = ui->drawn.pressed.at_ns != 0 && ui->drawn.pressed.y == y && ui->drawn.pressed.x == x &&
               ui->now_ns - ui->drawn.pressed.at_ns < DOUBLE_NS;
  ui->drawn.pressed.y = y;
  ui->drawn.pressed.x = x;
  ui->drawn.pressed.at_ns = again ? 0 : ui->now_ns;
  if (again && y > table.y) ui_key(ui, ';');
  else ui->view->click(ui, y - table.y, x - table.x);
  if (ui->selected != selected) ui->chosen = ui->selected;
}

static void press(struct ui *ui, int y, int x)
{
  const struct layout *layout = &ui->layout;
  struct rect table = layout->part[PART_TABLE];
  if (ui->ask.menu.open) press_menu(ui, y, x);
  else if (inside(layout->part[PART_TABS], y, x)) press_tab(ui, x);
  else if (inside(layout->part[PART_FOOTER], y, x)) press_footer(ui, x);
  else if (inside(table, y, x) && ui->view->click != NULL) press_table(ui, y, x);
}

void ui_mouse(struct ui *ui, const struct mouse_event *event)
{
  ui->dirty = true;
  if (event->action == MOUSE_WHEEL_UP || event->action == MOUSE_WHEEL_DOWN) {
    int key = (event->action == MOUSE_WHEEL_UP ? KEY_UP : KEY_DOWN) | KEY_FUNCTION;
    for (int i = 0; i < WHEEL_ROWS && ui->ask.prompting == UI_PROMPT_NONE; i++) ui_key(ui, key);
  } else if (event->action == MOUSE_PRESS && ui->ask.prompting == UI_PROMPT_NONE && !ui->layout.tiny) {
    press(ui, event->y, event->x);
  }
}
