/* SPDX-License-Identifier: MIT */
/* A slow block with labels in words. */
#ifndef RTOP_TUI_SLOW_WORDS_H
#define RTOP_TUI_SLOW_WORDS_H

#include "tui/stalls/slow_look.h"

/* "sleep 62% GVL 20%": exact. */
void slow_causes_words(char *out, size_t bytes, const struct rtop_slow_call *block);
/* Writes, as far as it was seen, where a block was in its largest cause, and which thread it waited for: "sleep in
 * Kernel#sleep < Orders#wait (90%), GVL held by worker 2 in Report#build". */
void slow_where_words(char *out, size_t bytes, const struct slow_look *look, const struct rtop_slow_call *block,
                      const struct rtop_symbols *symbols);

#endif
