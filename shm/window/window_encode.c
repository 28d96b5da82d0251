/* SPDX-License-Identifier: MIT */
/* Encodes a window as columns of varints, and compresses it. */
#include "window_parts.h"
#include "window_rows.h"
#include "window_sort.h"
#include "window_work.h"
#include "shm/base/varint.h"

#include <string.h>

enum { ENCODE_TABLE_BYTES_MAX = 80 };

static void encode_column(struct varint_writer *writer, const struct window_part *part,
                          const struct window_column *column, const unsigned char *rows, size_t count,
                          int64_t start_mono_ns)
{
  uint64_t before = column->coding == WINDOW_TIME ? (uint64_t)start_mono_ns : 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t value = window_field(rows + i * part->row_bytes, column);
    varint_put(writer, column->coding == WINDOW_PLAIN ? value : varint_zigzag(value - before));
    before = value;
  }
}

static void encode_counters(struct varint_writer *writer, const struct rtop_window *window)
{
  varint_put(writer, (uint64_t)__builtin_popcountll(window->counters_present));
  uint64_t before = 0;
  for (unsigned id = 0; id < RTOP_COUNTER_ID_MAX; id++)
    if (window->counters_present >> id & 1) {
      varint_put(writer, id - before);
      before = id;
    }
  for (unsigned id = 0; id < RTOP_COUNTER_ID_MAX; id++)
    if (window->counters_present >> id & 1) varint_put(writer, window->counters[id]);
}

/* The parts of a payload being made: their bodies, and the table that will precede them. */
struct encode_parts {
  struct varint_writer body;
  struct varint_writer table;
  uint64_t part_count;
  int64_t start_mono_ns;
};

static void encode_args(struct varint_writer *writer, const struct rtop_window *window)
{
  for (size_t i = 0; i < window->slow_count; i++)
    for (uint32_t at = 0; at < window->slow[i].args_bytes; at++)
      varint_put_byte(writer, (unsigned char)window->slow[i].args[at]);
}

/* Has the part something to say? Further columns of rows have not when all are 0. */
static bool encode_has(const struct window_part *part, const struct rtop_window *window)
{
  const unsigned char *rows = window_rows(window, part);
  size_t count = *window_count(window, part);
  if (!part->is_more) return count > 0;
  for (size_t i = 0; i < count; i++)
    for (const struct window_column *column = part->columns; column->bytes; column++)
      if (window_field(rows + i * part->row_bytes, column)) return true;
  return false;
}

static void encode_part(struct encode_parts *parts, const struct window_part *part, const struct rtop_window *window)
{
  size_t before = parts->body.bytes, count = *window_count(window, part);
  if (!encode_has(part, window)) return;
  varint_put(&parts->body, count);
  for (const struct window_column *column = part->columns; column->bytes; column++)
    encode_column(&parts->body, part, column, window_rows(window, part), count, parts->start_mono_ns);
  if (part->kind == RTOP_PART_ARGS) encode_args(&parts->body, window);
  varint_put(&parts->table, (uint64_t)part->kind);
  varint_put(&parts->table, parts->body.bytes - before);
  parts->part_count++;
}

static void encode_counters_part(struct encode_parts *parts, const struct rtop_window *window)
{
  if (!window->counters_present) return;
  size_t before = parts->body.bytes;
  encode_counters(&parts->body, window);
  varint_put(&parts->table, RTOP_PART_COUNTERS);
  varint_put(&parts->table, parts->body.bytes - before);
  parts->part_count++;
}

/* Writes the whole payload once. Returns its size, which exceeds out_bytes if it does not fit; *cells_bytes: size of
 * the cells. Bodies are written behind a gap, which is closed when the table is known. */
static size_t encode_once(const struct rtop_window *window, unsigned char *out, size_t out_bytes, size_t *cells_bytes)
{
  unsigned char entries[ENCODE_TABLE_BYTES_MAX], count[10];
  *cells_bytes = 0;
  size_t gap = ENCODE_TABLE_BYTES_MAX < out_bytes ? ENCODE_TABLE_BYTES_MAX : out_bytes;
  struct encode_parts parts = {
    .body = { .out = out + gap, .capacity = out_bytes - gap },
    .table = { .out = entries, .capacity = sizeof entries },
    .start_mono_ns = window->start_mono_ns,
  };
  encode_counters_part(&parts, window);
  for (unsigned kind = RTOP_PART_THREADS; kind < RTOP_PART_KIND_END; kind++) {
    size_t before = parts.body.bytes;
    encode_part(&parts, &window_parts[kind], window);
    if (kind == RTOP_PART_CELLS) *cells_bytes = parts.body.bytes - before;
  }
  if (parts.body.bytes > parts.body.capacity) return ENCODE_TABLE_BYTES_MAX + parts.body.bytes;
  struct varint_writer head = { .out = count, .capacity = sizeof count };
  varint_put(&head, parts.part_count);
  size_t table_bytes = head.bytes + parts.table.bytes;
  memmove(out + table_bytes, out + gap, parts.body.bytes);
  memcpy(out, count, head.bytes);
  memcpy(out + head.bytes, entries, parts.table.bytes);
  return table_bytes + parts.body.bytes;
}

/* Number of cells to keep, in proportion to the room, and slightly less because small ones are folded first. */
static size_t encode_keep(size_t unfolded, size_t bytes, size_t cells_bytes, size_t out_bytes)
{
  size_t others = bytes - cells_bytes;
  if (out_bytes <= others || cells_bytes == 0) return 0;
  double share = (double)(out_bytes - others) / (double)cells_bytes;
  size_t keep = (size_t)((double)unfolded * share * 15 / 16);
  return keep < unfolded ? keep : unfolded - 1;
}

/* Bytes of a list with its further columns. */
static size_t encode_bytes(const struct window_part *list, const struct rtop_window *window)
{
  unsigned char none;
  struct encode_parts parts = { .body = { .out = &none }, .table = { .out = &none } };
  for (unsigned kind = list->kind; kind < RTOP_PART_KIND_END; kind++)
    if (window_parts[kind].array == list->array) encode_part(&parts, &window_parts[kind], window);
  return parts.body.bytes;
}

/* Joins the rows of least weight until all take at most `bytes`: in the end all rows, and those of all threads. Each try
 * keeps fewer rows, from as many on as should fit. False: they fit already, or cannot become fewer. */
static bool encode_bound_rows(struct rtop_window *window, const struct window_part *part, size_t bytes)
{
  size_t before = encode_bytes(part, window), now = before;
  size_t keep = before > 0 ? (size_t)((double)*window_count(window, part) * (double)bytes / (double)before) : 0;
  bool all = false;
  for (; now > bytes && !all; keep -= keep / 8 + (keep > 0)) {
    all = keep == 0;
    window_fold_rows(window, part, window_rows_threshold(window, part, keep), false);
    now = encode_bytes(part, window);
  }
  if (now > bytes) {
    window_fold_rows(window, part, UINT64_MAX, true);
    now = encode_bytes(part, window);
  }
  window->folded = window->folded || now < before;
  return now < before;
}

/* Reduces exact figures to at most `bytes`: first drops times of work by cause, then all details, then labels of
 * work. False: they fit already, or nothing is left to drop. */
static bool encode_bound_exact(struct rtop_window *window, size_t bytes)
{
  size_t kept = 0, by_cause = 0;
  if (encode_bytes(&window_parts[RTOP_PART_EXACT], window) <= bytes) return false;
  for (size_t i = 0; i < window->exact_count; i++) by_cause += window_exact_is_by_cause(&window->exact[i]);
  for (size_t i = 0; i < window->exact_count; i++) {
    const struct rtop_exact *exact = &window->exact[i];
    if (by_cause ? !window_exact_is_by_cause(exact) : !window_exact_is_detail(exact)) window->exact[kept++] = *exact;
  }
  bool less = kept < window->exact_count;
  window->exact_count = kept;
  less = less || window_fold_work(window);
  window->folded = window->folded || less;
  return less;
}

/* True: there were some. */
static bool encode_drop_args(struct rtop_window *window)
{
  bool some = false;
  for (size_t i = 0; i < window->slow_count; i++) {
    some = some || window->slow[i].args_bytes;
    window->slow[i].args_bytes = 0;
  }
  return some;
}

/* Drops the shorter half or so of that of which there are more: of traced calls, or of blocks. At least one goes. */
static void encode_drop_slow(struct rtop_window *window)
{
  size_t kept = 0, blocks = 0, count = window->slow_count;
  uint64_t mean = 0;
  for (size_t i = 0; i < count; i++) blocks += (window->slow[i].flags & RTOP_SLOW_BLOCK) != 0;
  bool drop = 2 * blocks > count; /* blocks */
  size_t of = drop ? blocks : count - blocks, left = of / 2;
  for (size_t i = 0; i < count; i++)
    if (((window->slow[i].flags & RTOP_SLOW_BLOCK) != 0) == drop) mean += window->slow[i].total_ns / of;
  bool alike = true; /* none is longer than the mean: half of them stay */
  for (size_t i = 0; i < count; i++)
    if (((window->slow[i].flags & RTOP_SLOW_BLOCK) != 0) == drop && window->slow[i].total_ns > mean) alike = false;
  for (size_t i = 0; i < count; i++) {
    bool other = ((window->slow[i].flags & RTOP_SLOW_BLOCK) != 0) != drop;
    bool stays = other || (alike ? left > 0 : window->slow[i].total_ns > mean);
    left -= !other && alike && left > 0;
    if (stays) window->slow[kept++] = window->slow[i];
  }
  window->slow_count = kept < count ? kept : count - 1;
}

/* Drops arguments, then the shortest slow calls, until they take at most `bytes`; their number remains as a figure
 * (RTOP_EXACT_SLOW). False: they fit already. */
static bool encode_bound_slow(struct rtop_window *window, size_t bytes)
{
  bool bound = false;
  while (window->slow_count && encode_bytes(&window_parts[RTOP_PART_SLOW], window) > bytes) {
    bound = window->folded = true;
    if (encode_drop_args(window)) continue;
    encode_drop_slow(window);
  }
  return bound;
}

/* Reduces the first part that has more than its share. False: there is none, or it cannot become smaller. */
static bool encode_bound(struct rtop_window *window, size_t out_bytes)
{
  for (unsigned kind = RTOP_PART_THREADS; kind < RTOP_PART_KIND_END; kind++) {
    const struct window_part *part = &window_parts[kind];
    if (!part->share) continue;
    size_t bytes = out_bytes / part->share;
    bool less = part->rests               ? encode_bound_rows(window, part, bytes)
                : kind == RTOP_PART_EXACT ? encode_bound_exact(window, bytes)
                                          : encode_bound_slow(window, bytes);
    if (less) return true;
  }
  return false;
}

size_t rtop_window_scratch_bytes(size_t cell_capacity)
{
  return 2 * cell_capacity * sizeof(struct window_sort_pair);
}

size_t rtop_window_encode(struct rtop_window *window, void *out, size_t out_bytes, void *scratch)
{
  if (out_bytes <= ENCODE_TABLE_BYTES_MAX) return 0;
  window_sort_cells(window, scratch);
  for (;;) {
    size_t cells_bytes;
    size_t bytes = encode_once(window, out, out_bytes, &cells_bytes);
    if (bytes <= out_bytes) return bytes;
    if (encode_bound(window, out_bytes)) continue;
    size_t unfolded = window_unfolded_cells(window);
    if (unfolded == 0) return 0;
    window_fold_cells(window, encode_keep(unfolded, bytes, cells_bytes, out_bytes), scratch);
  }
}
