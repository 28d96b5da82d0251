/* SPDX-License-Identifier: MIT */
/* Growing buffers, and the frame of each chunk. */
#include "recording_bytes.h"

#include "shm/base/ring.h"
#include "tui/text/reserve.h"
#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_VARINT_MAX = 10 };

void recording_bytes_destroy(struct recording_bytes *bytes)
{
  free(bytes->data);
  *bytes = (struct recording_bytes){ 0 };
}

unsigned char *recording_bytes_room(struct recording_bytes *bytes, size_t count)
{
  if (bytes->failed || count > SIZE_MAX / 8 || bytes->count > SIZE_MAX / 8 ||
      !rtop_reserve(&bytes->data, &bytes->capacity, bytes->count + count + 1, 1)) {
    bytes->failed = true;
    return NULL;
  }
  return bytes->data + bytes->count;
}

void recording_put(struct recording_bytes *bytes, const void *data, size_t count)
{
  unsigned char *room = recording_bytes_room(bytes, count);
  if (!room || count == 0) return;
  memcpy(room, data, count);
  bytes->count += count;
}

void recording_put_number(struct recording_bytes *bytes, uint64_t value)
{
  unsigned char *room = recording_bytes_room(bytes, BYTES_VARINT_MAX);
  if (!room) return;
  struct varint_writer writer = { .out = room, .capacity = BYTES_VARINT_MAX };
  varint_put(&writer, value);
  bytes->count += writer.bytes;
}

void recording_put_signed(struct recording_bytes *bytes, int64_t value)
{
  recording_put_number(bytes, varint_zigzag((uint64_t)value));
}

void recording_put_text(struct recording_bytes *bytes, const char *text)
{
  size_t length = strnlen(text, RECORDING_TEXT_BYTES_MAX);
  recording_put_number(bytes, length);
  recording_put(bytes, text, length);
}

void recording_put_record(struct recording_bytes *bytes, enum recording_record kind,
                          const struct recording_bytes *content)
{
  bytes->failed = bytes->failed || content->failed;
  if (content->count == 0) return;
  recording_put_number(bytes, kind);
  recording_put_number(bytes, content->count);
  recording_put(bytes, content->data, content->count);
}

size_t recording_put_frame(struct recording_bytes *bytes, const struct recording_bytes *content)
{
  const LZ4F_preferences_t preferences = {
    .frameInfo = {
      .blockSizeID = LZ4F_max256KB, .blockMode = LZ4F_blockIndependent,
      .contentChecksumFlag = LZ4F_contentChecksumEnabled, .blockChecksumFlag = LZ4F_blockChecksumEnabled,
      .contentSize = content->count,
    },
  };
  size_t bound = LZ4F_compressFrameBound(content->count, &preferences);
  unsigned char *room = recording_bytes_room(bytes, bound);
  bytes->failed = bytes->failed || content->failed;
  if (bytes->failed) return 0;
  size_t packed = LZ4F_compressFrame(room, bound, content->data, content->count, &preferences);
  if (LZ4F_isError(packed)) {
    bytes->failed = true;
    return 0;
  }
  bytes->count += packed;
  return packed;
}

bool recording_unpack(const void *frame, size_t bytes, void *raw, size_t raw_bytes)
{
  LZ4F_dctx *context = NULL;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) return false;
  size_t used = 0, made = 0, left = 1;
  while (used < bytes && left != 0) {
    size_t in = bytes - used, out = raw_bytes - made;
    left = LZ4F_decompress(context, (char *)raw + made, &out, (const char *)frame + used, &in, NULL);
    if (LZ4F_isError(left) || (in == 0 && out == 0)) break;
    used += in;
    made += out;
  }
  LZ4F_freeDecompressionContext(context);
  return left == 0 && used == bytes && made == raw_bytes;
}

static uint32_t bytes_crc(const void *frame, size_t bytes)
{
  static const uint32_t zero;
  const size_t at = offsetof(struct recording_frame, crc32c);
  uint32_t crc = rtop_crc32c(0, frame, at);
  crc = rtop_crc32c(crc, &zero, sizeof zero);
  return rtop_crc32c(crc, (const char *)frame + at + sizeof zero, bytes - at - sizeof zero);
}

void recording_seal(void *frame, size_t bytes, const char *tag)
{
  struct recording_frame head = { .magic = RECORDING_SKIPPABLE, .bytes = (uint32_t)(bytes - 8) };
  memcpy(head.tag, tag, sizeof head.tag);
  memcpy(frame, &head, sizeof head);
  head.crc32c = bytes_crc(frame, bytes);
  memcpy(frame, &head, sizeof head);
}

bool recording_sealed(const void *frame, size_t bytes, const char *tag)
{
  struct recording_frame head;
  if (bytes < sizeof head) return false;
  memcpy(&head, frame, sizeof head);
  return head.magic == RECORDING_SKIPPABLE && head.bytes == bytes - 8 && memcmp(head.tag, tag, sizeof head.tag) == 0 &&
         head.crc32c == bytes_crc(frame, bytes);
}

bool recording_put_chunk(struct recording_bytes *out, struct recording_chunk_head *head,
                         const struct recording_bytes *names, const struct recording_bytes *windows)
{
  size_t start = out->count;
  recording_put(out, head, sizeof *head);
  if (names->count) head->names_bytes = (uint32_t)recording_put_frame(out, names);
  head->names_raw_bytes = (uint32_t)names->count;
  if (windows->count) head->windows_bytes = (uint32_t)recording_put_frame(out, windows);
  head->windows_raw_bytes = (uint32_t)windows->count;
  if (out->failed || names->failed || windows->failed) return false;
  recording_seal(head, sizeof *head, RECORDING_TAG_CHUNK);
  /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): the head was put there */
  memcpy(out->data + start, head, sizeof *head);
  return true;
}

bool recording_get_text(struct varint_reader *reader, const char **text, size_t *text_bytes)
{
  uint64_t length = varint_get(reader);
  *text = (const char *)reader->next;
  *text_bytes = (size_t)length;
  if (reader->bad || length > varint_left(reader) || length > RECORDING_TEXT_BYTES_MAX) {
    reader->bad = true;
    *text_bytes = 0;
    return false;
  }
  reader->next += length;
  return true;
}
