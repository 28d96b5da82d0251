/* What a span of history gets of each window, and what it amounts to: bounds, windows, briefs, times. */
#include "profile_impl.h"

#include <string.h>

/* ---- parts of windows: short windows count whole when their middle lies in the span. Of a long one (merged from many)
 * the span gets its share of every number, rounded so that the shares of spans side by side add up to the window: no
 * jump where windows of different length meet. ---- */

bool profile_part_of(const struct profile_window *window, const struct rtop_span *span, struct profile_part *part)
{
  int64_t length_ns = window->end_ns - window->start_ns, middle_ns = profile_middle(window);
  *part = (struct profile_part){ .from_ns = 0, .to_ns = length_ns, .length_ns = length_ns };
  if (!window->gap && length_ns <= PROFILE_WHOLE_NS) return middle_ns >= span->start_ns && middle_ns < span->end_ns;
  if (span->start_ns > window->start_ns) part->from_ns = span->start_ns - window->start_ns;
  if (span->end_ns < window->end_ns) part->to_ns = span->end_ns - window->start_ns;
  return part->from_ns < part->to_ns;
}

static uint64_t part_below(uint64_t value, int64_t at_ns, int64_t length_ns)
{
  return (uint64_t)((unsigned __int128)value * (uint64_t)at_ns / (uint64_t)length_ns);
}

uint64_t profile_part_share(const struct profile_part *part, uint64_t value)
{
  if (profile_part_is_whole(part)) return value;
  return part_below(value, part->to_ns, part->length_ns) - part_below(value, part->from_ns, part->length_ns);
}

struct profile_cell profile_part_cell(const struct profile_part *part, const struct profile_cell *cell)
{
  struct profile_cell share = *cell;
  share.samples = (uint32_t)profile_part_share(part, cell->samples);
  share.wall_ns = profile_part_share(part, cell->wall_ns);
  share.cpu_ns = profile_part_share(part, cell->cpu_ns);
  share.allocations = profile_part_share(part, cell->allocations);
  share.blame_ns = profile_part_share(part, cell->blame_ns);
  return share;
}

/* ---- what there is ------------------------------------------------------------------------------- */

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

/* ---- what a span amounts to, and whether that may have become another thing ------------------------ */

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

/* ---- wall time per thread and state, for histories ------------------------------------------------ */

uint32_t rtop_profile_thread_bound(const struct rtop_profile *profile)
{
  return profile->thread_count;
}

static void times_of_window(const struct profile_window *window, const struct profile_part *part,
                            uint64_t (*wall_ns)[RTOP_STATES], uint32_t count)
{
  for (size_t i = 0; i < window->cell_count; i++) {
    const struct profile_cell *cell = &window->cells[i];
    if (cell->thread < count) wall_ns[cell->thread][cell->state] += profile_part_share(part, cell->wall_ns);
  }
  for (size_t i = 0; i < window->thread_count; i++) {
    const struct profile_presence *presence = &window->threads[i];
    if (presence->thread < count)
      wall_ns[presence->thread][presence->state] += profile_part_share(part, presence->provisional_ns);
  }
}

bool rtop_profile_thread_times(const struct rtop_profile *profile, struct rtop_span span,
                               uint64_t (*wall_ns)[RTOP_STATES], uint32_t count)
{
  bool known = false;
  memset(wall_ns, 0, count * sizeof *wall_ns);
  for (size_t i = profile_find(profile, span.start_ns); i < profile->count; i++) {
    struct profile_window *window = profile_window_at(profile, i);
    struct profile_part part;
    if (window->start_ns >= span.end_ns) break;
    if (window->gap || !profile_part_of(window, &span, &part)) continue;
    profile_need((struct rtop_profile *)profile, window); /* to a caller the profile stays as it is */
    times_of_window(window, &part, wall_ns, count);
    known = true;
  }
  return known;
}
