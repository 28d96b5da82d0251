/* SPDX-License-Identifier: MIT */
/* Which threads a filter of methods leaves: those that are called so, and those that had a method that matches
 * on a stack within the span. Inverted: those of which neither holds at the end of the span.
 *
 * Threads: one. Nothing is kept.
 */
#ifndef RTOP_TUI_THREAD_FILTER_H
#define RTOP_TUI_THREAD_FILTER_H

#include "tui/methods/methods.h"

/* passes[i] for every thread of the sum; no expression: all. False: memory ran out or the expression is bad. */
bool thread_filter(bool *passes, const struct rtop_sum *sum, const struct rtop_symbols *symbols, const char *expression,
                   bool invert);

#endif
