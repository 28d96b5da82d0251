/* SPDX-License-Identifier: MIT */
/* The part of a method's pane that tells what is known exactly while it is traced.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_TRACED_H
#define RTOP_TUI_TRACED_H

#include "tui/term/layout.h"
#include "tui/ui/ui.h"

/* Draws it from the top of `rect` on; returns the rows that it takes. 0: the method was not traced in the span. */
int traced_draw(const struct ui *ui, uint32_t frame, struct rect rect);

/* How a process is asked to trace the method of a row. NULL: it is no method that can be called by a name. */
const char *traced_name(const struct rtop_symbol *symbol);

#endif
