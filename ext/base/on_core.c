/* Reads the CPU clock of the thread that has the GVL. */
#include "on_core.h"
#include "shm/base/clock.h"

#include <sys/resource.h>

struct on_core_look on_core_look(uint64_t thread, clockid_t clock)
{
  int64_t before = clock_read_ns(clock), cpu = clock_read_ns(clock);
  return (struct on_core_look){ .thread = thread, .ran = cpu > before, .gap_ns = clock_now_ns() - cpu };
}

void on_core_tell(struct on_core *on_core, const struct on_core_look *look, bool first)
{
  uint64_t found = atomic_load_explicit(&on_core->found, memory_order_relaxed);
  if (first || found / ON_CORE_ALL != look->thread) {
    found = look->thread * ON_CORE_ALL;
    atomic_store_explicit(&on_core->first_gap_ns, look->gap_ns, memory_order_relaxed);
  }
  atomic_store_explicit(&on_core->last_gap_ns, look->gap_ns, memory_order_relaxed);
  found |= look->ran ? ON_CORE_YES : ON_CORE_NO;
  atomic_store_explicit(&on_core->found, look->thread ? found : 0, memory_order_release);
}

bool on_core_rested(int64_t *times)
{
  struct rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return false;
  bool rested = usage.ru_nvcsw != *times;
  *times = usage.ru_nvcsw;
  return rested;
}
