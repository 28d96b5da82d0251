/* The oracle of the property tests: sums and rows added up afresh, in the simplest way, with nothing kept. */
#ifndef RTOP_TESTS_TUI_NAIVE_H
#define RTOP_TESTS_TUI_NAIVE_H

#include "tui/history/profile_counters.h"
#include "tui/history/profile_load.h"
#include "tui/history/profile_windows.h"
#include "tui/methods/methods.h"
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sum being made: cells and rows under the profile's thread ids. */
struct naive {
  struct rtop_profile *profile;
  struct rtop_sum *sum;
  struct rtop_thread_row **rows;  /* by id */
  struct rtop_span_counters *now; /* by source */
  struct profile_window **last;
  struct profile_cover cover;
};

static inline struct rtop_thread_row *naive_row_of(struct naive *naive, uint32_t id)
{
  const struct profile_thread *thread = naive->profile->threads.all[id];
  if (naive->rows[id]) return naive->rows[id];
  struct rtop_thread_row *row = naive->rows[id] = calloc(1, sizeof *row);
  if (!row) abort();
  *row = (struct rtop_thread_row){
    .thread = id,
    .name = thread->name,
    .serial = thread->key.serial,
    .native_id = thread->native_id,
    .source = thread->key.source,
    .is_main = thread->is_main,
    .ended = true,
  };
  naive->sum->thread_count++;
  return row;
}

/* `shown`: not in a state that the lens leaves out, which is the thread's, but of no node. */
static inline void naive_add_cost(struct naive *naive, uint32_t thread, uint32_t node, const struct rtop_cost *cost,
                                  bool shown)
{
  static const struct rtop_cost nothing;
  struct rtop_sum *sum = naive->sum;
  node = rtop_lens_node(naive->profile->lens, profile_thread_at(naive->profile, thread)->key.source, node);
  if (node == RTOP_LENS_OUT || memcmp(cost, &nothing, sizeof nothing) == 0) return;
  naive_row_of(naive, thread);
  if (!shown) node = RTOP_LENS_OUT;
  if (sum->cell_count == sum->cell_capacity) {
    sum->cell_capacity = sum->cell_capacity * 2 + 256;
    sum->cells = realloc(sum->cells, sum->cell_capacity * sizeof *sum->cells);
    if (!sum->cells) abort();
  }
  sum->cells[sum->cell_count++] = (struct rtop_sum_cell){ .node = node, .thread = thread, .cost = *cost };
}

static inline void naive_add_cell(struct naive *naive, const struct profile_cell *cell, const struct profile_part *part)
{
  struct profile_cell share = profile_part_cell(part, cell);
  struct rtop_cost cost = { 0 };
  profile_cost_add_cell(&cost, &share);
  naive_add_cost(naive, cell->thread, cell->node, &cost,
                 rtop_lens_shows(rtop_lens_look(naive->profile->lens), cell->state));
}

static inline void naive_add_presence(struct naive *naive, const struct profile_presence *presence,
                                      const struct profile_part *part)
{
  struct rtop_thread_row *row = naive_row_of(naive, presence->thread);
  uint32_t shown = rtop_lens_place(naive->profile->lens, row->source, presence->node);
  struct profile_cell cell = profile_provisional(presence);
  row->state = (enum rtop_state)presence->state;
  row->state_age_ns = presence->state_age_ns;
  row->node = shown == RTOP_LENS_OUT ? 0 : shown;
  row->left_out = !rtop_lens_shows(rtop_lens_look(naive->profile->lens), presence->state);
  row->stale = presence->stale;
  row->stack_age_ns = presence->stack_age_ns;
  naive_add_cell(naive, &cell, part);
}

static inline void naive_add_window(struct naive *naive, struct profile_window *window, const struct profile_part *part)
{
  profile_need(naive->profile, window);
  naive->sum->gap_count += window->gap;
  if (window->gap) return;
  struct rtop_span_counters counters = profile_counters_part(window, part);
  int64_t start_ns = window->start_ns + part->from_ns, end_ns = window->start_ns + part->to_ns;
  if (naive->profile->source_count > 1) profile_cover_clip(&naive->sum->span, &start_ns, &end_ns);
  profile_cover_add(&naive->cover, start_ns, end_ns);
  profile_counters_add(&naive->now[window->source], &counters, window->counters_present);
  naive->last[window->source] = window;
  for (size_t i = 0; i < window->cell_count; i++) naive_add_cell(naive, &window->cells[i], part);
  for (size_t i = 0; i < window->thread_count; i++) naive_add_presence(naive, &window->threads[i], part);
}

/* Of all states together: what is not wall time goes with the time that ran. */
static inline void naive_add_states(struct naive *naive, uint32_t thread, uint32_t node, const struct rtop_cost *cost)
{
  const struct rtop_lens_look *look = rtop_lens_look(naive->profile->lens);
  for (int shown = 0; shown < 2; shown++) {
    struct rtop_cost part = { 0 };
    if (rtop_lens_shows(look, RTOP_STATE_RUNNING) == shown) part = *cost;
    for (int state = 0; state < RTOP_STATES; state++)
      part.wall_ns[state] = rtop_lens_shows(look, (unsigned)state) == shown ? cost->wall_ns[state] : 0;
    naive_add_cost(naive, thread, node, &part, shown);
  }
}

/* What memory could not hold. */
static inline void naive_add_carried(struct naive *naive)
{
  const struct rtop_profile *profile = naive->profile;
  naive->cover = profile->carry.cover;
  for (uint32_t i = 0; i < profile->source_count; i++) {
    const struct profile_source *source = &profile->sources[i];
    if (source->carry_end_ns <= source->carry_start_ns || source->carry_start_ns < naive->sum->span.start_ns) continue;
    naive->sum->gap_count += source->carry_gaps;
    naive->now[i] = source->carry_counters;
  }
  for (size_t i = 0; i < profile->carry.costs.count; i++)
    naive_add_states(naive, profile->carry.costs.cells[i].thread, profile->carry.costs.cells[i].node,
                     &profile->carry.costs.cells[i].cost);
  for (uint32_t id = 0; id < profile->threads.count; id++) {
    struct rtop_cost cost = { 0 };
    if (!profile->threads.all[id] || !profile->threads.all[id]->pending_ns) continue;
    cost.wall_ns[profile->threads.all[id]->pending_state] = profile->threads.all[id]->pending_ns;
    naive_add_states(naive, id, profile->threads.all[id]->pending_node, &cost);
  }
}

static inline int naive_compare_rows(const void *left, const void *right)
{
  const struct rtop_thread_row *a = left, *b = right;
  if (a->source != b->source) return a->source < b->source ? -1 : 1;
  if (a->serial != b->serial) return a->serial < b->serial ? -1 : 1;
  return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static inline int naive_compare_cells(const void *left, const void *right)
{
  const struct rtop_sum_cell *a = left, *b = right;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
}

static inline void naive_finish_threads(struct naive *naive)
{
  struct rtop_profile *profile = naive->profile;
  struct rtop_sum *sum = naive->sum;
  for (uint32_t i = 0; i < profile->source_count; i++) {
    profile_counters_merge(&sum->counters, &naive->now[i]);
    if (!naive->last[i]) continue;
    profile_need(profile, naive->last[i]);
    for (size_t k = 0; k < naive->last[i]->thread_count; k++)
      naive_row_of(naive, naive->last[i]->threads[k].thread)->ended = naive->last[i]->threads[k].ended;
  }
  sum->threads = calloc(sum->thread_count + 1, sizeof *sum->threads);
  if (!sum->threads) abort();
  sum->thread_capacity = sum->thread_count + 1;
  sum->thread_count = 0;
  for (uint32_t id = 0; id < profile->threads.count; id++)
    if (naive->rows[id]) sum->threads[sum->thread_count++] = *naive->rows[id];
  qsort(sum->threads, sum->thread_count, sizeof *sum->threads, naive_compare_rows);
}

/* Equal cells become one, under the rows of their threads. */
static inline void naive_finish_cells(struct rtop_sum *sum)
{
  size_t kept = 0;
  for (size_t i = 0; i < sum->cell_count; i++) {
    struct rtop_sum_cell *cell = &sum->cells[i];
    uint32_t row = 0;
    while (sum->threads[row].thread != cell->thread) row++;
    cell->thread = row;
    rtop_cost_add(&sum->threads[row].cost, &cell->cost);
    rtop_cost_add(&sum->total, &cell->cost);
  }
  if (sum->cell_count) qsort(sum->cells, sum->cell_count, sizeof *sum->cells, naive_compare_cells);
  for (size_t i = 0; i < sum->cell_count; i++)
    if (sum->cells[i].node == RTOP_LENS_OUT) continue;
    else if (kept && naive_compare_cells(&sum->cells[kept - 1], &sum->cells[i]) == 0)
      rtop_cost_add(&sum->cells[kept - 1].cost, &sum->cells[i].cost);
    else sum->cells[kept++] = sum->cells[i];
  sum->cell_count = kept;
}

/* What rtop_profile_sum says. */
static inline bool naive_sum(const struct rtop_profile *asked, struct rtop_span span, struct rtop_sum *sum)
{
  struct rtop_profile *profile = (struct rtop_profile *)asked; /* windows may be fetched: it says what it said */
  struct naive naive = { .profile = profile, .sum = sum };
  rtop_sum_destroy(sum);
  rtop_lens_version(profile->lens);
  sum->span = span = rtop_profile_clip(profile, span);
  for (size_t i = profile_find(profile, span.start_ns); i < profile->count; i++) { /* threads become known by it */
    struct profile_part part;
    if (profile_part_of(profile_window_at(profile, i), &span, &part))
      profile_need(profile, profile_window_at(profile, i));
  }
  naive.rows = calloc(profile->threads.count + 1, sizeof *naive.rows);
  naive.now = calloc(profile->source_count + 1, sizeof *naive.now);
  naive.last = calloc(profile->source_count + 1, sizeof(struct profile_window *));
  if (!naive.rows || !naive.now || !naive.last) abort();
  if (profile->carry.costs.count && span.start_ns <= rtop_profile_bounds(profile).start_ns) naive_add_carried(&naive);
  for (size_t i = profile_find(profile, span.start_ns); i < profile->count; i++) {
    struct profile_part part;
    if (profile_window_at(profile, i)->start_ns >= span.end_ns) break;
    if (profile_part_of(profile_window_at(profile, i), &span, &part))
      naive_add_window(&naive, profile_window_at(profile, i), &part);
  }
  sum->length_ns = naive.cover.length_ns;
  sum->window_count = naive.cover.windows;
  naive_finish_threads(&naive);
  naive_finish_cells(sum);
  for (uint32_t id = 0; id < profile->threads.count; id++) free(naive.rows[id]);
  free(naive.rows);
  free(naive.now);
  free(naive.last);
  return true;
}

/* ---- rows ------------------------------------------------------------------------------------------- */

struct naive_row {
  struct rtop_method_row row;
  uint64_t thread_ns; /* wall time of the thread at hand with it on its stack */
  bool there;
};

static inline uint64_t naive_clock_of(const struct rtop_cost *cost, enum rtop_mode mode)
{
  return mode == RTOP_MODE_CPU ? cost->cpu_ns : rtop_cost_wall(cost);
}

/* Is the frame on the stack above this node, too? */
static inline bool naive_recurs(const struct rtop_symbols *symbols, uint32_t node)
{
  uint32_t frame = rtop_symbols_get_node(symbols, node)->frame;
  while ((node = rtop_symbols_get_node(symbols, node)->parent))
    if (rtop_symbols_get_node(symbols, node)->frame == frame) return true;
  return false;
}

static inline void naive_add_stack(struct naive_row *rows, const struct rtop_symbols *symbols,
                                   const struct rtop_sum_cell *cell)
{
  struct naive_row *leaf = &rows[rtop_symbols_get_node(symbols, cell->node)->frame];
  leaf->there = true;
  rtop_cost_add(&leaf->row.self, &cell->cost);
  if (leaf == rows) rtop_cost_add(&leaf->row.total, &cell->cost); /* nobody has it: it is on every stack */
  for (uint32_t node = cell->node; node; node = rtop_symbols_get_node(symbols, node)->parent) {
    struct naive_row *on = &rows[rtop_symbols_get_node(symbols, node)->frame];
    if (on == rows || naive_recurs(symbols, node)) continue;
    on->there = true;
    on->thread_ns += rtop_cost_wall(&cell->cost);
    rtop_cost_add(&on->row.total, &cell->cost);
  }
}

static inline void naive_add_thread(struct naive_row *rows, uint32_t frames, const struct rtop_sum *sum, size_t thread,
                                    const struct rtop_symbols *symbols)
{
  const struct rtop_thread_row *row = &sum->threads[thread];
  for (size_t i = 0; i < sum->cell_count; i++)
    if (sum->cells[i].thread == thread) naive_add_stack(rows, symbols, &sum->cells[i]);
  for (uint32_t node = row->ended || row->stale || row->left_out ? 0 : row->node; node;
       node = rtop_symbols_get_node(symbols, node)->parent) {
    struct naive_row *on = &rows[rtop_symbols_get_node(symbols, node)->frame];
    on->there = true;
    on->row.threads += !naive_recurs(symbols, node);
  }
  for (uint32_t frame = 0; frame < frames; frame++) {
    struct naive_row *on = &rows[frame];
    on->row.most_ns = on->thread_ns > on->row.most_ns ? on->thread_ns : on->row.most_ns;
    on->thread_ns = 0;
  }
}

static inline bool naive_matches(const char *expression, const char *text)
{
  regex_t regex;
  if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB) != 0) abort();
  bool found = regexec(&regex, text, 0, NULL, 0) == 0;
  regfree(&regex);
  return found;
}

static inline bool naive_is_wanted(const struct rtop_method_row *row, const struct rtop_symbols *symbols,
                                   uint64_t length_ns, const struct rtop_methods_options *options)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, row->frame);
  char text[1024];
  snprintf(text, sizeof text, "%s %s", symbol->label, symbol->path);
  return (double)row->total_ns >= options->min_percent / 100 * (double)length_ns &&
         (!options->filter || naive_matches(options->filter, text) != options->filter_invert);
}

/* What rtop_methods_build says. */
static inline bool naive_methods(struct rtop_methods *methods, const struct rtop_sum *sum,
                                 const struct rtop_symbols *symbols, const struct rtop_methods_options *options)
{
  uint32_t frames = rtop_symbols_frame_count(symbols);
  struct naive_row *rows = calloc(frames + 1, sizeof *rows);
  rtop_methods_destroy(methods);
  methods->rows = calloc(frames + 1, sizeof *methods->rows);
  if (!rows || !methods->rows) abort();
  methods->capacity = frames + 1;
  methods->length_ns = sum->length_ns;
  for (size_t i = 0; i < sum->thread_count; i++)
    if (!sum->threads[i].hidden &&
        (!options->thread_filter || naive_matches(options->thread_filter, sum->threads[i].name)))
      naive_add_thread(rows, frames, sum, i, symbols);
  for (uint32_t frame = 0; frame < frames; frame++) {
    struct rtop_method_row *row = &rows[frame].row;
    row->frame = frame;
    row->self_ns = naive_clock_of(&row->self, options->mode);
    row->total_ns = naive_clock_of(&row->total, options->mode);
    if (rows[frame].there && naive_is_wanted(row, symbols, sum->length_ns, options))
      methods->rows[methods->count++] = *row;
  }
  free(rows);
  rtop_methods_sort(methods, symbols, options);
  return true;
}

#endif
