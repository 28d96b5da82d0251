/* SPDX-License-Identifier: MIT */
/* Data of a span without a sum: bounds, timelines, briefs, times; of all sources or of one. */
#include "profile_counters.h"
#include "profile_load.h"
#include "profile_threads.h"
#include "profile_windows.h"

#include <string.h>

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

/* Sources end their windows at different moments; one that has reported nothing for longer than this (ns) has ended or
 * hangs. */
#define TOLD_APART_NS INT64_C(200000000)

/* Until when all have told. */
static int64_t profile_told_by_all(const struct rtop_profile *profile, int64_t newest_ns)
{
  int64_t end_ns = newest_ns, apart_ns = profile->apart_ns ? profile->apart_ns : TOLD_APART_NS;
  for (uint32_t i = 0; i < profile->source_count; i++) {
    int64_t last_ns = profile->sources[i].last_end_ns;
    if (last_ns < end_ns && last_ns > newest_ns - apart_ns) end_ns = last_ns;
  }
  return end_ns;
}

void rtop_profile_apart_ns(struct rtop_profile *profile, int64_t apart_ns)
{
  profile->apart_ns = apart_ns;
}

struct rtop_span rtop_profile_last(const struct rtop_profile *profile, int64_t length_ns)
{
  struct rtop_span span = rtop_profile_bounds(profile);
  if (length_ns <= 0) return span;
  int64_t end_ns = profile_told_by_all(profile, span.end_ns);
  if (end_ns > span.start_ns) span.end_ns = end_ns;
  if (span.end_ns - span.start_ns > length_ns) span.start_ns = span.end_ns - length_ns;
  return span;
}

struct rtop_span rtop_profile_clip(const struct rtop_profile *profile, struct rtop_span span)
{
  struct rtop_span held = rtop_profile_bounds(profile);
  if (span.start_ns < held.start_ns) span.start_ns = held.start_ns;
  if (span.end_ns > held.end_ns) span.end_ns = held.end_ns;
  if (span.end_ns < span.start_ns) span.end_ns = span.start_ns;
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

/* Adds a window to a summary. If a source has several windows in the entry, its last one gives the present values. */
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

/* Does this window cover the same time as the previous entry, from another source? */
static bool summary_same_time(const struct profile_window *entry, const struct profile_window *window)
{
  return entry && !entry->gap && !window->gap && entry->source != window->source &&
         profile_middle(window) < entry->end_ns;
}

/* Counts entries; entries from number `skip` on are written if `out` is not NULL. */
static size_t summary_walk(const struct rtop_profile *profile, const struct rtop_span *span, size_t skip,
                           struct rtop_window_summary *out)
{
  const struct profile_window *entry = NULL;
  size_t entries = 0;
  for (uint32_t i = 0; i < profile->source_count; i++)
    profile->sources[i].entry = 0; /* only scratch data change, so the cast is harmless */
  struct profile_walk walk = profile_walk(profile, *span);
  for (const struct profile_window *window; (window = profile_walk_next(&walk));) {
    bool same = summary_same_time(entry, window);
    if (!same) {
      entry = window;
      entries++;
    }
    if (!out || entries <= skip) continue;
    if (!same) summary_start(&out[entries - skip - 1], window, &walk.part);
    summary_add(&out[entries - skip - 1], window, &walk.part, &profile->sources[window->source], entries);
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

/* ---- what a span amounts to ------------------------------------------------------------------------- */

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

static void brief_end(struct rtop_span_brief *brief, const struct profile_cover *cover)
{
  brief->covered_ns = cover->length_ns;
  brief->cover_end_ns = brief->told_ns ? cover->end_ns : 0;
}

void rtop_profile_brief(const struct rtop_profile *profile, struct rtop_span span, struct rtop_span_brief *brief)
{
  struct profile_cover cover = { .end_ns = INT64_MIN };
  *brief = (struct rtop_span_brief){ 0 };
  struct profile_walk walk = profile_walk(profile, span);
  for (const struct profile_window *window; (window = profile_walk_next(&walk));)
    brief_add(brief, &cover, window, &walk.part);
  brief_end(brief, &cover);
}

/* ---- wall time per thread and state, for histories ------------------------------------------------ */

uint32_t rtop_profile_thread_bound(const struct rtop_profile *profile)
{
  return profile->threads.count;
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
  struct profile_walk walk = profile_walk(profile, span);
  for (const struct profile_window *window; (window = profile_walk_read(&walk));) {
    times_of_window(window, &walk.part, wall_ns, count);
    known = true;
  }
  return known;
}

/* ---- of one source out of several ------------------------------------------------------------------- */

/* Returns the next window of one source, given by its number, not its position. */
static const struct profile_window *alone_next(struct profile_walk *walk, uint32_t source)
{
  const struct profile_window *window = profile_walk_next(walk);
  while (window && walk->profile->sources[window->source].source != source) window = profile_walk_next(walk);
  return window;
}

struct rtop_span rtop_profile_last_alone(const struct rtop_profile *profile, uint32_t source, int64_t length_ns)
{
  struct rtop_span span = rtop_profile_bounds(profile);
  uint32_t place = 0;
  while (place < profile->source_count && profile->sources[place].source != source) place++;
  if (place == profile->source_count) return rtop_profile_last(profile, length_ns);
  int64_t end_ns = profile->sources[place].last_end_ns;
  span.end_ns = end_ns > span.start_ns ? end_ns : span.start_ns;
  if (length_ns > 0 && span.end_ns - span.start_ns > length_ns) span.start_ns = span.end_ns - length_ns;
  return span;
}

static void alone_cover(struct profile_cover *cover, const struct profile_window *window,
                        const struct profile_part *part)
{
  profile_cover_add(cover, window->start_ns + part->from_ns, window->start_ns + part->to_ns);
}

/* Adds carried sums for windows that were dropped for lack of memory. */
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
  struct profile_walk walk = profile_walk(profile, sum->span);
  sum->total = (struct rtop_cost){ 0 };
  sum->counters = (struct rtop_span_counters){ 0 };
  sum->gap_count = 0;
  alone_carry(profile, source, sum, &cover);
  for (const struct profile_window *window; (window = alone_next(&walk, source));) {
    sum->gap_count += window->gap;
    if (window->gap) continue;
    struct rtop_span_counters counters = profile_counters_part(window, &walk.part);
    profile_counters_add(&sum->counters, &counters, window->counters_present);
    alone_cover(&cover, window, &walk.part);
  }
  sum->length_ns = cover.length_ns;
  sum->window_count = cover.windows;
  for (size_t i = 0; i < sum->thread_count; i++)
    if (sum->threads[i].source == source) rtop_cost_add(&sum->total, &sum->threads[i].cost);
}

static size_t divide_place(const struct rtop_sum *sum, const struct rtop_sum_cell *cell)
{
  uint32_t source = cell->thread < sum->thread_count ? sum->threads[cell->thread].source : RTOP_SOURCES_MAX;
  return source < RTOP_SOURCES_MAX ? source : RTOP_SOURCES_MAX;
}

struct rtop_sum_cell *rtop_sum_divide(const struct rtop_sum *sum, size_t first[RTOP_SUM_PARTS + 1])
{
  struct rtop_sum_cell *cells = calloc(sum->cell_count + 1, sizeof *cells);
  size_t next[RTOP_SUM_PARTS];
  memset(first, 0, (RTOP_SUM_PARTS + 1) * sizeof *first);
  for (size_t i = 0; i < sum->cell_count; i++) first[divide_place(sum, &sum->cells[i]) + 1]++;
  for (size_t i = 0; i < RTOP_SUM_PARTS; i++) first[i + 1] += first[i];
  memcpy(next, first, sizeof next);
  for (size_t i = 0; cells && i < sum->cell_count; i++)
    cells[next[divide_place(sum, &sum->cells[i])]++] = sum->cells[i];
  return cells;
}

void rtop_profile_brief_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                              struct rtop_span_brief *brief)
{
  struct profile_cover cover = { .end_ns = INT64_MIN };
  struct profile_walk walk = profile_walk(profile, span);
  *brief = (struct rtop_span_brief){ 0 };
  for (const struct profile_window *window; (window = alone_next(&walk, source));)
    brief_add(brief, &cover, window, &walk.part);
  brief_end(brief, &cover);
}

void rtop_profile_window_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                               struct rtop_window_summary *summary)
{
  struct profile_walk walk = profile_walk(profile, span);
  *summary = (struct rtop_window_summary){ .start_ns = span.start_ns, .end_ns = span.end_ns };
  for (const struct profile_window *window; (window = alone_next(&walk, source));) {
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

/* ---- blame of calls that have not ended, which no window reports yet ------------------------------------ */

#define OPEN_LONGEST_NS INT64_C(60000000000)

static bool open_holds(uint32_t state)
{
  return state == RTOP_STATE_RUNNING || state == RTOP_STATE_MARKING || state == RTOP_STATE_SWEEPING;
}

static bool open_is(const struct rtop_thread_row *row)
{
  return row->stale && !row->ended && open_holds(row->state);
}

/* Start, within the span, of a call that has not ended; the span's end if there is none. */
static int64_t open_since(const struct rtop_sum *sum)
{
  int64_t since_ns = sum->span.end_ns, first_ns = sum->span.start_ns;
  if (first_ns < sum->span.end_ns - OPEN_LONGEST_NS) first_ns = sum->span.end_ns - OPEN_LONGEST_NS;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *row = &sum->threads[i];
    if (!open_is(row)) continue;
    bool before = row->stack_age_ns >= (uint64_t)(sum->span.end_ns - first_ns);
    int64_t row_ns = before ? first_ns : sum->span.end_ns - (int64_t)row->stack_age_ns;
    since_ns = row_ns < since_ns ? row_ns : since_ns;
  }
  return since_ns;
}

/* Waiting in a window for which no method was blamed, and the time with the GVL in unknown stacks, in proportion to
   which this waiting is divided. */
struct open_window {
  uint64_t left_ns, held_ns;
};

static struct open_window open_of(const struct profile_window *window)
{
  struct open_window open = { .left_ns = window->wall_ns[RTOP_STATE_WAITING] };
  uint64_t told_ns = 0;
  for (size_t i = 0; i < window->cell_count; i++) told_ns += window->cells[i].blame_ns;
  for (size_t i = 0; i < window->unsampled_count; i++)
    open.held_ns += open_holds(window->cells[i].state) ? window->cells[i].wall_ns : 0;
  open.left_ns = told_ns < open.left_ns ? open.left_ns - told_ns : 0;
  return open;
}

static void open_share_out(const struct rtop_profile *profile, struct rtop_sum *sum,
                           const struct profile_window *window, const struct profile_part *part)
{
  struct open_window open = open_of(window);
  for (size_t i = 0; i < window->unsampled_count && open.left_ns > 0 && open.held_ns > 0; i++) {
    const struct profile_cell *cell = &window->cells[i];
    const struct profile_thread *thread = profile_thread_at(profile, cell->thread);
    if (!open_holds(cell->state) || !thread || !thread->row || !open_is(&sum->threads[thread->row - 1])) continue;
    uint64_t blame_ns = (uint64_t)((unsigned __int128)open.left_ns * cell->wall_ns / open.held_ns);
    blame_ns = profile_part_share(part, blame_ns);
    sum->threads[thread->row - 1].cost.blame_ns += blame_ns;
    sum->total.blame_ns += blame_ns;
  }
}

void rtop_profile_open_blame(const struct rtop_profile *profile, struct rtop_sum *sum)
{
  int64_t since_ns = open_since(sum);
  if (since_ns >= sum->span.end_ns) return;
  for (size_t i = 0; i < sum->thread_count; i++) {
    struct profile_thread *thread = profile_thread_at(profile, sum->threads[i].thread);
    if (thread) thread->row = (uint32_t)i + 1;
  }
  struct profile_walk walk = profile_walk(profile, sum->span);
  walk.at = profile_find(profile, since_ns);
  for (const struct profile_window *window; (window = profile_walk_read(&walk));)
    if (window->end_ns > since_ns) open_share_out(profile, sum, window, &walk.part);
  for (size_t i = 0; i < sum->thread_count; i++) {
    struct profile_thread *thread = profile_thread_at(profile, sum->threads[i].thread);
    if (thread) thread->row = 0;
  }
}
