/* SPDX-License-Identifier: MIT */
/* Sums: computes what enters and leaves a span when it moves or its windows change; a sum of one span is a slide that
 * starts empty. Besides its cells a sum has a head: times, counters and threads. */
#include "profile_slide.h"

#include "profile_counters.h"
#include "profile_load.h"
#include "profile_windows.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

/* What a slide keeps of each window in its span (not of gaps), to avoid reading the windows again. */
struct profile_kept {
  struct profile_kept_thread { /* by id of the thread */
    uint32_t cells, windows;   /* told; that list it */
  } * threads;
  size_t thread_capacity;
  uint32_t listed;             /* threads that windows list */
  struct profile_kept_source { /* by index of the source */
    struct rtop_span_counters changes;
    uint32_t present[PROFILE_COUNTERS_MAX]; /* number of windows that have the counter, by counter id */
  } * sources;
  size_t source_capacity;
};

struct rtop_slide {
  struct rtop_profile *profile; /* NULL: it is gone */
  struct rtop_lens *through;    /* what its nodes are shown by */
  struct rtop_slide *next;
  struct rtop_slide_sink sink;
  bool known; /* the sink holds what follows */
  struct rtop_span span;
  bool carry;       /* with what memory could not hold */
  uint64_t last_id; /* of windows that could be in it */
  uint64_t ids;     /* sum of the ids of the windows in the span, to detect changes that the slide did not make */
  uint32_t lens;
  struct profile_kept kept;
  bool failed;
};

/* ---- the head of a sum ------------------------------------------------------------------------------ */

struct sum_build {
  struct rtop_profile *profile;
  struct rtop_lens *lens;
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

/* Returns the row of a thread, made at its first use. */
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
  uint32_t shown = rtop_lens_place(build->lens, row->source, presence->node);
  row->node = shown == RTOP_LENS_OUT ? 0 : shown;
  row->left_out = !rtop_lens_shows(rtop_lens_look(build->lens), row->state);
  row->stale = presence->stale;
  row->stack_age_ns = presence->stack_age_ns;
  row->lock = presence->lock;
}

static void sum_carry(struct sum_build *build, const struct rtop_span *span)
{
  struct rtop_profile *profile = build->profile;
  build->cover = profile->carry.cover;
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
  rtop_lens_version(build->lens); /* names may have been completed */
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
  return profile->carry.costs.count && build->sum->span.start_ns <= rtop_profile_bounds(profile).start_ns;
}

/* Fills in the part that needs no window contents: covered time, gaps, and the last window of every source. */
static void head_times(struct sum_build *build, const struct rtop_span *span)
{
  const struct rtop_profile *profile = build->profile;
  struct profile_walk walk = profile_walk(profile, *span);
  for (struct profile_window *window; (window = profile_walk_next(&walk));) {
    struct profile_source *source = &profile->sources[window->source];
    if (window->gap) {
      source->gaps++;
      continue;
    }
    int64_t start_ns = window->start_ns + walk.part.from_ns, end_ns = window->start_ns + walk.part.to_ns;
    if (profile->source_count > 1) profile_cover_clip(span, &start_ns, &end_ns);
    profile_cover_add(&build->cover, start_ns, end_ns);
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

/* Fills in present values: each from the last window that has it, going back from the newest until all are found. */
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

static bool profile_sum_head(struct rtop_profile *profile, struct rtop_lens *lens, struct rtop_span span,
                             struct rtop_sum *sum, const struct profile_kept *kept)
{
  struct sum_build build = { .profile = profile, .lens = lens, .sum = sum };
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

/* ---- what comes and goes ---------------------------------------------------------------------------- */

/* Has the window been reported to the sink? Sets *part to the reported part. */
static bool slide_has(const struct rtop_slide *slide, const struct profile_window *window, struct profile_part *part)
{
  return slide->known && !window->gap && window->id <= slide->last_id && profile_part_of(window, &slide->span, part);
}

static bool slide_has_thread(struct rtop_slide *slide, uint32_t thread)
{
  struct profile_kept *kept = &slide->kept;
  bool fine = rtop_reserve(&kept->threads, &kept->thread_capacity, (size_t)thread + 1, sizeof *kept->threads);
  slide->failed = slide->failed || !fine;
  return fine;
}

/* Reports a cell to the sink. `source` is that of the thread, which may be unknown once its last window has left the
   span. */
static void slide_tell(struct rtop_slide *slide, uint32_t source, uint32_t thread, uint32_t node,
                       const struct rtop_cost *cost, bool shown, bool comes)
{
  struct rtop_sum_cell cell = { .thread = thread, .cost = *cost };
  cell.node = rtop_lens_node(slide->through, source, node);
  if (cell.node == RTOP_LENS_OUT) return;
  if (!slide_has_thread(slide, thread)) return;
  slide->kept.threads[thread].cells += comes ? 1 : UINT32_MAX;
  if (shown) slide->sink.cell(slide->sink.context, &cell, comes);
  else if (slide->sink.left_out) slide->sink.left_out(slide->sink.context, &cell, comes);
}

static void slide_cell(struct rtop_slide *slide, uint32_t source, const struct profile_cell *cell,
                       const struct profile_part *part, bool comes)
{
  struct rtop_cost cost = { 0 };
  struct profile_cell share = profile_part_is_whole(part) ? *cell : profile_part_cell(part, cell);
  if (profile_cell_is_empty(&share)) return;
  profile_cost_add_cell(&cost, &share);
  slide_tell(slide, source, cell->thread, cell->node, &cost,
             rtop_lens_shows(rtop_lens_look(slide->through), share.state), comes);
}

static void slide_counters(struct rtop_slide *slide, const struct profile_window *window,
                           const struct profile_part *part, bool comes)
{
  struct profile_kept *kept = &slide->kept;
  if (!rtop_reserve(&kept->sources, &kept->source_capacity, slide->profile->source_count, sizeof *kept->sources)) {
    slide->failed = true;
    return;
  }
  struct profile_kept_source *source = &kept->sources[window->source];
  struct rtop_span_counters counters = profile_counters_part(window, part);
  profile_counters_change(&source->changes, &counters, comes);
  for (int id = 0; id < PROFILE_COUNTERS_MAX; id++)
    if (window->counters_present >> id & 1) source->present[id] += comes ? 1 : UINT32_MAX;
}

static void slide_listed(struct rtop_slide *slide, uint32_t thread, bool comes)
{
  if (!slide_has_thread(slide, thread)) return;
  uint32_t *windows = &slide->kept.threads[thread].windows;
  bool was = *windows > 0;
  *windows += comes ? 1 : UINT32_MAX;
  slide->kept.listed += (uint32_t)(*windows > 0) - (uint32_t)was;
}

static void slide_window(struct rtop_slide *slide, struct profile_window *window, const struct profile_part *part,
                         bool comes)
{
  slide->ids += comes ? window->id : 0 - window->id;
  profile_need(slide->profile, window);
  slide->failed = slide->failed || window->gap; /* it could not be fetched */
  for (size_t i = 0; i < window->cell_count; i++) slide_cell(slide, window->source, &window->cells[i], part, comes);
  slide_counters(slide, window, part, comes);
  for (size_t i = 0; i < window->thread_count; i++) {
    struct profile_cell cell = profile_provisional(&window->threads[i]);
    slide_listed(slide, window->threads[i].thread, comes);
    if (cell.wall_ns) slide_cell(slide, window->source, &cell, part, comes);
  }
}

/* Reports carried cost, which is not divided by state: everything but wall time is assigned to the running time. */
static void slide_carried_cost(struct rtop_slide *slide, uint32_t source, uint32_t thread, uint32_t node,
                               const struct rtop_cost *cost)
{
  static const struct rtop_cost nothing;
  const struct rtop_lens_look *look = rtop_lens_look(slide->through);
  bool runs = rtop_lens_shows(look, RTOP_STATE_RUNNING);
  struct rtop_cost rest = *cost, part[2] = { 0 };
  if (look->states == 0) {
    slide_tell(slide, source, thread, node, cost, true, true);
    return;
  }
  memset(rest.wall_ns, 0, sizeof rest.wall_ns);
  part[runs] = rest;
  for (int state = 0; state < RTOP_STATES; state++)
    part[rtop_lens_shows(look, (unsigned)state)].wall_ns[state] = cost->wall_ns[state];
  for (int shown = 0; shown < 2; shown++)
    if (memcmp(&part[shown], &nothing, sizeof nothing) != 0)
      slide_tell(slide, source, thread, node, &part[shown], shown, true);
}

static void slide_carried(struct rtop_slide *slide)
{
  const struct rtop_profile *profile = slide->profile;
  for (size_t i = 0; i < profile->carry.costs.count; i++) {
    const struct rtop_sum_cell *cell = &profile->carry.costs.cells[i];
    const struct profile_thread *thread = profile_thread_at(profile, cell->thread);
    slide_carried_cost(slide, thread ? thread->key.source : 0, cell->thread, cell->node, &cell->cost);
  }
  for (uint32_t id = 0; id < profile->threads.count; id++) {
    const struct profile_thread *thread = profile->threads.all[id];
    struct rtop_cost cost = { 0 };
    if (!thread || !thread->pending_ns) continue;
    cost.wall_ns[thread->pending_state] = thread->pending_ns;
    slide_carried_cost(slide, thread->key.source, id, thread->pending_node, &cost);
  }
}

static bool slide_wants_carry(const struct rtop_slide *slide, const struct rtop_span *span)
{
  return slide->profile->carry.costs.count && span->start_ns <= rtop_profile_bounds(slide->profile).start_ns;
}

static void slide_all(struct rtop_slide *slide, struct rtop_span span)
{
  struct rtop_profile *profile = slide->profile;
  slide->failed = false;
  slide->ids = 0;
  if (slide->kept.threads) memset(slide->kept.threads, 0, slide->kept.thread_capacity * sizeof *slide->kept.threads);
  if (slide->kept.sources) memset(slide->kept.sources, 0, slide->kept.source_capacity * sizeof *slide->kept.sources);
  slide->kept.listed = 0;
  slide->sink.restart(slide->sink.context);
  slide->carry = slide_wants_carry(slide, &span);
  if (slide->carry) slide_carried(slide);
  for (size_t i = profile_find(profile, span.start_ns); i < profile->count; i++) {
    struct profile_window *window = profile_window_at(profile, i);
    if (window->start_ns >= span.end_ns) break;
    struct profile_part part;
    if (!window->gap && profile_part_of(window, &span, &part)) slide_window(slide, window, &part, true);
  }
}

/* Moves the span by reporting what enters and leaves. False when its windows are not the reported ones. */
static bool slide_step(struct rtop_slide *slide, struct rtop_span span)
{
  struct rtop_profile *profile = slide->profile;
  int64_t start_ns = span.start_ns < slide->span.start_ns ? span.start_ns : slide->span.start_ns;
  int64_t end_ns = span.end_ns > slide->span.end_ns ? span.end_ns : slide->span.end_ns;
  uint64_t expected = slide->ids, met = 0;
  for (size_t i = profile_find(profile, start_ns); i < profile->count; i++) {
    struct profile_window *window = profile_window_at(profile, i);
    if (window->start_ns >= end_ns) break;
    struct profile_part before, now;
    bool was = slide_has(slide, window, &before), is = !window->gap && profile_part_of(window, &span, &now);
    met += was ? window->id : 0;
    if (was && is && before.from_ns == now.from_ns && before.to_ns == now.to_ns) continue;
    if (was) slide_window(slide, window, &before, false);
    if (is) slide_window(slide, window, &now, true);
  }
  return met == expected;
}

/* Is a fresh start much cheaper than removing the windows that leave? A caller that keeps a sum also keeps the shape of
 * its stacks over a step. */
static bool slide_is_far(const struct rtop_slide *slide, const struct rtop_span *span)
{
  int64_t now_ns = slide->span.end_ns - slide->span.start_ns, then_ns = span->end_ns - span->start_ns;
  return now_ns / 4 > then_ns;
}

/* Applies the lens's conditions on labels and states to sums by label sets, too. */
static bool slide_follow(const struct rtop_slide *slide)
{
  struct rtop_lens_look look = { .merge = RTOP_MERGE_LABEL };
  if (slide->through != slide->profile->sets) return true;
  memcpy(look.label, rtop_lens_look(slide->profile->lens)->label, sizeof look.label);
  look.states = rtop_lens_look(slide->profile->lens)->states;
  return rtop_lens_set(slide->profile->sets, &look);
}

bool rtop_slide_to(struct rtop_slide *slide, struct rtop_span span, struct rtop_sum *sum)
{
  struct rtop_profile *profile = slide->profile;
  if (!profile || !slide_follow(slide)) return false;
  uint32_t lens = rtop_lens_version(slide->through);
  span = rtop_profile_clip(profile, span);
  bool fits = slide->known && !slide->failed && lens == slide->lens && !slide_is_far(slide, &span) &&
              slide->carry == slide_wants_carry(slide, &span);
  if (!fits || !slide_step(slide, span) || slide->failed) slide_all(slide, span);
  if (slide->failed) slide_all(slide, span); /* A window that could not be fetched has become a gap. */
  slide->known = true;
  slide->lens = lens;
  slide->span = span;
  slide->last_id = profile->window_ids;
  return profile_sum_head(profile, slide->through, span, sum, &slide->kept) && !slide->failed;
}

void rtop_slide_restart(struct rtop_slide *slide)
{
  slide->known = false;
}

struct rtop_slide *rtop_slide_open(struct rtop_profile *profile, const struct rtop_slide_sink *sink)
{
  struct rtop_slide *slide = calloc(1, sizeof *slide);
  if (!slide) return NULL;
  slide->profile = profile;
  slide->through = profile->lens;
  slide->sink = *sink;
  slide->next = profile->slides;
  profile->slides = slide;
  return slide;
}

struct rtop_slide *rtop_slide_open_sets(struct rtop_profile *profile, const struct rtop_slide_sink *sink)
{
  if (!profile->sets) profile->sets = rtop_lens_create(profile->symbols);
  struct rtop_slide *slide = profile->sets ? rtop_slide_open(profile, sink) : NULL;
  if (slide) slide->through = profile->sets;
  return slide;
}

void rtop_slide_close(struct rtop_slide **handle)
{
  struct rtop_slide *slide = *handle;
  *handle = NULL;
  if (!slide) return;
  for (struct rtop_slide **at = slide->profile ? &slide->profile->slides : NULL; at && *at; at = &(*at)->next)
    if (*at == slide) {
      *at = slide->next;
      break;
    }
  free(slide->kept.threads);
  free(slide->kept.sources);
  free(slide);
}

void profile_slides_lose(struct rtop_profile *profile, struct profile_window *window)
{
  struct profile_part part;
  for (struct rtop_slide *slide = profile->slides; slide; slide = slide->next)
    if (slide_has(slide, window, &part)) {
      if (window->absent) slide->known = false; /* no time to fetch it */
      else slide_window(slide, window, &part, false);
    }
}

void profile_slides_cell(struct rtop_profile *profile, const struct profile_window *window,
                         const struct profile_cell *cell, bool comes)
{
  struct profile_part part;
  for (struct rtop_slide *slide = profile->slides; slide; slide = slide->next)
    if (slide_has(slide, window, &part)) slide_cell(slide, window->source, cell, &part, comes);
}

void profile_slides_restart(struct rtop_profile *profile)
{
  for (struct rtop_slide *slide = profile->slides; slide; slide = slide->next)
    slide->known = slide->known && !slide->carry;
}

void profile_slides_forget(struct rtop_profile *profile)
{
  for (struct rtop_slide *slide = profile->slides; slide; slide = slide->next) slide->known = false;
}

void profile_slides_detach(struct rtop_profile *profile)
{
  for (struct rtop_slide *slide = profile->slides; slide; slide = slide->next) slide->profile = NULL;
}

/* ---- one sum ---------------------------------------------------------------------------------------- */

struct once {
  struct cost_table *table;
  bool failed;
};

static void once_restart(void *context)
{
  cost_table_clear(((struct once *)context)->table);
}

static void once_cell(void *context, const struct rtop_sum_cell *cell, bool comes)
{
  struct once *once = context;
  struct rtop_cost *cost = comes ? cost_table_at(once->table, cell->thread, cell->node) : NULL;
  if (cost) rtop_cost_add(cost, &cell->cost);
  else once->failed = true;
}

/* Of a node that nobody has. */
static void once_left_out(void *context, const struct rtop_sum_cell *cell, bool comes)
{
  struct rtop_sum_cell nowhere = *cell;
  nowhere.node = RTOP_LENS_OUT;
  once_cell(context, &nowhere, comes);
}

static int once_compare(const void *left, const void *right)
{
  const struct rtop_sum_cell *a = left, *b = right;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
}

/* Converts thread ids to rows, sorts, and adds up the costs of rows and the total. False: memory ran out. */
static bool once_finish(struct rtop_sum *sum, uint32_t threads)
{
  uint32_t *row_of = calloc((size_t)threads + 1, sizeof *row_of);
  size_t kept = 0;
  if (!row_of) return false;
  for (size_t i = 0; i < sum->thread_count; i++) row_of[sum->threads[i].thread] = (uint32_t)i + 1;
  for (size_t i = 0; i < sum->cell_count; i++) {
    struct rtop_sum_cell cell = sum->cells[i];
    if (!row_of[cell.thread]) continue;
    cell.thread = row_of[cell.thread] - 1;
    if (cell.node != RTOP_LENS_OUT) sum->cells[kept++] = cell;
    rtop_cost_add(&sum->threads[cell.thread].cost, &cell.cost);
    rtop_cost_add(&sum->total, &cell.cost);
  }
  sum->cell_count = kept;
  if (kept) qsort(sum->cells, kept, sizeof *sum->cells, once_compare);
  free(row_of);
  return true;
}

/* Makes a sum with a temporary slide, to which no changes are reported. */
static bool sum_through(struct rtop_profile *profile, struct rtop_lens *lens, struct rtop_span span,
                        struct rtop_sum *sum)
{
  struct once once = { .table = profile->table };
  struct rtop_slide slide = { .profile = profile,
                              .through = lens,
                              .sink = { &once, once_restart, once_cell, once_left_out } };
  if (!sum->borrowed) {
    profile->table->cells = sum->cells;
    profile->table->capacity = sum->cell_capacity;
  }
  sum->cells = NULL;
  sum->cell_capacity = 0;
  bool fine = rtop_slide_to(&slide, span, sum) && !once.failed;
  sum->cells = profile->table->cells;
  sum->cell_capacity = profile->table->capacity;
  sum->cell_count = fine ? profile->table->count : 0;
  profile->table->cells = NULL;
  profile->table->capacity = 0;
  free(slide.kept.threads);
  free(slide.kept.sources);
  return fine && once_finish(sum, profile->threads.count);
}

bool rtop_profile_sum(const struct rtop_profile *asked, struct rtop_span span, struct rtop_sum *sum)
{
  /* The cast is harmless: only scratch data change. */
  struct rtop_profile *profile = (struct rtop_profile *)asked;
  return sum_through(profile, profile->lens, span, sum);
}

bool rtop_profile_hides(const struct rtop_profile *profile)
{
  const struct rtop_lens_look *look = rtop_lens_look(profile->lens);
  return look->only_mine || look->no_c || look->merge != RTOP_MERGE_METHOD || look->labels || look->processes ||
         look->exclude[0] || look->states;
}

bool rtop_profile_sum_whole(const struct rtop_profile *asked, struct rtop_span span, struct rtop_sum *sum)
{
  struct rtop_profile *profile = (struct rtop_profile *)asked;
  struct rtop_lens_look look = { 0 };
  if (!rtop_profile_hides(profile)) return rtop_profile_sum(profile, span, sum);
  memcpy(look.label, rtop_lens_look(profile->lens)->label, sizeof look.label);
  if (!profile->whole) profile->whole = rtop_lens_create(profile->symbols);
  return profile->whole && rtop_lens_set(profile->whole, &look) && sum_through(profile, profile->whole, span, sum);
}

bool rtop_profile_sum_sets(const struct rtop_profile *asked, struct rtop_span span, struct rtop_sum *sum)
{
  struct rtop_profile *profile = (struct rtop_profile *)asked;
  if (!profile->sets) profile->sets = rtop_lens_create(profile->symbols);
  return profile->sets && sum_through(profile, profile->sets, span, sum);
}

void rtop_sum_destroy(struct rtop_sum *sum)
{
  free(sum->threads);
  if (!sum->borrowed) free(sum->cells);
  *sum = (struct rtop_sum){ 0 };
}
