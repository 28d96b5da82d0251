/* SPDX-License-Identifier: MIT */
/* Named instants, in order of time. */
#include "profile_state.h"

#include <stdlib.h>
#include <string.h>

enum { PROFILE_MARKS_MAX = 1 << 14 };

static bool marks_make_room(struct rtop_profile *profile)
{
  if (profile->marks.count == PROFILE_MARKS_MAX) {
    size_t dropped = PROFILE_MARKS_MAX / 8;
    profile->marks.count -= dropped;
    memmove(profile->marks.all, profile->marks.all + dropped, profile->marks.count * sizeof *profile->marks.all);
  }
  if (profile->marks.count < profile->marks.capacity) return true;
  size_t capacity = profile->marks.capacity ? profile->marks.capacity * 2 : 32;
  struct rtop_profile_mark *marks = realloc(profile->marks.all, capacity * sizeof *marks);
  if (!marks) return false;
  profile->marks.all = marks;
  profile->marks.capacity = capacity;
  return true;
}

/* Position of the first mark at or after time_ns. */
static size_t marks_find(const struct rtop_profile *profile, int64_t time_ns)
{
  size_t low = 0, high = profile->marks.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (profile->marks.all[middle].time_ns < time_ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

void rtop_profile_add_mark(struct rtop_profile *profile, uint32_t source, int64_t time_ns, const char *name,
                           size_t name_bytes)
{
  if (profile->tap.mark) profile->tap.mark(profile->tap.context, source, time_ns, name, name_bytes);
  if (time_ns < 0 || time_ns > PROFILE_TIME_MAX || !marks_make_room(profile)) return;
  size_t at = marks_find(profile, time_ns + 1); /* those of one instant keep their order */
  struct rtop_profile_mark *mark = &profile->marks.all[at];
  memmove(mark + 1, mark, (profile->marks.count - at) * sizeof *mark);
  profile->marks.count++;
  *mark = (struct rtop_profile_mark){
    .time_ns = time_ns,
    .source = source,
    .name = profile_name(&profile->threads, name, name_bytes),
  };
}

size_t rtop_profile_marks(const struct rtop_profile *profile, struct rtop_span span, struct rtop_profile_mark *marks,
                          size_t capacity)
{
  if (span.end_ns <= span.start_ns) return 0;
  size_t first = marks_find(profile, span.start_ns), end = marks_find(profile, span.end_ns);
  if (end - first > capacity) first = end - capacity;
  if (end > first) memcpy(marks, profile->marks.all + first, (end - first) * sizeof *marks);
  return end - first;
}
