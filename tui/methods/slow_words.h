/* SPDX-License-Identifier: MIT */
/* A slow block with labels in words. */
#ifndef RTOP_TUI_SLOW_WORDS_H
#define RTOP_TUI_SLOW_WORDS_H

#include "tui/stalls/slow_look.h"

/* "sleep 62% GVL 20%": exact. */
void slow_causes_words(char *out, size_t bytes, const struct rtop_slow_call *block);
/* "sleep in Kernel#sleep < Orders#wait (90%), GVL held by worker 2 in Report#build": where it was in its largest cause, and
 * behind whom, of what was seen. */
void slow_where_words(char *out, size_t bytes, const struct slow_look *look, const struct rtop_slow_call *block,
                      const struct rtop_symbols *symbols);
/* "endpoint=GET /orders, user=7": the labels that it is about. */
void slow_label_words(char *out, size_t bytes, const struct rtop_slow_call *block, const struct rtop_symbols *symbols);

#endif
