/* SPDX-License-Identifier: MIT */
/* The sum of windows that memory could not hold. Private to the profile.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_CARRY_H
#define RTOP_TUI_PROFILE_CARRY_H

#include "profile_state.h"

/* Adds the contents of a window that is about to be freed. */
void profile_carry_window(struct rtop_profile *profile, const struct profile_window *window);
/* Adds the part of a late record that falls into carried time. */
void profile_carry_late(struct rtop_profile *profile, const struct profile_cell *share);
/* Merges ended threads that no window lists by their names. */
void profile_carry_compact(struct rtop_profile *profile);

#endif
