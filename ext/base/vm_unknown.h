/* SPDX-License-Identifier: MIT */
/* Which parts of this VM could not be read: a check has failed, so the profiler works without them.
 *
 * Some checks are made at load, others when somebody asks for what needs them: until then nothing is said.
 *
 * Threads: any. [hook]
 */
#ifndef RTOP_EXT_VM_UNKNOWN_H
#define RTOP_EXT_VM_UNKNOWN_H

#include "shm/base/vm_parts.h"
#include <stdbool.h>

/* What a check has found; returns it. */
bool vm_unknown_unless(bool known, enum rtop_vm_part part);

/* The bits of all checks that have failed. */
uint64_t vm_unknown_bits(void);

#endif
