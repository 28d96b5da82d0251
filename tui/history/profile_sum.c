#include "profile_impl.h"

#include <stdlib.h>
#include <string.h>

/* A sum being made: cells under the profile's thread ids at first, rows for the threads that occur. */
struct sum_build {
  struct rtop_profile *profile;
  struct rtop_sum *sum;
  struct cost_table *table;
  struct profile_cover cover;
  struct rtop_cost out; /* what labels leave out goes here, which is nowhere */
  bool failed;
};

/* Where the time of a node is shown. */
static struct rtop_cost *sum_cost(struct sum_build *build, uint32_t thread, uint32_t node)
{
  uint32_t shown = rtop_lens_node(build->profile->lens, node);
  return shown == RTOP_LENS_OUT ? &build->out : cost_table_at(build->table, thread, shown);
}

static void sum_cell(struct sum_build *build, const struct profile_cell *cell)
{
  if (!build->table || profile_cell_is_empty(cell)) return; /* only the head is wanted */
  struct rtop_cost *cost = sum_cost(build, cell->thread, cell->node);
  if (cost) profile_cost_add_cell(cost, cell);
  else build->failed = true;
}

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

/* Later windows overwrite what earlier ones said: windows come in order of time. */
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
  if (presence->provisional_ns == 0) return;
  struct profile_cell cell = profile_provisional(presence);
  sum_cell(build, &cell);
}

/* A span ends within a long window. */
static void sum_part(struct sum_build *build, const struct profile_window *window, const struct profile_part *part)
{
  for (size_t i = 0; build->table && i < window->cell_count; i++) {
    struct profile_cell cell = profile_part_cell(part, &window->cells[i]);
    sum_cell(build, &cell);
  }
  for (size_t i = 0; i < window->thread_count; i++) {
    struct profile_presence presence = window->threads[i];
    presence.provisional_ns = profile_part_share(part, presence.provisional_ns);
    sum_presence(build, &presence);
  }
}

static void sum_window(struct sum_build *build, struct profile_window *window, const struct profile_part *part)
{
  struct profile_source *source = &build->profile->sources[window->source];
  profile_need(build->profile, window);
  if (window->gap) {
    source->gaps++;
    return;
  }
  profile_cover_add(&build->cover, window->start_ns + part->from_ns, window->start_ns + part->to_ns);
  source->last = window;
  struct rtop_span_counters counters = profile_counters_part(window, part);
  profile_counters_add(&source->now, &counters, window->counters_present);
  if (!profile_part_is_whole(part)) {
    sum_part(build, window, part);
    return;
  }
  for (size_t i = 0; build->table && i < window->cell_count; i++) sum_cell(build, &window->cells[i]);
  for (size_t i = 0; i < window->thread_count; i++) sum_presence(build, &window->threads[i]);
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
  for (size_t i = 0; build->table && i < profile->carry.count; i++) {
    const struct rtop_sum_cell *cell = &profile->carry.cells[i];
    static const struct rtop_cost nothing;
    if (memcmp(&cell->cost, &nothing, sizeof nothing) == 0) continue;
    struct rtop_cost *cost = sum_cost(build, cell->thread, cell->node);
    if (cost) rtop_cost_add(cost, &cell->cost);
    else build->failed = true;
  }
  for (uint32_t id = 0; id < profile->thread_count; id++) {
    const struct profile_thread *thread = profile->threads[id];
    if (thread && thread->open_ns)
      sum_cell(build,
               &(struct profile_cell){
                   .node = thread->open_node, .thread = id, .state = thread->open_state, .wall_ns = thread->open_ns });
  }
}

static void sum_windows(struct sum_build *build, const struct rtop_span *span)
{
  const struct rtop_profile *profile = build->profile;
  for (size_t i = profile_find(profile, span->start_ns); i < profile->count; i++) {
    struct profile_window *window = profile_window_at(profile, i);
    struct profile_part part;
    if (window->start_ns >= span->end_ns) break;
    if (profile_part_of(window, span, &part)) sum_window(build, window, &part);
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

static int sum_compare_cells(const void *left, const void *right)
{
  const struct rtop_sum_cell *a = left, *b = right;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
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

/* From ids to rows, in order; costs of rows and of all. */
static void sum_finish(struct sum_build *build)
{
  struct rtop_sum *sum = build->sum;
  size_t kept = 0;
  for (size_t i = 0; i < sum->cell_count; i++) sum_row(build, sum->cells[i].thread);
  sum_sort_rows(sum);
  for (size_t i = 0; i < sum->thread_count; i++)
    profile_thread_at(build->profile, sum->threads[i].thread)->row = (uint32_t)i + 1;
  for (size_t i = 0; i < sum->cell_count; i++) {
    struct rtop_sum_cell cell = sum->cells[i];
    const struct profile_thread *thread = profile_thread_at(build->profile, cell.thread);
    if (!thread || !thread->row) continue;
    cell.thread = thread->row - 1;
    sum->cells[kept++] = cell;
    rtop_cost_add(&sum->threads[cell.thread].cost, &cell.cost);
    rtop_cost_add(&sum->total, &cell.cost);
  }
  sum->cell_count = kept;
  if (sum->cell_count) qsort(sum->cells, sum->cell_count, sizeof *sum->cells, sum_compare_cells);
  sum_forget_rows(build);
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

static void sum_all(struct sum_build *build)
{
  struct rtop_span span = build->sum->span;
  if (sum_carries(build)) sum_carry(build, &span);
  sum_windows(build, &span);
}

struct rtop_span profile_clip(const struct rtop_profile *profile, struct rtop_span span)
{
  struct rtop_span held = rtop_profile_bounds(profile);
  if (span.start_ns < held.start_ns) span.start_ns = held.start_ns;
  if (span.end_ns > held.end_ns) span.end_ns = held.end_ns;
  if (span.end_ns < span.start_ns) span.end_ns = span.start_ns;
  return span;
}

bool rtop_profile_sum(const struct rtop_profile *profile, struct rtop_span span, struct rtop_sum *sum)
{
  /* Scratch only: to a caller the profile stays as it is. */
  struct sum_build build = { .profile = (struct rtop_profile *)profile, .sum = sum, .table = profile->table };
  sum_start(&build, profile_clip(profile, span));
  cost_table_clear(build.table);
  build.table->cells = sum->cells;
  build.table->capacity = sum->cell_capacity;
  sum_all(&build);
  sum->cells = build.table->cells;
  sum->cell_capacity = build.table->capacity;
  sum->cell_count = build.table->count;
  build.table->cells = NULL;
  build.table->capacity = 0;
  sum_sources(&build);
  sum_finish(&build);
  return !build.failed;
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
    const struct profile_window *window = profile_window_at(profile, i);
    struct profile_source *source = &profile->sources[window->source];
    struct profile_part part;
    if (window->gap || !profile_part_of(window, span, &part)) continue;
    bool wanted = source->wanted != 0;
    source->wanted = profile_counters_now(&source->now, window, source->wanted);
    sources -= wanted && source->wanted == 0;
    for (size_t k = window->thread_count; listed && k-- > 0;) {
      struct profile_presence presence = window->threads[k];
      const struct profile_thread *thread = profile_thread_at(profile, presence.thread);
      if (!thread || thread->row) continue;
      presence.provisional_ns = profile_part_share(&part, presence.provisional_ns);
      sum_presence(build, &presence);
      listed--;
    }
  }
}

bool profile_sum_head(struct rtop_profile *profile, struct rtop_span span, struct rtop_sum *sum,
                      const struct profile_kept *kept)
{
  struct sum_build build = { .profile = profile, .sum = sum };
  sum_start(&build, span);
  if (profile->loader.load) { /* what is looked at is not given back meanwhile */
    sum_all(&build);
  } else {
    if (sum_carries(&build)) sum_carry(&build, &sum->span);
    head_times(&build, &sum->span);
    head_changes(&build, kept);
    head_now(&build, &sum->span, kept);
  }
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
