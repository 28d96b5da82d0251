/* SPDX-License-Identifier: MIT */
/* A small list in front of the screen from which the user chooses an entry.
 *
 * Threads: one. Labels belong to the caller and must stay valid while the menu is open.
 */
#ifndef RTOP_TUI_MENU_H
#define RTOP_TUI_MENU_H

#include "layout.h"
#include <stdbool.h>

enum { MENU_ITEMS_MAX = 32 };

struct menu {
  bool open;
  const char *title;
  struct {
    const char *label;
    int value;
    int letter; /* chooses it at once; 0: none */
  } item[MENU_ITEMS_MAX];
  int count, cursor;
};

enum menu_result { MENU_IGNORED, MENU_MOVED, MENU_CHOSEN, MENU_CLOSED };

void menu_start(struct menu *menu, const char *title);
void menu_add(struct menu *menu, const char *label, int value, bool selected);
/* Handles a key. The letter of an entry chooses the entry, whatever else the key means outside the menu. */
enum menu_result menu_key(struct menu *menu, int key);
int menu_value(const struct menu *menu);
/* Returns the entry at a position on the screen; -1: none. */
int menu_at(const struct menu *menu, struct rect area, int y, int x);
/* Draws the menu over the left part of `area` and puts the cursor on its row. In a longer menu, ^ and v mark hidden
 * entries, and the title says "3 of 24". */
void menu_draw(const struct menu *menu, struct rect area);

#endif
