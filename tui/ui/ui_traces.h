/* SPDX-License-Identifier: MIT */
/* What is known exactly of traced methods in the span that is shown: made with the rest of the model, drawn from many
 * times.
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
  bool in_rows; /* private: rows of methods have figures of it */
};

/* For ui->span, and the figures of ui->methods. False: memory ran out. */
bool ui_traces_update(struct ui *ui);
void ui_traces_forget(struct ui *ui);

/* Those of a method. NULL: it was not traced. */
const struct exact_row *ui_traces_of(const struct ui *ui, uint32_t frame);

#endif
