/* SPDX-License-Identifier: MIT */
/* What changed since the last mark (RperfTop.mark "deploy 3f2a1"): the latency of each label after the mark beside that
 * before it, each over at most SINCE_MARK_SPAN_NS; before it, back to the mark before. Marks of one name, or within ten
 * seconds, count as one, since each worker sets its own. Requests that ended in the window of a mark are divided in
 * proportion to its parts.
 *
 * Latency is exact, but other requests come after the mark than before. So p50 or p99 of a label counts as changed only if
 * its confidence ranges on both sides (struct work_range, half as wide again) are at least a twentieth apart. Of the labels
 * that changed, the one is named whose requests together lost or won the most time.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_SINCE_MARK_H
#define RTOP_TUI_SINCE_MARK_H

#include "tui/tables/label_table.h"

#define SINCE_MARK_SPAN_NS INT64_C(600000000000)
enum { SINCE_MARK_TEXT = 400 };

struct since_mark {
  bool marked;      /* there is a mark with time before and after it; else all below is 0 */
  int64_t time_ns;  /* time of the mark */
  char mark[100];   /* name of the mark; "" if it has none */
  unsigned judged;  /* number of labels with requests on both sides */
  unsigned changed; /* number of these that changed; the members below are about the one with the largest change */
  char label[100];  /* value of the label */
  int quantile;     /* index of the quantile that changed, as in work_figures.h: 0 is p50, 2 is p99 */
  uint64_t before_ns, now_ns, before_count, now_count;
  /* cause with at least half of the mean's change, if the mean and the quantile changed alike; RTOP_WORK_WHOLE: none */
  enum rtop_work_cause cause;
  double cause_ns;     /* change of that cause, in ns a request */
  int64_t compared_ns; /* end of the time that was compared; 0: nothing was */
};

/* Compares at the last mark that has a second of time behind it at `end_ns`, if there are labels. Sums up to twice
 * SINCE_MARK_SPAN_NS; so it does nothing before five seconds after the time that was compared last. A zeroed struct is
 * fine at first. False: memory ran out. */
bool since_mark_update(struct since_mark *since, struct rtop_profile *profile, int64_t end_ns);

/* Fills in everything but the mark. Both tables are those of label_table_of(). */
void since_mark_compare(struct since_mark *since, const struct label_table *before, const struct label_table *now);

/* Writes "since deploy 3f2a1, 5 m 12 s ago: GET /orders p50 31.0 ms, before 12.0 ms; GVL +19.0 ms a request; 2 more labels
 * changed"; "" without a mark, or if no label has requests on both sides. */
void since_mark_words(char *out, size_t bytes, const struct since_mark *since, int64_t now_ns);

#endif
