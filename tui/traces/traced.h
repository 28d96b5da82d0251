/* SPDX-License-Identifier: MIT */
/* The part of a method's pane with its exact figures while it is traced.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_TRACED_H
#define RTOP_TUI_TRACED_H

#include "tui/term/layout.h"
#include "tui/ui/ui.h"

/* Draws the part from the top of `rect` down; returns the number of rows used. 0: the method was not traced
   in the span. */
int traced_draw(const struct ui *ui, uint32_t frame, struct rect rect);

/* Returns the name by which a process can be requested to trace the method. NULL: the method has none, such
   as a block. */
const char *traced_name(const struct rtop_symbol *symbol);

#endif
