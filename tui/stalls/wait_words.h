/* SPDX-License-Identifier: MIT */
/* Sums of waiting in words: lines for the screen and for text.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_WAIT_WORDS_H
#define RTOP_TUI_WAIT_WORDS_H

#include "wait_sums.h"

/* Names of a kind of wait: "Mutex", "I/O", "child process"; in JSON "mutex", "io", "child". */
const char *wait_kind_name(enum rtop_wait_kind kind);
const char *wait_kind_key(enum rtop_wait_kind kind);

/* Writes the kinds of waiting: "blocked 61% of thread time: I/O 40%, locks 15%, queues 5%, sleep 1%": largest first,
 * without kinds below half a percent; "" when no thread was blocked. */
void wait_kinds_words(char *out, size_t bytes, const struct wait_sums *sums);

/* Above the lines, in their columns. */
extern const char wait_heading[];

/* A line of a row, such as " 4.20 s 3 400 ms Mutex in Bank#enter", or in the lines that follow, for up to three methods
 * with at least a twentieth of the time, " 3.90 s behind Bank#hold < Bank#report, worker-2"; the last line stands for
 * all other methods. */
struct wait_line {
  const struct wait_row *row;
  bool behind;
  char text[1024];
};
/* Writes the lines of rows with at least least_ns, at most `most` lines; a row is written only if all its lines fit,
 * except the first row. Returns the number of lines. */
size_t wait_lines(const struct wait_sums *sums, const struct rtop_symbols *symbols, uint64_t least_ns,
                  struct wait_line *lines, size_t most);

#endif
