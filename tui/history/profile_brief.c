/* What a span amounts to, and whether that may have become another thing. */
#include "profile_impl.h"

#define BRIEF_SECOND_NS INT64_C(1000000000)

static int64_t brief_second(int64_t time_ns)
{
  int64_t second = time_ns / BRIEF_SECOND_NS;
  return time_ns % BRIEF_SECOND_NS < 0 ? second - 1 : second;
}

static size_t brief_slot(int64_t second)
{
  return (size_t)((uint64_t)second % PROFILE_SECONDS);
}

/* The seconds from *from to *to hold the stretch; never more than there are slots. */
static void brief_seconds(int64_t start_ns, int64_t end_ns, int64_t *from, int64_t *to)
{
  *from = brief_second(start_ns);
  *to = brief_second(end_ns > start_ns ? end_ns - 1 : start_ns);
  if (*to - *from >= PROFILE_SECONDS) *to = *from + PROFILE_SECONDS - 1;
}

void profile_changes(struct rtop_profile *profile, int64_t start_ns, int64_t end_ns)
{
  int64_t from, to;
  brief_seconds(start_ns, end_ns, &from, &to);
  profile->changes++;
  for (int64_t second = from; second <= to; second++) profile->changed[brief_slot(second)] = profile->changes;
}

uint64_t rtop_profile_change(const struct rtop_profile *profile, struct rtop_span span)
{
  int64_t from, to;
  uint64_t latest = 0;
  brief_seconds(span.start_ns, span.end_ns, &from, &to);
  for (int64_t second = from; second <= to; second++) {
    uint64_t change = profile->changed[brief_slot(second)];
    latest = change > latest ? change : latest;
  }
  return latest;
}

static void brief_add(struct rtop_span_brief *brief, struct profile_cover *cover, const struct profile_window *window,
                      const struct profile_part *part)
{
  int64_t start_ns = window->start_ns + part->from_ns, end_ns = window->start_ns + part->to_ns;
  if (window->gap) {
    brief->gap = true;
    return;
  }
  if (!brief->told_ns) brief->cover_start_ns = start_ns;
  for (int state = 0; state < RTOP_STATES; state++)
    brief->wall_ns[state] += profile_part_share(part, window->wall_ns[state]);
  brief->told_ns += (uint64_t)(end_ns - start_ns);
  brief->gc_minor += profile_part_share(part, window->counters.gc_minor);
  brief->gc_major += profile_part_share(part, window->counters.gc_major);
  profile_cover_add(cover, start_ns, end_ns);
}

void rtop_profile_brief(const struct rtop_profile *profile, struct rtop_span span, struct rtop_span_brief *brief)
{
  struct profile_cover cover = { .end_ns = INT64_MIN };
  *brief = (struct rtop_span_brief){ 0 };
  for (size_t i = profile_find(profile, span.start_ns); i < profile->count; i++) {
    const struct profile_window *window = profile_window_at(profile, i);
    struct profile_part part;
    if (window->start_ns >= span.end_ns) break;
    if (profile_part_of(window, &span, &part)) brief_add(brief, &cover, window, &part);
  }
  brief->covered_ns = cover.length_ns;
  brief->cover_end_ns = brief->told_ns ? cover.end_ns : 0;
}
