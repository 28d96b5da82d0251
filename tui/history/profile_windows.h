/* SPDX-License-Identifier: MIT */
/* Windows in order of start. Private to the profile.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_WINDOWS_H
#define RTOP_TUI_PROFILE_WINDOWS_H

#include "profile_state.h"

/* Takes it over, gives it an id. False: memory ran out, it is still the caller's. */
bool profile_window_insert(struct rtop_profile *profile, struct profile_window *window);
/* A window is about to go, or to become part of another one. */
void profile_window_lose(struct rtop_profile *profile, const struct profile_window *window);
bool profile_window_add_cell(struct rtop_profile *profile, struct profile_window *window,
                             const struct profile_cell *cell);
/* Position of the first window that starts then or later; count when there is none. */
size_t profile_first_from(const struct rtop_profile *profile, int64_t start_ns);
/* Position of the first window that can reach to `time_ns` or beyond; count when there is none. */
size_t profile_find(const struct rtop_profile *profile, int64_t time_ns);
/* The windows of which a span has a part, gaps too, one after the other. None may come or go meanwhile. */
struct profile_walk {
  const struct rtop_profile *profile;
  struct rtop_span span;
  size_t at;                /* the next one */
  struct profile_part part; /* of the last one */
};
struct profile_walk profile_walk(const struct rtop_profile *profile, struct rtop_span span);
/* NULL: there are no more. */
struct profile_window *profile_walk_next(struct profile_walk *walk);
/* Those that are no gaps, with all that stands in them. */
struct profile_window *profile_walk_read(struct profile_walk *walk);
/* A window that lists the thread goes: of the last one the thread goes too, if nothing is carried of it. */
void profile_thread_unlist(struct rtop_profile *profile, uint32_t id);

/* What is known of this stretch becomes another thing. */
void profile_changes(struct rtop_profile *profile, int64_t start_ns, int64_t end_ns);
static inline void profile_window_changes(struct rtop_profile *profile, const struct profile_window *window)
{
  profile_changes(profile, window->start_ns, window->end_ns);
}

#endif
