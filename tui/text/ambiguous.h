/* SPDX-License-Identifier: MIT */
/* Characters of ambiguous width: terminals for East Asian text may draw them in two columns although
 * wcwidth() returns 1.
 *
 * Threads: no shared state. Nothing allocates.
 */
#ifndef RTOP_TUI_AMBIGUOUS_H
#define RTOP_TUI_AMBIGUOUS_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

bool rtop_is_ambiguous(wchar_t character);

/* Copies text in the locale's encoding with '?' for each such character, cut at the end of a
   character. Returns `out`. */
const char *rtop_ambiguous_replace(char *out, size_t out_bytes, const char *text);

#endif
