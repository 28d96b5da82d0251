/* SPDX-License-Identifier: MIT */
/* The summary of a whole run: how its time was spent, what collector and kernel did, and the cost of profiling.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_STAT_H
#define RTOP_TUI_STAT_H

#include "report.h"
#include "stat_os.h"

struct rtop_stat {
  const struct rtop_report *report; /* report of the whole run; NULL: there was nothing to watch */
  const char *command;
  struct rtop_stat_os os;
  uint64_t real_ns;
  int status; /* exit status of the command; -1: there was no command */
};

/* Aligned lines. */
void rtop_stat_write_text(const struct rtop_stat *stat, FILE *out);
/* Writes one object on one line, "rperf-top-stat/1", in seconds and bytes, without unknown figures. False: memory ran
 * out or writing failed. */
bool rtop_stat_write_json(const struct rtop_stat *stat, FILE *out);

/* Returns the number of threads that occur in the sum. */
uint64_t stat_threads(const struct rtop_stat *stat);

#endif
