/* SPDX-License-Identifier: MIT */
/* Writes and reads an index. */
#include "recording_index.h"

#include "shm/window/window.h"
#include "tui/text/reserve.h"
#include <lz4.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_CHUNK_BYTES_MIN = 10, INDEX_KNOWN_BYTES_MIN = 3 };

void recording_index_written(struct recording_index *index)
{
  if (index->chunk_count == 0) return;
  const struct recording_chunk *last = &index->chunks[index->chunk_count - 1];
  size_t used = last->known_start + last->known_count;
  index->known_count -= used;
  if (index->known_count) memmove(index->known, index->known + used, index->known_count * sizeof *index->known);
  index->chunk_count = 0;
}

void recording_index_destroy(struct recording_index *index)
{
  free(index->chunks);
  free(index->known);
  *index = (struct recording_index){ 0 };
}

static bool index_may_hold(const struct recording_index *index, size_t bytes)
{
  return !index->budget || rtop_budget_spend(index->budget, RTOP_BUDGET_MEMORY, bytes);
}

struct recording_chunk *recording_index_add_chunk(struct recording_index *index)
{
  if (!index_may_hold(index, sizeof *index->chunks) ||
      !rtop_reserve(&index->chunks, &index->chunk_capacity, index->chunk_count + 1, sizeof *index->chunks))
    return NULL;
  struct recording_chunk *chunk = &index->chunks[index->chunk_count++];
  *chunk = (struct recording_chunk){ .known_start = index->known_count };
  return chunk;
}

struct recording_known *recording_index_add_known(struct recording_index *index)
{
  if (!index_may_hold(index, sizeof *index->known) ||
      !rtop_reserve(&index->known, &index->known_capacity, index->known_count + 1, sizeof *index->known))
    return NULL;
  struct recording_known *known = &index->known[index->known_count++];
  memset(known, 0, sizeof *known);
  return known;
}

void recording_known_fill(struct recording_known *known, uint32_t source, const struct rtop_window *window)
{
  known->source = source;
  known->start_ns = window->start_mono_ns;
  known->end_ns = window->end_mono_ns;
  known->counters_present = window->counters_present;
  memcpy(known->counters, window->counters, sizeof known->counters);
  for (size_t i = 0; i < window->cell_count; i++)
    if (window->cells[i].state < RTOP_STATES) known->wall_ns[window->cells[i].state] += window->cells[i].wall_ns;
  for (size_t i = 0; i < window->thread_count; i++) {
    const struct rtop_window_thread *thread = &window->threads[i];
    known->thread_count += !(thread->flags & RTOP_WINDOW_THREAD_ENDED);
    if (thread->state < RTOP_STATES && thread->flags & RTOP_WINDOW_THREAD_PROVISIONAL)
      known->wall_ns[thread->state] += thread->provisional_ns;
  }
}

static void index_put_known(struct recording_bytes *raw, const struct recording_known *known, int64_t base_ns)
{
  recording_put_number(raw, (uint64_t)known->source * 2 + known->gap);
  recording_put_signed(raw, known->start_ns - base_ns);
  recording_put_number(raw, (uint64_t)(known->end_ns - known->start_ns));
  if (known->gap) return;
  for (int state = 0; state < RTOP_STATES; state++) recording_put_number(raw, known->wall_ns[state]);
  recording_put_number(raw, known->thread_count);
  recording_put_number(raw, (uint64_t)__builtin_popcountll(known->counters_present));
  for (unsigned id = 0; id < RTOP_COUNTER_ID_MAX; id++)
    if (known->counters_present >> id & 1) {
      recording_put_number(raw, id);
      recording_put_number(raw, known->counters[id]);
    }
}

static void index_put_chunk(struct recording_bytes *raw, const struct recording_index *index,
                            const struct recording_chunk *chunk, uint64_t position)
{
  const struct recording_chunk_head *head = &chunk->head;
  recording_put_number(raw, position - chunk->position);
  recording_put_number(raw, head->number);
  recording_put_number(raw, chunk->known_count);
  recording_put_number(raw, head->names_bytes);
  recording_put_number(raw, head->names_raw_bytes);
  recording_put_number(raw, head->windows_bytes);
  recording_put_number(raw, head->windows_raw_bytes);
  recording_put_signed(raw, head->start_ns);
  recording_put_number(raw, (uint64_t)(head->end_ns - head->start_ns));
  if (head->late_ns == INT64_MAX) recording_put_number(raw, 0);
  else recording_put_number(raw, 1 + varint_zigzag((uint64_t)(head->late_ns - head->start_ns)));
  for (size_t i = 0; i < chunk->known_count; i++)
    index_put_known(raw, &index->known[chunk->known_start + i], head->start_ns);
}

bool recording_index_encode(const struct recording_index *index, uint64_t position, struct recording_bytes *out)
{
  struct recording_bytes raw = { 0 };
  size_t start = out->count;
  for (size_t i = 0; i < index->chunk_count; i++) index_put_chunk(&raw, index, &index->chunks[i], position);
  size_t bound = raw.count > LZ4_MAX_INPUT_SIZE ? 0 : (size_t)LZ4_compressBound((int)raw.count);
  struct recording_index_head head = {
    .chunk_count = (uint32_t)index->chunk_count,
    .raw_bytes = (uint32_t)raw.count,
  };
  recording_put(out, &head, sizeof head);
  unsigned char *room = raw.failed || bound == 0 ? NULL : recording_bytes_room(out, bound + raw.count);
  if (room) {
    int packed = LZ4_compress_default((const char *)raw.data, (char *)room, (int)raw.count, (int)bound);
    bool smaller = packed > 0 && (size_t)packed < raw.count;
    if (!smaller && raw.count) memcpy(room, raw.data, raw.count);
    head.stored_bytes = smaller ? (uint32_t)packed : head.raw_bytes;
    out->count += head.stored_bytes;
    memcpy(out->data + start, &head, sizeof head);
    recording_seal(out->data + start, out->count - start, RECORDING_TAG_INDEX);
  }
  out->failed = out->failed || !room;
  recording_bytes_destroy(&raw);
  return !out->failed;
}

static bool index_get_known(struct varint_reader *reader, struct recording_index *index, int64_t base_ns)
{
  struct recording_known *known = recording_index_add_known(index);
  if (!known) return false;
  uint64_t source = varint_get(reader);
  int64_t start = recording_get_signed(reader);
  uint64_t length = varint_get(reader);
  known->source = (uint32_t)(source / 2);
  known->gap = source & 1;
  if (reader->bad || source / 2 >= RECORDING_SOURCES_MAX || length > INT64_MAX ||
      __builtin_add_overflow(base_ns, start, &known->start_ns) ||
      __builtin_add_overflow(known->start_ns, (int64_t)length, &known->end_ns))
    return false;
  if (known->gap) return true;
  for (int state = 0; state < RTOP_STATES; state++) known->wall_ns[state] = varint_get(reader);
  known->thread_count = (uint32_t)varint_get(reader);
  uint64_t count = varint_get(reader);
  for (uint64_t i = 0; i < count && !reader->bad; i++) {
    uint64_t id = varint_get(reader), value = varint_get(reader);
    if (id >= RTOP_COUNTER_ID_MAX) continue;
    known->counters[id] = value;
    known->counters_present |= UINT64_C(1) << id;
  }
  return !reader->bad;
}

static bool index_get_u32(struct varint_reader *reader, uint32_t *value)
{
  uint64_t wide = varint_get(reader);
  *value = (uint32_t)wide;
  return !reader->bad && wide <= UINT32_MAX;
}

static bool index_get_head(struct varint_reader *reader, struct recording_chunk *chunk, uint64_t position)
{
  struct recording_chunk_head *head = &chunk->head;
  uint64_t distance = varint_get(reader);
  if (reader->bad || distance > position || !index_get_u32(reader, &head->number) ||
      !index_get_u32(reader, &head->window_count) || !index_get_u32(reader, &head->names_bytes) ||
      !index_get_u32(reader, &head->names_raw_bytes) || !index_get_u32(reader, &head->windows_bytes) ||
      !index_get_u32(reader, &head->windows_raw_bytes))
    return false;
  chunk->position = position - distance;
  head->start_ns = recording_get_signed(reader);
  uint64_t length = varint_get(reader), late = varint_get(reader);
  head->late_ns = INT64_MAX;
  if (reader->bad || length > INT64_MAX || __builtin_add_overflow(head->start_ns, (int64_t)length, &head->end_ns))
    return false;
  return late == 0 || !__builtin_add_overflow(head->start_ns, (int64_t)varint_unzigzag(late - 1), &head->late_ns);
}

static bool index_get_chunk(struct varint_reader *reader, struct recording_index *index, uint64_t position)
{
  struct recording_chunk *chunk = recording_index_add_chunk(index);
  if (!chunk || !index_get_head(reader, chunk, position) ||
      chunk->head.window_count > varint_left(reader) / INDEX_KNOWN_BYTES_MIN)
    return false;
  chunk->known_count = chunk->head.window_count;
  for (uint32_t i = 0; i < chunk->head.window_count; i++)
    if (!index_get_known(reader, index, chunk->head.start_ns)) return false;
  return true;
}

bool recording_index_decode(struct recording_index *index, const void *frame, size_t bytes, uint64_t position)
{
  struct recording_index_head head;
  if (bytes < sizeof head || !recording_sealed(frame, bytes, RECORDING_TAG_INDEX)) return false;
  memcpy(&head, frame, sizeof head);
  const char *stored = (const char *)frame + sizeof head;
  if (head.stored_bytes > bytes - sizeof head || head.raw_bytes > RECORDING_RAW_BYTES_MAX ||
      head.stored_bytes > head.raw_bytes || head.chunk_count > head.raw_bytes / INDEX_CHUNK_BYTES_MIN)
    return false;
  if (index->budget && !rtop_budget_spend(index->budget, RTOP_BUDGET_CONTENT, head.raw_bytes)) return false;
  char *raw = malloc((size_t)head.raw_bytes + 1);
  bool right = raw != NULL;
  if (right && head.stored_bytes == head.raw_bytes) memcpy(raw, stored, head.raw_bytes);
  else if (right)
    right = LZ4_decompress_safe(stored, raw, (int)head.stored_bytes, (int)head.raw_bytes) == (int)head.raw_bytes;
  size_t chunks = index->chunk_count, known = index->known_count;
  struct varint_reader reader = { .next = (unsigned char *)raw, .end = (unsigned char *)raw + head.raw_bytes };
  for (uint32_t i = 0; i < head.chunk_count && right; i++) right = index_get_chunk(&reader, index, position);
  free(raw);
  if (!right) {
    index->chunk_count = chunks;
    index->known_count = known;
  }
  return right;
}
