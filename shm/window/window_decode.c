/* SPDX-License-Identifier: MIT */
/* Decodes untrusted bytes into a window whose every index is in range. */
#include "window_parts.h"
#include "shm/base/varint.h"

#include <string.h>

static bool decode_column(struct varint_reader *reader, const struct window_part *part,
                          const struct window_column *column, unsigned char *rows, size_t count, int64_t start_mono_ns)
{
  uint64_t before = column->coding == WINDOW_TIME ? (uint64_t)start_mono_ns : 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t value = varint_get(reader);
    if (column->coding != WINDOW_PLAIN) value = before + varint_unzigzag(value);
    if (!window_set_field(rows + i * part->row_bytes, column, value)) return false;
    before = value;
  }
  return !reader->bad;
}

/* Reads a count, limited by the remaining bytes, since every element takes at least one byte per column. */
static bool decode_count(struct varint_reader *reader, size_t column_count, size_t *count)
{
  uint64_t claimed = varint_get(reader);
  *count = (size_t)claimed;
  return !reader->bad && claimed <= varint_left(reader) / column_count;
}

/* The bytes of all arguments follow their lengths. */
static bool decode_args(struct varint_reader *reader, struct rtop_window *window)
{
  for (size_t i = 0; i < window->slow_count; i++) {
    struct rtop_slow *slow = &window->slow[i];
    if (slow->args_bytes > sizeof slow->args || slow->args_bytes > varint_left(reader)) return false;
    memcpy(slow->args, reader->next, slow->args_bytes);
    reader->next += slow->args_bytes;
  }
  return true;
}

static size_t decode_columns(const struct window_part *part)
{
  size_t count = 0;
  while (part->columns[count].bytes) count++;
  return count;
}

/* Reads the rows of a part, or further columns of rows that are there. Rows begin as zeros: the array is used again and
 * again, the part with further columns may be left out, and some fields have no column. */
static bool decode_part(struct varint_reader *reader, const struct window_part *part, struct rtop_window *window)
{
  size_t count;
  if (!decode_count(reader, decode_columns(part), &count)) return false;
  if (part->is_more ? count != *window_count(window, part) : !window_grow(window, part, count)) return false;
  if (!part->is_more && count) memset(window_rows(window, part), 0, count * part->row_bytes);
  for (const struct window_column *column = part->columns; column->bytes; column++)
    if (!decode_column(reader, part, column, window_rows(window, part), count, window->start_mono_ns)) return false;
  *window_count(window, part) = count;
  return part->kind != RTOP_PART_ARGS || decode_args(reader, window);
}

static bool decode_counters(struct varint_reader *reader, struct rtop_window *window)
{
  size_t count;
  if (!decode_count(reader, 2, &count)) return false;
  struct varint_reader ids = *reader;
  for (size_t i = 0; i < count; i++) varint_get(reader);
  uint64_t id = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t step = varint_get(&ids);
    uint64_t value = varint_get(reader);
    if (reader->bad || ids.bad || step > UINT32_MAX || (i > 0 && step == 0)) return false;
    id += step;
    if (id < RTOP_COUNTER_ID_MAX) rtop_window_set_counter(window, (enum rtop_counter_id)id, value);
  }
  return true;
}

static bool decode_known_part(struct varint_reader *reader, uint64_t kind, struct rtop_window *window)
{
  bool right =
      kind == RTOP_PART_COUNTERS ? decode_counters(reader, window) : decode_part(reader, &window_parts[kind], window);
  return right && reader->next == reader->end;
}

/* Reads the table and the parts together; they must fill the payload exactly. */
static bool decode_parts(struct rtop_window *window, const unsigned char *raw, size_t raw_bytes)
{
  struct varint_reader table = { .next = raw, .end = raw + raw_bytes };
  uint64_t part_count = varint_get(&table);
  if (table.bad || part_count > varint_left(&table) / 2) return false;
  struct varint_reader bodies = table;
  for (uint64_t i = 0; i < 2 * part_count; i++) varint_get(&bodies);
  uint32_t seen = 0;
  for (uint64_t i = 0; i < part_count && !bodies.bad; i++) {
    uint64_t kind = varint_get(&table);
    uint64_t bytes = varint_get(&table);
    if (bytes > varint_left(&bodies)) return false;
    struct varint_reader body = { .next = bodies.next, .end = bodies.next + bytes };
    bodies.next = body.end;
    if (kind == 0 || kind >= RTOP_PART_KIND_END) continue;
    if (seen >> kind & 1 || !decode_known_part(&body, kind, window)) return false;
    seen |= 1u << kind;
  }
  return !bodies.bad && bodies.next == bodies.end;
}

bool rtop_window_decode(struct rtop_window *window, const void *raw, size_t raw_bytes,
                        const struct rtop_window_limits *limits)
{
  uint64_t sequence = window->sequence;
  int64_t start_mono_ns = window->start_mono_ns, end_mono_ns = window->end_mono_ns;
  rtop_window_reset(window);
  window->sequence = sequence;
  window->start_mono_ns = start_mono_ns;
  window->end_mono_ns = end_mono_ns;
  if (decode_parts(window, raw, raw_bytes) && rtop_window_valid(window, limits)) return true;
  rtop_window_reset(window);
  return false;
}
