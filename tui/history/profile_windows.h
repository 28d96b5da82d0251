/* SPDX-License-Identifier: MIT */
/* Windows in order of start. Private to the profile.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_WINDOWS_H
#define RTOP_TUI_PROFILE_WINDOWS_H

#include "profile_state.h"

/* Takes ownership of the window and gives it an id. False: memory ran out, and the caller still owns the window. */
bool profile_window_insert(struct rtop_profile *profile, struct profile_window *window);
/* To be called before a window is removed or merged into another one. */
void profile_window_lose(struct rtop_profile *profile, const struct profile_window *window);
bool profile_window_add_cell(struct rtop_profile *profile, struct profile_window *window,
                             const struct profile_cell *cell);
/* Position of the first window that starts at `start_ns` or later; the number of windows when there is none. */
size_t profile_first_from(const struct rtop_profile *profile, int64_t start_ns);
/* Position of the first window that can reach `time_ns` or beyond; the number of windows when there is none. */
size_t profile_find(const struct rtop_profile *profile, int64_t time_ns);
/* A walk over the windows and gaps of which a span has a part. No window may be added or removed meanwhile. */
struct profile_walk {
  const struct rtop_profile *profile;
  struct rtop_span span;
  size_t at;                /* the next one */
  struct profile_part part; /* of the last one */
};
struct profile_walk profile_walk(const struct rtop_profile *profile, struct rtop_span span);
/* NULL: there are no more. */
struct profile_window *profile_walk_next(struct profile_walk *walk);
/* Returns the next window that is not a gap, fetched if necessary. */
struct profile_window *profile_walk_read(struct profile_walk *walk);
/* To be called when a window that lists the thread is removed; with its last window the thread is freed, unless sums of
 * it are carried. */
void profile_thread_unlist(struct rtop_profile *profile, uint32_t id);

/* To be called when the data between these times change. */
void profile_changes(struct rtop_profile *profile, int64_t start_ns, int64_t end_ns);
static inline void profile_window_changes(struct rtop_profile *profile, const struct profile_window *window)
{
  profile_changes(profile, window->start_ns, window->end_ns);
}

#endif
