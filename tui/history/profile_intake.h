/* SPDX-License-Identifier: MIT */
/* Turns windows of a feed into windows of the profile, when they arrive and when they are fetched again. Private to the
 * profile.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_INTAKE_H
#define RTOP_TUI_PROFILE_INTAKE_H

#include "profile_state.h"

struct rtop_window;

/* A window from a feed, with the tables to translate its ids. */
struct profile_input {
  const struct rtop_window *window;
  const uint32_t *nodes, *threads;
  size_t node_count;
};
/* Makes a profile window that no list contains yet. NULL: memory ran out. */
struct profile_window *profile_window_make(const struct rtop_profile *profile, const struct profile_input *input,
                                           int64_t start_ns);
/* Computes how long stacks have been unknown, for channels before version 1.2, which do not report it: from the start
 * of provisional time. The previous window is among the first `count`. */
void profile_age_stacks(const struct rtop_profile *profile, struct profile_window *window, size_t count);
/* Adds the window's late records as if it were the newest of `count` windows; with `loading`, only to windows that are
 * being fetched. */
void profile_add_late(struct rtop_profile *profile, struct profile_window *window, const struct profile_input *input,
                      bool loading, size_t count);
/* Prepares the time of a new window of a source: moves its start to the end of known time, and adds a gap for a hole
 * before it. NULL when the time is known already or invalid. */
struct profile_source *profile_place(struct rtop_profile *profile, uint32_t source, int64_t *start_ns, int64_t end_ns);

#endif
