/* SPDX-License-Identifier: MIT */
/* A sum of one profile under the ids of another: so that two recordings can be compared.
 *
 * Equal frames (label, path, line, kind) become one, equal stacks too; what the other symbols do not
 * know yet is added to them. Rows of threads stay those of the first profile: their names point into
 * it.
 */
#ifndef RTOP_TUI_SUM_TRANSLATE_H
#define RTOP_TUI_SUM_TRANSLATE_H

#include "tui/history/profile.h"

/* False when memory ran out: the sum is then empty. */
bool rtop_sum_translate(struct rtop_sum *sum, const struct rtop_symbols *from, struct rtop_symbols *to);

#endif
