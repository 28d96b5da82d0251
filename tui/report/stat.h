/* SPDX-License-Identifier: MIT */
/* The summary of a whole run: where its time went, what the collector and the kernel did, and what looking
 * at it cost.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_STAT_H
#define RTOP_TUI_STAT_H

#include "report.h"
#include "stat_os.h"

struct rtop_stat {
  const struct rtop_report *report; /* of everything; NULL: there was nothing to watch */
  const char *command;
  struct rtop_stat_os os;
  uint64_t real_ns;
  int status; /* exit status of the command; -1: there was none */
};

/* Aligned lines. */
void rtop_stat_write_text(const struct rtop_stat *stat, FILE *out);
/* One object on one line, "rperf-top-stat/1": seconds and bytes; what is not known is left out. False:
 * memory ran out or writing failed. */
bool rtop_stat_write_json(const struct rtop_stat *stat, FILE *out);

/* How many threads there have been, as far as the sum tells. */
uint64_t stat_threads(const struct rtop_stat *stat);

#endif
