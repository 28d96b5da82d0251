/* SPDX-License-Identifier: MIT */
/* Windows of a recording: what is absent is fetched before it is looked at. Private to the profile.
 *
 * Threads: one. Fetching reads a file.
 */
#ifndef RTOP_TUI_PROFILE_LOAD_H
#define RTOP_TUI_PROFILE_LOAD_H

#include "profile_state.h"

/* It may become a gap when it cannot be read. Others may be unloaded meanwhile, never what was needed last. */
void profile_load(struct rtop_profile *profile, struct profile_window *window);
void profile_unload(struct rtop_profile *profile);
static inline void profile_need(struct rtop_profile *profile, struct profile_window *window)
{
  if (window->absent) profile_load(profile, window);
  window->used = profile->loads;
}

#endif
