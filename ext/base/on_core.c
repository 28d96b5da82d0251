/* Reads the CPU clock of the thread that has the GVL. */
#include "on_core.h"
#include "shm/base/clock.h"

void on_core_look(struct on_core *on_core, uint64_t owner, clockid_t clock)
{
  int64_t before = clock_read_ns(clock), cpu = clock_read_ns(clock);
  atomic_store_explicit(&on_core->owner, cpu ? owner : 0, memory_order_relaxed);
  atomic_store_explicit(&on_core->wall_ns, clock_now_ns(), memory_order_relaxed);
  atomic_store_explicit(&on_core->cpu_ns, cpu, memory_order_relaxed);
  atomic_store_explicit(&on_core->ran, cpu > before, memory_order_relaxed);
}

bool on_core_met(const struct on_core *on_core, struct cpu_clock_mark *mark, int64_t now_ns)
{
  if (atomic_load_explicit(&on_core->owner, memory_order_relaxed) != mark->owner) return true;
  if (atomic_load_explicit(&on_core->ran, memory_order_relaxed)) return true;
  bool asked;
  int64_t cpu = cpu_clock_read_ns(mark, now_ns, &asked);
  int64_t wall = (asked ? mark->wall_ns : now_ns) - atomic_load_explicit(&on_core->wall_ns, memory_order_relaxed);
  return wall - (cpu - atomic_load_explicit(&on_core->cpu_ns, memory_order_relaxed)) < ON_CORE_BREAK_NS;
}
