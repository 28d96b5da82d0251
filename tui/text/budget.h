/* SPDX-License-Identifier: MIT */
/* Budgets: limits for the memory and work that a source (a recording or a segment) may cause, in proportion to
 * its size, so that a small file never causes much work. Code that reads a source, or writes what was read,
 * spends from the budget first, and stops when the budget is used up; the source is then rejected with the
 * text of rtop_budget_say().
 *
 * Honest sources stay far below the limits: content of three times the file's size, memory of twelve times.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_BUDGET_H
#define RTOP_TUI_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rtop_budget_limit {
  RTOP_BUDGET_CONTENT, /* bytes that are decompressed, or copied as names */
  RTOP_BUDGET_MEMORY,  /* bytes of memory held for what was read */
  RTOP_BUDGET_OUTPUT,  /* bytes of an export before compression */
  RTOP_BUDGET_TIME,    /* seconds of CPU time, for use without a screen */
  RTOP_BUDGET_LIMITS,
};

struct rtop_budget {
  uint64_t source_bytes; /* size of the source (bytes), to be set; all other members are 0 at first */
  uint64_t spent[RTOP_BUDGET_LIMITS];
  bool over;
  enum rtop_budget_limit limit; /* the first limit that was reached; valid only when one was reached */
};

/* Returns the limit for a source of this size. */
uint64_t rtop_budget_max(enum rtop_budget_limit limit, uint64_t source_bytes);
/* Spends an amount. False: the budget does not suffice, now or at an earlier call. */
bool rtop_budget_spend(struct rtop_budget *budget, enum rtop_budget_limit limit, uint64_t amount);
/* Writes which limit was reached: "takes more than 80M of memory, the limit for a source of 230K". */
void rtop_budget_say(enum rtop_budget_limit limit, uint64_t source_bytes, char *out, size_t out_bytes);

#endif
