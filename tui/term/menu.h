/* SPDX-License-Identifier: MIT */
/* A small list in front of the screen from which one thing is chosen.
 *
 * Threads: one. Labels are the caller's and stay valid while the menu is open.
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
/* The letter of an entry means that entry, whatever it means elsewhere. */
enum menu_result menu_key(struct menu *menu, int key);
int menu_value(const struct menu *menu);
/* The entry at a place of the screen; -1: none. */
int menu_at(const struct menu *menu, struct rect area, int y, int x);
/* Draws it over the left of `area` and puts the cursor on its row. Of one that is longer the ends that are not seen
 * are marked by ^ and v, and its title says "3 of 24". */
void menu_draw(const struct menu *menu, struct rect area);

#endif
