/* Sums, briefs and timelines of one source out of several. */
#include "profile_alone.h"

#include "profile_impl.h"

/* The windows of one source in a span, one after the other. */
struct alone_walk {
  const struct rtop_profile *profile;
  struct rtop_span span;
  uint32_t source; /* by its number, not its place */
  size_t at;
  const struct profile_window *window;
  struct profile_part part;
};

static struct alone_walk alone_walk(const struct rtop_profile *profile, uint32_t source, struct rtop_span span)
{
  return (struct alone_walk){
    .profile = profile, .span = span, .source = source, .at = profile_find(profile, span.start_ns)
  };
}

static bool alone_next(struct alone_walk *walk)
{
  while (walk->at < walk->profile->count) {
    const struct profile_window *window = profile_window_at(walk->profile, walk->at++);
    walk->window = window;
    if (window->start_ns >= walk->span.end_ns) return false;
    if (walk->profile->sources[window->source].source == walk->source &&
        profile_part_of(window, &walk->span, &walk->part))
      return true;
  }
  return false;
}

static void alone_cover(struct profile_cover *cover, const struct alone_walk *walk)
{
  profile_cover_add(cover, walk->window->start_ns + walk->part.from_ns, walk->window->start_ns + walk->part.to_ns);
}

/* Windows that went because memory was short are in the sum as what was carried of them. */
static void alone_carry(const struct rtop_profile *profile, uint32_t number, struct rtop_sum *sum,
                        struct profile_cover *cover)
{
  for (uint32_t i = 0; i < profile->source_count; i++) {
    const struct profile_source *source = &profile->sources[i];
    if (source->source != number || !profile_carries(source) || source->carry_start_ns < sum->span.start_ns) continue;
    profile_cover_add(cover, source->carry_start_ns, source->carry_end_ns);
    sum->counters = source->carry_counters;
    sum->gap_count = source->carry_gaps;
  }
}

void rtop_profile_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_sum *sum)
{
  struct profile_cover cover = { .end_ns = INT64_MIN };
  struct alone_walk walk = alone_walk(profile, source, sum->span);
  sum->total = (struct rtop_cost){ 0 };
  sum->counters = (struct rtop_span_counters){ 0 };
  sum->gap_count = 0;
  alone_carry(profile, source, sum, &cover);
  while (alone_next(&walk)) {
    sum->gap_count += walk.window->gap;
    if (walk.window->gap) continue;
    struct rtop_span_counters counters = profile_counters_part(walk.window, &walk.part);
    profile_counters_add(&sum->counters, &counters, walk.window->counters_present);
    alone_cover(&cover, &walk);
  }
  sum->length_ns = cover.length_ns;
  sum->window_count = cover.windows;
  for (size_t i = 0; i < sum->thread_count; i++)
    if (sum->threads[i].source == source) rtop_cost_add(&sum->total, &sum->threads[i].cost);
}

void rtop_profile_brief_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                              struct rtop_span_brief *brief)
{
  struct profile_cover cover = { .end_ns = INT64_MIN };
  struct alone_walk walk = alone_walk(profile, source, span);
  *brief = (struct rtop_span_brief){ 0 };
  while (alone_next(&walk)) {
    const struct profile_window *window = walk.window;
    brief->gap = brief->gap || window->gap;
    if (window->gap) continue;
    if (!brief->told_ns) brief->cover_start_ns = window->start_ns + walk.part.from_ns;
    for (int state = 0; state < RTOP_STATES; state++)
      brief->wall_ns[state] += profile_part_share(&walk.part, window->wall_ns[state]);
    brief->told_ns += (uint64_t)(walk.part.to_ns - walk.part.from_ns);
    brief->gc_minor += profile_part_share(&walk.part, window->counters.gc_minor);
    brief->gc_major += profile_part_share(&walk.part, window->counters.gc_major);
    alone_cover(&cover, &walk);
  }
  brief->covered_ns = cover.length_ns;
  brief->cover_end_ns = brief->told_ns ? cover.end_ns : 0;
}

void rtop_profile_window_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                               struct rtop_window_summary *summary)
{
  struct alone_walk walk = alone_walk(profile, source, span);
  *summary = (struct rtop_window_summary){ .start_ns = span.start_ns, .end_ns = span.end_ns };
  while (alone_next(&walk)) {
    const struct profile_window *window = walk.window;
    summary->gap = summary->gap || window->gap;
    if (window->gap) continue;
    struct rtop_span_counters counters = profile_counters_part(window, &walk.part);
    for (int state = 0; state < RTOP_STATES; state++)
      summary->wall_ns[state] += profile_part_share(&walk.part, window->wall_ns[state]);
    profile_counters_add(&summary->counters, &counters, window->counters_present);
    summary->sources = 1;
    summary->thread_count = window->absent ? window->alive : 0;
    for (size_t i = 0; i < window->thread_count; i++) summary->thread_count += !window->threads[i].ended;
  }
}
