/* SPDX-License-Identifier: MIT */
/* What the program suffered from lately, when it does so no more: the verdicts of the seconds before.
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

/* Of the seconds before `until_ns` the one that harmed most, half as much for every ten seconds since: one that ran 0.4 of
 * the time at least, collected, waited for locks, for the GVL, for a core or in work, whose culprit is known, and which is
 * not as `now`. Looks at a minute: some ten milliseconds. False: there is none. */
bool verdict_trouble_find(struct verdict_maker *maker, struct rtop_profile *profile, uint32_t source,
                          const struct verdict *now, int64_t until_ns, struct verdict_trouble *trouble);

#endif
