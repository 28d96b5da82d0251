/* SPDX-License-Identifier: MIT */
/* Finds the content of a recording: by the indexes listed at its end, or step by step from its beginning. */
#include "recording_read_impl.h"

#include <stdlib.h>
#include <string.h>

enum { WALK_PIECE = 1 << 16 };
static const uint64_t walk_frame_bytes_max = UINT64_C(1) << 27; /* of a frame of ours */

/* Reads a sealed frame with its content; the caller frees it. NULL: there is none. */
static void *walk_read_sealed(const struct rtop_recording *recording, uint64_t position, const char *tag, size_t *bytes)
{
  struct recording_frame frame;
  if (position > recording->bytes || recording->bytes - position < sizeof frame ||
      !recording_pread(recording, &frame, sizeof frame, position) || frame.magic != RECORDING_SKIPPABLE ||
      memcmp(frame.tag, tag, sizeof frame.tag) != 0)
    return NULL;
  *bytes = (size_t)frame.bytes + 8;
  if (*bytes < sizeof frame || *bytes > recording->bytes - position || *bytes > walk_frame_bytes_max) return NULL;
  void *content = malloc(*bytes);
  if (content && recording_pread(recording, content, *bytes, position) && recording_sealed(content, *bytes, tag))
    return content;
  free(content);
  return NULL;
}

static bool walk_read_index(struct rtop_recording *recording, uint64_t position, size_t *bytes)
{
  void *frame = walk_read_sealed(recording, position, RECORDING_TAG_INDEX, bytes);
  bool right = frame && recording_index_decode(&recording->index, frame, *bytes, position);
  free(frame);
  return right;
}

static bool walk_read_positions(struct rtop_recording *recording, const unsigned char *end, size_t bytes)
{
  struct recording_end_head head;
  memcpy(&head, end, sizeof head);
  if (head.index_count > (bytes - sizeof head - sizeof(struct recording_end_foot)) / sizeof(uint64_t)) return false;
  for (uint32_t i = 0; i < head.index_count; i++) {
    uint64_t position;
    size_t index_bytes;
    memcpy(&position, end + sizeof head + i * sizeof position, sizeof position);
    if (!walk_read_index(recording, position, &index_bytes)) return false;
  }
  return true;
}

bool recording_read_ends(struct rtop_recording *recording)
{
  struct recording_end_foot foot;
  size_t bytes = 0;
  if (recording->bytes < sizeof foot + sizeof(struct recording_end_head) ||
      !recording_pread(recording, &foot, sizeof foot, recording->bytes - sizeof foot) ||
      memcmp(foot.tag, RECORDING_TAG_END, sizeof foot.tag) != 0 || foot.bytes > recording->bytes ||
      foot.bytes < sizeof foot + sizeof(struct recording_end_head))
    return false;
  unsigned char *end = walk_read_sealed(recording, recording->bytes - foot.bytes, RECORDING_TAG_END, &bytes);
  bool right = end && bytes == foot.bytes && walk_read_positions(recording, end, bytes);
  free(end);
  if (!right) recording->index.chunk_count = recording->index.known_count = 0;
  return right;
}

/* Size of a chunk that is completely present at this position (bytes); 0: there is none. */
static uint64_t walk_chunk(struct rtop_recording *recording, uint64_t position, struct recording_chunk_head *head)
{
  if (recording->bytes - position < sizeof *head || !recording_pread(recording, head, sizeof *head, position) ||
      !recording_sealed(head, sizeof *head, RECORDING_TAG_CHUNK) || head->end_ns < head->start_ns)
    return 0;
  uint64_t bytes = sizeof *head + (uint64_t)head->names_bytes + head->windows_bytes;
  return bytes <= recording->bytes - position ? bytes : 0;
}

/* Next possible beginning of a frame, from `position` on. */
static uint64_t walk_search(struct rtop_recording *recording, uint64_t position)
{
  static const uint32_t magic = RECORDING_SKIPPABLE;
  unsigned char *piece = malloc(WALK_PIECE);
  uint64_t found = recording->bytes;
  while (piece && found == recording->bytes && position + sizeof(struct recording_frame) < recording->bytes) {
    uint64_t left = recording->bytes - position;
    size_t bytes = left < WALK_PIECE ? (size_t)left : WALK_PIECE;
    if (!recording_pread(recording, piece, bytes, position)) break;
    const unsigned char *at = memmem(piece, bytes, &magic, sizeof magic);
    if (at) found = position + (uint64_t)(at - piece);
    position += bytes - sizeof magic + 1;
  }
  free(piece);
  return found;
}

/* Adds the windows of an index to chunks found before; chunks in the index that no longer exist are ignored. */
static bool walk_take_index(struct rtop_recording *recording, uint64_t position, size_t *bytes)
{
  struct recording_index *index = &recording->index;
  size_t walked = index->chunk_count, at = walked;
  if (!walk_read_index(recording, position, bytes)) return false;
  while (at > 0 && walked < index->chunk_count && index->chunks[at - 1].position >= index->chunks[walked].position)
    at--;
  for (size_t told = walked; told < index->chunk_count && at < walked;) {
    const struct recording_chunk *from = &index->chunks[told];
    struct recording_chunk *to = &index->chunks[at];
    if (from->position == to->position && from->head.windows_bytes == to->head.windows_bytes &&
        from->head.number == to->head.number) {
      to->known_start = from->known_start;
      to->known_count = from->known_count;
    }
    told += from->position <= to->position;
    at += from->position >= to->position;
  }
  index->chunk_count = walked;
  return true;
}

bool recording_walk(struct rtop_recording *recording)
{
  uint64_t position = sizeof(struct recording_head);
  while (position < recording->bytes && !recording->budget.over) {
    struct recording_chunk_head head;
    size_t index_bytes;
    uint64_t bytes = walk_chunk(recording, position, &head);
    if (bytes) {
      struct recording_chunk *chunk = recording_index_add_chunk(&recording->index);
      if (!chunk) return false;
      chunk->position = position;
      chunk->head = head;
      position += bytes;
    } else if (walk_take_index(recording, position, &index_bytes)) {
      position += index_bytes;
    } else {
      position = walk_search(recording, position + 1);
    }
  }
  return true;
}
