/* SPDX-License-Identifier: MIT */
/* Keeps running means of waits by node. */
#include "wait_cpu.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Waits shorter than SHORT_NS cannot be distinguished from thread switches; a wait LONG_TIMES longer than usual most
 * likely sleeps. */
enum { IN_MEAN = 8, SHORT_NS = 30000, LONG_TIMES = 4 };

static uint32_t slot_of(uint32_t node)
{
  return node * UINT32_C(0x9E3779B9) >> (32 - WAIT_CPU_SLOTS_LOG2);
}

int64_t wait_cpu_mean_with(int64_t mean_ns, int64_t cpu_ns)
{
  return mean_ns ? mean_ns + (cpu_ns - mean_ns) / IN_MEAN : cpu_ns;
}

static void learn_mean(_Atomic uint64_t *slot, uint32_t node, int64_t value_ns)
{
  uint64_t there = atomic_load_explicit(slot, memory_order_relaxed);
  int64_t mean = wait_cpu_mean_with(there >> 32 == node ? (int64_t)(uint32_t)there : 0, value_ns);
  if (mean > UINT32_MAX) mean = UINT32_MAX;
  atomic_store_explicit(slot, (uint64_t)node << 32 | (uint32_t)mean, memory_order_relaxed);
}

static int64_t mean_of(const _Atomic uint64_t *slot, uint32_t node)
{
  uint64_t there = atomic_load_explicit(slot, memory_order_relaxed);
  return node && there >> 32 == node ? (int64_t)(uint32_t)there : -1;
}

void wait_cpu_learn(struct wait_cpu *waits, uint32_t node, int64_t cpu_ns, int64_t wall_ns)
{
  learn_mean(&waits->cpu[slot_of(node)], node, cpu_ns);
  learn_mean(&waits->wall[slot_of(node)], node, wall_ns);
}

int64_t wait_cpu_mean_ns(const struct wait_cpu *waits, uint32_t node)
{
  return mean_of(&waits->cpu[slot_of(node)], node);
}

int64_t wait_cpu_usual_ns(const struct wait_cpu *waits, uint32_t node, int64_t wall_ns)
{
  int64_t cpu = wait_cpu_mean_ns(waits, node), wall = mean_of(&waits->wall[slot_of(node)], node);
  bool computes = cpu > 0 && wall > SHORT_NS && 2 * cpu > wall;
  if (!computes) return cpu;
  if (wall_ns > LONG_TIMES * wall) wall_ns = LONG_TIMES * wall;
  return (int64_t)((double)wall_ns * (double)cpu / (double)wall);
}
