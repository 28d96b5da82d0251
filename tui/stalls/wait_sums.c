/* SPDX-License-Identifier: MIT */
/* Adds up waiting by kind and place, and divides waiting for locks by what their owners did. */
#include "wait_sums.h"

#include "shm/base/sorted.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

/* Limits. Marks are merged when there are WAIT_MARKS_MAX; if more than half of them are left, owners are no
 * longer distinguished. About WAIT_LOOKS_MAX threads are examined in all windows together; of long spans a part
 * of the windows suffices. */
enum { WAIT_MARKS_MAX = 1 << 14, WAIT_LOOKS_MAX = 1 << 17 };
#define WAIT_NOBODY UINT32_MAX

/* Blocked time of a thread. */
struct wait_entry {
  uint32_t kind, place, thread;
  uint64_t wait_ns;
};

/* An instant at which a thread waited for a lock, with what the lock's owner did. */
struct wait_mark {
  uint32_t row;
  uint32_t frame, took, thread; /* thread: index of a row of the sum, or WAIT_NOBODY */
  double weight_ns;             /* a double, since lengths from untrusted sources could overflow an integer */
};

struct wait_walk {
  struct wait_sums *sums;
  const struct rtop_sum *sum;
  const struct rtop_profile *profile;
  struct wait_stacks stacks;
  bool full;
  uint64_t looks;  /* windows visited */
  uint64_t one_of; /* so many windows */
};

/* ---- how long --------------------------------------------------------------------------------------- */

static int wait_compare_entries(const void *left, const void *right)
{
  const struct wait_entry *a = left, *b = right;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->place != b->place) return a->place < b->place ? -1 : 1;
  return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static bool wait_add_cells(struct wait_walk *walk)
{
  struct wait_sums *sums = walk->sums;
  for (size_t i = 0; i < walk->sum->cell_count; i++) {
    const struct rtop_sum_cell *cell = &walk->sum->cells[i];
    uint64_t wait_ns = cell->cost.wall_ns[RTOP_STATE_BLOCKED];
    if (cell->thread >= walk->sum->thread_count || rtop_sum_hides(walk->sum, cell)) continue;
    sums->all_ns += rtop_cost_wall(&cell->cost);
    if (!wait_ns) continue;
    if (!rtop_reserve(&sums->entries, &sums->entry_capacity, sums->entry_count + 1, sizeof *sums->entries))
      return false;
    enum rtop_wait_kind kind = wait_kind(&walk->stacks, cell->node);
    sums->kind_ns[kind] += wait_ns;
    sums->blocked_ns += wait_ns;
    sums->entries[sums->entry_count++] =
        (struct wait_entry){ kind, wait_place(&walk->stacks, cell->node), cell->thread, wait_ns };
  }
  return true;
}

static bool wait_add_rows(struct wait_sums *sums)
{
  if (sums->entry_count) qsort(sums->entries, sums->entry_count, sizeof *sums->entries, wait_compare_entries);
  for (size_t i = 0; i < sums->entry_count; i++) {
    const struct wait_entry *entry = &sums->entries[i];
    bool same = i > 0 && entry[-1].kind == entry->kind && entry[-1].place == entry->place;
    if (!same) {
      if (!rtop_reserve(&sums->rows, &sums->capacity, sums->count + 1, sizeof *sums->rows)) return false;
      sums->rows[sums->count++] = (struct wait_row){ .kind = entry->kind, .place = entry->place };
    }
    struct wait_row *row = &sums->rows[sums->count - 1];
    row->wait_ns += entry->wait_ns;
    row->threads += !same || entry[-1].thread != entry->thread;
  }
  return true;
}

static bool wait_row_before(const void *row, const void *key)
{
  const struct wait_row *a = row, *b = key;
  return a->kind != b->kind ? a->kind < b->kind : a->place < b->place;
}

/* Finds the row by kind and place in the unsorted rows; NULL: there is none. */
static struct wait_row *wait_find(struct wait_walk *walk, uint32_t node)
{
  struct wait_sums *sums = walk->sums;
  const struct wait_row key = { .kind = wait_kind(&walk->stacks, node), .place = wait_place(&walk->stacks, node) };
  size_t at = sorted_place(sums->rows, sums->count, sizeof *sums->rows, &key, wait_row_before);
  return at < sums->count && !wait_row_before(&key, &sums->rows[at]) ? &sums->rows[at] : NULL;
}

static void wait_note_longest(struct wait_walk *walk)
{
  for (size_t i = 0; i < walk->sum->thread_count; i++) {
    const struct rtop_thread_row *thread = &walk->sum->threads[i];
    bool waits = thread->state == RTOP_STATE_BLOCKED && !thread->ended && !thread->stale && !thread->hidden;
    struct wait_row *row = waits ? wait_find(walk, thread->node) : NULL;
    if (row && thread->state_age_ns > row->longest_ns) row->longest_ns = thread->state_age_ns;
  }
}

/* ---- behind whom ------------------------------------------------------------------------------------ */

static int wait_compare_marks(const void *left, const void *right)
{
  const struct wait_mark *a = left, *b = right;
  const uint32_t left_keys[] = { a->row, a->frame, a->took, a->thread };
  const uint32_t right_keys[] = { b->row, b->frame, b->took, b->thread };
  for (size_t i = 0; i < sizeof left_keys / sizeof left_keys[0]; i++)
    if (left_keys[i] != right_keys[i]) return left_keys[i] < right_keys[i] ? -1 : 1;
  return 0;
}

/* Marks that say the same become one. */
static void wait_join_marks(struct wait_sums *sums)
{
  size_t kept = 0;
  if (sums->mark_count) qsort(sums->marks, sums->mark_count, sizeof *sums->marks, wait_compare_marks);
  for (size_t i = 0; i < sums->mark_count; i++) {
    const struct wait_mark mark = sums->marks[i];
    if (!kept || wait_compare_marks(&sums->marks[kept - 1], &mark) != 0) {
      sums->marks[kept++] = mark;
      continue;
    }
    sums->marks[kept - 1].weight_ns += mark.weight_ns;
  }
  sums->mark_count = kept;
}

static void wait_add_mark(struct wait_walk *walk, struct wait_mark mark)
{
  struct wait_sums *sums = walk->sums;
  if (walk->full) mark = (struct wait_mark){ mark.row, 0, 0, WAIT_NOBODY, mark.weight_ns };
  if (sums->mark_count >= WAIT_MARKS_MAX) {
    wait_join_marks(sums);
    walk->full = sums->mark_count > WAIT_MARKS_MAX / 2;
  }
  if (!rtop_reserve(&sums->marks, &sums->mark_capacity, sums->mark_count + 1, sizeof *sums->marks)) sums->failed = true;
  else sums->marks[sums->mark_count++] = mark;
}

/* Finds what the owner of the lock does at the end of the window. */
static void wait_mark_holder(struct wait_walk *walk, const struct rtop_look *look,
                             const struct rtop_look_thread *waiter, struct wait_mark *mark)
{
  struct rtop_look_thread holder;
  size_t row = waiter->lock.holder ? rtop_lock_thread(walk->sum, look->source, waiter->lock.holder) : SIZE_MAX;
  if (row == SIZE_MAX || walk->sum->threads[row].thread == waiter->thread ||
      !wait_in_window(look, walk->sum->threads[row].thread, &holder) || holder.ended)
    return;
  struct wait_holder does = wait_holder(&walk->stacks, &holder);
  mark->thread = (uint32_t)row;
  mark->frame = does.frame;
  mark->took = does.took;
}

static bool wait_is_shown(const struct wait_walk *walk, uint32_t source, uint32_t thread)
{
  size_t row = rtop_lock_thread(walk->sum, source, rtop_profile_thread_serial(walk->profile, thread));
  return row != SIZE_MAX && !walk->sum->threads[row].hidden;
}

/* Selects windows by hash: the same ones at every call, and independent of their length. */
static bool wait_takes(const struct wait_walk *walk, const struct rtop_look *look)
{
  uint64_t mixed = (uint64_t)look->start_ns * UINT64_C(0x9E3779B97F4A7C15);
  return !look->gap && (mixed >> 32) % walk->one_of == 0;
}

static void wait_visit(void *context, const struct rtop_look *look)
{
  struct wait_walk *walk = context;
  if (!wait_takes(walk, look)) return;
  uint64_t weight_ns = rtop_look_share(look, walk->sum->span, (uint64_t)(look->end_ns - look->start_ns));
  walk->looks++;
  for (size_t i = 0; weight_ns && i < look->thread_count; i++) {
    struct rtop_look_thread thread = rtop_look_thread(look, i);
    if (!wait_is_for_lock(&walk->stacks, &thread) || !wait_is_shown(walk, look->source, thread.thread)) continue;
    struct wait_row *row = wait_find(walk, thread.node);
    if (!row) continue;
    row->seen += row->last_look != walk->looks;
    row->last_look = walk->looks;
    struct wait_mark mark = { (uint32_t)(row - walk->sums->rows), 0, 0, WAIT_NOBODY, (double)weight_ns };
    wait_mark_holder(walk, look, &thread, &mark);
    wait_add_mark(walk, mark);
  }
}

static int wait_compare_behind(const void *left, const void *right)
{
  const struct wait_behind *a = left, *b = right;
  if (a->wait_ns != b->wait_ns) return a->wait_ns > b->wait_ns ? -1 : 1;
  return a->frame != b->frame ? (a->frame < b->frame ? -1 : 1) : a->took < b->took ? -1 : a->took > b->took;
}

/* Returns the end of a run of marks of one row with the same methods, for any thread. */
static size_t wait_end_of(const struct wait_sums *sums, size_t from, bool same_methods)
{
  const struct wait_mark *first = &sums->marks[from];
  size_t end = from;
  while (end < sums->mark_count && sums->marks[end].row == first->row &&
         (!same_methods || (sums->marks[end].frame == first->frame && sums->marks[end].took == first->took)))
    end++;
  return end;
}

static double wait_weight(const struct wait_sums *sums, size_t from, size_t end)
{
  double weight_ns = 0;
  for (size_t i = from; i < end; i++) weight_ns += sums->marks[i].weight_ns;
  return weight_ns;
}

static struct wait_behind wait_behind_of(const struct wait_walk *walk, size_t from, size_t end, double scale)
{
  const struct wait_mark *marks = walk->sums->marks;
  struct wait_behind behind = { .frame = marks[from].frame, .took = marks[from].took };
  double weight_ns = wait_weight(walk->sums, from, end);
  size_t best = from;
  double next_ns = 0;
  for (size_t i = from + 1; i < end; i++) {
    bool more = marks[i].weight_ns > marks[best].weight_ns;
    double less_ns = more ? marks[best].weight_ns : marks[i].weight_ns;
    next_ns = less_ns > next_ns ? less_ns : next_ns;
    best = more ? i : best;
  }
  behind.known =
      marks[best].thread != WAIT_NOBODY && wait_names_alone(marks[best].weight_ns, next_ns, weight_ns, false);
  if (behind.known) behind.thread = walk->sum->threads[marks[best].thread];
  behind.wait_ns = (uint64_t)(weight_ns * scale);
  return behind;
}

/* Divides the time of each row. */
static bool wait_divide(struct wait_walk *walk)
{
  struct wait_sums *sums = walk->sums;
  wait_join_marks(sums);
  for (size_t at = 0, end; at < sums->mark_count; at = end) {
    struct wait_row *row = &sums->rows[sums->marks[at].row];
    end = wait_end_of(sums, at, false);
    double scale = (double)row->wait_ns / wait_weight(sums, at, end);
    row->behind = sums->behind_count;
    for (size_t i = at, next; i < end; i = next) {
      next = wait_end_of(sums, i, true);
      if (!rtop_reserve(&sums->behind, &sums->behind_capacity, sums->behind_count + 1, sizeof *sums->behind))
        return false;
      sums->behind[sums->behind_count++] = wait_behind_of(walk, i, next, scale);
    }
    row->behind_count = sums->behind_count - row->behind;
    qsort(sums->behind + row->behind, row->behind_count, sizeof *sums->behind, wait_compare_behind);
  }
  return true;
}

/* ---- both ------------------------------------------------------------------------------------------- */

static int wait_compare_rows(const void *left, const void *right)
{
  const struct wait_row *a = left, *b = right;
  bool lock = wait_kind_is_lock(a->kind);
  if (lock != wait_kind_is_lock(b->kind)) return lock ? -1 : 1;
  if (a->wait_ns != b->wait_ns) return a->wait_ns > b->wait_ns ? -1 : 1;
  return wait_row_before(a, b) ? -1 : 1;
}

/* Returns the sum with all frames: waits are recognised by frames that the lens may hide. */
static const struct rtop_sum *wait_whole(struct wait_sums *sums, const struct rtop_sum *shown,
                                         const struct rtop_profile *profile)
{
  if (!rtop_profile_hides(profile)) return shown;
  if (!rtop_profile_sum_whole(profile, shown->span, &sums->whole)) return NULL;
  for (size_t i = 0; i < sums->whole.thread_count; i++) {
    struct rtop_thread_row *thread = &sums->whole.threads[i];
    size_t row = rtop_lock_thread(shown, thread->source, thread->serial);
    thread->hidden = row == SIZE_MAX || shown->threads[row].hidden;
  }
  return &sums->whole;
}

bool wait_sums_build(struct wait_sums *sums, const struct rtop_sum *shown, struct rtop_profile *profile)
{
  struct wait_walk walk = {
    .sums = sums,
    .profile = profile,
    .stacks = { &sums->ways, rtop_profile_lens(profile), rtop_profile_symbols(profile) },
  };
  sums->count = sums->behind_count = sums->entry_count = sums->mark_count = 0;
  sums->blocked_ns = sums->all_ns = 0;
  sums->failed = false;
  memset(sums->kind_ns, 0, sizeof sums->kind_ns);
  walk.sum = wait_whole(sums, shown, profile);
  if (!walk.sum || !off_ways_begin(&sums->ways, rtop_profile_lens(profile), walk.stacks.symbols) ||
      !wait_add_cells(&walk) || !wait_add_rows(sums))
    return false;
  wait_note_longest(&walk);
  walk.one_of = 1 + (uint64_t)walk.sum->window_count * walk.sum->thread_count / WAIT_LOOKS_MAX;
  if (sums->kind_ns[RTOP_WAITS_MUTEX] || sums->kind_ns[RTOP_WAITS_MONITOR])
    rtop_profile_each(profile, walk.sum->span, wait_visit, &walk);
  if (sums->failed || !wait_divide(&walk)) return false;
  if (sums->count) qsort(sums->rows, sums->count, sizeof *sums->rows, wait_compare_rows);
  return true;
}

void wait_sums_keep(const struct wait_sums *sums, struct rtop_symbols *symbols)
{
  for (size_t i = 0; i < sums->count; i++) rtop_symbols_use_frame(symbols, sums->rows[i].place);
  for (size_t i = 0; i < sums->behind_count; i++) {
    rtop_symbols_use_frame(symbols, sums->behind[i].frame);
    rtop_symbols_use_frame(symbols, sums->behind[i].took);
  }
}

void wait_sums_destroy(struct wait_sums *sums)
{
  off_ways_destroy(&sums->ways);
  rtop_sum_destroy(&sums->whole);
  free(sums->rows);
  free(sums->behind);
  free(sums->entries);
  free(sums->marks);
  *sums = (struct wait_sums){ 0 };
}
