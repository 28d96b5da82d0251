/* SPDX-License-Identifier: MIT */
/* Where a profile keeps its sources, including ended ones. Private to the profile. */
#ifndef RTOP_TUI_PROFILE_SOURCES_H
#define RTOP_TUI_PROFILE_SOURCES_H

#include "profile_state.h"

/* Finds the source with that number, or makes one with data from start_ns on. NULL: memory ran out. */
struct profile_source *profile_source(struct rtop_profile *profile, uint32_t number, int64_t start_ns);

#endif
