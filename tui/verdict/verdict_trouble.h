/* SPDX-License-Identifier: MIT */
/* Finds what the program suffered from recently, if it no longer does: judges the last seconds one by one.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_VERDICT_TROUBLE_H
#define RTOP_TUI_VERDICT_TROUBLE_H

#include "verdict.h"

enum { VERDICT_TROUBLE_SECONDS = 60 }; /* that are looked at */

struct verdict_trouble {
  struct verdict of;
  struct rtop_span span; /* the second */
  int64_t ago_ns;        /* since its end */
};

/* Finds the most harmful of the seconds before `until_ns`; harm is halved for every ten seconds of age. Its verdict
 * must have a known culprit, differ from `now`, and be about running (0.4 of the time), collecting, or waiting for
 * locks, the GVL, a core or in work. Examines a minute, or with thousands of threads a shorter time, so that it takes
 * at most some hundredths of a second. False: there is none. */
bool verdict_trouble_find(struct verdict_maker *maker, struct rtop_profile *profile, uint32_t source,
                          const struct verdict *now, int64_t until_ns, struct verdict_trouble *trouble);

#endif
