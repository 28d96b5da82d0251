/* SPDX-License-Identifier: MIT */
/* Sums of waiting in words: lines for the screen and for text.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_WAIT_WORDS_H
#define RTOP_TUI_WAIT_WORDS_H

#include "wait_sums.h"

/* "Mutex", "I/O", "child process"; in JSON "mutex", "io", "child". */
const char *wait_kind_name(enum rtop_wait_kind kind);
const char *wait_kind_key(enum rtop_wait_kind kind);

/* "blocked 61% of thread time: I/O 40%, locks 15%, queues 5%, sleep 1%", the largest first, those of less than half a per
 * cent left out; "": no thread was blocked. */
void wait_kinds_words(char *out, size_t bytes, const struct wait_sums *sums);

/* Above the lines, in their columns. */
extern const char wait_heading[];

/* "  4.20 s        3  400 ms  Mutex in Bank#enter", and below it for up to three methods that have a twentieth of that
 * "  3.90 s                   behind Bank#hold < Bank#report, worker-2"; then the rest. */
struct wait_line {
  const struct wait_row *row;
  bool behind;
  char text[1024];
};
/* Of rows that took so long at least, at most `most` lines; a row begins only where there is room for all of its lines,
 * but for the first one. Returns how many. */
size_t wait_lines(const struct wait_sums *sums, const struct rtop_symbols *symbols, uint64_t least_ns,
                  struct wait_line *lines, size_t most);

#endif
