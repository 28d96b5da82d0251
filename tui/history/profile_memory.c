/* SPDX-License-Identifier: MIT */
/* Keeps the history within memory. When memory is full, the oldest short windows are merged to windows of a second,
 * then of ten seconds, so that the history reaches back for hours and all sums stay correct; then the oldest are
 * dropped. Names that no window uses are removed occasionally (see rtop_profile_forget).
 *
 * A merged window covers consecutive windows of one source within one second (or ten) of the clock. If more than
 * MERGE_ENDED_MAX threads ended in it, they become one, "(other threads)", as in the merged tiers of a channel.
 */
#include "profile_memory.h"

#include "profile_carry.h"
#include "profile_counters.h"
#include "profile_load.h"
#include "profile_slide.h"
#include "profile_windows.h"
#include <stdlib.h>
#include <string.h>

/* Memory for windows (bytes). A program that keeps making methods also keeps making names; names shorten the history,
 * down to a third. A moderate amount of names is free. */
static size_t memory_room(const struct rtop_profile *profile)
{
  static const size_t names_free = 4 << 20;
  size_t names = rtop_symbols_bytes(profile->symbols), most = profile->memory.bytes_max;
  size_t over = names > names_free ? names - names_free : 0;
  return most - (over < most / 3 * 2 ? over : most / 3 * 2);
}

/* ---- old windows put together ---------------------------------------------------------------------- */

enum { MERGE_LEVELS = 2, MERGE_WINDOWS_MAX = 64, MERGE_ENDED_MAX = 32, MERGE_FOLDED = UINT32_MAX };
#define MERGE_HOLE_NS INT64_C(10000000)
#define MERGE_SECOND_NS INT64_C(1000000000)

/* A level of merging: merges windows of up to `longest_ns` into windows of `length_ns`, which may use a third or a
 * sixth of the memory. The work of a call is limited, so that no caller has to wait. */
static const struct merge_level {
  int64_t longest_ns, length_ns;
  unsigned share, at_a_time;
} merge_levels[MERGE_LEVELS] = {
  { PROFILE_WHOLE_NS, MERGE_SECOND_NS, 3, 4 },
  { 5 * MERGE_SECOND_NS, 10 * MERGE_SECOND_NS, 6, 1 },
};

/* Windows of one source that will be merged into one. */
struct merge_group {
  int64_t key, end_ns;
  size_t count;
  size_t positions[MERGE_WINDOWS_MAX];
};

struct merge_sweep {
  struct rtop_profile *profile;
  const struct merge_level *level;
  struct merge_group *groups; /* by source */
  size_t bytes, bytes_wanted; /* of this level */
  unsigned made;
};

static int merge_level_of(const struct profile_window *window)
{
  int64_t length_ns = window->end_ns - window->start_ns;
  if (window->gap) return MERGE_LEVELS;
  return length_ns <= merge_levels[0].longest_ns ? 0 : length_ns <= merge_levels[1].longest_ns ? 1 : 2;
}

static int merge_compare(const void *left, const void *right)
{
  const struct profile_cell *a = left, *b = right;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  return (a->state > b->state) - (a->state < b->state);
}

static void merge_equal_cells(struct profile_window *window)
{
  size_t kept = 0;
  if (window->cell_count) qsort(window->cells, window->cell_count, sizeof *window->cells, merge_compare);
  for (size_t i = 0; i < window->cell_count; i++) {
    struct profile_cell *cell = &window->cells[i], *sum = kept ? &window->cells[kept - 1] : NULL;
    if (!sum || merge_compare(sum, cell) != 0) {
      window->cells[kept++] = *cell;
      continue;
    }
    profile_cell_add(sum, cell);
  }
  window->cell_count = kept;
}

/* Adds a thread as of the end of its last window; `row` is scratch: index + 1 in the merged window. */
static void merge_presence(struct rtop_profile *profile, struct profile_window *to, const struct profile_presence *from)
{
  struct profile_thread *thread = profile_thread_at(profile, from->thread);
  if (!thread) return;
  if (!thread->row) {
    to->threads[to->thread_count++] = *from;
    thread->row = (uint32_t)to->thread_count;
    return;
  }
  thread->windows--; /* one of two that list it goes */
  struct profile_presence *known = &to->threads[thread->row - 1];
  uint64_t provisional_ns = known->provisional_ns;
  *known = *from;
  known->provisional_ns += provisional_ns;
}

static size_t merge_count_ended(const struct rtop_profile *profile, const struct profile_window *window)
{
  size_t ended = 0;
  for (size_t i = 0; i < window->thread_count; i++) {
    const struct profile_thread *thread = profile_thread_at(profile, window->threads[i].thread);
    ended += window->threads[i].ended && thread && thread->key.serial != 0;
  }
  return ended;
}

/* Returns the thread that stands for many, and lists it in the window. NULL: memory ran out. */
static struct profile_thread *merge_others(struct rtop_profile *profile, struct profile_window *window)
{
  static const char name[] = "(other threads)";
  const struct rtop_source_thread from = { .name = name, .name_bytes = sizeof name - 1 };
  uint32_t id = rtop_profile_thread(profile, profile->sources[window->source].source, &from);
  struct profile_thread *others = profile_thread_at(profile, id);
  if (!others || others->row) return others;
  others->windows++;
  window->threads[window->thread_count++] =
      (struct profile_presence){ .thread = id, .state = RTOP_STATE_BLOCKED, .ended = true };
  others->row = (uint32_t)window->thread_count;
  return others;
}

/* Folds ended threads into one. The window has room for one more cell and presence than its threads need. */
static void merge_fold_ended(struct rtop_profile *profile, struct profile_window *window)
{
  const struct profile_thread *others =
      merge_count_ended(profile, window) > MERGE_ENDED_MAX ? merge_others(profile, window) : NULL;
  size_t kept = 0;
  if (!others) return;
  for (size_t i = 0; i < window->thread_count; i++) {
    struct profile_presence presence = window->threads[i];
    struct profile_thread *thread = profile_thread_at(profile, presence.thread);
    if (thread == others || !presence.ended) {
      thread->row = (uint32_t)kept + 1;
      window->threads[kept++] = presence;
      continue;
    }
    thread->row = MERGE_FOLDED;
    window->cells[window->cell_count++] = (struct profile_cell){
      .node = presence.node, .thread = others->id, .state = presence.state, .wall_ns = presence.provisional_ns
    };
  }
  for (size_t i = 0; i < window->cell_count; i++) {
    const struct profile_thread *thread = profile_thread_at(profile, window->cells[i].thread);
    if (thread && thread->row == MERGE_FOLDED) window->cells[i].thread = others->id;
  }
  window->thread_count = kept;
}

/* Resets scratch rows; folded threads are no longer listed. */
static void merge_forget_rows(struct rtop_profile *profile, const struct merge_group *group)
{
  for (size_t i = 0; i < group->count; i++) {
    const struct profile_window *window = profile_window_at(profile, group->positions[i]);
    for (size_t k = 0; k < window->thread_count; k++) {
      struct profile_thread *thread = profile_thread_at(profile, window->threads[k].thread);
      bool folded = thread && thread->row == MERGE_FOLDED;
      if (thread) thread->row = 0;
      if (folded) profile_thread_unlist(profile, thread->id);
    }
  }
}

static struct profile_window *merge_allocate(const struct rtop_profile *profile, const struct merge_group *group)
{
  size_t threads = 1, cells = 0;
  for (size_t i = 0; i < group->count; i++) {
    threads += profile_window_at(profile, group->positions[i])->thread_count;
    cells += profile_window_at(profile, group->positions[i])->cell_count;
  }
  struct profile_window *window = calloc(1, sizeof *window);
  if (!window) return NULL;
  window->threads = malloc(threads * sizeof *window->threads);
  window->cells = malloc((cells + threads) * sizeof *window->cells);
  window->cell_capacity = cells + threads;
  if (window->threads && window->cells) return window;
  profile_window_free(window);
  return NULL;
}

static void merge_add(struct rtop_profile *profile, struct profile_window *to, const struct profile_window *from)
{
  if (to->end_ns == 0) {
    to->start_ns = from->start_ns;
    to->source = from->source;
  }
  to->end_ns = from->end_ns;
  to->counters_present |= from->counters_present;
  profile_counters_add(&to->counters, &from->counters, from->counters_present);
  for (int state = 0; state < RTOP_STATES; state++) to->wall_ns[state] += from->wall_ns[state];
  for (size_t i = 0; i < from->thread_count; i++) merge_presence(profile, to, &from->threads[i]);
  if (from->cell_count) memcpy(to->cells + to->cell_count, from->cells, from->cell_count * sizeof *from->cells);
  to->cell_count += from->cell_count;
  profile_begun_add_all(&to->begun, &from->begun);
  profile_fibers_add_all(&to->fibers, from->fibers);
  profile_exact_add_all(&to->exact, from->exact);
  profile_raised_add_all(&to->raised, from->raised);
  profile_pairs_add_all(&to->pairs, from->pairs);
}

/* Gives back what merging has saved. */
static void merge_shrink(struct profile_window *window)
{
  size_t cells = window->cell_count + 1, threads = window->thread_count + 1;
  struct profile_cell *fewer_cells = realloc(window->cells, cells * sizeof *fewer_cells);
  struct profile_presence *fewer_threads = realloc(window->threads, threads * sizeof *fewer_threads);
  if (fewer_cells) {
    window->cells = fewer_cells;
    window->cell_capacity = cells;
  }
  if (fewer_threads) window->threads = fewer_threads;
  profile_slow_fit(window->exact);
}

static void merge_close(struct merge_sweep *sweep, struct merge_group *group)
{
  struct rtop_profile *profile = sweep->profile;
  struct profile_window *merged = group->count > 1 ? merge_allocate(profile, group) : NULL;
  if (merged) {
    for (size_t i = 0; i < group->count; i++)
      merge_add(profile, merged, profile_window_at(profile, group->positions[i]));
    merge_fold_ended(profile, merged);
    for (size_t i = 0; i < merged->thread_count; i++) profile_thread_at(profile, merged->threads[i].thread)->row = 0;
    merge_forget_rows(profile, group);
    merge_equal_cells(merged);
    profile_window_arrange(merged, rtop_symbols_unsampled(profile->symbols));
    merge_shrink(merged);
    for (size_t i = 0; i < group->count; i++) {
      struct profile_window **place = &profile->windows[profile->first + group->positions[i]];
      profile_window_lose(profile, *place);
      profile_slides_lose(profile, *place);
      profile_window_changes(profile, *place);
      sweep->bytes -= profile_window_bytes(*place);
      profile->memory.bytes -= profile_window_bytes(*place);
      profile_window_free(*place);
      *place = NULL;
    }
    merged->id = ++profile->window_ids;
    sweep->made++;
    profile->memory.bytes += profile_window_bytes(merged);
    profile->windows[profile->first + group->positions[0]] = merged;
    if (merged->end_ns - merged->start_ns > profile->longest_ns)
      profile->longest_ns = merged->end_ns - merged->start_ns;
  }
  group->count = 0;
}

/* Takes the window into its group. True if the window was added or does not belong to this level; false if its group is
 * complete: the caller merges the group and calls again. */
static bool merge_take(struct merge_sweep *sweep, const struct profile_window *window, size_t position)
{
  struct merge_group *group = &sweep->groups[window->source];
  bool fits = merge_level_of(window) == sweep->level - merge_levels;
  int64_t key = profile_middle(window) / sweep->level->length_ns;
  bool joins = fits && group->count < MERGE_WINDOWS_MAX && key == group->key &&
               window->start_ns - group->end_ns <= MERGE_HOLE_NS;
  if (group->count && !joins) return false;
  if (!fits) return true;
  group->key = key;
  group->end_ns = window->end_ns;
  group->positions[group->count++] = position;
  return true;
}

static void merge_close_holes(struct rtop_profile *profile)
{
  struct profile_window **windows = profile->windows + profile->first;
  size_t kept = 0;
  for (size_t i = 0; i < profile->count; i++)
    if (windows[i]) windows[kept++] = windows[i];
  profile->count = kept;
}

/* Merges from the oldest window on, until the level fits its memory. The newest windows stay unmerged. */
static void merge_sweep(struct merge_sweep *sweep)
{
  struct rtop_profile *profile = sweep->profile;
  for (size_t i = 0; i < profile->count; i++)
    if (merge_level_of(profile_window_at(profile, i)) == sweep->level - merge_levels)
      sweep->bytes += profile_window_bytes(profile_window_at(profile, i));
  for (size_t i = 0; i < profile->count && sweep->bytes > sweep->bytes_wanted && sweep->made < sweep->level->at_a_time;
       i++) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (merge_take(sweep, window, i)) continue;
    merge_close(sweep, &sweep->groups[window->source]);
    merge_take(sweep, window, i);
  }
  merge_close_holes(profile);
}

/* Merges old windows; limited per call. */
static void merge_old(struct rtop_profile *profile)
{
  struct merge_group *groups = calloc((size_t)profile->source_count + 1, sizeof *groups);
  for (size_t level = 0; groups && level < MERGE_LEVELS; level++) {
    size_t share = memory_room(profile) / merge_levels[level].share;
    struct merge_sweep sweep = {
      .profile = profile, .level = &merge_levels[level], .groups = groups, .bytes_wanted = share - share / 64
    };
    for (uint32_t i = 0; i < profile->source_count; i++) groups[i].count = 0;
    merge_sweep(&sweep);
  }
  free(groups);
}

/* ---- what goes ------------------------------------------------------------------------------------- */

static void drop_oldest(struct rtop_profile *profile)
{
  struct profile_window *window = profile->windows[profile->first++];
  profile->count--;
  profile_window_lose(profile, window);
  profile_slides_lose(profile, window);
  profile_window_changes(profile, window);
  profile->memory.bytes -= profile_window_bytes(window);
  if (profile->carry.wanted) profile_carry_window(profile, window);
  for (size_t i = 0; i < window->thread_count; i++) profile_thread_unlist(profile, window->threads[i].thread);
  profile_window_free(window);
}

bool profile_drop_oldest(struct rtop_profile *profile)
{
  if (profile->count < 2) return false;
  drop_oldest(profile);
  return true;
}

/* Is the oldest window older than the profile is to keep? Windows are in order of start, so the newest end is near the
 * last window's. */
static bool memory_is_past(const struct rtop_profile *profile)
{
  int64_t now_ns = profile_window_at(profile, profile->count - 1)->end_ns;
  return profile->memory.keep_ns && profile_window_at(profile, 0)->end_ns < now_ns - profile->memory.keep_ns;
}

void profile_drop_old(struct rtop_profile *profile)
{
  if (profile->loader.load) { /* Windows that can be fetched again may be unloaded without loss. */
    profile_unload(profile);
    return;
  }
  size_t room = memory_room(profile);
  while (profile->count > 1 && memory_is_past(profile)) drop_oldest(profile);
  if (profile->memory.bytes > room) merge_old(profile);
  while (profile->memory.bytes > room && profile->count > 1) drop_oldest(profile);
  if (profile->carry.gone > 256) profile_carry_compact(profile);
}

/* ---- names ------------------------------------------------------------------------------------------ */

/* Minimum growth of names (bytes) before they are checked again, and the number of windows for which unused names are
   kept. */
enum { FORGET_STEP = 1 << 20, FORGET_WINDOWS = 100 };

void rtop_profile_keep_ns(struct rtop_profile *profile, int64_t keep_ns)
{
  profile->memory.keep_ns = keep_ns;
}

bool rtop_profile_add_keeper(struct rtop_profile *profile, const struct rtop_profile_keeper *keeper)
{
  if (profile->memory.keeper_count == PROFILE_KEEPERS_MAX) return false;
  profile->memory.keepers[profile->memory.keeper_count++] = *keeper;
  return true;
}

void rtop_sum_keep(const struct rtop_sum *sum, struct rtop_symbols *symbols)
{
  for (size_t i = 0; i < sum->cell_count; i++) rtop_symbols_use_node(symbols, sum->cells[i].node);
  for (size_t i = 0; i < sum->thread_count; i++) rtop_symbols_use_node(symbols, sum->threads[i].node);
}

static void forget_but_window(struct rtop_symbols *symbols, const struct profile_window *window)
{
  for (size_t i = 0; i < window->cell_count; i++) rtop_symbols_use_node(symbols, window->cells[i].node);
  for (size_t i = 0; i < window->thread_count; i++) rtop_symbols_use_node(symbols, window->threads[i].node);
  for (size_t i = 0; i < window->long_count; i++) rtop_symbols_use_node(symbols, window->longs[i].node);
  for (size_t i = 0; i < window->begun.count; i++) rtop_symbols_use_node(symbols, window->begun.all[i].node);
  for (size_t i = 0; window->fibers && i < window->fibers->count; i++) {
    rtop_symbols_use_node(symbols, window->fibers->all[i].name);
    rtop_symbols_use_node(symbols, window->fibers->all[i].node);
  }
  for (size_t i = 0; i < profile_exact_count(window->exact); i++)
    rtop_symbols_use_node(symbols, window->exact->all[i].node);
  for (size_t i = 0; i < profile_slow_count(window->exact); i++) {
    rtop_symbols_use_node(symbols, window->exact->slow[i].node);
    rtop_symbols_use_node(symbols, window->exact->slow[i].stack);
  }
  for (size_t i = 0; i < profile_raised_count(window->raised); i++) {
    rtop_symbols_use_node(symbols, window->raised->all[i].name);
    rtop_symbols_use_node(symbols, window->raised->all[i].node);
  }
  for (size_t i = 0; i < profile_pairs_count(window->pairs); i++) {
    rtop_symbols_use_node(symbols, window->pairs->all[i].node);
    rtop_symbols_use_node(symbols, window->pairs->all[i].holder);
    rtop_symbols_use_node(symbols, window->pairs->all[i].place);
  }
}

static size_t forget_but_all(struct rtop_profile *profile)
{
  struct rtop_symbols *symbols = profile->symbols;
  rtop_symbols_sweep_begin(symbols);
  for (size_t i = 0; i < profile->count; i++) forget_but_window(symbols, profile_window_at(profile, i));
  for (uint32_t i = 0; i < profile->memory.keeper_count; i++)
    profile->memory.keepers[i].keep(profile->memory.keepers[i].context, symbols);
  return rtop_symbols_used_bytes(symbols);
}

static bool forget_is_due(const struct rtop_profile *profile)
{
  if (profile->loader.load || profile->tap.window || profile->carry.wanted) return false;
  return rtop_symbols_bytes(profile->symbols) >= profile->memory.forget_from + FORGET_STEP ||
         (profile->memory.forget_at && profile->window_ids >= profile->memory.forget_at);
}

bool rtop_profile_forget(struct rtop_profile *profile)
{
  size_t most = profile->memory.bytes_max / 3, used;
  if (!forget_is_due(profile)) return false;
  while ((used = forget_but_all(profile)) > most && profile->count > 1)
    for (size_t few = profile->count / 8 + 1; few > 0 && profile->count > 1; few--) drop_oldest(profile);
  rtop_symbols_sweep_end(profile->symbols);
  rtop_lens_forget(profile->lens);
  if (profile->whole) rtop_lens_forget(profile->whole);
  if (profile->sets) rtop_lens_forget(profile->sets);
  profile_slides_forget(profile);
  size_t held = rtop_symbols_bytes(profile->symbols), step = used / 4 > FORGET_STEP ? used / 4 - FORGET_STEP : 0;
  profile->memory.forget_from = held + step;
  profile->memory.forget_at = held > used + FORGET_STEP + step ? profile->window_ids + FORGET_WINDOWS : 0;
  return true;
}
