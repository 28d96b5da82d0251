/* SPDX-License-Identifier: MIT */
/* Late records. Private to the profile.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_LATE_H
#define RTOP_TUI_PROFILE_LATE_H

#include "profile_state.h"

/* A hostile window could name ten thousand late records that each reach over ten thousand windows. */
#define PROFILE_LATE_STEPS_MAX (UINT32_C(1) << 20)

/* `window` came with this record and is in the profile already. */
struct profile_late {
  int64_t start_ns;
  struct profile_cell cell;
  bool loading; /* only windows that are being fetched get something */
  size_t count; /* windows from this position on had not come yet */
};
/* The windows that it reaches over get their shares, in place of what was provisional there or not sampled. */
void profile_apply_late(struct rtop_profile *profile, struct profile_window *window, const struct profile_late *late);

#endif
