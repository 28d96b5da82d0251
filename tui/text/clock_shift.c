/* SPDX-License-Identifier: MIT */
/* Converts the times of a window from one clock to another. */
#include "clock_shift.h"

#include "shm/window/window.h"

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

void rtop_clock_shift_window(struct rtop_window *window, int64_t shift_ns)
{
  if (shift_ns == 0) return;
  window->start_mono_ns = rtop_clock_shifted(window->start_mono_ns, shift_ns);
  window->end_mono_ns = rtop_clock_shifted(window->end_mono_ns, shift_ns);
  for (size_t i = 0; i < window->late_count; i++)
    window->late[i].start_mono_ns = rtop_clock_shifted(window->late[i].start_mono_ns, shift_ns);
  for (size_t i = 0; i < window->mark_count; i++)
    window->marks[i].mono_ns = rtop_clock_shifted(window->marks[i].mono_ns, shift_ns);
  for (size_t i = 0; i < window->slow_count; i++)
    window->slow[i].end_mono_ns = rtop_clock_shifted(window->slow[i].end_mono_ns, shift_ns);
  for (size_t i = 0; i < window->raised_count; i++) {
    window->raised[i].first_mono_ns = rtop_clock_shifted(window->raised[i].first_mono_ns, shift_ns);
    window->raised[i].last_mono_ns = rtop_clock_shifted(window->raised[i].last_mono_ns, shift_ns);
  }
}
