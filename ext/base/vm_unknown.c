/* SPDX-License-Identifier: MIT */
/* Keeps one bit for each part of the VM. */
#include "vm_unknown.h"

#include <stdatomic.h>

static _Atomic uint64_t unknown;

bool vm_unknown_unless(bool known, enum rtop_vm_part part)
{
  if (known) atomic_fetch_and(&unknown, ~RTOP_VM_BIT(part));
  else atomic_fetch_or(&unknown, RTOP_VM_BIT(part));
  return known;
}

uint64_t vm_unknown_bits(void)
{
  return atomic_load_explicit(&unknown, memory_order_relaxed);
}
