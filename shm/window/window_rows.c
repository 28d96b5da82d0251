/* SPDX-License-Identifier: MIT */
/* Merges rows by key, as the columns of their part say. */
#include "window_rows.h"

#include "shm/base/sorted.h"
#include <assert.h>
#include <string.h>

enum { ROWS_BYTES_MAX = 64 }; /* of a row that is merged by key */
#define LIST(kind, number, array, one, row, share, most, rests, ...)                                                   \
  static_assert((rests) == 0 || sizeof(struct row) <= ROWS_BYTES_MAX, #kind);
#include "shm/base/parts.def"

/* What a search looks for: a row of a part. */
struct rows_key {
  const struct window_part *part;
  const void *row;
};

static bool rows_is_key(const struct window_column *column)
{
  return column->merge >= WINDOW_KEY && column->merge <= WINDOW_KEY_LAST;
}

static bool rows_before(const void *row, const void *key)
{
  const struct rows_key *wanted = key;
  for (const struct window_column *column = wanted->part->columns; column->bytes; column++) {
    if (!rows_is_key(column)) continue;
    uint64_t a = window_field(row, column), b = window_field(wanted->row, column);
    if (a != b) return a < b;
  }
  return false;
}

static bool rows_alike(const struct window_part *part, const void *a, const void *b)
{
  for (const struct window_column *column = part->columns; column->bytes; column++)
    if (rows_is_key(column) && window_field(a, column) != window_field(b, column)) return false;
  return true;
}

static uint64_t rows_sum(const struct window_column *column, uint64_t a, uint64_t b)
{
  uint64_t most = column->bytes == 4 ? UINT32_MAX : UINT64_MAX;
  return a > most - b ? most : a + b;
}

static uint64_t rows_merged(const struct window_column *column, uint64_t a, uint64_t b)
{
  if (column->merge == WINDOW_LEAST) return a < b ? a : b;
  if (column->merge == WINDOW_LARGEST) return a > b ? a : b;
  return rows_sum(column, a, b);
}

static void rows_add(const struct window_part *part, void *to, const void *from)
{
  for (const struct window_column *column = part->columns; column->bytes; column++)
    if (!rows_is_key(column))
      window_set_field(to, column, rows_merged(column, window_field(to, column), window_field(from, column)));
}

static uint64_t rows_weight(const struct window_part *part, const void *row)
{
  for (const struct window_column *column = part->columns; column->bytes; column++)
    if (column->merge == WINDOW_WEIGHT) return window_field(row, column);
  return 0;
}

/* Gives a row the key of those that stand for the others. */
static void rows_become_rest(const struct window_part *part, void *row, bool threads)
{
  for (const struct window_column *column = part->columns; column->bytes; column++) {
    bool folded = column->merge == WINDOW_KEY_FOLDED ||
                  (column->merge == WINDOW_KEY_HOLDER && window_field(row, column) != RTOP_NODE_ROOT);
    if (folded) window_set_field(row, column, RTOP_NODE_FOLDED);
    else if (column->merge == WINDOW_KEY_0 || (column->merge == WINDOW_KEY_THREAD && threads))
      window_set_field(row, column, 0);
  }
}

static bool rows_is_rest(const struct window_part *part, const void *row, bool threads)
{
  char rest[ROWS_BYTES_MAX];
  memcpy(rest, row, part->row_bytes);
  rows_become_rest(part, rest, threads);
  return rows_alike(part, row, rest);
}

/* Adds a row to sorted ones, while there are fewer than `room`. False: they are as many. */
static bool rows_insert(struct rtop_window *window, const struct window_part *part, const void *row, size_t room)
{
  const struct rows_key key = { part, row };
  size_t *count = window_count(window, part);
  char *rows = window_rows(window, part);
  size_t place = sorted_place(rows, *count, part->row_bytes, &key, rows_before);
  char *there = rows + place * part->row_bytes;
  if (place < *count && rows_alike(part, there, row)) {
    rows_add(part, there, row);
    return true;
  }
  if (*count >= room) return false;
  memmove(there + part->row_bytes, there, (*count - place) * part->row_bytes);
  memcpy(there, row, part->row_bytes);
  ++*count;
  return true;
}

/* Row by row into the sorted ones before it, of which there are never more than were read. */
void window_fold_rows(struct rtop_window *window, const struct window_part *part, uint64_t most, bool threads)
{
  size_t *count = window_count(window, part), before = *count;
  const char *rows = window_rows(window, part);
  *count = 0;
  for (size_t i = 0; i < before; i++) {
    char row[ROWS_BYTES_MAX];
    memcpy(row, rows + i * part->row_bytes, part->row_bytes);
    if (rows_weight(part, row) <= most) rows_become_rest(part, row, threads);
    rows_insert(window, part, row, before);
  }
}

static size_t rows_heavier(const struct rtop_window *window, const struct window_part *part, uint64_t weight)
{
  const char *rows = window_rows(window, part);
  size_t count = 0;
  for (size_t i = 0; i < *window_count(window, part); i++)
    count += rows_weight(part, rows + i * part->row_bytes) > weight;
  return count;
}

uint64_t window_rows_threshold(const struct rtop_window *window, const struct window_part *part, size_t keep)
{
  uint64_t from = 0, to = UINT64_MAX;
  while (from < to) {
    uint64_t middle = from + (to - from) / 2;
    if (rows_heavier(window, part, middle) > keep) from = middle + 1;
    else to = middle;
  }
  return from;
}

static bool rows_merge_one(struct rtop_window *to, const struct window_part *part, const void *row)
{
  char rest[ROWS_BYTES_MAX];
  size_t capacity = *window_capacity(to, part);
  bool is_rest = rows_is_rest(part, row, true);
  if (rows_insert(to, part, row, is_rest ? capacity : capacity - part->rests)) return true;
  if (is_rest) return false;
  memcpy(rest, row, part->row_bytes);
  rows_become_rest(part, rest, true);
  rows_insert(to, part, rest, capacity);
  return false;
}

/* What counts at the end of the later window does not add to what was before. */
static void rows_forget_earlier(struct rtop_window *to, const struct window_part *part)
{
  char *rows = window_rows(to, part);
  for (const struct window_column *column = part->columns; column->bytes; column++)
    for (size_t i = 0; column->merge == WINDOW_LATER && i < *window_count(to, part); i++)
      window_set_field(rows + i * part->row_bytes, column, 0);
}

bool window_merge_rows(struct rtop_window *to, const struct rtop_window *from, const struct window_part *part)
{
  bool whole = true;
  const char *rows = window_rows(from, part);
  rows_forget_earlier(to, part);
  for (size_t i = 0; i < *window_count(from, part); i++)
    whole = rows_merge_one(to, part, rows + i * part->row_bytes) && whole;
  return whole;
}
