/* SPDX-License-Identifier: MIT */
/* A pane that shows what threads waited for, and which methods caused the waiting.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_UI_WAITS_H
#define RTOP_TUI_UI_WAITS_H

#include "tui/stalls/wait_sums.h"
#include "tui/term/layout.h"

/* Draws title, heading, and as many lines as fit. */
void ui_waits_draw(const struct wait_sums *sums, const struct rtop_symbols *symbols, uint64_t length_ns,
                   struct rect at);

#endif
