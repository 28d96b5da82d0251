/* SPDX-License-Identifier: MIT */
/* Encodes a window as columns of varints, and compresses it. */
#include "window_fibers.h"
#include "window_pairs.h"
#include "window_parts.h"
#include "window_raised.h"
#include "window_sort.h"
#include "window_work.h"
#include "shm/base/clock.h"
#include "shm/base/varint.h"

#include <string.h>

enum {
  ENCODE_TABLE_BYTES_MAX = 80,
  ENCODE_BEGUN_SHARE = 4,
  ENCODE_FIBERS_SHARE = 4,
  ENCODE_EXACT_SHARE = 4,
  ENCODE_SLOW_SHARE = 8,
  ENCODE_RAISED_SHARE = 8,
  ENCODE_PAIRS_SHARE = 8,
};

static uint64_t encode_field(const unsigned char *element, const struct window_column *column)
{
  uint64_t wide;
  uint32_t narrow;
  if (column->field_bytes == sizeof wide) {
    memcpy(&wide, element + column->offset, sizeof wide);
    return wide;
  }
  memcpy(&narrow, element + column->offset, sizeof narrow);
  return narrow;
}

static void encode_column(struct varint_writer *writer, const struct window_column *column,
                          const unsigned char *elements, size_t count, size_t element_bytes, int64_t start_mono_ns)
{
  uint64_t before = column->coding == WINDOW_TIME ? (uint64_t)start_mono_ns : 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t value = encode_field(elements + i * element_bytes, column);
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

static void encode_part(struct encode_parts *parts, const struct window_part *part, const void *elements, size_t count)
{
  if (count == 0) return;
  size_t before = parts->body.bytes;
  varint_put(&parts->body, count);
  for (size_t i = 0; i < part->column_count; i++)
    encode_column(&parts->body, &part->columns[i], elements, count, part->element_bytes, parts->start_mono_ns);
  varint_put(&parts->table, (uint64_t)part->kind);
  varint_put(&parts->table, parts->body.bytes - before);
  parts->part_count++;
}

static void encode_stacks_part(struct encode_parts *parts, const struct rtop_window *window)
{
  for (size_t i = 0; i < window->thread_count; i++)
    if (window->threads[i].stack_age_ns) {
      encode_part(parts, &window_part_stacks, window->threads, window->thread_count);
      return;
    }
}

static void encode_locks_part(struct encode_parts *parts, const struct rtop_window *window)
{
  for (size_t i = 0; i < window->thread_count; i++)
    if (window->threads[i].lock_kind != RTOP_LOCK_NONE) {
      encode_part(parts, &window_part_locks, window->threads, window->thread_count);
      return;
    }
}

static void encode_args_part(struct encode_parts *parts, const struct rtop_window *window)
{
  size_t before = parts->body.bytes, some = 0;
  while (some < window->slow_count && window->slow[some].args_bytes == 0) some++;
  if (some == window->slow_count) return;
  varint_put(&parts->body, window->slow_count);
  encode_column(&parts->body, &window_part_args.columns[0], (const unsigned char *)window->slow, window->slow_count,
                window_part_args.element_bytes, 0);
  for (size_t i = 0; i < window->slow_count; i++)
    for (uint32_t at = 0; at < window->slow[i].args_bytes; at++)
      varint_put_byte(&parts->body, (unsigned char)window->slow[i].args[at]);
  varint_put(&parts->table, RTOP_PART_ARGS);
  varint_put(&parts->table, parts->body.bytes - before);
  parts->part_count++;
}

static void encode_causes_part(struct encode_parts *parts, const struct rtop_window *window)
{
  for (size_t i = 0; i < window->slow_count; i++)
    if (window->slow[i].flags & RTOP_SLOW_BLOCK) {
      encode_part(parts, &window_part_causes, window->slow, window->slow_count);
      return;
    }
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
  size_t gap = ENCODE_TABLE_BYTES_MAX < out_bytes ? ENCODE_TABLE_BYTES_MAX : out_bytes;
  struct encode_parts parts = {
    .body = { .out = out + gap, .capacity = out_bytes - gap },
    .table = { .out = entries, .capacity = sizeof entries },
    .start_mono_ns = window->start_mono_ns,
  };
  encode_counters_part(&parts, window);
  encode_part(&parts, &window_part_threads, window->threads, window->thread_count);
  size_t before_cells = parts.body.bytes;
  encode_part(&parts, &window_part_cells, window->cells, window->cell_count);
  *cells_bytes = parts.body.bytes - before_cells;
  encode_part(&parts, &window_part_late, window->late, window->late_count);
  encode_part(&parts, &window_part_marks, window->marks, window->mark_count);
  encode_stacks_part(&parts, window);
  encode_part(&parts, &window_part_begun, window->begun, window->begun_count);
  encode_part(&parts, &window_part_fibers, window->fibers, window->fibers_count);
  encode_part(&parts, &window_part_exact, window->exact, window->exact_count);
  encode_part(&parts, &window_part_slow, window->slow, window->slow_count);
  encode_locks_part(&parts, window);
  encode_part(&parts, &window_part_raises, window->raised, window->raised_count);
  encode_args_part(&parts, window);
  encode_causes_part(&parts, window);
  encode_part(&parts, &window_part_pairs, window->pairs, window->pair_count);
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

static size_t encode_bytes(const struct window_part *part, const void *elements, size_t count)
{
  unsigned char none;
  struct encode_parts parts = { .body = { .out = &none }, .table = { .out = &none } };
  encode_part(&parts, part, elements, count);
  return parts.body.bytes;
}

/* Folds labels that began at most this often into one row without a set. */
static void encode_fold_begun(struct rtop_window *window, uint64_t most)
{
  struct rtop_begun folded = { .node = RTOP_NODE_FOLDED };
  size_t kept = 0;
  for (size_t i = 0; i < window->begun_count; i++) {
    const struct rtop_begun *begun = &window->begun[i];
    if (begun->node != RTOP_NODE_FOLDED && begun->count > most) window->begun[kept++] = *begun;
    else folded.count += begun->count;
  }
  if (kept == window->begun_count) return;
  memmove(window->begun + 1, window->begun, kept * sizeof *window->begun);
  window->begun[0] = folded;
  window->begun_count = kept + 1;
  window->folded = true;
}

/* Folds labels until they take at most `bytes`. False: they fit already. */
static bool encode_bound_begun(struct rtop_window *window, size_t bytes)
{
  bool bound = false;
  for (uint64_t most = 1;
       window->begun_count > 1 && encode_bytes(&window_part_begun, window->begun, window->begun_count) > bytes;
       most += most / 8 + 1) {
    encode_fold_begun(window, most);
    bound = true;
  }
  return bound;
}

/* Folds the fibers with least waiting time of each thread, if necessary of all threads, until they take at most
 * `bytes`. False: they fit already. */
static bool encode_bound_fibers(struct rtop_window *window, size_t bytes)
{
  bool bound = false;
  for (uint64_t most = CLOCK_NS_PER_MS;
       window->fibers_count && encode_bytes(&window_part_fibers, window->fibers, window->fibers_count) > bytes;
       most += most / 8) {
    if (most > INT64_MAX / 2) window->fibers_count = 0;
    window_fold_fibers(window, most);
    bound = window->folded = true;
  }
  return bound;
}

/* Reduces exact figures to at most `bytes`: first drops times of work by cause, then all details, then labels of
 * work. False: they fit already, or nothing is left to drop. */
static bool encode_bound_exact(struct rtop_window *window, size_t bytes)
{
  size_t kept = 0, by_cause = 0;
  if (encode_bytes(&window_part_exact, window->exact, window->exact_count) <= bytes) return false;
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

static size_t encode_slow_bytes(const struct rtop_window *window)
{
  unsigned char none;
  struct encode_parts parts = { .body = { .out = &none }, .table = { .out = &none } };
  encode_part(&parts, &window_part_slow, window->slow, window->slow_count);
  encode_args_part(&parts, window);
  encode_causes_part(&parts, window);
  return parts.body.bytes;
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
  while (window->slow_count && encode_slow_bytes(window) > bytes) {
    bound = window->folded = true;
    if (encode_drop_args(window)) continue;
    encode_drop_slow(window);
  }
  return bound;
}

/* Folds the rarest exceptions into one row until they take at most `bytes`. False: they fit already. */
static bool encode_bound_raised(struct rtop_window *window, size_t bytes)
{
  bool bound = false;
  for (uint64_t most = 1;
       window->raised_count > 1 && encode_bytes(&window_part_raises, window->raised, window->raised_count) > bytes;
       most += most / 8 + 1) {
    window_fold_raised(window, most);
    bound = window->folded = true;
  }
  return bound;
}

/* Sums up the pairs with the least waiting, by cause, until they take at most `bytes`. False: they fit already. */
static bool encode_bound_pairs(struct rtop_window *window, size_t bytes)
{
  bool bound = false;
  for (uint64_t most = CLOCK_NS_PER_MS / 100;
       window->pair_count && encode_bytes(&window_part_pairs, window->pairs, window->pair_count) > bytes;
       most += most / 4) {
    if (most > INT64_MAX / 2) window->pair_count = 0;
    window_fold_pairs(window, most);
    bound = window->folded = true;
  }
  return bound;
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
    if (encode_bound_begun(window, out_bytes / ENCODE_BEGUN_SHARE)) continue;
    if (encode_bound_fibers(window, out_bytes / ENCODE_FIBERS_SHARE)) continue;
    if (encode_bound_exact(window, out_bytes / ENCODE_EXACT_SHARE)) continue;
    if (encode_bound_slow(window, out_bytes / ENCODE_SLOW_SHARE)) continue;
    if (encode_bound_raised(window, out_bytes / ENCODE_RAISED_SHARE)) continue;
    if (encode_bound_pairs(window, out_bytes / ENCODE_PAIRS_SHARE)) continue;
    size_t unfolded = window_unfolded_cells(window);
    if (unfolded == 0) return 0;
    window_fold_cells(window, encode_keep(unfolded, bytes, cells_bytes, out_bytes), scratch);
  }
}
