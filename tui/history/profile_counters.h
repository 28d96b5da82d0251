/* SPDX-License-Identifier: MIT */
/* Counters of windows: what is summed, what is replaced, and what is merged over sources. Private to the profile.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_PROFILE_COUNTERS_H
#define RTOP_TUI_PROFILE_COUNTERS_H

#include "profile_window.h"

enum { PROFILE_COUNTERS_MAX = 64 };

struct rtop_window;
/* Those that the channel says, cut to what cannot overflow; and back. */
void profile_counters_read(struct profile_window *to, const struct rtop_window *from);
void profile_counters_write(struct rtop_window *to, const struct rtop_span_counters *from, uint64_t present);
/* Adds changes; "now" values replace those of the same source. */
void profile_counters_add(struct rtop_span_counters *to, const struct rtop_span_counters *from, uint64_t present);
/* The same in two steps: changes, which come or go, and "now" values that are wanted (a bit per counter). Those
 * that are still wanted are returned; at first these are of windows that have them. */
void profile_counters_change(struct rtop_span_counters *to, const struct rtop_span_counters *from, bool comes);
uint64_t profile_counters_now(struct rtop_span_counters *to, const struct profile_window *from, uint64_t wanted);
uint64_t profile_counters_wanted(const uint32_t present[PROFILE_COUNTERS_MAX]);
/* The part's share of changes; "now" values as they are. */
struct rtop_span_counters profile_counters_part(const struct profile_window *window, const struct profile_part *part);
/* Turns "now" sizes into the difference to what was told before, so that adding them replaces it. */
void profile_counters_replace(struct rtop_span_counters *counters, const struct rtop_span_counters *before);
/* Adds what several sources counted in the same time: rates are the largest, sizes are summed. */
void profile_counters_merge(struct rtop_span_counters *to, const struct rtop_span_counters *from);

#endif
