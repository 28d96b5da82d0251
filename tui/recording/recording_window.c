/* SPDX-License-Identifier: MIT */
/* A window as bytes of a recording. */
#include "recording_impl.h"

#include "tui/text/reserve.h"
#include <errno.h>
#include <string.h>

enum {
  /* Maximum encoded size of a window's elements, whose columns take ten bytes each. */
  WINDOW_COUNTER_BYTES = 20,
  WINDOW_THREAD_BYTES = 110,
  WINDOW_CELL_BYTES = 100,
  WINDOW_LATE_BYTES = 110,
  WINDOW_MARK_BYTES = 20,
  WINDOW_BEGUN_BYTES = 30,
  WINDOW_FIBERS_BYTES = 70,
  WINDOW_EXACT_BYTES = 40,
  WINDOW_SLOW_BYTES = 200 + RTOP_ARGS_BYTES,
  WINDOW_RAISED_BYTES = 60,
  WINDOW_PAIR_BYTES = 40,
  WINDOW_TABLE_BYTES = 256,
  /* Limits of a chunk, in time and size. */
  CHUNK_MS = 1050,
  CHUNK_BYTES = 4 << 20,
  CHUNK_NAMES_BYTES = 8 << 20,
};

/* Must this stretch go into the next chunk, because the current one is full? */
static bool window_makes_chunk_full(const struct rtop_recorder *recorder, int64_t start_ns, int64_t end_ns)
{
  const struct recording_chunk_head *chunk = &recorder->chunk;
  if (chunk->window_count == 0) return recording_names_bytes(&recorder->names) > CHUNK_NAMES_BYTES;
  int64_t from = start_ns < chunk->start_ns ? start_ns : chunk->start_ns;
  int64_t to = end_ns > chunk->end_ns ? end_ns : chunk->end_ns;
  return to - from > CHUNK_MS * INT64_C(1000000) || recorder->window_rows.count > CHUNK_BYTES ||
         recording_names_bytes(&recorder->names) > CHUNK_NAMES_BYTES;
}

static void window_stretch(struct rtop_recorder *recorder, int64_t start_ns, int64_t end_ns)
{
  struct recording_chunk_head *chunk = &recorder->chunk;
  if (chunk->window_count++ == 0) {
    chunk->start_ns = start_ns;
    chunk->end_ns = end_ns;
    chunk->late_ns = INT64_MAX;
  }
  chunk->start_ns = start_ns < chunk->start_ns ? start_ns : chunk->start_ns;
  chunk->end_ns = end_ns > chunk->end_ns ? end_ns : chunk->end_ns;
}

static uint32_t window_node(struct rtop_recorder *recorder, uint32_t node, const uint32_t *nodes, size_t node_count)
{
  uint32_t id = !nodes ? node : node < node_count ? nodes[node] : 0;
  recording_names_node(&recorder->names, id);
  return id;
}

/* Translates the window to ids of the recording, into recorder->window, without marks. */
static bool window_translate(struct rtop_recorder *recorder, uint32_t source, const struct rtop_window *from,
                             const uint32_t *nodes, size_t node_count)
{
  struct rtop_window *to = &recorder->window;
  rtop_window_reset(to);
  to->start_mono_ns = from->start_mono_ns;
  to->end_mono_ns = from->end_mono_ns;
  to->counters_present = from->counters_present;
  memcpy(to->counters, from->counters, sizeof to->counters);
  for (size_t i = 0; i < from->thread_count; i++) {
    struct rtop_window_thread *thread = rtop_window_add_thread(to);
    if (!thread) return false;
    *thread = from->threads[i];
    thread->slot = 0;
    thread->node = window_node(recorder, thread->node, nodes, node_count);
    recording_names_thread(&recorder->names, recorder->sources[source], source, thread->serial,
                           thread->flags & RTOP_WINDOW_THREAD_ENDED);
  }
  for (size_t i = 0; i < from->cell_count; i++) {
    struct rtop_cell *cell = from->cells[i].thread < from->thread_count ? rtop_window_add_cell(to) : NULL;
    if (!cell) return false;
    *cell = from->cells[i];
    cell->node = window_node(recorder, cell->node, nodes, node_count);
  }
  for (size_t i = 0; i < from->late_count; i++) {
    struct rtop_late *late = from->late[i].cell.thread < from->thread_count ? rtop_window_add_late(to) : NULL;
    if (!late) return false;
    *late = from->late[i];
    late->cell.node = window_node(recorder, late->cell.node, nodes, node_count);
    if (late->start_mono_ns < recorder->chunk.late_ns) recorder->chunk.late_ns = late->start_mono_ns;
  }
  for (size_t i = 0; i < from->begun_count; i++) {
    struct rtop_begun *begun = rtop_window_add_begun(to);
    if (!begun) return false;
    *begun = from->begun[i];
    begun->node = window_node(recorder, begun->node, nodes, node_count);
  }
  for (size_t i = 0; i < from->fibers_count; i++) {
    struct rtop_fibers *fibers = rtop_window_add_fibers(to);
    if (!fibers) return false;
    *fibers = from->fibers[i];
    fibers->name = window_node(recorder, fibers->name, nodes, node_count);
    fibers->node = window_node(recorder, fibers->node, nodes, node_count);
  }
  for (size_t i = 0; i < from->exact_count; i++) {
    struct rtop_exact *exact = rtop_window_add_exact(to);
    if (!exact) return false;
    *exact = from->exact[i];
    exact->node = window_node(recorder, exact->node, nodes, node_count);
  }
  for (size_t i = 0; i < from->slow_count; i++) {
    struct rtop_slow *slow = rtop_window_add_slow(to);
    if (!slow) return false;
    *slow = from->slow[i];
    slow->node = window_node(recorder, slow->node, nodes, node_count);
    slow->stack = window_node(recorder, slow->stack, nodes, node_count);
  }
  for (size_t i = 0; i < from->raised_count; i++) {
    struct rtop_raised *raised = rtop_window_add_raised(to);
    if (!raised) return false;
    *raised = from->raised[i];
    raised->name = window_node(recorder, raised->name, nodes, node_count);
    raised->node = window_node(recorder, raised->node, nodes, node_count);
  }
  for (size_t i = 0; i < from->pair_count; i++) {
    struct rtop_behind *pair = rtop_window_add_pair(to);
    if (!pair) return false;
    *pair = from->pairs[i];
    pair->node = window_node(recorder, pair->node, nodes, node_count);
    pair->holder = window_node(recorder, pair->holder, nodes, node_count);
    pair->place = window_node(recorder, pair->place, nodes, node_count);
  }
  return true;
}

/* Room that folds nothing. */
static size_t window_bound(const struct rtop_window *window)
{
  return WINDOW_TABLE_BYTES + RTOP_COUNTER_ID_MAX * WINDOW_COUNTER_BYTES + window->thread_count * WINDOW_THREAD_BYTES +
         window->cell_count * WINDOW_CELL_BYTES + window->late_count * WINDOW_LATE_BYTES +
         window->mark_count * WINDOW_MARK_BYTES + window->begun_count * WINDOW_BEGUN_BYTES +
         window->fibers_count * WINDOW_FIBERS_BYTES + window->exact_count * WINDOW_EXACT_BYTES +
         window->slow_count * WINDOW_SLOW_BYTES + window->raised_count * WINDOW_RAISED_BYTES +
         window->pair_count * WINDOW_PAIR_BYTES;
}

static void window_put_stretch(struct recording_bytes *row, uint32_t source, int64_t start_ns, int64_t end_ns)
{
  recording_put_number(row, source);
  recording_put_signed(row, start_ns);
  recording_put_number(row, (uint64_t)(end_ns - start_ns));
}

static bool window_put(struct rtop_recorder *recorder, uint32_t source)
{
  struct rtop_window *window = &recorder->window;
  struct recording_bytes *row = &recorder->raw;
  size_t bound = window_bound(window), sort_bytes = rtop_window_scratch_bytes(window->cell_count + 1);
  row->count = 0;
  window_put_stretch(row, source, window->start_mono_ns, window->end_mono_ns);
  unsigned char *room = recording_bytes_room(row, bound);
  if (!room || !rtop_reserve(&recorder->sort, &recorder->sort_capacity, sort_bytes, 1)) return false;
  row->count += rtop_window_encode(window, room, bound, recorder->sort);
  recording_put_record(&recorder->window_rows, RECORDING_WINDOW, row);
  return !recorder->window_rows.failed;
}

static bool window_is_sane(const struct rtop_recorder *recorder, uint32_t source, int64_t start_ns, int64_t end_ns)
{
  return !recorder_failed(recorder) && source < RECORDING_SOURCES_MAX && start_ns >= 0 && end_ns > start_ns;
}

void recorder_add_window(struct rtop_recorder *recorder, uint32_t source, const struct rtop_window *window,
                         const uint32_t *nodes, size_t node_count)
{
  source = recorder_number(recorder, source);
  if (!window_is_sane(recorder, source, window->start_mono_ns, window->end_mono_ns) ||
      recorder_leaves_out(recorder, source))
    return;
  if (window_makes_chunk_full(recorder, window->start_mono_ns, window->end_mono_ns)) recorder_flush(recorder);
  window_stretch(recorder, window->start_mono_ns, window->end_mono_ns);
  struct recording_known *known = recording_index_add_known(&recorder->index);
  if (!known || !window_translate(recorder, source, window, nodes, node_count) || !window_put(recorder, source)) {
    recorder_fail(recorder, ENOMEM);
    return;
  }
  recording_known_fill(known, source, &recorder->window);
  recorder->windows++;
}

void recorder_add_gap(struct rtop_recorder *recorder, uint32_t source, int64_t start_ns, int64_t end_ns)
{
  source = recorder_number(recorder, source);
  if (!window_is_sane(recorder, source, start_ns, end_ns) || recorder_is_behind(recorder)) return;
  if (window_makes_chunk_full(recorder, start_ns, end_ns)) recorder_flush(recorder);
  window_stretch(recorder, start_ns, end_ns);
  struct recording_known *known = recording_index_add_known(&recorder->index);
  recorder->raw.count = 0;
  window_put_stretch(&recorder->raw, source, start_ns, end_ns);
  recording_put_record(&recorder->window_rows, RECORDING_GAP, &recorder->raw);
  if (!known || recorder->window_rows.failed) {
    recorder_fail(recorder, ENOMEM);
    return;
  }
  *known = (struct recording_known){ .source = source, .gap = true, .start_ns = start_ns, .end_ns = end_ns };
}

void recorder_add_mark(struct rtop_recorder *recorder, uint32_t source, int64_t time_ns, const char *name,
                       size_t name_bytes)
{
  source = recorder_number(recorder, source);
  if (!recorder_failed(recorder) && source < RECORDING_SOURCES_MAX && time_ns >= 0 && !recorder_is_behind(recorder))
    recording_names_mark(&recorder->names, source, time_ns, name, name_bytes);
}
