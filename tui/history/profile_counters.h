/* SPDX-License-Identifier: MIT */
/* Counters of windows: summed, replaced, or merged over sources, by kind. Private to the profile.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_PROFILE_COUNTERS_H
#define RTOP_TUI_PROFILE_COUNTERS_H

#include "profile_window.h"

enum { PROFILE_COUNTERS_MAX = 64 };

struct rtop_window;
/* Read counters of a channel's window, limited so that sums cannot overflow; and write them into such a window. */
void profile_counters_read(struct profile_window *to, const struct rtop_window *from);
void profile_counters_write(struct rtop_window *to, const struct rtop_span_counters *from, uint64_t present);
/* Adds changes; present values ("now") replace earlier ones of the same source. */
void profile_counters_add(struct rtop_span_counters *to, const struct rtop_span_counters *from, uint64_t present);
/* Like profile_counters_add() in two steps: profile_counters_change() adds or subtracts changes; profile_counters_now()
 * copies those of the wanted present values (a bit per counter) that the window has, and returns the bits still
 * wanted. */
void profile_counters_change(struct rtop_span_counters *to, const struct rtop_span_counters *from, bool comes);
uint64_t profile_counters_now(struct rtop_span_counters *to, const struct profile_window *from, uint64_t wanted);
uint64_t profile_counters_wanted(const uint32_t present[PROFILE_COUNTERS_MAX]);
/* Returns the proportional part of a window's changes; present values are unchanged. */
struct rtop_span_counters profile_counters_part(const struct profile_window *window, const struct profile_part *part);
/* Turns present values into differences to earlier ones, so that adding the result replaces the earlier ones. */
void profile_counters_replace(struct rtop_span_counters *counters, const struct rtop_span_counters *before);
/* Merges counters of simultaneous sources: rates by maximum, sizes by sum. */
void profile_counters_merge(struct rtop_span_counters *to, const struct rtop_span_counters *from);

#endif
