/* SPDX-License-Identifier: MIT */
/* What is not available because the Ruby that is watched differs from all that are known. */
#ifndef RTOP_TUI_VM_MISSING_H
#define RTOP_TUI_VM_MISSING_H

#include "tui/history/profile.h"

enum { VM_MISSING_BYTES = 512 };

/* "lock owners, arguments of slow calls": false when nothing is missing. */
bool vm_missing_words(const struct rtop_span_counters *counters, char out[VM_MISSING_BYTES]);

/* The name of the next one from `*from` (0 at first) on; NULL: there are no more. */
const char *vm_missing_next(const struct rtop_span_counters *counters, unsigned *from);

#endif
