/* SPDX-License-Identifier: MIT */
/* Conditions on the latency of labels (--fail-if), for scripts that decide by an exit status:
 *
 *   p99 > 300ms     true if any label is that slow
 *   p99 > 1.2x      true if any label is that much slower than the same label in the first recording
 *
 * Figures are exact, but another run of a program serves other requests. So each figure has a confidence range (struct
 * work_range), and a condition is true only for the lower end of the present range and the upper end of the earlier one.
 * A label with few requests has a wide range, so its condition is false.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_FAIL_IF_H
#define RTOP_TUI_FAIL_IF_H

#include "tui/tables/label_table.h"
#include <stdio.h>

enum { FAIL_IF_MAX = 8, FAIL_IF_HOLDS = 3, FAIL_IF_UNKNOWN = 1 }; /* the latter two: exit statuses */

struct fail_if {
  int quantile; /* of work_quantiles; WORK_QUANTILES: the longest */
  bool compared;
  double bound; /* limit in nanoseconds, or in a comparison as a multiple of the earlier duration */
};

/* Parses a condition. False: `text` is not one; *why says what is wrong. */
bool fail_if_parse(struct fail_if *condition, const char *text, const char **why);

struct fail_if_found {
  unsigned failed; /* labels of which the condition holds, */
  unsigned judged; /* number of labels with ended work (in a comparison: on both sides) that were judged */
};

/* Writes a line to `out` for each label for which the condition holds. `before`: the table to compare with; NULL: there
 * is none, and a comparison judges no label. */
struct fail_if_found fail_if_judge(const struct fail_if *condition, const struct label_table *now,
                                   const struct label_table *before, FILE *out);

/* Judges all conditions by the work that ended in the span; comparisons are made with everything that `before` holds
 * (NULL: nothing). Writes the conditions that hold to `out`. Returns the exit status: 0, FAIL_IF_HOLDS, or
 * FAIL_IF_UNKNOWN when no label could be judged by a condition. */
int fail_if_run(const struct fail_if *conditions, int count, struct rtop_profile *now, struct rtop_span span,
                struct rtop_profile *before, FILE *out);

#endif
