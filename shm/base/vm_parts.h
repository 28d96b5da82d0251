/* SPDX-License-Identifier: MIT */
/* The bits of RTOP_COUNTER_VM_UNKNOWN: which parts of the VM could not be read (vm_parts.def). */
#ifndef RTOP_SHM_VM_PARTS_H
#define RTOP_SHM_VM_PARTS_H

#include <stdint.h>

enum rtop_vm_part {
#define VM_PART(ID, BIT, NAME) RTOP_VM_##ID = (BIT),
#include "vm_parts.def"
#undef VM_PART
};

#define RTOP_VM_BIT(part) (UINT64_C(1) << (part))

#endif
