/* SPDX-License-Identifier: MIT */
/* Questions to the user: a line to type, or a menu to choose from. Threads: one. */
#ifndef RTOP_TUI_UI_ASK_H
#define RTOP_TUI_UI_ASK_H

#include "tui/term/menu.h"
#include "tui/term/prompt.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ui;

/* The purpose of the open menu, whose answer is menu_value(). */
enum ui_menu { UI_MENU_SORT, UI_MENU_MERGE, UI_MENU_COLUMNS, UI_MENU_SETUP, UI_MENU_ROW };
enum ui_prompt {
  UI_PROMPT_NONE,
  UI_PROMPT_SEARCH,
  UI_PROMPT_FILTER,
  UI_PROMPT_DELAY,
  UI_PROMPT_COMMAND,
  UI_PROMPT_EXCLUDE,
  UI_PROMPT_GOTO,
  UI_PROMPT_CALLS
};

struct ui_ask {
  enum ui_prompt prompting;
  struct prompt prompt;
  char before_prompt[PROMPT_BYTES]; /* what Esc brings back */
  struct menu menu;
  enum ui_menu menu_for;
  char menu_text[MENU_ITEMS_MAX][64]; /* labels, when they are made up */
  char row_name[256];                 /* name of the row that the menu was opened for (ui_row_menu.h) */
  uint32_t row_frame, row_node, row_line;
};

void ui_ask(struct ui *ui, enum ui_prompt what);
/* The command line with this already typed. */
void ui_ask_command(struct ui *ui, const char *text);

/* ui_columns_open() opens the column chooser; ui_columns_key() handles a key in it, false if the key has no meaning in
   the chooser (ui_columns.c). */
void ui_columns_open(struct ui *ui);
bool ui_columns_key(struct ui *ui, int key);

#endif
