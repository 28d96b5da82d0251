/* SPDX-License-Identifier: MIT */
/* Rows of now beside those of before. */
#include "methods_changes.h"

#include "tui/text/reserve.h"
#include "tui/text/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double rtop_method_delta(const struct rtop_method_row *now, uint64_t length_ns, const struct rtop_method_row *before,
                         uint64_t before_length_ns, enum rtop_sort_key key)
{
  double value = now ? rtop_method_value(now, key) : 0, was = before ? rtop_method_value(before, key) : 0;
  double length = length_ns ? (double)length_ns : 1, before_length = before_length_ns ? (double)before_length_ns : 1;
  switch (rtop_sort_key_figure(key)) {
  case RTOP_FIGURE_NOW: return value - was;
  case RTOP_FIGURE_RATIO:
    return (now ? rtop_method_ratio(now->most_ns, length_ns) : 0) -
           (before ? rtop_method_ratio(before->most_ns, before_length_ns) : 0);
  case RTOP_FIGURE_RATE:
  case RTOP_FIGURE_COUNT: return 1e9 * (value / length - was / before_length);
  default: return value / length - was / before_length;
  }
}

static bool changes_index(struct rtop_changes *changes, const struct rtop_methods *before, uint32_t frames)
{
  if (!rtop_reserve(&changes->row_of, &changes->row_of_capacity, frames, sizeof *changes->row_of)) return false;
  memset(changes->row_of, 0, changes->row_of_capacity * sizeof *changes->row_of);
  for (size_t i = 0; i < before->count; i++) changes->row_of[before->rows[i].frame] = (uint32_t)i + 1;
  return true;
}

const struct rtop_method_row *rtop_changes_before(const struct rtop_changes *changes, const struct rtop_methods *before,
                                                  uint32_t frame)
{
  bool there = frame < changes->row_of_capacity && changes->row_of[frame] != 0;
  return there ? &before->rows[changes->row_of[frame] - 1] : NULL;
}

static bool changes_enough(const struct rtop_method_row *row, const struct rtop_methods *methods, double min_percent)
{
  return row && (double)row->total_ns >= min_percent / 100 * (double)methods->length_ns;
}

/* Keeps rows that are large enough in either span. */
static void changes_keep(struct rtop_changes *changes, const struct rtop_methods *now,
                         const struct rtop_methods *before, unsigned char *there, double min_percent)
{
  for (size_t i = 0; i < now->count; i++) {
    const struct rtop_method_row *row = &now->rows[i];
    there[row->frame] = 1;
    if (changes_enough(row, now, min_percent) ||
        changes_enough(rtop_changes_before(changes, before, row->frame), before, min_percent))
      changes->rows[changes->count++] = *row;
  }
}

static int changes_compare_losses(const void *left, const void *right)
{
  const struct rtop_method_row *a = left, *b = right;
  if (a->delta < b->delta || a->delta > b->delta) return a->delta < b->delta ? -1 : 1;
  if (a->total_ns != b->total_ns) return a->total_ns > b->total_ns ? -1 : 1;
  return a->frame < b->frame ? -1 : a->frame > b->frame;
}

bool rtop_changes_join(struct rtop_changes *changes, const struct rtop_methods *now, const struct rtop_methods *before,
                       uint32_t frames, enum rtop_sort_key of, double min_percent)
{
  unsigned char *there = calloc(frames + 1, 1);
  bool fine = there && changes_index(changes, before, frames) &&
              rtop_reserve(&changes->rows, &changes->capacity, now->count + before->count + 1, sizeof *changes->rows);
  changes->count = 0;
  if (fine) changes_keep(changes, now, before, there, min_percent);
  size_t kept = changes->count;
  for (size_t i = 0; fine && i < before->count; i++)
    if (!there[before->rows[i].frame] && changes_enough(&before->rows[i], before, min_percent))
      changes->rows[changes->count++] = (struct rtop_method_row){ .frame = before->rows[i].frame,
                                                                  .gone = true,
                                                                  .total_ns = before->rows[i].total_ns };
  for (size_t i = 0; i < changes->count; i++) {
    struct rtop_method_row *row = &changes->rows[i];
    row->delta = rtop_method_delta(row->gone ? NULL : row, now->length_ns,
                                   rtop_changes_before(changes, before, row->frame), before->length_ns, of);
  }
  if (changes->count > kept)
    qsort(changes->rows + kept, changes->count - kept, sizeof *changes->rows, changes_compare_losses);
  for (size_t i = kept; i < changes->count; i++)
    changes->rows[i].total_ns = 0; /* The old value was only needed for the order; the present total is 0. */
  free(there);
  return fine;
}

bool rtop_changes_has(enum rtop_sort_key key)
{
  return rtop_sort_key_figure(key) != RTOP_FIGURE_NONE && rtop_sort_key_figure(key) != RTOP_FIGURE_EXACT;
}

void rtop_changes_text(char *out, size_t out_bytes, double change, enum rtop_sort_key key)
{
  char size[16];
  double points = change * 100;
  switch (rtop_sort_key_figure(key)) {
  case RTOP_FIGURE_NOW:
  case RTOP_FIGURE_COUNT:
  case RTOP_FIGURE_RATE:
    rtop_text_count(size, sizeof size, change < 0 ? -change : change);
    snprintf(out, out_bytes, "%s%s", change < 0 ? "-" : change > 0 ? "+" : "", size);
    break;
  default:
    if (points > -0.05 && points < 0.05) snprintf(out, out_bytes, "0.0");
    else snprintf(out, out_bytes, points > -9999 && points < 9999 ? "%+.1f" : "%+.0f", points);
  }
}

void rtop_changes_destroy(struct rtop_changes *changes)
{
  free(changes->rows);
  free(changes->row_of);
  *changes = (struct rtop_changes){ 0 };
}
