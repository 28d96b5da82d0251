/* Running means by node. */
#include "wait_cpu.h"

#include <stdatomic.h>

enum { IN_MEAN = 8 };

static uint32_t slot_of(uint32_t node)
{
  return node * UINT32_C(0x9E3779B9) >> (32 - WAIT_CPU_SLOTS_LOG2);
}

int64_t wait_cpu_mean_with(int64_t mean_ns, int64_t cpu_ns)
{
  return mean_ns ? mean_ns + (cpu_ns - mean_ns) / IN_MEAN : cpu_ns;
}

void wait_cpu_learn(struct wait_cpu *waits, uint32_t node, int64_t cpu_ns)
{
  _Atomic uint64_t *slot = &waits->slots[slot_of(node)];
  uint64_t there = atomic_load_explicit(slot, memory_order_relaxed);
  int64_t mean = wait_cpu_mean_with(there >> 32 == node ? (int64_t)(uint32_t)there : 0, cpu_ns);
  if (mean > UINT32_MAX) mean = UINT32_MAX;
  atomic_store_explicit(slot, (uint64_t)node << 32 | (uint32_t)mean, memory_order_relaxed);
}

int64_t wait_cpu_mean_ns(const struct wait_cpu *waits, uint32_t node)
{
  uint64_t there = atomic_load_explicit(&waits->slots[slot_of(node)], memory_order_relaxed);
  return node && there >> 32 == node ? (int64_t)(uint32_t)there : -1;
}
