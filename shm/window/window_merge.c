/* SPDX-License-Identifier: MIT */
/* Adds a window to a longer one. */
#include "window_merge.h"
#include "window_parts.h"
#include "window_rows.h"
#include "window_sort.h"
#include "window_threads.h"
#include "window_work.h"

#include "shm/base/sorted.h"
#include <string.h>

enum { MERGE_ROWS = 2 * WINDOW_MERGE_THREADS_MAX, MERGE_WORK_REST = 4 * RTOP_WORK_CAUSES };

static size_t merge_round_up(size_t bytes)
{
  return (bytes + 63) & ~(size_t)63;
}

size_t window_merge_memory_bytes(void)
{
  size_t bytes = merge_round_up(WINDOW_MERGE_THREADS_MAX * sizeof(int64_t)) +
                 merge_round_up(MERGE_ROWS * sizeof(uint16_t)) +
                 merge_round_up(WINDOW_MERGE_THREADS_MAX * sizeof(uint16_t[RTOP_STATE_COUNT]));
#define LIST(kind, number, array, one, row, share, most, ...) bytes += merge_round_up((most) * sizeof(struct row));
#include "shm/base/parts.def"
  return bytes;
}

size_t window_merge_scratch_bytes(void)
{
  return rtop_window_scratch_bytes(WINDOW_MERGE_CELLS_MAX);
}

static void *merge_take(unsigned char **memory, size_t count, size_t element_bytes)
{
  void *taken = *memory;
  *memory += merge_round_up(count * element_bytes);
  return taken;
}

void window_merge_init(struct window_merge *merge, void *memory, void *scratch)
{
  unsigned char *next = memory;
  *merge = (struct window_merge){ .scratch = scratch };
  struct rtop_window *window = &merge->window;
#define LIST(kind, number, array, one, row, share, most, ...)                                                          \
  window->array = merge_take(&next, most, sizeof *window->array);                                                      \
  window->one##_capacity = (most);
#include "shm/base/parts.def"
  merge->provisional_since = merge_take(&next, WINDOW_MERGE_THREADS_MAX, sizeof(int64_t));
  merge->rows = merge_take(&next, MERGE_ROWS, sizeof(uint16_t));
  merge->unsampled = merge_take(&next, WINDOW_MERGE_THREADS_MAX, sizeof *merge->unsampled);
}

void window_merge_clear(struct window_merge *merge)
{
  memset(merge->unsampled, 0, merge->window.thread_count * sizeof *merge->unsampled);
  rtop_window_reset(&merge->window);
  memset(merge->rows, 0, MERGE_ROWS * sizeof *merge->rows);
  merge->ended_count = 0;
  merge->lossy = false;
}

static uint16_t *merge_place(const struct window_merge *merge, uint64_t serial)
{
  size_t at = (size_t)(serial * UINT64_C(0x9E3779B97F4A7C15) >> 40) % MERGE_ROWS;
  while (merge->rows[at] && merge->window.threads[merge->rows[at] - 1].serial != serial) at = (at + 1) % MERGE_ROWS;
  return &merge->rows[at];
}

static void merge_index_unsampled(struct window_merge *merge)
{
  const struct rtop_window *window = &merge->window;
  memset(merge->unsampled, 0, window->thread_capacity * sizeof *merge->unsampled);
  for (size_t i = 0; i < window->cell_count; i++)
    if (window->cells[i].node == RTOP_NODE_UNSAMPLED)
      merge->unsampled[window->cells[i].thread][window->cells[i].state] = (uint16_t)(i + 1);
}

static void merge_index(struct window_merge *merge)
{
  memset(merge->rows, 0, MERGE_ROWS * sizeof *merge->rows);
  for (size_t i = 0; i < merge->window.thread_count; i++)
    *merge_place(merge, merge->window.threads[i].serial) = (uint16_t)(i + 1);
}

/* Makes room for `wanted` more cells: sums equal ones, then folds small ones. */
static void merge_make_room(struct window_merge *merge, size_t wanted)
{
  struct rtop_window *window = &merge->window;
  if (window->cell_count + wanted <= window->cell_capacity) return;
  window_sort_cells(window, merge->scratch);
  for (size_t keep = window->cell_capacity / 2; window->cell_count > window->cell_capacity * 3 / 4 && keep > 0;
       keep /= 8) {
    window_fold_cells(window, keep, merge->scratch);
    merge->lossy = true;
  }
  merge_index_unsampled(merge);
}

/* The single cell of unsampled time for a thread and state; NULL when there is none. */
static struct rtop_cell *merge_unsampled(const struct window_merge *merge, uint32_t row, uint32_t state)
{
  uint16_t at = merge->unsampled[row][state];
  return at ? &merge->window.cells[at - 1] : NULL;
}

static void merge_cell(struct window_merge *merge, const struct rtop_cell *cell, uint32_t row)
{
  struct rtop_window *window = &merge->window;
  struct rtop_cell *unsampled = cell->node == RTOP_NODE_UNSAMPLED ? merge_unsampled(merge, row, cell->state) : NULL;
  if (unsampled) {
    window_cell_add(unsampled, cell);
    return;
  }
  merge_make_room(merge, 1);
  if (window->cells == NULL || window->cell_count == window->cell_capacity)
    return; /* five states of 2048 threads are fewer */
  window->cells[window->cell_count] = *cell;
  window->cells[window->cell_count++].thread = row;
  if (cell->node == RTOP_NODE_UNSAMPLED) merge->unsampled[row][cell->state] = (uint16_t)window->cell_count;
}

/* The map uses the scratch memory, since nothing is being sorted now. */
static void merge_sum_threads(struct window_merge *merge, bool only_ended)
{
  struct rtop_window *window = &merge->window;
  uint32_t *map = merge->scratch;
  merge_make_room(merge, window->thread_count);
  size_t before = window->thread_count;
  window_sum_threads(window, only_ended, map);
  for (size_t i = 0; i < before; i++)
    if (map[i] < window->thread_count) merge->provisional_since[map[i]] = merge->provisional_since[i];
  merge->ended_count = 0;
  merge_index(merge);
  merge_index_unsampled(merge);
}

static uint32_t merge_add_row(struct window_merge *merge, uint64_t serial)
{
  struct rtop_window *window = &merge->window;
  if (window->thread_count + 1 >= window->thread_capacity) {
    bool room = *merge_place(merge, 0);
    serial = 0; /* the last row is for all threads without a row of their own */
    merge->lossy = true;
    if (room) return (uint32_t)*merge_place(merge, 0) - 1;
  }
  window->threads[window->thread_count] = (struct rtop_window_thread){ .serial = serial };
  *merge_place(merge, serial) = (uint16_t)(window->thread_count + 1);
  return (uint32_t)window->thread_count++;
}

/* Finds or adds the row of a thread. */
static uint32_t merge_row(struct window_merge *merge, const struct rtop_window_thread *thread)
{
  uint16_t row = *merge_place(merge, thread->serial);
  return row ? (uint32_t)row - 1 : merge_add_row(merge, thread->serial);
}

static uint64_t merge_less(uint64_t from, uint64_t taken)
{
  return from > taken ? from - taken : 0;
}

static void merge_take_time(struct rtop_cell *from, const struct rtop_cell *known)
{
  from->wall_ns = merge_less(from->wall_ns, known->wall_ns);
  from->cpu_ns = merge_less(from->cpu_ns, known->cpu_ns);
}

/* Applies a late record, which gives unsampled time of its thread a stack. */
static void merge_move(struct window_merge *merge, const struct rtop_cell *known, uint32_t row)
{
  struct rtop_cell *from = merge_unsampled(merge, row, known->state);
  if (from) merge_take_time(from, known);
  merge_cell(merge, known, row);
}

static void merge_late(struct window_merge *merge, const struct rtop_late *late, const struct rtop_window *from)
{
  struct rtop_window *window = &merge->window;
  uint32_t row = merge_row(merge, &from->threads[late->cell.thread]);
  int64_t end_ns = late->start_mono_ns + (int64_t)late->cell.wall_ns;
  if (end_ns > merge->provisional_since[row]) window->threads[row].provisional_ns = 0;
  bool inside = late->start_mono_ns >= window->start_mono_ns || late->cell.wall_ns == 0;
  if (inside || window->late_count == window->late_capacity) {
    merge_move(merge, &late->cell, row);
    merge->lossy = merge->lossy || !inside;
    return;
  }
  window->late[window->late_count] = *late;
  window->late[window->late_count++].cell.thread = row;
}

/* Updates a thread to its state at the end of the added window; for "(other threads)" flags and times are only added. */
static void merge_thread(struct window_merge *merge, const struct rtop_window_thread *from, int64_t start_mono_ns)
{
  uint32_t row = merge_row(merge, from);
  struct rtop_window_thread *to = &merge->window.threads[row];
  uint64_t provisional_ns = from->flags & RTOP_WINDOW_THREAD_PROVISIONAL ? from->provisional_ns : 0;
  if (from->flags & RTOP_WINDOW_THREAD_ENDED && !(to->flags & RTOP_WINDOW_THREAD_ENDED)) merge->ended_count++;
  if (to->provisional_ns == 0) merge->provisional_since[row] = start_mono_ns;
  provisional_ns += to->provisional_ns;
  uint32_t flags = (to->flags & RTOP_WINDOW_THREAD_STARTED) | (from->flags & ~(uint32_t)RTOP_WINDOW_THREAD_PROVISIONAL);
  uint64_t serial = to->serial; /* 0 when it found no row of its own */
  *to = *from;
  to->serial = serial;
  to->slot = serial ? from->slot : 0;
  to->flags = flags;
  to->provisional_ns = provisional_ns;
}

static void merge_counters(struct rtop_window *to, const struct rtop_window *from)
{
  for (unsigned id = 0; id < RTOP_COUNTER_ID_MAX; id++) {
    if (!(from->counters_present >> id & 1)) continue;
    uint64_t sum = rtop_counter_is_now(id) ? 0 : to->counters[id];
    uint64_t value = from->counters[id];
    rtop_window_set_counter(to, (enum rtop_counter_id)id, sum + value < sum ? UINT64_MAX : sum + value);
  }
}

static void merge_marks(struct window_merge *merge, const struct rtop_window *from)
{
  struct rtop_window *to = &merge->window;
  for (size_t i = 0; i < from->mark_count; i++)
    if (to->mark_count < to->mark_capacity) to->marks[to->mark_count++] = from->marks[i];
    else merge->lossy = true;
}

static bool merge_exact_before(const void *row, const void *key)
{
  const struct rtop_exact *a = row, *b = key;
  if (a->node != b->node) return a->node < b->node;
  return a->what != b->what ? a->what < b->what : a->key < b->key;
}

/* Adds a figure. A quarter of the room is reserved for figures that are not details, of which there are only as many
 * as a writer traces methods; another quarter for all but times of work by cause. Figures of work that find no room
 * lose their labels. */
static void merge_exact_one(struct window_merge *merge, const struct rtop_exact *exact)
{
  struct rtop_window *to = &merge->window;
  size_t from = sorted_place(to->exact, to->exact_count, sizeof *to->exact, exact, merge_exact_before);
  struct rtop_exact *there = &to->exact[from];
  if (from < to->exact_count && !merge_exact_before(exact, there)) {
    there->value = rtop_exact_sum(exact->what, there->value, exact->value);
    return;
  }
  size_t most = window_exact_is_detail(exact) ? to->exact_capacity / 4 * 3 : to->exact_capacity;
  if (window_exact_is_by_cause(exact)) most = to->exact_capacity / 2;
  else if (window_is_work(exact) && !window_is_work_rest(exact)) most -= MERGE_WORK_REST;
  if (to->exact_count >= most) {
    struct rtop_exact rest = *exact;
    bool is_rest = window_is_work_rest(exact);
    merge->lossy = true;
    if (window_is_work(exact) && !is_rest && window_work_become_rest(&rest)) merge_exact_one(merge, &rest);
    return;
  }
  memmove(there + 1, there, (to->exact_count - from) * sizeof *there);
  *there = *exact;
  to->exact_count++;
}

/* Keeps the arguments of a call only while their total size is below the limit. */
static void merge_args(struct window_merge *merge, struct rtop_slow *slow)
{
  size_t used = 0;
  if (!slow->args_bytes) return;
  for (const struct rtop_slow *other = merge->window.slow; other < slow; other++) used += other->args_bytes;
  if (used + slow->args_bytes <= WINDOW_MERGE_ARGS_BYTES) return;
  slow->args_bytes = 0;
  merge->lossy = true;
}

/* The shortest of calls or of blocks, whichever are more: neither takes the place of all of the others. */
static size_t merge_slow_shortest(const struct rtop_window *window, bool *blocks)
{
  size_t shortest = SIZE_MAX, block_count = 0;
  for (size_t i = 0; i < window->slow_count; i++) block_count += (window->slow[i].flags & RTOP_SLOW_BLOCK) != 0;
  *blocks = 2 * block_count > window->slow_count;
  for (size_t i = 0; i < window->slow_count; i++) {
    bool is_block = window->slow[i].flags & RTOP_SLOW_BLOCK;
    if (is_block != *blocks) continue;
    if (shortest == SIZE_MAX || window->slow[i].total_ns < window->slow[shortest].total_ns) shortest = i;
  }
  return shortest;
}

/* Keeps the longest calls, in order of arrival. */
static void merge_slow_one(struct window_merge *merge, const struct rtop_slow *slow)
{
  struct rtop_window *to = &merge->window;
  if (to->slow_count == to->slow_capacity) {
    bool blocks, is_block = slow->flags & RTOP_SLOW_BLOCK;
    size_t shortest = merge_slow_shortest(to, &blocks);
    merge->lossy = true;
    if (is_block == blocks && slow->total_ns <= to->slow[shortest].total_ns) return;
    memmove(&to->slow[shortest], &to->slow[shortest + 1], (--to->slow_count - shortest) * sizeof *to->slow);
  }
  to->slow[to->slow_count] = *slow;
  merge_args(merge, &to->slow[to->slow_count++]);
}

void window_merge_add(struct window_merge *merge, const struct rtop_window *from)
{
  struct rtop_window *to = &merge->window;
  if (window_merge_is_empty(merge)) to->start_mono_ns = from->start_mono_ns;
  to->end_mono_ns = from->end_mono_ns;
  to->folded = to->folded || from->folded;
  for (size_t i = 0; i < from->thread_count; i++)
    merge_row(merge, &from->threads[i]); /* in their order, which is the cheapest to encode */
  uint32_t thread = UINT32_MAX, row = 0;
  for (size_t i = 0; i < from->cell_count; i++) {
    if (from->cells[i].thread != thread) row = merge_row(merge, &from->threads[thread = from->cells[i].thread]);
    merge_cell(merge, &from->cells[i], row);
  }
  for (size_t i = 0; i < from->late_count; i++)
    merge_late(merge, &from->late[i], from); /* may take from this window's cells too */
  for (size_t i = 0; i < from->thread_count; i++) merge_thread(merge, &from->threads[i], from->start_mono_ns);
  for (size_t i = 0; i < to->thread_count; i++)
    if (to->threads[i].provisional_ns) to->threads[i].flags |= RTOP_WINDOW_THREAD_PROVISIONAL;
    else to->threads[i].flags &= ~(uint32_t)RTOP_WINDOW_THREAD_PROVISIONAL;
  merge_counters(to, from);
  merge_marks(merge, from);
  for (unsigned kind = RTOP_PART_THREADS; kind < RTOP_PART_KIND_END; kind++)
    if (window_parts[kind].rests && !window_merge_rows(to, from, &window_parts[kind])) merge->lossy = true;
  for (size_t i = 0; i < from->exact_count; i++) merge_exact_one(merge, &from->exact[i]);
  for (size_t i = 0; i < from->slow_count; i++) merge_slow_one(merge, &from->slow[i]);
  if (merge->ended_count > WINDOW_MERGE_ENDED_MAX) merge_sum_threads(merge, true);
}
