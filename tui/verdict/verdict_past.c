/* SPDX-License-Identifier: MIT */
/* Judges earlier and earlier spans as long as their verdict is the same. */
#include "verdict_past.h"

#include <string.h>

static const int64_t past_most_ns = INT64_C(10000000000), past_step_ns = INT64_C(1000000000);

/* Does the new span continue the examined stretch, by overlapping or following it? */
static bool past_goes_on(const struct verdict_stretch *now, uint32_t source, const struct verdict *verdict,
                         struct rtop_span span)
{
  return now->end_ns != 0 && now->source == source && verdict_is_like(&now->of, verdict) &&
         span.end_ns >= now->end_ns && span.start_ns <= now->end_ns;
}

/* Joins the new stretch with an earlier one of the same verdict if there is no gap between them. */
static void past_join(struct verdict_stretch *now, const struct verdict_stretch *before)
{
  bool meet = before->end_ns != 0 && before->start_ns < now->start_ns && now->start_ns <= before->end_ns;
  if (!meet || before->source != now->source || !verdict_is_like(&before->of, &now->of)) return;
  now->start_ns = before->start_ns;
  now->longer = before->longer;
}

/* Examines the spans before this one, from the newest to the oldest, to find how long the verdict has been the same. */
static struct verdict_stretch past_look_back(struct verdict_past *past, struct verdict_maker *maker,
                                             struct rtop_profile *profile, uint32_t source,
                                             const struct verdict *verdict, struct rtop_span span)
{
  struct rtop_span held = rtop_profile_bounds(profile), at = span;
  struct verdict_stretch now = { .of = *verdict, .source = source, .end_ns = span.end_ns, .longer = true };
  while (now.longer && span.end_ns - at.start_ns < past_most_ns && at.start_ns - past_step_ns >= held.start_ns) {
    struct verdict then;
    at = (struct rtop_span){ at.start_ns - past_step_ns, at.start_ns };
    bool fine = rtop_profile_sum(profile, at, &past->sum);
    if (fine && source != VERDICT_ALL_SOURCES) rtop_profile_alone(profile, source, &past->sum);
    bool same = fine && past->sum.length_ns > 0 && verdict_make(maker, &past->sum, profile, source, verdict, &then) &&
                verdict_is_like(&then, verdict);
    if (same) continue;
    now.longer = false;
    at.start_ns = at.end_ns;
  }
  now.start_ns = at.start_ns;
  return now;
}

int64_t verdict_past_ns(struct verdict_past *past, struct verdict_maker *maker, struct rtop_profile *profile,
                        uint32_t source, const struct verdict *verdict, struct rtop_span span)
{
  if (past_goes_on(&past->now, source, verdict, span)) {
    past->now.of = *verdict;
    past->now.end_ns = span.end_ns;
  } else {
    struct verdict_stretch now = past_look_back(past, maker, profile, source, verdict, span);
    past_join(&now, &past->before);
    past->before = past->now;
    past->now = now;
  }
  return span.end_ns - past->now.start_ns;
}

void verdict_past_keep(const struct verdict_past *past, struct rtop_symbols *symbols)
{
  verdict_keep(&past->now.of, symbols);
  verdict_keep(&past->before.of, symbols);
}

void verdict_past_destroy(struct verdict_past *past)
{
  rtop_sum_destroy(&past->sum);
  memset(past, 0, sizeof *past);
}
