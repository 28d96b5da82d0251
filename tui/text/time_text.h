/* SPDX-License-Identifier: MIT */
/* Points in time as people write and read them.
 *
 *   14:31:52, 14:31, 14:31:52.4          a time of day: the last one that is not after the newest data
 *   2026-11-20T14:31:52, 2026-11-20 14:31   a date and a time; with Z or +01:00 behind it another zone's
 *   -90s, +5, -2m, +1h30m, -1m30.5s      before or after the cursor; a number alone is seconds
 *   start, end                           of what is held; end is also "now"
 *
 * Wall clock is CLOCK_REALTIME in nanoseconds; times of day are those of the local zone. Knows no screen.
 */
#ifndef RTOP_TUI_TIME_TEXT_H
#define RTOP_TUI_TIME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The times that a text can refer to, by the wall clock. */
struct time_base {
  int64_t start_ns, end_ns; /* what is held */
  int64_t cursor_ns;
};

/* Parses a text. NULL on success, with the wall clock time in *time_ns, whether or not data are held for it;
   else a message. */
const char *time_text_parse(const char *text, const struct time_base *base, int64_t *time_ns);

/* Writes a time of day: "14:31:52", with tenths "14:31:52.4", "--:--:--" when it is unknown. */
void time_text_clock(char *out, size_t bytes, int64_t real_ns, bool tenths);

/* Writes an age in at most 6 columns: "0s", "15s", "14m08s", "2h05m", "3d04h". */
void time_text_age(char *out, size_t bytes, int64_t age_ns);

#endif
