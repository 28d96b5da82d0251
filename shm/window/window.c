/* SPDX-License-Identifier: MIT */
/* The window in memory, and its compression. */
#include "window.h"
#include "window_parts.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>

#define CELL_COLUMNS(base)                                                                                             \
  { (base) + offsetof(struct rtop_cell, node), 4, WINDOW_DELTA },                                                      \
      { (base) + offsetof(struct rtop_cell, thread), 4, WINDOW_DELTA },                                                \
      { (base) + offsetof(struct rtop_cell, state), 4, WINDOW_PLAIN },                                                 \
      { (base) + offsetof(struct rtop_cell, samples), 4, WINDOW_PLAIN },                                               \
      { (base) + offsetof(struct rtop_cell, wall_ns), 8, WINDOW_PLAIN },                                               \
      { (base) + offsetof(struct rtop_cell, cpu_ns), 8, WINDOW_PLAIN },                                                \
      { (base) + offsetof(struct rtop_cell, allocations), 8, WINDOW_PLAIN },                                           \
  {                                                                                                                    \
    (base) + offsetof(struct rtop_cell, blame_ns), 8, WINDOW_PLAIN                                                     \
  }

const struct window_part window_part_threads = {
  RTOP_PART_THREADS,
  sizeof(struct rtop_window_thread),
  7,
  {
      { offsetof(struct rtop_window_thread, slot), 4, WINDOW_DELTA },
      { offsetof(struct rtop_window_thread, state), 4, WINDOW_PLAIN },
      { offsetof(struct rtop_window_thread, node), 4, WINDOW_DELTA },
      { offsetof(struct rtop_window_thread, flags), 4, WINDOW_PLAIN },
      { offsetof(struct rtop_window_thread, serial), 8, WINDOW_DELTA },
      { offsetof(struct rtop_window_thread, state_age_ns), 8, WINDOW_PLAIN },
      { offsetof(struct rtop_window_thread, provisional_ns), 8, WINDOW_PLAIN },
  },
};

const struct window_part window_part_cells = {
  RTOP_PART_CELLS,
  sizeof(struct rtop_cell),
  8,
  { CELL_COLUMNS(0) },
};

const struct window_part window_part_late = {
  RTOP_PART_LATE,
  sizeof(struct rtop_late),
  9,
  {
      CELL_COLUMNS(offsetof(struct rtop_late, cell)),
      { offsetof(struct rtop_late, start_mono_ns), 8, WINDOW_TIME },
  },
};

const struct window_part window_part_marks = {
  RTOP_PART_MARKS,
  sizeof(struct rtop_mark),
  2,
  {
      { offsetof(struct rtop_mark, mono_ns), 8, WINDOW_TIME },
      { offsetof(struct rtop_mark, name), 4, WINDOW_PLAIN },
  },
};

const struct window_part window_part_stacks = {
  RTOP_PART_STACKS,
  sizeof(struct rtop_window_thread),
  1,
  {
      { offsetof(struct rtop_window_thread, stack_age_ns), 8, WINDOW_PLAIN },
  },
};

const struct window_part window_part_begun = {
  RTOP_PART_BEGUN,
  sizeof(struct rtop_begun),
  3,
  {
      { offsetof(struct rtop_begun, node), 4, WINDOW_DELTA },
      { offsetof(struct rtop_begun, label), 4, WINDOW_PLAIN },
      { offsetof(struct rtop_begun, count), 8, WINDOW_PLAIN },
  },
};

const struct window_part window_part_fibers = {
  RTOP_PART_FIBERS,
  sizeof(struct rtop_fibers),
  7,
  {
      { offsetof(struct rtop_fibers, serial), 8, WINDOW_DELTA },
      { offsetof(struct rtop_fibers, name), 4, WINDOW_DELTA },
      { offsetof(struct rtop_fibers, node), 4, WINDOW_DELTA },
      { offsetof(struct rtop_fibers, alive), 4, WINDOW_PLAIN },
      { offsetof(struct rtop_fibers, waiting), 4, WINDOW_PLAIN },
      { offsetof(struct rtop_fibers, wait_ns), 8, WINDOW_PLAIN },
      { offsetof(struct rtop_fibers, longest_ns), 8, WINDOW_PLAIN },
  },
};

const struct window_part window_part_exact = {
  RTOP_PART_EXACT,
  sizeof(struct rtop_exact),
  4,
  {
      { offsetof(struct rtop_exact, node), 4, WINDOW_DELTA },
      { offsetof(struct rtop_exact, what), 4, WINDOW_PLAIN },
      { offsetof(struct rtop_exact, key), 4, WINDOW_DELTA },
      { offsetof(struct rtop_exact, value), 8, WINDOW_PLAIN },
  },
};

const struct window_part window_part_slow = {
  RTOP_PART_SLOW,
  sizeof(struct rtop_slow),
  9,
  {
      { offsetof(struct rtop_slow, end_mono_ns), 8, WINDOW_TIME },
      { offsetof(struct rtop_slow, serial), 8, WINDOW_DELTA },
      { offsetof(struct rtop_slow, node), 4, WINDOW_DELTA },
      { offsetof(struct rtop_slow, stack), 4, WINDOW_DELTA },
      { offsetof(struct rtop_slow, flags), 4, WINDOW_PLAIN },
      { offsetof(struct rtop_slow, total_ns), 8, WINDOW_PLAIN },
      { offsetof(struct rtop_slow, self_ns), 8, WINDOW_PLAIN },
      { offsetof(struct rtop_slow, wait_ns), 8, WINDOW_PLAIN },
      { offsetof(struct rtop_slow, off_ns), 8, WINDOW_PLAIN },
  },
};

const struct window_part window_part_raises = {
  RTOP_PART_RAISES,
  sizeof(struct rtop_raised),
  6,
  {
      { offsetof(struct rtop_raised, first_mono_ns), 8, WINDOW_TIME },
      { offsetof(struct rtop_raised, last_mono_ns), 8, WINDOW_TIME },
      { offsetof(struct rtop_raised, serial), 8, WINDOW_DELTA },
      { offsetof(struct rtop_raised, name), 4, WINDOW_DELTA },
      { offsetof(struct rtop_raised, node), 4, WINDOW_DELTA },
      { offsetof(struct rtop_raised, count), 8, WINDOW_PLAIN },
  },
};

const struct window_part window_part_pairs = {
  RTOP_PART_PAIRS,
  sizeof(struct rtop_behind),
  6,
  {
      { offsetof(struct rtop_behind, node), 4, WINDOW_DELTA },
      { offsetof(struct rtop_behind, holder), 4, WINDOW_DELTA },
      { offsetof(struct rtop_behind, cause), 4, WINDOW_PLAIN },
      { offsetof(struct rtop_behind, place), 4, WINDOW_DELTA },
      { offsetof(struct rtop_behind, count), 8, WINDOW_PLAIN },
      { offsetof(struct rtop_behind, wait_ns), 8, WINDOW_PLAIN },
  },
};

const struct window_part window_part_args = {
  RTOP_PART_ARGS,
  sizeof(struct rtop_slow),
  1,
  {
      { offsetof(struct rtop_slow, args_bytes), 4, WINDOW_PLAIN },
  },
};

#define CAUSE(cause)                                                                                                   \
  {                                                                                                                    \
    offsetof(struct rtop_slow, work_ns[cause]), 8, WINDOW_PLAIN                                                        \
  }
const struct window_part window_part_causes = {
  RTOP_PART_CAUSES,
  sizeof(struct rtop_slow),
  10,
  {
      CAUSE(RTOP_WORK_RUNNING),
      CAUSE(RTOP_WORK_GVL),
      CAUSE(RTOP_WORK_GC),
      CAUSE(RTOP_WORK_GC_OTHERS),
      CAUSE(RTOP_WORK_LOCK),
      CAUSE(RTOP_WORK_IO),
      CAUSE(RTOP_WORK_SLEEP),
      CAUSE(RTOP_WORK_QUEUE),
      CAUSE(RTOP_WORK_FIBER),
      CAUSE(RTOP_WORK_OTHER),
  },
};
#undef CAUSE

const struct window_part window_part_locks = {
  RTOP_PART_LOCKS,
  sizeof(struct rtop_window_thread),
  3,
  {
      { offsetof(struct rtop_window_thread, lock_kind), 4, WINDOW_PLAIN },
      { offsetof(struct rtop_window_thread, lock), 4, WINDOW_PLAIN },
      { offsetof(struct rtop_window_thread, lock_holder), 8, WINDOW_PLAIN },
  },
};

void *window_grow(void *array, size_t *capacity, size_t wanted, size_t element_bytes)
{
  if (array && wanted <= *capacity) return array;
  size_t grown = *capacity < 32 ? 32 : *capacity;
  while (grown < wanted) {
    if (grown > SIZE_MAX / 2 / element_bytes) return NULL;
    grown *= 2;
  }
  void *moved = realloc(array, grown * element_bytes);
  if (moved) *capacity = grown;
  return moved;
}

#define WINDOW_SIZE(window, array, count, capacity, wanted)                                                            \
  do {                                                                                                                 \
    void *moved = window_grow((window)->array, &(window)->capacity, wanted, sizeof *(window)->array);                  \
    if (!moved) return false;                                                                                          \
    (window)->array = moved;                                                                                           \
    (window)->count = wanted;                                                                                          \
  } while (0)

bool rtop_window_size(struct rtop_window *window, const struct rtop_window_counts *counts)
{
  WINDOW_SIZE(window, threads, thread_count, thread_capacity, counts->threads);
  WINDOW_SIZE(window, cells, cell_count, cell_capacity, counts->cells);
  WINDOW_SIZE(window, late, late_count, late_capacity, counts->late);
  WINDOW_SIZE(window, marks, mark_count, mark_capacity, counts->marks);
  WINDOW_SIZE(window, begun, begun_count, begun_capacity, counts->begun);
  WINDOW_SIZE(window, fibers, fibers_count, fibers_capacity, counts->fibers);
  WINDOW_SIZE(window, exact, exact_count, exact_capacity, counts->exact);
  WINDOW_SIZE(window, slow, slow_count, slow_capacity, counts->slow);
  WINDOW_SIZE(window, raised, raised_count, raised_capacity, counts->raised);
  WINDOW_SIZE(window, pairs, pair_count, pair_capacity, counts->pairs);
  return true;
}

void rtop_window_reset(struct rtop_window *window)
{
  window->sequence = 0;
  window->start_mono_ns = 0;
  window->end_mono_ns = 0;
  window->counters_present = 0;
  memset(window->counters, 0, sizeof window->counters);
  window->thread_count = 0;
  window->cell_count = 0;
  window->late_count = 0;
  window->mark_count = 0;
  window->begun_count = 0;
  window->fibers_count = 0;
  window->exact_count = 0;
  window->slow_count = 0;
  window->raised_count = 0;
  window->pair_count = 0;
  window->folded = false;
}

void rtop_window_destroy(struct rtop_window *window)
{
  free(window->threads);
  free(window->cells);
  free(window->late);
  free(window->marks);
  free(window->begun);
  free(window->fibers);
  free(window->exact);
  free(window->slow);
  free(window->raised);
  free(window->pairs);
  *window = (struct rtop_window){ 0 };
}

#define WINDOW_ADD(window, array, count, capacity)                                                                     \
  do {                                                                                                                 \
    void *moved = window_grow((window)->array, &(window)->capacity, (window)->count + 1, sizeof *(window)->array);     \
    if (!moved) return NULL;                                                                                           \
    (window)->array = moved;                                                                                           \
    memset(&(window)->array[(window)->count], 0, sizeof *(window)->array);                                             \
    return &(window)->array[(window)->count++];                                                                        \
  } while (0)

struct rtop_cell *rtop_window_add_cell(struct rtop_window *window)
{
  WINDOW_ADD(window, cells, cell_count, cell_capacity);
}

struct rtop_late *rtop_window_add_late(struct rtop_window *window)
{
  WINDOW_ADD(window, late, late_count, late_capacity);
}

struct rtop_window_thread *rtop_window_add_thread(struct rtop_window *window)
{
  WINDOW_ADD(window, threads, thread_count, thread_capacity);
}

struct rtop_mark *rtop_window_add_mark(struct rtop_window *window)
{
  WINDOW_ADD(window, marks, mark_count, mark_capacity);
}

struct rtop_begun *rtop_window_add_begun(struct rtop_window *window)
{
  WINDOW_ADD(window, begun, begun_count, begun_capacity);
}

struct rtop_fibers *rtop_window_add_fibers(struct rtop_window *window)
{
  WINDOW_ADD(window, fibers, fibers_count, fibers_capacity);
}

struct rtop_exact *rtop_window_add_exact(struct rtop_window *window)
{
  WINDOW_ADD(window, exact, exact_count, exact_capacity);
}

struct rtop_slow *rtop_window_add_slow(struct rtop_window *window)
{
  WINDOW_ADD(window, slow, slow_count, slow_capacity);
}

struct rtop_raised *rtop_window_add_raised(struct rtop_window *window)
{
  WINDOW_ADD(window, raised, raised_count, raised_capacity);
}

struct rtop_behind *rtop_window_add_pair(struct rtop_window *window)
{
  WINDOW_ADD(window, pairs, pair_count, pair_capacity);
}

size_t rtop_window_compress(const void *raw, size_t raw_bytes, void *out, size_t out_bytes, uint32_t *codec)
{
  /* LZ4 gives up early if the target is too small for the wanted saving. */
  size_t target = raw_bytes - raw_bytes / 8;
  if (raw_bytes <= RTOP_WINDOW_RAW_BYTES_MAX && target > 1 && target <= out_bytes) {
    int packed = LZ4_compress_default(raw, out, (int)raw_bytes, (int)target - 1);
    if (packed > 0) {
      *codec = RTOP_CODEC_LZ4;
      return (size_t)packed;
    }
  }
  *codec = RTOP_CODEC_RAW;
  memcpy(out, raw, raw_bytes);
  return raw_bytes;
}

bool rtop_window_decompress(const void *stored, size_t stored_bytes, uint32_t codec, void *raw, size_t raw_bytes)
{
  if (stored_bytes > RTOP_WINDOW_RAW_BYTES_MAX || raw_bytes > RTOP_WINDOW_RAW_BYTES_MAX) return false;
  if (codec == RTOP_CODEC_LZ4)
    return LZ4_decompress_safe(stored, raw, (int)stored_bytes, (int)raw_bytes) == (int)raw_bytes;
  if (codec != RTOP_CODEC_RAW || stored_bytes != raw_bytes) return false;
  memcpy(raw, stored, raw_bytes);
  return true;
}
