/* SPDX-License-Identifier: MIT */
/* Where a profile keeps its sources, and what becomes of those that are over. Private to the profile. */
#ifndef RTOP_TUI_PROFILE_SOURCES_H
#define RTOP_TUI_PROFILE_SOURCES_H

#include "profile_state.h"

/* The source of that number, made when it is new: told from start_ns on. NULL: memory ran out. */
struct profile_source *profile_source(struct rtop_profile *profile, uint32_t number, int64_t start_ns);

#endif
