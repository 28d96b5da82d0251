/* SPDX-License-Identifier: MIT */
/* Converts the clocks of several sources to one. A monotonic clock counts from boot, so times of two boots can only be
 * compared by wall clock; within one boot it is the same clock, and changes of the wall clock do not matter.
 *
 * Threads: any; nothing is kept.
 */
#ifndef RTOP_TUI_CLOCK_SHIFT_H
#define RTOP_TUI_CLOCK_SHIFT_H

#include <stdint.h>

struct rtop_window;

/* Offsets that differ by less belong to one boot: they are measured, and wall clocks are corrected. */
#define RTOP_CLOCK_SAME_NS INT64_C(50000000)

/* The difference to add to a time of one clock to convert it to another, from their offsets (real - mono); 0 when it
 * is small or, with hostile numbers, overflows. */
int64_t rtop_clock_shift_ns(int64_t offset_ns, int64_t other_offset_ns);
/* Adds the difference, saturating at the largest and smallest numbers. */
int64_t rtop_clock_shifted(int64_t time_ns, int64_t shift_ns);
/* Converts all times of a window, its late records and its marks. */
void rtop_clock_shift_window(struct rtop_window *window, int64_t shift_ns);

#endif
