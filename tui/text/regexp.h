/* SPDX-License-Identifier: MIT */
/* Regular expressions of users, compiled only when they stay small: the C library writes every repetition out
 * ("((x{99}){99}){99}" takes gigabytes), takes longer the more of them stand around each other, and asks nobody.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_REGEXP_H
#define RTOP_TUI_REGEXP_H

#include <regex.h>

/* As regcomp() for an extended one without places; REG_ESPACE when it is longer than 4096 characters, or would be
 * longer than 2000 with its repetitions written out, has groups deeper than 50, or repetitions of repetitions of
 * repetitions of repetitions. */
int rtop_regexp_compile(regex_t *compiled, const char *expression);

#endif
