/* SPDX-License-Identifier: MIT */
/* What a source (a recording, a segment) may make of us: memory and work in proportion to its bytes, so that
 * a small file never becomes large work. Whoever reads a source or writes what was read spends from it
 * first, and gives up when it is spent; then the source is refused with the words of rtop_budget_say().
 *
 * What honest sources need is far below: content of three times the size of the file, memory of twelve times.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_BUDGET_H
#define RTOP_TUI_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rtop_budget_limit {
  RTOP_BUDGET_CONTENT, /* bytes that are unpacked, or copied as names */
  RTOP_BUDGET_MEMORY,  /* bytes that are held of what was read */
  RTOP_BUDGET_OUTPUT,  /* bytes of an export, before it is compressed */
  RTOP_BUDGET_TIME,    /* seconds of computing, where nobody sits at a screen */
  RTOP_BUDGET_LIMITS,
};

struct rtop_budget {
  uint64_t source_bytes; /* set it; all else is 0 at first */
  uint64_t spent[RTOP_BUDGET_LIMITS];
  bool over;
  enum rtop_budget_limit limit; /* the first that was reached; only when it is over */
};

/* How much there is for a source of so many bytes. */
uint64_t rtop_budget_max(enum rtop_budget_limit limit, uint64_t source_bytes);
/* False: there is not that much left, now or before. */
bool rtop_budget_spend(struct rtop_budget *budget, enum rtop_budget_limit limit, uint64_t amount);
/* "takes more than 80M of memory, the limit for a source of 230K" */
void rtop_budget_say(enum rtop_budget_limit limit, uint64_t source_bytes, char *out, size_t out_bytes);

#endif
