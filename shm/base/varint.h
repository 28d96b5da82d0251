/* SPDX-License-Identifier: MIT */
/* LEB128 numbers: seven bits per byte, lowest first. Private to shm/window_*.c.
 *
 * The writer keeps counting when its buffer is full, so the caller learns the needed size. The reader never reads
 * beyond its end and rejects numbers of more than 64 bits; after an error it returns 0 for every number.
 */
#ifndef RTOP_SHM_VARINT_H
#define RTOP_SHM_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct varint_writer {
  unsigned char *out;
  size_t capacity;
  size_t bytes; /* number of bytes written, or number needed if larger than `capacity` */
};

struct varint_reader {
  const unsigned char *next;
  const unsigned char *end;
  bool bad;
};

static inline void varint_put_byte(struct varint_writer *writer, unsigned char byte)
{
  if (writer->bytes < writer->capacity) writer->out[writer->bytes] = byte;
  writer->bytes++;
}

static inline void varint_put(struct varint_writer *writer, uint64_t value)
{
  for (; value >= 0x80; value >>= 7) varint_put_byte(writer, (unsigned char)(value | 0x80));
  varint_put_byte(writer, (unsigned char)value);
}

static inline size_t varint_left(const struct varint_reader *reader)
{
  return (size_t)(reader->end - reader->next);
}

static inline uint64_t varint_get(struct varint_reader *reader)
{
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70 && reader->next < reader->end && !reader->bad; shift += 7) {
    unsigned char byte = *reader->next++;
    if (shift == 63 && byte > 1) break;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
  reader->bad = true;
  return 0;
}

/* Maps signed differences (modulo 2^64) to unsigned numbers, so that small differences become small numbers. */
static inline uint64_t varint_zigzag(uint64_t difference)
{
  return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t varint_unzigzag(uint64_t coded)
{
  return coded >> 1 ^ (0 - (coded & 1));
}

#endif
