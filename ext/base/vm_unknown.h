/* SPDX-License-Identifier: MIT */
/* Which internals of this VM could not be read, because a check failed; the profiler then works without them.
 *
 * Some checks are made at load, others when a feature is first used.
 *
 * Threads: any. [hook]
 */
#ifndef RTOP_EXT_VM_UNKNOWN_H
#define RTOP_EXT_VM_UNKNOWN_H

#include "shm/base/vm_parts.h"
#include <stdbool.h>

/* What a check has found; returns it. */
bool vm_unknown_unless(bool known, enum rtop_vm_part part);

/* A bit for each check that has failed (shm/base/vm_parts.def). */
uint64_t vm_unknown_bits(void);

#endif
