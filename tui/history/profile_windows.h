/* Windows in order of start. Private to the profile.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_WINDOWS_H
#define RTOP_TUI_PROFILE_WINDOWS_H

#include "profile_state.h"

/* Takes it over, gives it an id. False: memory ran out, it is still the caller's. */
bool profile_window_insert(struct rtop_profile *profile, struct profile_window *window);
bool profile_window_add_cell(struct rtop_profile *profile, struct profile_window *window,
                             const struct profile_cell *cell);
/* Position of the first window that starts then or later; count when there is none. */
size_t profile_first_from(const struct rtop_profile *profile, int64_t start_ns);
/* Position of the first window that can reach to `time_ns` or beyond; count when there is none. */
size_t profile_find(const struct rtop_profile *profile, int64_t time_ns);
/* A window that lists the thread goes: of the last one the thread goes too, if nothing is carried of it. */
void profile_thread_unlist(struct rtop_profile *profile, uint32_t id);

/* What is known of this stretch becomes another thing. */
void profile_changes(struct rtop_profile *profile, int64_t start_ns, int64_t end_ns);
static inline void profile_window_changes(struct rtop_profile *profile, const struct profile_window *window)
{
  profile_changes(profile, window->start_ns, window->end_ns);
}

#endif
