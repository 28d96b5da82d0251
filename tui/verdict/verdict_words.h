/* SPDX-License-Identifier: MIT */
/* Puts a verdict into words that fit a width. The most important parts come first and are dropped last: kind and
 * culprit, who waits, since when, the newest stall. Long names are cut before parts are dropped.
 *
 * Names are sanitised already. Threads: no shared state.
 */
#ifndef RTOP_TUI_VERDICT_WORDS_H
#define RTOP_TUI_VERDICT_WORDS_H

#include "tui/stalls/stalls.h"
#include "verdict.h"

enum { VERDICT_TEXT = 2400 };

struct verdict_words {
  char text[VERDICT_TEXT], stall[VERDICT_TEXT];
};

struct verdict_say {
  const struct rtop_symbols *symbols;
  int64_t lasts_ns;          /* time that the verdict has held (ns); 0: unknown */
  bool lasts_longer;         /* and longer than that */
  const struct stall *stall; /* the newest one; NULL: none worth saying */
  int64_t stall_ago_ns;      /* since its end; 0: it goes on */
  const char *process;       /* "4712: " before what is one process's; "" */
  const char *stall_process; /* the same of the stall */
};

/* Writes both texts, which with two columns between them fit into `columns`; `stall` is "" when there is none
   or no room. */
void verdict_words(struct verdict_words *words, const struct verdict *verdict, const struct verdict_say *say,
                   int columns);

/* Writes the text for the meter: "held 100% by puma 002, 4 wait 1.2 s"; without enough room the name is cut, then
   dropped, then all else. */
void verdict_gvl_words(char *out, size_t bytes, const struct verdict_gvl *gvl, int columns);

/* Writes the name of a thread: "puma 002", "main thread", "thread 4711"; "": unknown. */
void verdict_thread_words(char *out, size_t bytes, const struct verdict_thread *thread);

#endif
