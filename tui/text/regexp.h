/* SPDX-License-Identifier: MIT */
/* Compiles users' regular expressions only if they stay small: the C library expands every repetition without limit
 * ("((x{99}){99}){99}" takes gigabytes), and nested ones take long.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_REGEXP_H
#define RTOP_TUI_REGEXP_H

#include <regex.h>

/* Like regcomp() for an extended expression without subexpression matches. Returns REG_ESPACE when it is longer than
 * 4096 characters, or 2000 with repetitions expanded, or has groups nested deeper than 50, or four nested
 * repetitions. */
int rtop_regexp_compile(regex_t *compiled, const char *expression);

#endif
