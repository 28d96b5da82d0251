/* SPDX-License-Identifier: MIT */
/* Walks through the windows that are not settled yet. */
#include "metrics_walk.h"

#include "metrics_work.h"
#include "shm/base/label_text.h"
#include "tui/text/pairs.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

/* Age (ns) at which a window is settled; late records come later than this only where a stack is marked as unknown. */
#define WALK_SETTLE_NS INT64_C(1000000000)
/* Length (ns) of the longest window as it arrives: a stretch without a stack delays the whole window in
 * which it began. */
#define WALK_WINDOW_NS INT64_C(1100000000)

enum { WALK_LABELS = RTOP_SOURCES_MAX }; /* of sets of labels: source + this */

/* Time of a frame in a process, before the frame's name is determined. */
struct walk_sum {
  uint32_t source, frame;
  struct walk_part busy;
};

struct walk {
  struct metrics *metrics;
  const struct rtop_symbols *symbols;
  struct rtop_pairs places; /* of (source, frame) in sums */
  struct walk_sum *sums;
  size_t count, capacity;
};

static struct metrics_process *walk_process(const struct walk *walk, const struct rtop_look *look)
{
  struct metrics_process *process = look->source < RTOP_SOURCES_MAX ? walk->metrics->processes[look->source] : NULL;
  return process && !process->gone && look->end_ns > process->settled_ns ? process : NULL;
}

/* ---- first pass: the range of windows, and the last threads ------------------------------------------- */

static void walk_note_end(void *context, const struct rtop_look *look)
{
  struct metrics_process *process = walk_process(context, look);
  if (process && look->end_ns > process->end_ns) process->end_ns = look->end_ns;
  if (!process || look->gap || look->end_ns <= process->last_ns) return;
  process->last_ns = look->end_ns;
  process->last_start_ns = look->start_ns;
}

static void walk_note_last(void *context, const struct rtop_look *look)
{
  struct metrics_process *process = walk_process(context, look);
  if (!process || look->gap || look->end_ns != process->last_ns) return;
  memset(process->threads, 0, sizeof process->threads);
  process->stale_ns = INT64_MAX;
  for (size_t i = 0; i < look->thread_count; i++) {
    struct rtop_look_thread thread = rtop_look_thread(look, i);
    if (thread.ended) continue;
    process->threads[thread.state]++;
    if (!thread.stale && !thread.provisional_ns) continue;
    uint64_t age_ns = thread.stack_age_ns ? thread.stack_age_ns : METRICS_LATE_NS; /* 0: not told */
    if (age_ns > METRICS_LATE_NS) age_ns = METRICS_LATE_NS;
    int64_t stale_ns = look->end_ns - (int64_t)age_ns - WALK_WINDOW_NS;
    if (stale_ns < process->stale_ns) process->stale_ns = stale_ns;
  }
  if (look->counters->rss_bytes) process->rss_bytes = look->counters->rss_bytes;
  if (look->counters->heap_live_slots) process->heap_live_slots = look->counters->heap_live_slots;
}

static void walk_decide(struct metrics_process *process)
{
  int64_t until_ns = process->end_ns - WALK_SETTLE_NS;
  if (process->last_start_ns < until_ns)
    until_ns = process->last_start_ns; /* only whole windows are counted, because a part of one would be an estimate */
  if (process->stale_ns < until_ns) until_ns = process->stale_ns;
  process->settles_ns = until_ns > process->settled_ns ? until_ns : process->settled_ns;
}

/* ---- then: what is in them ----------------------------------------------------------------------------- */

static struct walk_window walk_window(const struct metrics_process *process, const struct rtop_look *look)
{
  return (struct walk_window){
    .look = look,
    .settled = { process->settled_ns, process->settles_ns },
    .pending = { process->settles_ns, INT64_MAX },
    .is_settled = look->start_ns >= process->settled_ns && look->end_ns <= process->settles_ns,
    .is_pending = look->start_ns >= process->settles_ns,
  };
}

struct walk_part walk_part(const struct walk_window *window, uint64_t value)
{
  if (window->is_settled) return (struct walk_part){ .settled = value };
  if (window->is_pending) return (struct walk_part){ .pending = value };
  return (struct walk_part){ rtop_look_share(window->look, window->settled, value),
                             rtop_look_share(window->look, window->pending, value) };
}

static void walk_count(struct metrics_process *process, enum metrics_count count, const struct walk_window *window,
                       uint64_t value)
{
  struct walk_part part = walk_part(window, value);
  process->counts[count].settled += part.settled;
  process->counts[count].pending += part.pending;
}

/* NULL: memory ran out. */
static struct walk_sum *walk_sum(struct walk *walk, uint32_t source, uint32_t frame)
{
  uint32_t *place = rtop_pairs_at(&walk->places, source, frame);
  if (!place) return NULL;
  if (*place) return &walk->sums[*place - 1];
  if (!rtop_reserve(&walk->sums, &walk->capacity, walk->count + 1, sizeof *walk->sums)) return NULL;
  walk->sums[walk->count] = (struct walk_sum){ .source = source, .frame = frame };
  *place = (uint32_t)++walk->count;
  return &walk->sums[*place - 1];
}

/* Adds time to a frame. Without memory, the time counts for "other". */
static void walk_add(struct walk *walk, uint32_t source, uint32_t frame, const struct walk_part *part)
{
  struct walk_sum *sum = walk_sum(walk, source, frame);
  if (sum) {
    sum->busy.settled += part->settled;
    sum->busy.pending += part->pending;
    return;
  }
  struct metrics_process *process = walk->metrics->processes[source % RTOP_SOURCES_MAX];
  struct metrics_figure *rest = source < WALK_LABELS ? process->methods.rest_figures : process->named.rest_figures;
  rest->settled += part->settled;
  rest->pending += part->pending;
}

static void walk_cells(struct walk *walk, const struct walk_window *window)
{
  const struct rtop_look *look = window->look;
  uint32_t unsampled = rtop_symbols_unsampled(walk->symbols);
  for (size_t i = 0; i < look->cell_count; i++) {
    struct rtop_look_cell cell = rtop_look_cell(look, i);
    if (cell.state == RTOP_STATE_BLOCKED) continue;
    const struct rtop_call_node *node = rtop_symbols_get_node(walk->symbols, cell.node);
    struct walk_part part = walk_part(window, cell.wall_ns);
    if (unsampled && cell.node == unsampled)
      part.pending = 0; /* time whose method may still become
                                                                  known is not counted as pending */
    walk_add(walk, look->source, node->frame, &part);
    if (node->labels) walk_add(walk, WALK_LABELS + look->source, node->labels, &part);
  }
}

/* Returns the text of a label set; NULL: the frame is not a label set. */
static const char *walk_set(const struct walk *walk, uint32_t frame)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(walk->symbols, frame);
  return rtop_symbol_is_labels(symbol) ? symbol->label : NULL;
}

static void walk_begun(const struct walk *walk, struct metrics_process *process, const struct walk_window *window)
{
  for (size_t i = 0; i < window->look->begun_count; i++) {
    struct rtop_begun_count begun = rtop_look_begun(window->look, i);
    const char *set = walk_set(walk, rtop_symbols_get_node(walk->symbols, begun.node)->frame);
    struct walk_part part = walk_part(window, begun.count);
    struct rtop_label_buffer label;
    uint32_t place = 0;
    for (size_t at = 0; set && rtop_label_text_next(set, strlen(set), &at, &label); place++)
      if (place == begun.label)
        metrics_top_add(&process->named, label.key, label.value, METRICS_NAMED_RUNS, part.settled, part.pending);
  }
}

static void walk_gap(struct metrics_process *process, const struct walk_window *window)
{
  uint64_t length_ns = (uint64_t)(window->look->end_ns - window->look->start_ns);
  uint64_t windows = length_ns / process->window_ns;
  walk_count(process, METRICS_LOST, window, windows ? windows : 1);
}

static void walk_visit(void *context, const struct rtop_look *look)
{
  struct walk *walk = context;
  struct metrics_process *process = walk_process(walk, look);
  if (!process) return;
  struct walk_window window = walk_window(process, look);
  if (look->gap) {
    walk_gap(process, &window);
    return;
  }
  const uint64_t *wall_ns = look->wall_ns;
  const struct rtop_span_counters *counters = look->counters;
  walk_count(process, METRICS_TOLD, &window, (uint64_t)(look->end_ns - look->start_ns));
  walk_count(process, METRICS_HELD, &window,
             wall_ns[RTOP_STATE_RUNNING] + wall_ns[RTOP_STATE_MARKING] + wall_ns[RTOP_STATE_SWEEPING]);
  walk_count(process, METRICS_WAITING, &window, wall_ns[RTOP_STATE_WAITING]);
  walk_count(process, METRICS_BLOCKED, &window, wall_ns[RTOP_STATE_BLOCKED]);
  walk_count(process, METRICS_MARKING, &window, wall_ns[RTOP_STATE_MARKING]);
  walk_count(process, METRICS_SWEEPING, &window, wall_ns[RTOP_STATE_SWEEPING]);
  walk_count(process, METRICS_GC_MINOR, &window, counters->gc_minor);
  walk_count(process, METRICS_GC_MAJOR, &window, counters->gc_major);
  walk_count(process, METRICS_CPU, &window, counters->cpu_ns);
  walk_count(process, METRICS_ALLOCATIONS, &window, counters->allocations);
  walk_count(process, METRICS_EXCEPTIONS, &window, counters->exceptions);
  walk_count(process, METRICS_COST, &window, rtop_counters_cost_ns(counters));
  walk_cells(walk, &window);
  walk_begun(walk, process, &window);
  metrics_work_add(process, walk->symbols, &window);
  if (look->end_ns == process->last_ns) metrics_work_open(process, walk->symbols, look);
}

/* ---- names ------------------------------------------------------------------------------------------------ */

static void walk_name_labels(const struct walk *walk, struct metrics_process *process, const struct walk_sum *sum)
{
  const char *set = walk_set(walk, sum->frame);
  struct rtop_label_buffer label;
  for (size_t at = 0; set && rtop_label_text_next(set, strlen(set), &at, &label);)
    metrics_top_add(&process->named, label.key, label.value, METRICS_NAMED_BUSY, sum->busy.settled, sum->busy.pending);
}

static void walk_name(const struct walk *walk)
{
  for (size_t i = 0; i < walk->count; i++) {
    const struct walk_sum *sum = &walk->sums[i];
    bool labels = sum->source >= WALK_LABELS;
    struct metrics_process *process = walk->metrics->processes[sum->source % RTOP_SOURCES_MAX];
    const struct rtop_symbol *symbol = rtop_symbols_get(walk->symbols, sum->frame);
    if (labels) walk_name_labels(walk, process, sum);
    else metrics_top_add(&process->methods, symbol->label, symbol->path, 0, sum->busy.settled, sum->busy.pending);
  }
}

static struct rtop_span walk_span(const struct walk *walk)
{
  struct rtop_span span = { INT64_MAX, INT64_MAX };
  for (uint32_t i = 0; i < RTOP_SOURCES_MAX; i++) {
    const struct metrics_process *process = walk->metrics->processes[i];
    if (process && !process->gone && process->settled_ns < span.start_ns) span.start_ns = process->settled_ns;
  }
  return span;
}

static void walk_begin(struct metrics_process *process)
{
  walk_decide(process);
  for (int i = 0; i < METRICS_COUNTS; i++) process->counts[i].pending = 0;
  metrics_top_begin(&process->methods);
  metrics_top_begin(&process->named);
}

void metrics_walk(struct metrics *metrics, struct rtop_profile *profile)
{
  struct walk walk = { .metrics = metrics, .symbols = rtop_profile_symbols(profile) };
  struct rtop_span span = walk_span(&walk);
  rtop_profile_each_summary(profile, span, walk_note_end, &walk);
  rtop_profile_each(profile, span, walk_note_last, &walk);
  for (uint32_t i = 0; i < RTOP_SOURCES_MAX; i++)
    if (metrics->processes[i]) walk_begin(metrics->processes[i]);
  rtop_profile_each(profile, span, walk_visit, &walk);
  walk_name(&walk);
  for (uint32_t i = 0; i < RTOP_SOURCES_MAX; i++)
    if (metrics->processes[i] && !metrics->processes[i]->gone)
      metrics->processes[i]->settled_ns = metrics->processes[i]->settles_ns;
  rtop_pairs_destroy(&walk.places);
  free(walk.sums);
}
