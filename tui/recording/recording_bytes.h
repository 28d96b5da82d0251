/* SPDX-License-Identifier: MIT */
/* Bytes of a recording in memory: growing buffers, and the frames around them.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_RECORDING_BYTES_H
#define RTOP_TUI_RECORDING_BYTES_H

#include "recording_format.h"
#include "shm/base/varint.h"
#include <stdbool.h>

/* A growing buffer. After memory ran out it stays `failed` and accepts nothing more. A struct of zeros is empty. */
struct recording_bytes {
  unsigned char *data;
  size_t count, capacity;
  bool failed;
};
void recording_bytes_destroy(struct recording_bytes *bytes);
/* Reserves `count` bytes at the end; NULL: failed. */
unsigned char *recording_bytes_room(struct recording_bytes *bytes, size_t count);
void recording_put(struct recording_bytes *bytes, const void *data, size_t count);
void recording_put_number(struct recording_bytes *bytes, uint64_t value);
void recording_put_signed(struct recording_bytes *bytes, int64_t value);
void recording_put_text(struct recording_bytes *bytes, const char *text); /* cut to its bound */
/* Appends a record with the given content; nothing if the content is empty. */
void recording_put_record(struct recording_bytes *bytes, enum recording_record kind,
                          const struct recording_bytes *content);
/* Appends an LZ4 frame with the given content. Returns its length; 0: memory ran out (bytes->failed). */
size_t recording_put_frame(struct recording_bytes *bytes, const struct recording_bytes *content);

/* Decompresses an LZ4 frame of exactly `bytes` bytes into raw[raw_bytes], which it must fill. */
bool recording_unpack(const void *frame, size_t bytes, void *raw, size_t raw_bytes);

/* Fills in length, tag and CRC of a skippable frame of `bytes` bytes in total. */
void recording_seal(void *frame, size_t bytes, const char *tag);
/* Is it one with that tag, whole? */
bool recording_sealed(const void *frame, size_t bytes, const char *tag);

/* Appends a complete chunk: its head, of which this function fills in sizes and seal, and its frames. False:
   memory ran out. */
bool recording_put_chunk(struct recording_bytes *out, struct recording_chunk_head *head,
                         const struct recording_bytes *names, const struct recording_bytes *windows);

/* Reads a text without copying it. False, with reader->bad set, when the text is invalid. */
bool recording_get_text(struct varint_reader *reader, const char **text, size_t *text_bytes);
static inline int64_t recording_get_signed(struct varint_reader *reader)
{
  return (int64_t)varint_unzigzag(varint_get(reader));
}

#endif
