/* SPDX-License-Identifier: MIT */
/* Names of bits. */
#include "vm_missing.h"

#include "shm/base/vm_parts.h"
#include <stdio.h>

static const struct vm_part {
  enum rtop_vm_part part;
  const char *name;
} vm_parts[] = {
#define VM_PART(ID, BIT, NAME) { RTOP_VM_##ID, NAME },
#include "shm/base/vm_parts.def"
#undef VM_PART
};
enum { VM_PARTS = sizeof vm_parts / sizeof vm_parts[0] };

const char *vm_missing_next(const struct rtop_span_counters *counters, unsigned *from)
{
  while (*from < VM_PARTS) {
    const struct vm_part *part = &vm_parts[(*from)++];
    if (counters->vm_unknown & RTOP_VM_BIT(part->part)) return part->name;
  }
  return NULL;
}

bool vm_missing_words(const struct rtop_span_counters *counters, char out[VM_MISSING_BYTES])
{
  size_t used = 0;
  unsigned from = 0;
  out[0] = '\0';
  for (const char *name; (name = vm_missing_next(counters, &from)) != NULL && used < VM_MISSING_BYTES;)
    used += (size_t)snprintf(out + used, VM_MISSING_BYTES - used, "%s%s", used ? ", " : "", name);
  return used > 0;
}
