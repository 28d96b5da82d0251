/* SPDX-License-Identifier: MIT */
/* Clocks of several sources brought onto one. A monotonic clock counts from its own boot, so times of two
 * boots compare by wall clock only; within one boot they are the same clock, and what the wall clock was
 * set to meanwhile says nothing.
 *
 * Threads: any; nothing is kept.
 */
#ifndef RTOP_TUI_CLOCK_SHIFT_H
#define RTOP_TUI_CLOCK_SHIFT_H

#include <stdint.h>

struct rtop_window;

/* Offsets that differ by less are of one boot: they are measured, and clocks are corrected. */
#define RTOP_CLOCK_SAME_NS INT64_C(50000000)

/* What is added to a time of a clock so that it is by the other one: the difference of their offsets (real -
 * mono), 0 when it is small or, with hostile numbers, no number. */
int64_t rtop_clock_shift_ns(int64_t offset_ns, int64_t other_offset_ns);
/* Stops at the largest and the smallest number. */
int64_t rtop_clock_shifted(int64_t time_ns, int64_t shift_ns);
/* All times of a window, its late records and its marks. */
void rtop_clock_shift_window(struct rtop_window *window, int64_t shift_ns);

#endif
