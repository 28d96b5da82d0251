/* Looks back through the windows for as long as they tell the same. */
#include "verdict_past.h"

#include <string.h>

static const int64_t past_most_ns = INT64_C(10000000000), past_step_ns = INT64_C(1000000000);

/* It goes on: the new span overlaps, or follows, what was looked at. */
static bool past_goes_on(const struct verdict_past *past, uint32_t source, const struct verdict *verdict,
                         struct rtop_span span)
{
  return past->end_ns != 0 && past->source == source && verdict_is_like(&past->of, verdict) &&
         span.end_ns >= past->end_ns && span.start_ns <= past->end_ns;
}

/* The windows tell the same back to where the verdict was the same before: since then at least. */
static void past_join(struct verdict_past *past, const struct verdict_stretch *before)
{
  bool meet = before->end_ns != 0 && before->start_ns < past->start_ns && past->start_ns <= before->end_ns;
  if (!meet || before->source != past->source || !verdict_is_like(&before->of, &past->of)) return;
  past->start_ns = before->start_ns;
  past->longer = before->longer;
}

int64_t verdict_past_ns(struct verdict_past *past, struct verdict_maker *maker, struct rtop_profile *profile,
                        uint32_t source, const struct verdict *verdict, struct rtop_span span)
{
  bool goes_on = past_goes_on(past, source, verdict, span);
  struct verdict_stretch last = { past->of, past->source, past->start_ns, past->end_ns, past->longer };
  past->of = *verdict;
  past->source = source;
  past->end_ns = span.end_ns;
  if (goes_on) return span.end_ns - past->start_ns;
  struct rtop_span held = rtop_profile_bounds(profile), at = span;
  past->longer = true;
  while (past->longer && span.end_ns - at.start_ns < past_most_ns && at.start_ns - past_step_ns >= held.start_ns) {
    struct verdict then;
    at = (struct rtop_span){ at.start_ns - past_step_ns, at.start_ns };
    bool fine = rtop_profile_sum(profile, at, &past->sum);
    if (fine && source != VERDICT_ALL_SOURCES) rtop_profile_alone(profile, source, &past->sum);
    bool same = fine && past->sum.length_ns > 0 && verdict_make(maker, &past->sum, profile, source, verdict, &then) &&
                verdict_is_like(&then, verdict);
    if (same) continue;
    past->longer = false;
    at.start_ns = at.end_ns;
  }
  past->start_ns = at.start_ns;
  past_join(past, &past->before);
  past->before = last;
  return span.end_ns - past->start_ns;
}

void verdict_past_destroy(struct verdict_past *past)
{
  rtop_sum_destroy(&past->sum);
  memset(past, 0, sizeof *past);
}
