/* SPDX-License-Identifier: MIT */
/* The sum of what memory could not hold. Private to the profile.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_CARRY_H
#define RTOP_TUI_PROFILE_CARRY_H

#include "profile_state.h"

/* Takes over what a window says that is about to be freed. */
void profile_carry_window(struct rtop_profile *profile, const struct profile_window *window);
/* The part of a late record that lies in what is carried. */
void profile_carry_late(struct rtop_profile *profile, const struct profile_cell *share);
/* Threads that ended and that no window lists become one of their name. */
void profile_carry_compact(struct rtop_profile *profile);

#endif
