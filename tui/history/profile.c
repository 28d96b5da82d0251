/* SPDX-License-Identifier: MIT */
/* The profile: takes in windows, gaps and late records from feeds. */
#include "profile_intake.h"

#include "profile_counters.h"
#include "profile_late.h"
#include "profile_memory.h"
#include "profile_slide.h"
#include "profile_sources.h"
#include "profile_windows.h"
#include "shm/window/window.h"
#include "tui/text/text.h"
#include <assert.h>
#include <stdlib.h>

#define SAME(OURS, CHANNEL) static_assert((int)(OURS) == (int)(CHANNEL), "states are the channel's")
SAME(RTOP_STATE_RUNNING, RTOP_RUNNING);
SAME(RTOP_STATE_WAITING, RTOP_WAITING);
SAME(RTOP_STATE_BLOCKED, RTOP_BLOCKED);
SAME(RTOP_STATE_MARKING, RTOP_MARKING);
SAME(RTOP_STATE_SWEEPING, RTOP_SWEEPING);
SAME(RTOP_STATES, RTOP_STATE_COUNT);

/* Minimum length of late records that are kept for the detection of stalls (ns). */
#define PROFILE_LONG_NS INT64_C(100000000)

enum { PROFILE_LONGS_MAX = 256 };
enum { PROFILE_HOLE_NS = 10000000 }; /* A hole between windows that is shorter than this is due to rounding (ns). */

struct rtop_profile *rtop_profile_create(uint64_t memory_bytes_max)
{
  struct rtop_profile *profile = calloc(1, sizeof *profile);
  if (!profile) return NULL;
  profile->memory.bytes_max = memory_bytes_max;
  profile->revised_ns = INT64_MAX;
  profile->symbols = rtop_symbols_create();
  profile->lens = profile->symbols ? rtop_lens_create(profile->symbols) : NULL;
  profile->table = calloc(1, sizeof *profile->table);
  if (!profile->lens || !profile->table) rtop_profile_destroy(&profile);
  return profile;
}

void rtop_profile_destroy(struct rtop_profile **handle)
{
  struct rtop_profile *profile = *handle;
  *handle = NULL;
  if (!profile) return;
  for (size_t i = 0; i < profile->count; i++) profile_window_free(profile_window_at(profile, i));
  free(profile->windows);
  free(profile->sources);
  free(profile->marks.all);
  profile_threads_destroy(&profile->threads);
  cost_table_destroy(&profile->carry.costs);
  profile_begun_destroy(&profile->carry.begun);
  profile_exact_destroy(&profile->carry.exact);
  profile_raised_destroy(&profile->carry.raised);
  profile_pairs_destroy(&profile->carry.pairs);
  if (profile->table) cost_table_destroy(profile->table); /* only its index: cells belong to sums */
  free(profile->table);
  profile_slides_detach(profile);
  rtop_lens_destroy(&profile->whole);
  rtop_lens_destroy(&profile->sets);
  rtop_lens_destroy(&profile->lens);
  rtop_symbols_destroy(&profile->symbols);
  free(profile);
}

struct rtop_symbols *rtop_profile_symbols(struct rtop_profile *profile)
{
  return profile->symbols;
}

struct rtop_lens *rtop_profile_lens(const struct rtop_profile *profile)
{
  return profile->lens;
}

void rtop_profile_keep_sums(struct rtop_profile *profile)
{
  profile->carry.wanted = true;
}

void rtop_profile_set_tap(struct rtop_profile *profile, const struct rtop_profile_tap *tap)
{
  profile->tap = tap ? *tap : (struct rtop_profile_tap){ 0 };
}

uint64_t rtop_profile_late_dropped_ns(const struct rtop_profile *profile)
{
  return profile->late_dropped_ns;
}

int64_t rtop_profile_take_revised(struct rtop_profile *profile)
{
  int64_t revised_ns = profile->revised_ns;
  profile->revised_ns = INT64_MAX;
  return revised_ns;
}

void rtop_profile_add_source_bytes(struct rtop_profile *profile, uint64_t bytes)
{
  profile->source_bytes += bytes;
}

uint64_t rtop_profile_source_bytes(const struct rtop_profile *profile)
{
  return profile->source_bytes;
}

/* Returns the source's last gap if it ends at end_ns and nothing followed: adjacent lost stretches become one gap. */
static struct profile_window *profile_last_gap(struct rtop_profile *profile, uint32_t source, int64_t end_ns)
{
  for (size_t i = profile->count; i-- > 0;) {
    struct profile_window *window = profile_window_at(profile, i);
    if (window->source == source) return window->gap && window->end_ns == end_ns ? window : NULL;
  }
  return NULL;
}

static void profile_gap(struct rtop_profile *profile, struct profile_source *source, int64_t start_ns, int64_t end_ns)
{
  uint32_t index = (uint32_t)(source - profile->sources);
  struct profile_window *gap = profile_last_gap(profile, index, start_ns);
  source->last_end_ns = end_ns;
  if (gap) {
    gap->end_ns = end_ns;
    profile_window_changes(profile, gap);
    if (end_ns - gap->start_ns > profile->longest_ns) profile->longest_ns = end_ns - gap->start_ns;
    return;
  }
  gap = calloc(1, sizeof *gap);
  if (!gap) return;
  *gap = (struct profile_window){ .start_ns = start_ns, .end_ns = end_ns, .source = index, .gap = true };
  if (!profile_window_insert(profile, gap)) profile_window_free(gap);
}

void rtop_profile_add_gap(struct rtop_profile *profile, uint32_t source, int64_t start_ns, int64_t end_ns)
{
  if (profile->tap.gap) profile->tap.gap(profile->tap.context, source, start_ns, end_ns);
  if (start_ns < 0 || end_ns > PROFILE_TIME_MAX || end_ns <= start_ns) return;
  struct profile_source *known = profile_source(profile, source, start_ns);
  if (!known || end_ns <= known->last_end_ns) return;
  profile_gap(profile, known, start_ns > known->last_end_ns ? start_ns : known->last_end_ns, end_ns);
  profile_drop_old(profile);
}

static uint64_t profile_bound(uint64_t value, uint64_t limit)
{
  return value < limit ? value : limit;
}

static bool profile_translate(const struct profile_input *input, const struct rtop_cell *from,
                              struct profile_cell *cell)
{
  if (from->thread >= input->window->thread_count || from->state >= RTOP_STATES ||
      input->threads[from->thread] == RTOP_THREAD_NONE)
    return false;
  *cell = (struct profile_cell){
    .node = from->node < input->node_count ? input->nodes[from->node] : 0,
    .thread = input->threads[from->thread],
    .state = from->state,
    .samples = from->samples,
    .wall_ns = profile_bound(from->wall_ns, PROFILE_CELL_MAX),
    .cpu_ns = profile_bound(from->cpu_ns, PROFILE_CELL_MAX),
    .allocations = profile_bound(from->allocations, PROFILE_CELL_MAX),
    .blame_ns = profile_bound(from->blame_ns, PROFILE_CELL_MAX),
  };
  return true;
}

static_assert((int)RTOP_WANTS_MUTEX == RTOP_LOCK_MUTEX && (int)RTOP_WANTS_MONITOR == RTOP_LOCK_MONITOR &&
                  (int)RTOP_WANTS_ITEM == RTOP_LOCK_QUEUE && (int)RTOP_WANTS_ROOM == RTOP_LOCK_SIZED_QUEUE &&
                  (int)RTOP_WANTS_CONDITION == RTOP_LOCK_CONDITION && (int)RTOP_WANTS_LOAD == RTOP_LOCK_LOAD &&
                  (int)RTOP_WANTS_THREAD == RTOP_LOCK_THREAD && (int)RTOP_WANTS_END == RTOP_LOCK_KIND_END,
              "kinds of locks");

/* Converts a lock; an unknown kind becomes "nothing". */
static struct rtop_lock profile_lock(const struct rtop_window_thread *from)
{
  bool known = from->lock_kind > RTOP_LOCK_NONE && from->lock_kind < RTOP_LOCK_KIND_END;
  if (!known || from->state != RTOP_BLOCKED) return (struct rtop_lock){ 0 };
  return (struct rtop_lock){ (enum rtop_wants)from->lock_kind, from->lock, from->lock_holder };
}

static void profile_fill_threads(struct profile_window *window, const struct profile_input *input)
{
  uint64_t length_ns = (uint64_t)(window->end_ns - window->start_ns);
  for (size_t i = 0; i < input->window->thread_count; i++) {
    const struct rtop_window_thread *from = &input->window->threads[i];
    if (input->threads[i] == RTOP_THREAD_NONE || from->state >= RTOP_STATES) continue;
    uint64_t provisional_ns = profile_bound(from->provisional_ns, length_ns);
    window->threads[window->thread_count++] = (struct profile_presence){
      .thread = input->threads[i],
      .node = from->node < input->node_count ? input->nodes[from->node] : 0,
      .state = from->state,
      .ended = from->flags & RTOP_WINDOW_THREAD_ENDED,
      .stale = from->flags & (RTOP_WINDOW_THREAD_STALE | RTOP_WINDOW_THREAD_PROVISIONAL),
      .state_age_ns = from->state_age_ns,
      .stack_age_ns = from->stack_age_ns,
      .provisional_ns = from->flags & RTOP_WINDOW_THREAD_PROVISIONAL ? provisional_ns : 0,
      .lock = profile_lock(from),
    };
    window->wall_ns[from->state] += window->threads[window->thread_count - 1].provisional_ns;
  }
}

static bool profile_is_long(const struct rtop_late *late)
{
  return late->cell.wall_ns >= PROFILE_LONG_NS && late->cell.wall_ns < PROFILE_LATE_MAX && late->start_mono_ns >= 0 &&
         late->start_mono_ns < PROFILE_TIME_MAX &&
         (late->cell.state == RTOP_RUNNING || late->cell.state == RTOP_BLOCKED);
}

/* Keeps long late records with the window, up to a limit; none when memory ran out. */
static void profile_keep_longs(struct profile_window *window, const struct profile_input *input)
{
  size_t count = 0;
  for (size_t i = 0; i < input->window->late_count; i++) count += profile_is_long(&input->window->late[i]);
  count = count < PROFILE_LONGS_MAX ? count : PROFILE_LONGS_MAX;
  window->longs = count ? calloc(count, sizeof *window->longs) : NULL;
  for (size_t i = 0; window->longs && i < input->window->late_count && window->long_count < count; i++) {
    const struct rtop_late *late = &input->window->late[i];
    struct profile_cell cell;
    if (!profile_is_long(late) || !profile_translate(input, &late->cell, &cell)) continue;
    window->longs[window->long_count++] = (struct profile_long){
      .thread = cell.thread,
      .node = cell.node,
      .state = cell.state,
      .start_ns = late->start_mono_ns,
      .end_ns = late->start_mono_ns + (int64_t)late->cell.wall_ns,
    };
  }
}

/* Without memory they are not known. */
static void profile_keep_begun(struct profile_window *window, const struct profile_input *input)
{
  for (size_t i = 0; i < input->window->begun_count; i++) {
    const struct rtop_begun *from = &input->window->begun[i];
    const struct rtop_begun_count begun = {
      .node = from->node < input->node_count ? input->nodes[from->node] : 0,
      .label = from->label,
      .count = profile_bound(from->count, PROFILE_CELL_MAX),
    };
    if (!profile_begun_add(&window->begun, &begun)) break;
  }
  profile_begun_arrange(&window->begun);
}

static void profile_keep_fibers(struct profile_window *window, const struct profile_input *input)
{
  for (size_t i = 0; i < input->window->fibers_count; i++) {
    const struct rtop_fibers *from = &input->window->fibers[i];
    const struct rtop_fibers_wait fibers = {
      .serial = from->serial,
      .name = from->name < input->node_count ? input->nodes[from->name] : 0,
      .node = from->node < input->node_count ? input->nodes[from->node] : 0,
      .alive = from->alive,
      .waiting = from->waiting,
      .wait_ns = profile_bound(from->wait_ns, PROFILE_LATE_MAX),
      .longest_ns = profile_bound(from->longest_ns, PROFILE_LATE_MAX),
    };
    if (!profile_fibers_add(&window->fibers, &fibers)) break;
  }
  profile_fibers_arrange(window->fibers);
}

static void profile_keep_exact(struct profile_window *window, const struct profile_input *input)
{
  for (size_t i = 0; i < input->window->exact_count; i++) {
    const struct rtop_exact *from = &input->window->exact[i];
    const struct rtop_exact_number number = {
      .node = from->node < input->node_count ? input->nodes[from->node] : 0,
      .what = from->what,
      .key = from->key,
      .value = profile_bound(from->value, PROFILE_EXACT_MAX),
    };
    if (!profile_exact_add(&window->exact, &number)) break;
  }
  profile_exact_arrange(window->exact);
}

/* False: of none of its labels. */
static bool profile_take_block(const struct rtop_slow *from, struct rtop_slow_call *call)
{
  uint64_t left = call->total_ns;
  call->own = from->flags >> RTOP_SLOW_LABELS_SHIFT;
  for (int cause = RTOP_WORK_RUNNING; cause < RTOP_WORK_CAUSES; cause++) {
    call->work_ns[cause] = profile_bound(from->work_ns[cause], left);
    left -= call->work_ns[cause];
  }
  return call->own != 0;
}

static void profile_keep_slow(struct profile_window *window, const struct profile_input *input)
{
  for (size_t i = 0; i < input->window->slow_count && i < PROFILE_SLOW_MAX; i++) {
    char args[RTOP_ARGS_BYTES + 1];
    const struct rtop_slow *from = &input->window->slow[i];
    size_t args_bytes = rtop_text_sanitize(args, sizeof args, from->args, from->args_bytes);
    struct rtop_slow_call call = {
      .node = from->node < input->node_count ? input->nodes[from->node] : 0,
      .stack = from->stack < input->node_count ? input->nodes[from->stack] : 0,
      .end_ns = from->end_mono_ns,
      .serial = from->serial,
      .total_ns = profile_bound(from->total_ns, PROFILE_LATE_MAX),
      .self_ns = profile_bound(from->self_ns, PROFILE_LATE_MAX),
      .wait_ns = profile_bound(from->wait_ns, PROFILE_LATE_MAX),
      .off_ns = profile_bound(from->off_ns, PROFILE_LATE_MAX),
      .raised = from->flags & RTOP_SLOW_RAISED,
      .args = args_bytes ? args : NULL,
    };
    bool block = from->flags & RTOP_SLOW_BLOCK;
    if (block && !profile_take_block(from, &call)) continue;
    if (!profile_slow_add(&window->exact, &call)) return;
  }
}

static void profile_keep_raised(struct profile_window *window, const struct profile_input *input)
{
  for (size_t i = 0; i < input->window->raised_count; i++) {
    const struct rtop_raised *from = &input->window->raised[i];
    const struct rtop_raised_count raised = {
      .name = from->name < input->node_count ? input->nodes[from->name] : 0,
      .node = from->node < input->node_count ? input->nodes[from->node] : 0,
      .serial = from->serial,
      .count = profile_bound(from->count, PROFILE_CELL_MAX),
      .first_ns = from->first_mono_ns,
      .last_ns = from->last_mono_ns,
    };
    if (!profile_raised_add(&window->raised, &raised)) break;
  }
  profile_raised_arrange(window->raised);
}

static uint32_t profile_party(const struct profile_input *input, uint32_t node)
{
  return node < input->node_count ? input->nodes[node] : 0;
}

static void profile_keep_pairs(struct profile_window *window, const struct profile_input *input)
{
  for (size_t i = 0; i < input->window->pair_count; i++) {
    const struct rtop_behind *from = &input->window->pairs[i];
    const struct rtop_behind_count pair = {
      .node = profile_party(input, from->node),
      .holder = profile_party(input, from->holder),
      .cause = from->cause,
      .place = profile_party(input, from->place),
      .count = profile_bound(from->count, PROFILE_CELL_MAX),
      .wait_ns = profile_bound(from->wait_ns, PROFILE_CELL_MAX),
    };
    if (from->cause < RTOP_PAIR_CAUSES && !profile_pairs_add(&window->pairs, &pair)) break;
  }
  profile_pairs_arrange(window->pairs);
}

struct profile_window *profile_window_make(const struct rtop_profile *profile, const struct profile_input *input,
                                           int64_t start_ns)
{
  const struct rtop_window *from = input->window;
  struct profile_window *window = calloc(1, sizeof *window);
  if (!window) return NULL;
  window->start_ns = start_ns;
  window->end_ns = from->end_mono_ns;
  window->threads = calloc(from->thread_count + 1, sizeof *window->threads);
  window->cells = malloc((from->cell_count + 1) * sizeof *window->cells);
  if (!window->threads || !window->cells) {
    profile_window_free(window);
    return NULL;
  }
  profile_fill_threads(window, input);
  profile_counters_read(window, from);
  window->cell_capacity = from->cell_count + 1;
  for (size_t i = 0; i < from->cell_count; i++) {
    struct profile_cell *cell = &window->cells[window->cell_count];
    if (!profile_translate(input, &from->cells[i], cell)) continue;
    window->wall_ns[cell->state] += cell->wall_ns;
    window->cell_count++;
  }
  profile_window_arrange(window, rtop_symbols_unsampled(profile->symbols));
  profile_keep_longs(window, input);
  profile_keep_begun(window, input);
  profile_keep_fibers(window, input);
  profile_keep_exact(window, input);
  profile_keep_slow(window, input);
  profile_slow_fit(window->exact);
  profile_keep_raised(window, input);
  profile_keep_pairs(window, input);
  return window;
}

void profile_add_late(struct rtop_profile *profile, struct profile_window *window, const struct profile_input *input,
                      bool loading, size_t count)
{
  profile->late_steps = PROFILE_LATE_STEPS_MAX;
  for (size_t i = 0; i < input->window->late_count; i++) {
    const struct rtop_late *from = &input->window->late[i];
    struct profile_late late = { .start_ns = from->start_mono_ns, .loading = loading, .count = count };
    if (!profile_translate(input, &from->cell, &late.cell)) continue;
    if (late.start_ns < 0 || late.start_ns > PROFILE_TIME_MAX) continue;
    late.cell.wall_ns = profile_bound(from->cell.wall_ns, PROFILE_LATE_MAX);
    late.cell.cpu_ns = profile_bound(from->cell.cpu_ns, PROFILE_LATE_MAX);
    if (!loading && late.start_ns < profile->revised_ns) profile->revised_ns = late.start_ns;
    profile_apply_late(profile, window, &late);
  }
}

void profile_age_stacks(const struct rtop_profile *profile, struct profile_window *window, size_t count)
{
  uint64_t length_ns = (uint64_t)(window->end_ns - window->start_ns);
  const struct profile_window *before = NULL;
  bool any = false;
  for (size_t i = 0; i < window->thread_count; i++)
    any = any || (window->threads[i].provisional_ns && !window->threads[i].stack_age_ns);
  for (size_t i = any ? count : 0; i-- > 0 && !before;)
    if (profile_window_at(profile, i) != window && profile_window_at(profile, i)->source == window->source)
      before = profile_window_at(profile, i);
  for (size_t i = 0; i < window->thread_count; i++) {
    struct profile_presence *presence = &window->threads[i];
    if (presence->stack_age_ns || !presence->provisional_ns) continue;
    presence->stack_age_ns = presence->provisional_ns;
    const struct profile_presence *then =
        before && presence->provisional_ns == length_ns ? profile_presence_find(before, presence->thread) : NULL;
    if (then && then->provisional_ns) presence->stack_age_ns += then->stack_age_ns;
  }
}

static bool profile_insert(struct rtop_profile *profile, struct profile_window *window,
                           const struct profile_input *input)
{
  if (!window || !profile_window_insert(profile, window)) {
    profile_window_free(window);
    return false;
  }
  for (size_t i = 0; i < window->thread_count; i++) profile_thread_at(profile, window->threads[i].thread)->windows++;
  profile_age_stacks(profile, window, profile->count);
  profile_add_late(profile, window, input, false, profile->count);
  profile_drop_old(profile);
  return true;
}

struct profile_source *profile_place(struct rtop_profile *profile, uint32_t source, int64_t *start_ns, int64_t end_ns)
{
  if (*start_ns < 0 || end_ns > PROFILE_TIME_MAX || end_ns <= *start_ns) return NULL;
  struct profile_source *known = profile_source(profile, source, *start_ns);
  if (!known || end_ns <= known->last_end_ns) return NULL;
  if (*start_ns < known->last_end_ns)
    *start_ns = known->last_end_ns; /* Time that is known already is not added twice, whatever the window claims. */
  if (*start_ns - known->last_end_ns > PROFILE_HOLE_NS + (end_ns - *start_ns) / 2)
    profile_gap(profile, known, known->last_end_ns, *start_ns);
  return known;
}

bool rtop_profile_add(struct rtop_profile *profile, uint32_t source, const struct rtop_window *window,
                      const uint32_t *nodes, size_t node_count, const uint32_t *threads)
{
  struct profile_input input = { window, nodes, threads, node_count };
  int64_t start_ns = window->start_mono_ns, end_ns = window->end_mono_ns;
  if (profile->tap.window) profile->tap.window(profile->tap.context, source, window, nodes, node_count);
  struct profile_source *known = profile_place(profile, source, &start_ns, end_ns);
  if (!known) return false;
  struct profile_window *made = profile_window_make(profile, &input, start_ns);
  if (made) {
    made->source = (uint32_t)(known - profile->sources);
    profile_exact_note(profile, made->exact);
  }
  if (!profile_insert(profile, made, &input)) {
    profile_gap(profile, known, start_ns, end_ns);
    return false;
  }
  known->last_end_ns = end_ns;
  return true;
}
