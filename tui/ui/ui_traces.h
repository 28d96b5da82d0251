/* SPDX-License-Identifier: MIT */
/* Exact figures of traced methods in the shown span: built once per update, drawn many times.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_UI_TRACES_H
#define RTOP_TUI_UI_TRACES_H

#include "tui/tables/exact_table.h"
#include "tui/tables/slow_list.h"

struct ui;

struct ui_traces {
  struct exact_table table; /* empty where nothing was traced */
  struct slow_list slow;
  bool in_rows; /* private: rows of methods contain its figures */
};

/* Builds the figures for ui->span, and copies them to ui->methods. False: memory ran out. */
bool ui_traces_update(struct ui *ui);
void ui_traces_forget(struct ui *ui);

/* Returns the figures of a method; NULL: it was not traced. */
const struct exact_row *ui_traces_of(const struct ui *ui, uint32_t frame);

#endif
