/* SPDX-License-Identifier: MIT */
/* Windows of a recording are fetched before they are read. Private to the profile.
 *
 * Threads: one. Fetching reads a file.
 */
#ifndef RTOP_TUI_PROFILE_LOAD_H
#define RTOP_TUI_PROFILE_LOAD_H

#include "profile_state.h"

/* Fetches the window, which becomes a gap if it cannot be read. Other windows may be unloaded meanwhile, but not the
 * most recently needed ones. */
void profile_load(struct rtop_profile *profile, struct profile_window *window);
void profile_unload(struct rtop_profile *profile);
static inline void profile_need(struct rtop_profile *profile, struct profile_window *window)
{
  if (window->absent) profile_load(profile, window);
  window->used = profile->loads;
}

#endif
