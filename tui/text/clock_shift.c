/* SPDX-License-Identifier: MIT */
/* Converts the times of a window from one clock to another. */
#include "clock_shift.h"

#include "shm/window/window_lists.h"

int64_t rtop_clock_shift_ns(int64_t offset_ns, int64_t other_offset_ns)
{
  int64_t shift_ns;
  if (__builtin_sub_overflow(offset_ns, other_offset_ns, &shift_ns)) return 0;
  return shift_ns > -RTOP_CLOCK_SAME_NS && shift_ns < RTOP_CLOCK_SAME_NS ? 0 : shift_ns;
}

int64_t rtop_clock_shifted(int64_t time_ns, int64_t shift_ns)
{
  int64_t shifted_ns;
  if (__builtin_add_overflow(time_ns, shift_ns, &shifted_ns)) return shift_ns > 0 ? INT64_MAX : INT64_MIN;
  return shifted_ns;
}

static void shift_time(void *context, int64_t *mono_ns)
{
  *mono_ns = rtop_clock_shifted(*mono_ns, *(const int64_t *)context);
}

void rtop_clock_shift_window(struct rtop_window *window, int64_t shift_ns)
{
  if (shift_ns == 0) return;
  window->start_mono_ns = rtop_clock_shifted(window->start_mono_ns, shift_ns);
  window->end_mono_ns = rtop_clock_shifted(window->end_mono_ns, shift_ns);
  rtop_window_each_time(window, shift_time, &shift_ns);
}
