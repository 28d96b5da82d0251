/* SPDX-License-Identifier: MIT */
/* Judges the last seconds one by one, and picks the most harmful one that differs from the present. */
#include "verdict_trouble.h"

#include <math.h>

static const int64_t second_ns = INT64_C(1000000000);
static const double half_seconds = 10, least = 0.4;
enum {
  ROWS_MAX = 200000
}; /* limit of threads and cells that are examined,
                               since the user waits for the result of a key */

/* Share of the time that was harmful. */
static double trouble_harm(const struct verdict *verdict)
{
  double harm = 0;
  switch (verdict->kind) {
  case VERDICT_GC: harm = verdict->gc + verdict->held; break;
  case VERDICT_GVL: harm = 2 * verdict->held; break;
  case VERDICT_NO_CPU: harm = verdict->without; break;
  case VERDICT_RUNNING: harm = verdict->held >= least ? verdict->held : 0; break;
  case VERDICT_LOCK:
  case VERDICT_BLOCKED: harm = verdict->blocked; break;
  case VERDICT_NONE:
  case VERDICT_IDLE:
  case VERDICT_KINDS: break;
  }
  return verdict->place.leaf == 0 ? 0 : harm;
}

bool verdict_trouble_find(struct verdict_maker *maker, struct rtop_profile *profile, uint32_t source,
                          const struct verdict *now, int64_t until_ns, struct verdict_trouble *trouble)
{
  struct rtop_sum sum = { 0 };
  double most = 0;
  size_t rows = 0;
  int64_t from_ns = rtop_profile_bounds(profile).start_ns;
  for (int i = 1; i <= VERDICT_TROUBLE_SECONDS && rows < ROWS_MAX && until_ns - (i + 1) * second_ns >= from_ns; i++) {
    struct verdict then;
    struct rtop_span span = { until_ns - (i + 1) * second_ns, until_ns - i * second_ns };
    if (!rtop_profile_sum(profile, span, &sum)) break;
    rows += sum.thread_count + sum.cell_count;
    if (source != VERDICT_ALL_SOURCES) rtop_profile_alone(profile, source, &sum);
    if (sum.length_ns == 0 || !verdict_make(maker, &sum, profile, source, NULL, &then)) continue;
    double harm = verdict_is_like(&then, now) ? 0 : trouble_harm(&then) * exp2(-i / half_seconds);
    if (harm <= most) continue;
    most = harm;
    *trouble = (struct verdict_trouble){ then, span, i * second_ns };
  }
  rtop_sum_destroy(&sum);
  return most > 0;
}
