/* SPDX-License-Identifier: MIT */
/* Decides what memory can hold of the history. Private to the profile.
 *
 * Threads: one. Bounded time: a call merges only a few windows.
 */
#ifndef RTOP_TUI_PROFILE_MEMORY_H
#define RTOP_TUI_PROFILE_MEMORY_H

#include "profile_state.h"

/* Merges or drops the oldest windows when memory is full; with a loader, unloads windows that were not needed
 * recently. */
void profile_drop_old(struct rtop_profile *profile);
/* False: there is only one. */
bool profile_drop_oldest(struct rtop_profile *profile);

#endif
