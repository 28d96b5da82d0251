/* SPDX-License-Identifier: MIT */
/* The results of a live sum: cells, threads and rows, all brought up to date by one update. */
#include "live.h"

#include "live_impl.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

/* Number of unused places, beyond that of used ones, at which stacks that left the span are freed. */
enum { LIVE_IDLE_PLACES_MAX = 16384 };

static void live_restart(void *context)
{
  struct rtop_live *live = context;
  live_places_restart(live);
  live_rows_restart(live);
  live_shares_restart(live);
  for (size_t id = 0; id < live->thread_capacity; id++) live->threads[id].cost = (struct rtop_cost){ 0 };
  live->total = (struct rtop_cost){ 0 };
  live->failed = false;
}

static void live_cell(void *context, const struct rtop_sum_cell *cell, bool comes)
{
  struct rtop_live *live = context;
  uint32_t index = 0;
  if (rtop_reserve(&live->threads, &live->thread_capacity, (size_t)cell->thread + 1, sizeof *live->threads))
    index = live_place(live, cell->thread, cell->node);
  struct live_place *place = &live->places[index];
  if (index && !place->delta &&
      rtop_reserve(&live->deltas, &live->delta_capacity, (size_t)live->delta_count + 1, sizeof *live->deltas)) {
    live->deltas[live->delta_count] = (struct live_delta){ .place = index };
    place->delta = ++live->delta_count;
  }
  if (!index || !place->delta) {
    live->failed = true;
    return;
  }
  struct live_delta *delta = &live->deltas[place->delta - 1];
  delta->windows += comes ? 1 : UINT32_MAX;
  if (comes) rtop_cost_add(&delta->cost, &cell->cost);
  else live_cost_take(&delta->cost, &cell->cost);
}

/* The thread's, and nobody's in the table. */
static void live_left_out(void *context, const struct rtop_sum_cell *cell, bool comes)
{
  struct rtop_live *live = context;
  if (!rtop_reserve(&live->threads, &live->thread_capacity, (size_t)cell->thread + 1, sizeof *live->threads)) {
    live->failed = true;
    return;
  }
  struct rtop_cost *of[] = { &live->threads[cell->thread].cost, &live->total };
  for (int i = 0; i < 2; i++)
    if (comes) rtop_cost_add(of[i], &cell->cost);
    else live_cost_take(of[i], &cell->cost);
}

static struct rtop_live *live_open(struct rtop_profile *profile,
                                   struct rtop_slide *(*open)(struct rtop_profile *profile,
                                                              const struct rtop_slide_sink *sink))
{
  struct rtop_live *live = calloc(1, sizeof *live);
  if (!live) return NULL;
  live->profile = profile;
  live->symbols = rtop_profile_symbols(profile);
  live->place_count = 1;
  live->slide = open(profile, &(struct rtop_slide_sink){ live, live_restart, live_cell, live_left_out });
  if (!live->slide) rtop_live_destroy(&live);
  return live;
}

struct rtop_live *rtop_live_create(struct rtop_profile *profile)
{
  return live_open(profile, rtop_slide_open);
}

struct rtop_live *rtop_live_create_sets(struct rtop_profile *profile)
{
  return live_open(profile, rtop_slide_open_sets);
}

struct rtop_live *rtop_live_of(const struct rtop_symbols *symbols)
{
  struct rtop_live *live = calloc(1, sizeof *live);
  if (!live) return NULL;
  live->symbols = symbols;
  live->place_count = 1;
  return live;
}

void rtop_live_destroy(struct rtop_live **handle)
{
  struct rtop_live *live = *handle;
  *handle = NULL;
  if (!live) return;
  rtop_slide_close(&live->slide);
  methods_regex_free(&live->filter);
  rtop_name_order_destroy(&live->names);
  rtop_pairs_destroy(&live->place_of);
  void *const memory[] = {
    live->places,
    live->path,
    live->deltas,
    live->cells,
    live->cell_places,
    live->nodes,
    live->spent,
    live->ups,
    live->climbs,
    live->entry_of,
    live->shares.all,
    live->shares.most,
    live->shares.changed,
    live->shares.falling.all,
    live->shares.growing.all,
    live->frames,
    live->rows,
    live->row_cells,
    live->row_of,
    live->idle,
    live->standing,
    live->threads,
    live->node_depths.first,
    live->shown,
  };
  for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) free(memory[i]);
  free(live);
}

/* Gives cells the row numbers of their threads: rows move when threads come and go. */
static void name_threads(struct rtop_live *live, const struct rtop_sum *sum)
{
  bool moved = false;
  for (size_t i = 0; i < sum->thread_count; i++) {
    struct live_thread *thread = &live->threads[sum->threads[i].thread];
    moved = moved || thread->row != i + 1;
    thread->row = (uint32_t)i + 1;
  }
  for (uint32_t i = 0; moved && i < live->cell_count; i++)
    live->cells[i].thread = live->threads[live->places[live->cell_places[i]].thread].row - 1;
}

static bool reserve_threads(struct rtop_live *live, const struct rtop_sum *sum)
{
  uint32_t most = 0;
  for (size_t i = 0; i < sum->thread_count; i++) most = sum->threads[i].thread > most ? sum->threads[i].thread : most;
  return rtop_reserve(&live->threads, &live->thread_capacity, (size_t)most + 1, sizeof *live->threads);
}

void rtop_live_want_ratios(struct rtop_live *live, bool wanted)
{
  if (live->ratios != wanted && live->profile) rtop_slide_restart(live->slide);
  live->ratios = wanted;
}

bool rtop_live_sum(struct rtop_live *live, struct rtop_span span, struct rtop_sum *sum)
{
  if (!live->slide) return false;
  if (live->failed || live->place_count > 2 * live->places_used + LIVE_IDLE_PLACES_MAX) rtop_slide_restart(live->slide);
  bool fine = rtop_slide_to(live->slide, span, sum) && reserve_threads(live, sum);
  if (!fine || live->failed) return false;
  name_threads(live, sum);
  live->spent_known = false;
  live_settle(live);
  for (size_t i = 0; i < sum->thread_count; i++) sum->threads[i].cost = live->threads[sum->threads[i].thread].cost;
  sum->total = live->total;
  if (!sum->borrowed) free(sum->cells);
  sum->borrowed = true;
  sum->cells = live->cells;
  sum->cell_count = live->cell_count;
  sum->cell_capacity = 0;
  return !live->failed;
}

bool rtop_live_take(struct rtop_live *live, const struct rtop_sum *sum)
{
  uint32_t nodes = rtop_symbols_node_count(live->symbols);
  live_restart(live);
  if (!reserve_threads(live, sum)) return false;
  name_threads(live, sum);
  for (size_t i = 0; i < sum->thread_count; i++) live->threads[sum->threads[i].thread].hidden = sum->threads[i].hidden;
  for (size_t i = 0; i < sum->cell_count; i++) {
    struct rtop_sum_cell cell = sum->cells[i];
    if (cell.thread < sum->thread_count) cell.thread = sum->threads[cell.thread].thread;
    cell.node = cell.node < nodes ? cell.node : 0;
    live_cell(live, &cell, true);
  }
  live->spent_known = false;
  live_settle(live);
  return !live->failed;
}

/* Adds the figures of threads that are shown from now on, and subtracts those of hidden ones. */
static void choose_threads(struct rtop_live *live, const struct rtop_sum *sum)
{
  bool any = false;
  for (size_t i = 0; i < sum->thread_count; i++)
    any = any || live->threads[sum->threads[i].thread].hidden != sum->threads[i].hidden;
  for (uint32_t i = 0; any && i < live->cell_count; i++) {
    const struct live_place *place = &live->places[live->cell_places[i]];
    bool hidden = sum->threads[live->cells[i].thread].hidden;
    struct rtop_cost cost = { 0 };
    if (live->threads[place->thread].hidden == hidden) continue;
    if (hidden) live_cost_take(&cost, &live->cells[i].cost);
    else cost = live->cells[i].cost;
    live_node_change(live, place->entry, &cost, hidden ? UINT64_MAX : 1);
  }
  for (size_t i = 0; any && i < sum->thread_count; i++)
    live->threads[sum->threads[i].thread].hidden = sum->threads[i].hidden;
  if (any) live_shares_look(live);
}

static bool row_passes(struct rtop_live *live, const struct rtop_method_row *row,
                       const struct rtop_methods_options *options, double least_ns)
{
  struct live_frame *frame = &live->frames[row->frame];
  const struct rtop_symbol *symbol = rtop_symbols_get(live->symbols, row->frame);
  uint64_t rest_ns = options->mode == RTOP_MODE_BUSY ? rtop_cost_wall(&row->total) - row->total_ns : 0;
  if ((double)row->total_ns < least_ns && (double)rest_ns < least_ns) return false;
  if (!live->filter.text) return true;
  if (!frame->passes || frame->label != symbol->label) {
    frame->passes = methods_regex_matches(&live->filter, symbol) ? 2 : 1;
    frame->label = symbol->label;
  }
  return (frame->passes == 2) != options->filter_invert;
}

static bool filter_rows(struct rtop_live *live, struct rtop_methods *methods,
                        const struct rtop_methods_options *options)
{
  double least_ns = options->min_percent / 100 * (double)live->length_ns;
  bool all = !options->filter && least_ns <= 0;
  if (all) return true;
  if (!rtop_reserve(&live->frames, &live->frame_capacity, live->row_of_capacity, sizeof *live->frames) ||
      !rtop_reserve(&live->shown, &live->shown_capacity, (size_t)live->row_count + 1, sizeof *live->shown))
    return false;
  methods->rows = live->shown;
  methods->count = 0;
  for (uint32_t i = 0; i < live->row_count; i++)
    if (row_passes(live, &live->rows[i], options, least_ns)) live->shown[methods->count++] = live->rows[i];
  return true;
}

static bool take_options(struct rtop_live *live, const struct rtop_methods_options *options)
{
  const char *before = live->filter.text, *now = options->filter;
  bool same = before && now ? strcmp(before, now) == 0 : before == now;
  for (size_t i = 0; !same && i < live->frame_capacity; i++) live->frames[i].passes = 0;
  if (live->mode != options->mode) live_rows_clock(live, options->mode);
  bool by_place = options->sort == RTOP_SORT_LOCATION;
  return methods_regex_use(&live->filter, options->filter) &&
         rtop_name_order_update(&live->names, live->symbols, by_place);
}

bool rtop_live_methods(struct rtop_live *live, const struct rtop_sum *sum, struct rtop_methods *methods,
                       const struct rtop_methods_options *options)
{
  choose_threads(live, sum);
  live->spent_known = false;
  if (!methods) return !live->failed; /* Pending changes are propagated when rows are requested next. */
  live_stacks_change(live, sum);
  live_nodes_up(live);
  bool fine = take_options(live, options);
  live_rows_finish(live, sum);
  if (!methods->borrowed) free(methods->rows);
  methods->borrowed = true;
  methods->rows = live->rows;
  methods->count = live->row_count;
  methods->capacity = 0;
  methods->length_ns = sum->length_ns;
  fine = filter_rows(live, methods, options) && fine;
  methods->ranks = live->names.ranks;
  return fine && !live->failed;
}

uint32_t rtop_live_find(const struct rtop_live *live, uint32_t node)
{
  return node < live->entry_capacity && live->entry_of[node] ? live->entry_of[node] - 1 : LIVE_NONE;
}
