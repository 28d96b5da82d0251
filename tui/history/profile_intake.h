/* SPDX-License-Identifier: MIT */
/* How windows of a feed become those of the profile, also when they are fetched later. Private to the profile.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_INTAKE_H
#define RTOP_TUI_PROFILE_INTAKE_H

#include "profile_state.h"

struct rtop_window;

/* What the feed hands in: the window and how to translate it. */
struct profile_input {
  const struct rtop_window *window;
  const uint32_t *nodes, *threads;
  size_t node_count;
};
/* A window made of it that no list has yet. NULL: memory ran out. */
struct profile_window *profile_window_make(const struct rtop_profile *profile, const struct profile_input *input,
                                           int64_t start_ns);
/* Before version 1.2 of the channel nobody said how old a stack is: since when time was provisional. The window
 * before is among the first `count`. */
void profile_age_stacks(const struct rtop_profile *profile, struct profile_window *window, size_t count);
/* Its late records, only for windows that are being fetched if `loading`, and as if it were the newest of `count`. */
void profile_add_late(struct rtop_profile *profile, struct profile_window *window, const struct profile_input *input,
                      bool loading, size_t count);
/* Where a stretch of a source goes: its start becomes the end of what was told, a hole before it a gap. NULL:
 * it was told already, or makes no sense. */
struct profile_source *profile_place(struct rtop_profile *profile, uint32_t source, int64_t *start_ns, int64_t end_ns);

#endif
