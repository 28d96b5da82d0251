/* SPDX-License-Identifier: MIT */
/* Records which internals of this VM could not be read, because a check failed; features that need them are then
 * unavailable.
 */
#ifndef RTOP_EXT_VM_UNKNOWN_H
#define RTOP_EXT_VM_UNKNOWN_H

#include "shm/base/vm_parts.h"
#include <stdbool.h>

/* Records a failed check unless `known`; returns `known`. */
bool vm_unknown_unless(bool known, enum rtop_vm_part part);

/* Returns a bit for each check that has failed (shm/base/vm_parts.def). */
uint64_t vm_unknown_bits(void);

#endif
