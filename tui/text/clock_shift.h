/* SPDX-License-Identifier: MIT */
/* Converts the clocks of several sources to one. A monotonic clock counts from boot, so times of two boots can
 * only be compared by wall clock; within one boot all sources have the same clock, and changes of the wall clock
 * do not matter.
 *
 * Threads: any; there is no state.
 */
#ifndef RTOP_TUI_CLOCK_SHIFT_H
#define RTOP_TUI_CLOCK_SHIFT_H

#include <stdint.h>

struct rtop_window;

/* Offsets that differ by less than this (ns) belong to one boot: offsets are measured, and wall clocks
   are adjusted slightly. */
#define RTOP_CLOCK_SAME_NS INT64_C(50000000)

/* Returns the difference to add to a time of one clock to convert it to another, from the clocks' offsets (real -
 * mono); 0 when the difference is small or, with hostile numbers, overflows. */
int64_t rtop_clock_shift_ns(int64_t offset_ns, int64_t other_offset_ns);
/* Adds the difference, saturating at the largest and smallest numbers. */
int64_t rtop_clock_shifted(int64_t time_ns, int64_t shift_ns);
/* Converts all times of a window, its late records and its marks. */
void rtop_clock_shift_window(struct rtop_window *window, int64_t shift_ns);

#endif
