/* SPDX-License-Identifier: MIT */
/* A window as bytes of a recording. */
#include "recording_impl.h"

#include "shm/window/window_lists.h"
#include "tui/text/reserve.h"
#include <errno.h>
#include <string.h>

enum {
  /* Maximum encoded size of a counter, and of what precedes the parts. */
  WINDOW_COUNTER_BYTES = 20,
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

struct window_translation {
  struct rtop_recorder *recorder;
  const uint32_t *nodes; /* by the window's own; NULL: they are the recording's already */
  size_t node_count;
};

static void window_node(void *context, uint32_t *node)
{
  const struct window_translation *to = context;
  if (to->nodes) *node = *node < to->node_count ? to->nodes[*node] : 0;
  recording_names_node(&to->recorder->names, *node);
}

static bool window_threads_exist(const struct rtop_window *window)
{
  for (size_t i = 0; i < window->cell_count; i++)
    if (window->cells[i].thread >= window->thread_count) return false;
  for (size_t i = 0; i < window->late_count; i++)
    if (window->late[i].cell.thread >= window->thread_count) return false;
  return true;
}

/* Translates the window to ids of the recording, into recorder->window, without marks. */
static bool window_translate(struct rtop_recorder *recorder, uint32_t source, const struct rtop_window *from,
                             const uint32_t *nodes, size_t node_count)
{
  struct rtop_window *to = &recorder->window;
  struct window_translation translation = { recorder, nodes, node_count };
  if (!window_threads_exist(from) || !rtop_window_copy(to, from)) return false;
  to->mark_count = 0;
  rtop_window_each_node(to, window_node, &translation);
  for (size_t i = 0; i < to->thread_count; i++) {
    struct rtop_window_thread *thread = &to->threads[i];
    thread->slot = 0;
    recording_names_thread(&recorder->names, recorder->sources[source], source, thread->serial,
                           thread->flags & RTOP_WINDOW_THREAD_ENDED);
  }
  for (size_t i = 0; i < to->late_count; i++)
    if (to->late[i].start_mono_ns < recorder->chunk.late_ns) recorder->chunk.late_ns = to->late[i].start_mono_ns;
  return true;
}

/* Room that folds nothing. */
static size_t window_bound(const struct rtop_window *window)
{
  size_t bytes = WINDOW_TABLE_BYTES + RTOP_COUNTER_ID_MAX * WINDOW_COUNTER_BYTES;
  for (enum rtop_window_lists at = 0; at < RTOP_LISTS; at++) {
    struct rtop_window_list list = rtop_window_list(window, at);
    bytes += list.count * list.most_bytes;
  }
  return bytes;
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
