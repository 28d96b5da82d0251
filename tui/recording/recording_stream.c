/* SPDX-License-Identifier: MIT */
/* Takes a stream apart into chunks. */
#include "recording_stream.h"

#include "recording_read_impl.h"
#include "shm/base/error.h"
#include <stdlib.h>
#include <string.h>

enum { STREAM_PIECE = 1 << 16, STREAM_PASSED = RTOP_RECORDING_REFUSED + 1 /* something else was there */ };
/* Maximum sizes: of an index or a frame of a later version; and of the end. */
static const uint64_t stream_skip_max = UINT64_C(1) << 27, stream_end_max = UINT64_C(1) << 24;

struct rtop_recording_stream {
  struct rtop_recording *content;
  struct recording_bytes in;
  size_t at;     /* what is before was taken */
  uint64_t skip; /* bytes still to come that nobody wants */
  uint64_t damages;
  const char *name;
  bool headed, lost, ended; /* lost: searching for the beginning of a frame */
};

struct rtop_recording_stream *rtop_recording_stream_open(uid_t owner)
{
  struct rtop_recording_stream *stream = calloc(1, sizeof *stream);
  struct rtop_recording *content = calloc(1, sizeof *content);
  if (!stream || !content) {
    free(stream);
    free(content);
    return NULL;
  }
  content->fd = -1;
  content->owner = owner;
  stream->content = content;
  stream->name = "standard input";
  return stream;
}

void rtop_recording_stream_name(struct rtop_recording_stream *stream, const char *name)
{
  stream->name = name;
}

void rtop_recording_stream_place(struct rtop_recording_stream *stream, const struct rtop_recording_placing *placing)
{
  stream->content->placing = *placing;
  stream->content->placed = true;
}

void rtop_recording_stream_settle(struct rtop_recording_stream *stream)
{
  stream->ended = true;
  stream->at = 0;
  stream->content->rows = (struct varint_reader){ 0 };
  recording_bytes_destroy(&stream->in);
  recording_bytes_destroy(&stream->content->packed);
  recording_bytes_destroy(&stream->content->raw);
}

bool rtop_recording_stream_headed(const struct rtop_recording_stream *stream)
{
  return stream->headed;
}

void rtop_recording_stream_close(struct rtop_recording_stream **handle)
{
  struct rtop_recording_stream *stream = *handle;
  *handle = NULL;
  if (!stream) return;
  rtop_recording_close(&stream->content);
  recording_bytes_destroy(&stream->in);
  free(stream);
}

struct rtop_recording *rtop_recording_stream_content(struct rtop_recording_stream *stream)
{
  return stream->content;
}

uint64_t rtop_recording_stream_bytes(const struct rtop_recording_stream *stream)
{
  return stream->content->bytes;
}

uint64_t rtop_recording_stream_damages(const struct rtop_recording_stream *stream)
{
  return stream->damages;
}

unsigned char *rtop_recording_stream_room(struct rtop_recording_stream *stream, size_t *bytes)
{
  struct recording_bytes *in = &stream->in;
  if (stream->at > 0) {
    memmove(in->data, in->data + stream->at, in->count - stream->at);
    in->count -= stream->at;
    stream->at = 0;
  }
  *bytes = STREAM_PIECE;
  return recording_bytes_room(in, STREAM_PIECE);
}

void rtop_recording_stream_take(struct rtop_recording_stream *stream, size_t bytes)
{
  stream->in.count += bytes;
  stream->content->bytes += bytes;
}

static size_t stream_left(const struct rtop_recording_stream *stream)
{
  return stream->in.count - stream->at;
}

static const unsigned char *stream_here(const struct rtop_recording_stream *stream)
{
  return stream->in.data + stream->at;
}

static enum rtop_recording_step stream_take_head(struct rtop_recording_stream *stream, struct rtop_error *error)
{
  struct recording_head head = { 0 };
  size_t left = stream_left(stream), known = offsetof(struct recording_head, byte_order);
  memcpy(&head, stream_here(stream), left < sizeof head ? left : sizeof head);
  bool whole = left >= sizeof head;
  bool wrong = left >= known && memcmp(head.magic, RECORDING_MAGIC, sizeof head.magic) != 0;
  if (left >= sizeof head.frame.magic) wrong = wrong || head.frame.magic != RECORDING_SKIPPABLE;
  if (wrong) memset(head.magic, 0, sizeof head.magic);
  if (!whole && !wrong) return RTOP_RECORDING_MORE;
  if (!recording_check_head(&head, stream->name, error)) return RTOP_RECORDING_REFUSED;
  stream->content->head = head;
  stream->headed = true;
  stream->at += sizeof head;
  return RTOP_RECORDING_CHUNK;
}

/* Finds the next possible beginning of a frame after this byte. */
static enum rtop_recording_step stream_search(struct rtop_recording_stream *stream)
{
  static const uint32_t magic = RECORDING_SKIPPABLE;
  stream->damages += !stream->lost;
  stream->lost = true;
  stream->at++;
  size_t left = stream_left(stream);
  const unsigned char *from = stream_here(stream), *found = memmem(from, left, &magic, sizeof magic);
  if (found) stream->at += (size_t)(found - from);
  else if (left >= sizeof magic) stream->at += left - sizeof magic + 1;
  return (enum rtop_recording_step)STREAM_PASSED;
}

static void stream_skip(struct rtop_recording_stream *stream)
{
  size_t left = stream_left(stream);
  size_t now = stream->skip < left ? (size_t)stream->skip : left;
  stream->at += now;
  stream->skip -= now;
}

/* Reads all names of a chunk, and prepares to walk over its rows. Parts that cannot be decompressed are left out. */
static enum rtop_recording_step stream_take_chunk(struct rtop_recording_stream *stream,
                                                  const struct recording_chunk_head *head, struct rtop_profile *profile,
                                                  struct rtop_error *error)
{
  struct rtop_recording *content = stream->content;
  const unsigned char *names = stream_here(stream) + sizeof *head, *windows = names + head->names_bytes;
  size_t bytes = sizeof *head + head->names_bytes + head->windows_bytes;
  content->budget.source_bytes = content->bytes - (stream_left(stream) - bytes);
  if (!rtop_budget_spend(&content->budget, RTOP_BUDGET_CONTENT,
                         (uint64_t)head->names_raw_bytes + head->windows_raw_bytes)) {
    rtop_recording_refuse(content, stream->name, error);
    return RTOP_RECORDING_REFUSED;
  }
  bool fine = true;
  if (head->names_bytes) {
    fine = recording_take_frame(content, names, head->names_bytes, head->names_raw_bytes);
    if (fine) recording_take_names(content, profile);
  }
  if (!profile) return RTOP_RECORDING_CHUNK;
  content->rows = (struct varint_reader){ 0 };
  if (head->windows_bytes)
    fine = recording_take_frame(content, windows, head->windows_bytes, head->windows_raw_bytes) && fine;
  stream->damages += !fine;
  stream->at += bytes;
  return RTOP_RECORDING_CHUNK;
}

static enum rtop_recording_step stream_chunk(struct rtop_recording_stream *stream, struct rtop_profile *profile,
                                             struct rtop_error *error)
{
  struct recording_chunk_head head;
  if (stream_left(stream) < sizeof head) return RTOP_RECORDING_MORE;
  memcpy(&head, stream_here(stream), sizeof head);
  if (!recording_sealed(&head, sizeof head, RECORDING_TAG_CHUNK) || head.end_ns < head.start_ns ||
      !recording_sizes_right(head.names_bytes, head.names_raw_bytes) ||
      !recording_sizes_right(head.windows_bytes, head.windows_raw_bytes))
    return stream_search(stream);
  stream->lost = false;
  if (stream_left(stream) - sizeof head < (uint64_t)head.names_bytes + head.windows_bytes) return RTOP_RECORDING_MORE;
  return stream_take_chunk(stream, &head, profile, error);
}

static bool stream_is_tag(const struct recording_frame *frame, const char *tag)
{
  return memcmp(frame->tag, tag, sizeof frame->tag) == 0;
}

/* Skips other frames: the end must be intact; an index, or a frame of a later version, is not needed. */
static enum rtop_recording_step stream_other(struct rtop_recording_stream *stream, const struct recording_frame *frame)
{
  uint64_t bytes = (uint64_t)frame->bytes + 8;
  bool end = stream_is_tag(frame, RECORDING_TAG_END);
  if (bytes < sizeof *frame || bytes > (end ? stream_end_max : stream_skip_max)) return stream_search(stream);
  if (end && stream_left(stream) < bytes) return RTOP_RECORDING_MORE;
  if (end && recording_sealed(stream_here(stream), (size_t)bytes, RECORDING_TAG_END)) {
    stream->ended = stream->content->complete = true;
    return RTOP_RECORDING_ENDED;
  }
  if (end || memcmp(frame->tag, "RPT", 3) != 0) return stream_search(stream);
  stream->lost = false;
  stream->skip = bytes;
  return (enum rtop_recording_step)STREAM_PASSED;
}

static enum rtop_recording_step stream_frame(struct rtop_recording_stream *stream, struct rtop_profile *profile,
                                             struct rtop_error *error)
{
  struct recording_frame frame;
  if (stream->skip) stream_skip(stream);
  if (stream_left(stream) < sizeof frame) return RTOP_RECORDING_MORE;
  memcpy(&frame, stream_here(stream), sizeof frame);
  if (frame.magic != RECORDING_SKIPPABLE) return stream_search(stream);
  return stream_is_tag(&frame, RECORDING_TAG_CHUNK) ? stream_chunk(stream, profile, error)
                                                    : stream_other(stream, &frame);
}

enum rtop_recording_step rtop_recording_stream_next(struct rtop_recording_stream *stream, struct rtop_profile *profile,
                                                    struct rtop_error *error)
{
  stream->content->rows = (struct varint_reader){ 0 };
  if (stream->ended) return RTOP_RECORDING_ENDED;
  if (!stream->headed) {
    enum rtop_recording_step step = stream_take_head(stream, error);
    if (step != RTOP_RECORDING_CHUNK) return step;
  }
  enum rtop_recording_step step;
  do {
    step = stream_frame(stream, profile, error);
  } while ((int)step == STREAM_PASSED);
  return step;
}
