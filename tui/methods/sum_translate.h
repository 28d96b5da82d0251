/* SPDX-License-Identifier: MIT */
/* Translates a sum to the ids of another profile, so that two recordings can be compared.
 *
 * Equal frames (label, path, line, kind) and equal stacks become one; unknown ones are added to the other symbols.
 * Thread rows remain those of the first profile, to which their names point.
 */
#ifndef RTOP_TUI_SUM_TRANSLATE_H
#define RTOP_TUI_SUM_TRANSLATE_H

#include "tui/history/profile.h"

/* Translates the sum in place. False when memory ran out; the sum is then empty. */
bool rtop_sum_translate(struct rtop_sum *sum, const struct rtop_symbols *from, struct rtop_symbols *to);

#endif
