/* SPDX-License-Identifier: MIT */
/* The window in memory, and its compression. */
#include "window.h"
#include "window_parts.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH(type, field) sizeof(((struct type *)NULL)->field)
#define FIELD(row, field, coding, check, merge)                                                                        \
  { offsetof(struct row, field), WIDTH(row, field), WINDOW_##coding, WINDOW_##check, WINDOW_##merge },
#define ROWS(array_name, one, row)                                                                                     \
  .array = offsetof(struct rtop_window, array_name), .count = offsetof(struct rtop_window, one##_count),               \
  .capacity = offsetof(struct rtop_window, one##_capacity), .row_bytes = sizeof(struct row)

const struct window_part window_parts[RTOP_PART_KIND_END] = {
#define LIST(name, number, array_name, one, row, share_of, most_rows, rest_rows, fields)                               \
  [RTOP_PART_##name] = { .kind = RTOP_PART_##name,                                                                     \
                         .share = (share_of),                                                                          \
                         .most = (most_rows),                                                                          \
                         .rests = (rest_rows),                                                                         \
                         ROWS(array_name, one, row),                                                                   \
                         .columns = { fields } },
#define MORE(name, number, array_name, one, row, fields)                                                               \
  [RTOP_PART_##name] = { .kind = RTOP_PART_##name, .is_more = true, ROWS(array_name, one, row), .columns = { fields } },
#include "shm/base/parts.def"
};

bool window_grow(struct rtop_window *window, const struct window_part *part, size_t wanted)
{
  void *rows = window_rows(window, part);
  size_t capacity = *window_capacity(window, part), grown = capacity < 32 ? 32 : capacity;
  if (rows && wanted <= capacity) return true;
  while (grown < wanted) {
    if (grown > SIZE_MAX / 2 / part->row_bytes) return false;
    grown *= 2;
  }
  void *moved = realloc(rows, grown * part->row_bytes);
  if (!moved) return false;
  window_set_rows(window, part, moved);
  *window_capacity(window, part) = grown;
  return true;
}

void rtop_window_reset(struct rtop_window *window)
{
  window->sequence = 0;
  window->start_mono_ns = 0;
  window->end_mono_ns = 0;
  window->counters_present = 0;
  memset(window->counters, 0, sizeof window->counters);
#define LIST(kind, number, array, one, ...) window->one##_count = 0;
#include "shm/base/parts.def"
  window->folded = false;
}

void rtop_window_destroy(struct rtop_window *window)
{
#define LIST(kind, number, array, ...) free(window->array);
#include "shm/base/parts.def"
  *window = (struct rtop_window){ 0 };
}

#define LIST(kind, number, array, one, row, ...)                                                                       \
  struct row *rtop_window_add_##one(struct rtop_window *window)                                                        \
  {                                                                                                                    \
    if (!window_grow(window, &window_parts[RTOP_PART_##kind], window->one##_count + 1)) return NULL;                   \
    struct row *added = &window->array[window->one##_count++];                                                         \
    memset(added, 0, sizeof *added);                                                                                   \
    return added;                                                                                                      \
  }
#include "shm/base/parts.def"

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
