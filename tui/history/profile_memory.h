/* SPDX-License-Identifier: MIT */
/* What memory can hold of the history. Private to the profile.
 *
 * Threads: one. Bounded in time: a call puts only a few windows together.
 */
#ifndef RTOP_TUI_PROFILE_MEMORY_H
#define RTOP_TUI_PROFILE_MEMORY_H

#include "profile_state.h"

/* Windows that memory cannot hold are put together or go, oldest first; of a loader's those that were not needed are
 * unloaded. */
void profile_drop_old(struct rtop_profile *profile);
/* False: there is only one. */
bool profile_drop_oldest(struct rtop_profile *profile);

#endif
