/* SPDX-License-Identifier: MIT */
/* Selects the threads that a method filter keeps: those with a matching name, and those with a matching method on a
 * stack within the span. Inverted: those for which neither holds at the end of the span.
 *
 * Threads: one. Keeps no state.
 */
#ifndef RTOP_TUI_THREAD_FILTER_H
#define RTOP_TUI_THREAD_FILTER_H

#include "tui/methods/methods.h"

/* Sets passes[i] for every thread of the sum to whether the filter keeps it; without an expression to true. False:
 * memory ran out or the expression is invalid. */
bool thread_filter(bool *passes, const struct rtop_sum *sum, const struct rtop_symbols *symbols, const char *expression,
                   bool invert);

#endif
