/* What a sum says beside its cells: times, counters, threads. Its cells are what a slide tells that comes from
 * nowhere. */
#include "profile_impl.h"

#include "profile_slide.h"
#include <stdlib.h>
#include <string.h>

struct sum_build {
  struct rtop_profile *profile;
  struct rtop_sum *sum;
  struct profile_cover cover;
  bool failed;
};

static bool sum_grow_threads(struct rtop_sum *sum)
{
  if (sum->thread_count < sum->thread_capacity) return true;
  size_t capacity = sum->thread_capacity ? sum->thread_capacity * 2 : 32;
  struct rtop_thread_row *threads = realloc(sum->threads, capacity * sizeof *threads);
  if (!threads) return false;
  sum->threads = threads;
  sum->thread_capacity = capacity;
  return true;
}

/* The row of a thread, made when it is first met. */
static struct rtop_thread_row *sum_row(struct sum_build *build, uint32_t id)
{
  struct profile_thread *thread = profile_thread_at(build->profile, id);
  if (thread && thread->row) return &build->sum->threads[thread->row - 1];
  if (!thread || !sum_grow_threads(build->sum) || !build->sum->threads) {
    build->failed = build->failed || thread;
    return NULL;
  }
  struct rtop_thread_row *row = &build->sum->threads[build->sum->thread_count++];
  thread->row = (uint32_t)build->sum->thread_count;
  *row = (struct rtop_thread_row){
    .thread = id,
    .name = thread->name,
    .serial = thread->key.serial,
    .native_id = thread->native_id,
    .source = thread->key.source,
    .is_main = thread->is_main,
    .ended = true,
  };
  return row;
}

static void sum_presence(struct sum_build *build, const struct profile_presence *presence)
{
  struct rtop_thread_row *row = sum_row(build, presence->thread);
  if (!row) return;
  row->state = (enum rtop_state)presence->state;
  row->state_age_ns = presence->state_age_ns;
  uint32_t shown = rtop_lens_node(build->profile->lens, presence->node);
  row->node = shown == RTOP_LENS_OUT ? 0 : shown;
  row->stale = presence->stale;
  row->stack_age_ns = presence->stack_age_ns;
}

static void sum_carry(struct sum_build *build, const struct rtop_span *span)
{
  struct rtop_profile *profile = build->profile;
  build->cover = profile->carry_cover;
  for (uint32_t i = 0; i < profile->source_count; i++) {
    struct profile_source *source = &profile->sources[i];
    if (!profile_carries(source) || source->carry_start_ns < span->start_ns) continue;
    source->gaps = source->carry_gaps;
    source->now = source->carry_counters;
  }
}

static void sum_sources(struct sum_build *build)
{
  struct rtop_sum *sum = build->sum;
  sum->length_ns = build->cover.length_ns;
  sum->window_count = build->cover.windows;
  for (uint32_t i = 0; i < build->profile->source_count; i++) {
    const struct profile_source *source = &build->profile->sources[i];
    sum->gap_count += source->gaps;
    profile_counters_merge(&sum->counters, &source->now);
    if (!source->last) continue;
    profile_need(build->profile, source->last);
    for (size_t k = 0; k < source->last->thread_count; k++) {
      struct rtop_thread_row *row = sum_row(build, source->last->threads[k].thread);
      if (row) row->ended = source->last->threads[k].ended;
    }
  }
}

static int sum_compare_rows(const void *left, const void *right)
{
  const struct rtop_thread_row *a = left, *b = right;
  if (a->source != b->source) return a->source < b->source ? -1 : 1;
  if (a->serial != b->serial) return a->serial < b->serial ? -1 : 1;
  return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static void sum_sort_rows(struct rtop_sum *sum)
{
  if (sum->thread_count) qsort(sum->threads, sum->thread_count, sizeof *sum->threads, sum_compare_rows);
}

static void sum_forget_rows(struct sum_build *build)
{
  for (size_t i = 0; i < build->sum->thread_count; i++)
    profile_thread_at(build->profile, build->sum->threads[i].thread)->row = 0;
}

static void sum_start(struct sum_build *build, struct rtop_span span)
{
  struct rtop_profile *profile = build->profile;
  struct rtop_sum *sum = build->sum;
  struct rtop_sum empty = { .threads = sum->threads, .thread_capacity = sum->thread_capacity, .span = span };
  if (!sum->borrowed) {
    empty.cells = sum->cells;
    empty.cell_capacity = sum->cell_capacity;
  }
  *sum = empty;
  rtop_lens_version(profile->lens); /* names may have been completed */
  for (uint32_t i = 0; i < profile->source_count; i++) {
    struct profile_source *source = &profile->sources[i];
    source->gaps = 0;
    source->last = NULL;
    memset(&source->now, 0, sizeof source->now);
  }
}

static bool sum_carries(const struct sum_build *build)
{
  const struct rtop_profile *profile = build->profile;
  return profile->carry.count && build->sum->span.start_ns <= rtop_profile_bounds(profile).start_ns;
}

struct rtop_span profile_clip(const struct rtop_profile *profile, struct rtop_span span)
{
  struct rtop_span held = rtop_profile_bounds(profile);
  if (span.start_ns < held.start_ns) span.start_ns = held.start_ns;
  if (span.end_ns > held.end_ns) span.end_ns = held.end_ns;
  if (span.end_ns < span.start_ns) span.end_ns = span.start_ns;
  return span;
}

/* Without looking into windows: what time they cover, gaps, and the last one of every source. */
static void head_times(struct sum_build *build, const struct rtop_span *span)
{
  const struct rtop_profile *profile = build->profile;
  for (size_t i = profile_find(profile, span->start_ns); i < profile->count; i++) {
    struct profile_window *window = profile_window_at(profile, i);
    struct profile_source *source = &profile->sources[window->source];
    struct profile_part part;
    if (window->start_ns >= span->end_ns) break;
    if (!profile_part_of(window, span, &part)) continue;
    if (window->gap) {
      source->gaps++;
      continue;
    }
    profile_cover_add(&build->cover, window->start_ns + part.from_ns, window->start_ns + part.to_ns);
    source->last = window;
  }
}

static void head_changes(struct sum_build *build, const struct profile_kept *kept)
{
  for (uint32_t i = 0; i < build->profile->source_count; i++) {
    struct profile_source *source = &build->profile->sources[i];
    source->wanted = 0;
    if (i >= kept->source_capacity) continue;
    profile_counters_change(&source->now, &kept->sources[i].changes, true);
    source->wanted = profile_counters_wanted(kept->sources[i].present);
  }
}

/* What the last window says that says it, so from the newest on until all is said. */
static void head_now(struct sum_build *build, const struct rtop_span *span, const struct profile_kept *kept)
{
  struct rtop_profile *profile = build->profile;
  uint32_t listed = kept->listed, sources = 0;
  for (uint32_t i = 0; i < profile->source_count; i++) sources += profile->sources[i].wanted != 0;
  for (size_t i = profile_find(profile, span->end_ns + profile->longest_ns); i-- > 0 && (listed || sources);) {
    struct profile_window *window = profile_window_at(profile, i);
    struct profile_source *source = &profile->sources[window->source];
    struct profile_part part;
    if (window->gap || !profile_part_of(window, span, &part)) continue;
    bool wanted = source->wanted != 0;
    source->wanted = profile_counters_now(&source->now, window, source->wanted);
    sources -= wanted && source->wanted == 0;
    if (listed) profile_need(profile, window); /* it may have been given back meanwhile */
    for (size_t k = window->thread_count; listed && k-- > 0;) {
      const struct profile_thread *thread = profile_thread_at(profile, window->threads[k].thread);
      if (!thread || thread->row) continue;
      sum_presence(build, &window->threads[k]);
      listed--;
    }
  }
}

bool profile_sum_head(struct rtop_profile *profile, struct rtop_span span, struct rtop_sum *sum,
                      const struct profile_kept *kept)
{
  struct sum_build build = { .profile = profile, .sum = sum };
  sum_start(&build, span);
  if (sum_carries(&build)) sum_carry(&build, &sum->span);
  head_times(&build, &sum->span);
  head_changes(&build, kept);
  head_now(&build, &sum->span, kept);
  sum_sources(&build);
  for (uint32_t id = 0; id < kept->thread_capacity; id++)
    if (kept->threads[id].cells) sum_row(&build, id);
  sum_sort_rows(sum);
  sum_forget_rows(&build);
  return !build.failed;
}

void rtop_sum_destroy(struct rtop_sum *sum)
{
  free(sum->threads);
  if (!sum->borrowed) free(sum->cells);
  *sum = (struct rtop_sum){ 0 };
}
