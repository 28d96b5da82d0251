/* SPDX-License-Identifier: MIT */
/* Features that are unavailable because the watched Ruby differs from all known ones. */
#ifndef RTOP_TUI_VM_MISSING_H
#define RTOP_TUI_VM_MISSING_H

#include "tui/history/profile.h"

enum { VM_MISSING_BYTES = 512 };

/* Writes the missing features: "lock owners, arguments of slow calls"; false when nothing is missing. */
bool vm_missing_words(const struct rtop_span_counters *counters, char out[VM_MISSING_BYTES]);

/* Returns the name of the next missing feature from `*from` (0 at first) on; NULL: there are no more. */
const char *vm_missing_next(const struct rtop_span_counters *counters, unsigned *from);

#endif
