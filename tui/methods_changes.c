#include "methods_changes.h"

#include "reserve.h"
#include "text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool changes_index(struct rtop_changes *changes, const struct rtop_methods *before, uint32_t frames)
{
  if (!rtop_reserve(&changes->row_of, &changes->row_of_capacity, frames, sizeof *changes->row_of))
    return false;
  memset(changes->row_of, 0, changes->row_of_capacity * sizeof *changes->row_of);
  for (size_t i = 0; i < before->count; i++)
    changes->row_of[before->rows[i].frame] = (uint32_t)i + 1;
  return true;
}

const struct rtop_method_row *rtop_changes_before(const struct rtop_changes *changes,
                                                  const struct rtop_methods *before, uint32_t frame)
{
  bool there = frame < changes->row_of_capacity && changes->row_of[frame] != 0;
  return there ? &before->rows[changes->row_of[frame] - 1] : NULL;
}

bool rtop_changes_join(struct rtop_changes *changes, const struct rtop_methods *now,
                       const struct rtop_methods *before, uint32_t frames, enum rtop_sort_key of,
                       bool gone_too)
{
  unsigned char *there = calloc(frames + 1, 1);
  bool fine = there && changes_index(changes, before, frames) &&
              rtop_reserve(&changes->rows, &changes->capacity, now->count + before->count + 1,
                           sizeof *changes->rows);
  changes->count = 0;
  for (size_t i = 0; fine && i < now->count; i++) {
    changes->rows[changes->count++] = now->rows[i];
    there[now->rows[i].frame] = 1;
  }
  for (size_t i = 0; fine && gone_too && i < before->count; i++)
    if (!there[before->rows[i].frame])
      changes->rows[changes->count++] = (struct rtop_method_row){.frame = before->rows[i].frame};
  for (size_t i = 0; i < changes->count; i++) {
    struct rtop_method_row *row = &changes->rows[i];
    row->delta = rtop_method_delta(row, now->length_ns, rtop_changes_before(changes, before, row->frame),
                                   before->length_ns, of);
  }
  free(there);
  return fine;
}

bool rtop_changes_has(enum rtop_sort_key key)
{
  return key != RTOP_SORT_NAME && key != RTOP_SORT_LOCATION && key != RTOP_SORT_HISTORY &&
         key != RTOP_SORT_DELTA;
}

void rtop_changes_text(char *out, size_t out_bytes, double change, enum rtop_sort_key key)
{
  char size[16];
  double points = change * 100;
  switch (key) {
  case RTOP_SORT_THREADS: case RTOP_SORT_SAMPLES: case RTOP_SORT_ALLOC: case RTOP_SORT_TOTAL_ALLOC:
    rtop_text_count(size, sizeof size, change < 0 ? -change : change);
    snprintf(out, out_bytes, "%s%s", change < 0 ? "-" : change > 0 ? "+" : "", size);
    break;
  default:
    if (points > -0.05 && points < 0.05)
      snprintf(out, out_bytes, "0.0");
    else
      snprintf(out, out_bytes, points > -9999 && points < 9999 ? "%+.1f" : "%+.0f", points);
  }
}

void rtop_changes_destroy(struct rtop_changes *changes)
{
  free(changes->rows);
  free(changes->row_of);
  *changes = (struct rtop_changes){0};
}
