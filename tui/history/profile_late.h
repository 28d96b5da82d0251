/* SPDX-License-Identifier: MIT */
/* Applies late records to the windows they correct. Private to the profile.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_LATE_H
#define RTOP_TUI_PROFILE_LATE_H

#include "profile_state.h"

/* Limit of steps per window: a hostile window could contain ten thousand late records that each reach over ten thousand
 * windows. */
#define PROFILE_LATE_STEPS_MAX (UINT32_C(1) << 20)

/* A late record that came with `window`; the profile contains the window already. */
struct profile_late {
  int64_t start_ns;
  struct profile_cell cell;
  bool loading; /* only windows that are being fetched get a share */
  size_t count; /* number of windows that the profile got before the record */
};
/* Gives each window that the record overlaps its share, which replaces provisional or unsampled time. */
void profile_apply_late(struct rtop_profile *profile, struct profile_window *window, const struct profile_late *late);

#endif
