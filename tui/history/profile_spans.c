/* What is known of a stretch of history: bounds, counters, windows, gaps. */
#include "profile_impl.h"

#include <string.h>

struct rtop_span rtop_profile_bounds(const struct rtop_profile *profile)
{
  struct rtop_span span = { 0, 0 };
  if (profile->count == 0) return span;
  span.start_ns = profile_window_at(profile, 0)->start_ns;
  for (uint32_t i = 0; i < profile->source_count; i++) {
    const struct profile_source *source = &profile->sources[i];
    if (profile_carries(source) && source->carry_start_ns < span.start_ns) span.start_ns = source->carry_start_ns;
    if (source->last_end_ns > span.end_ns) span.end_ns = source->last_end_ns;
  }
  return span;
}

struct rtop_span rtop_profile_last(const struct rtop_profile *profile, int64_t length_ns)
{
  struct rtop_span span = rtop_profile_bounds(profile);
  if (length_ns > 0 && span.end_ns - span.start_ns > length_ns) span.start_ns = span.end_ns - length_ns;
  return span;
}

static void summary_start(struct rtop_window_summary *summary, const struct profile_window *window,
                          const struct profile_part *part)
{
  *summary = (struct rtop_window_summary){
    .start_ns = window->start_ns + part->from_ns,
    .end_ns = window->start_ns + part->to_ns,
    .gap = window->gap,
  };
}

/* Of a source that tells of the entry in several windows the last one says how things are now. */
static void summary_add(struct rtop_window_summary *summary, const struct profile_window *window,
                        const struct profile_part *part, struct profile_source *source, size_t entry)
{
  if (window->gap) return;
  struct rtop_span_counters counters = profile_counters_part(window, part), now = counters;
  uint32_t threads = window->absent ? window->alive : 0;
  for (int state = 0; state < RTOP_STATES; state++)
    summary->wall_ns[state] += profile_part_share(part, window->wall_ns[state]);
  for (size_t i = 0; i < window->thread_count; i++) threads += !window->threads[i].ended;
  if (source->entry == entry) {
    profile_counters_replace(&counters, &source->entry_now);
    summary->thread_count -= source->entry_threads;
  }
  summary->sources += source->entry != entry;
  summary->thread_count += threads;
  profile_counters_merge(&summary->counters, &counters);
  source->entry = entry;
  source->entry_threads = threads;
  source->entry_now = now;
}

/* Does this window tell of the same time as the entry before, from another source? */
static bool summary_same_time(const struct profile_window *entry, const struct profile_window *window)
{
  return entry && !entry->gap && !window->gap && entry->source != window->source &&
         profile_middle(window) < entry->end_ns;
}

/* Counts entries; those from `skip` on are written when `out` is there. */
static size_t summary_walk(const struct rtop_profile *profile, const struct rtop_span *span, size_t skip,
                           struct rtop_window_summary *out)
{
  const struct profile_window *entry = NULL;
  size_t entries = 0;
  for (uint32_t i = 0; i < profile->source_count; i++)
    profile->sources[i].entry = 0; /* scratch: to a caller the profile stays as it is */
  for (size_t i = profile_find(profile, span->start_ns); i < profile->count; i++) {
    const struct profile_window *window = profile_window_at(profile, i);
    struct profile_part part;
    if (window->start_ns >= span->end_ns) break;
    if (!profile_part_of(window, span, &part)) continue;
    bool same = summary_same_time(entry, window);
    if (!same) {
      entry = window;
      entries++;
    }
    if (!out || entries <= skip) continue;
    if (!same) summary_start(&out[entries - skip - 1], window, &part);
    summary_add(&out[entries - skip - 1], window, &part, &profile->sources[window->source], entries);
  }
  return entries;
}

size_t rtop_profile_windows(const struct rtop_profile *profile, struct rtop_span span,
                            struct rtop_window_summary *windows, size_t capacity)
{
  size_t entries = summary_walk(profile, &span, 0, NULL);
  size_t skip = entries > capacity ? entries - capacity : 0;
  if (capacity) summary_walk(profile, &span, skip, windows);
  return entries - skip;
}

bool rtop_profile_window_wall(const struct rtop_profile *profile, uint32_t source, int64_t start_ns, int64_t end_ns,
                              uint64_t wall_ns[RTOP_STATES])
{
  for (size_t i = profile_find(profile, start_ns); i < profile->count; i++) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (window->start_ns > start_ns) break;
    if (window->start_ns != start_ns || window->end_ns != end_ns || window->gap ||
        profile->sources[window->source].source != source)
      continue;
    memcpy(wall_ns, window->wall_ns, sizeof window->wall_ns);
    return true;
  }
  return false;
}
