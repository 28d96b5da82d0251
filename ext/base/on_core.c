/* Reads the CPU clock of the thread that has the GVL. */
#include "on_core.h"
#include "shm/base/clock.h"

#include <sys/resource.h>

struct on_core_look on_core_look(uint64_t thread, clockid_t clock)
{
  int64_t before = clock_read_ns(clock), cpu = clock_read_ns(clock);
  return (struct on_core_look){ .thread = thread, .ran = cpu > before, .gap_ns = clock_now_ns() - cpu };
}

static void set_instant(struct on_core_instant *instant, int64_t ns, int64_t gap_ns)
{
  atomic_store_explicit(&instant->ns, ns, memory_order_relaxed);
  atomic_store_explicit(&instant->gap_ns, gap_ns, memory_order_relaxed);
}

void on_core_tell(struct on_core *on_core, const struct on_core_look *look, int64_t instant_ns, bool first)
{
  uint64_t found = atomic_load_explicit(&on_core->found, memory_order_relaxed);
  if (first || found / ON_CORE_ALL != look->thread) {
    found = look->thread * ON_CORE_ALL;
    set_instant(&on_core->first, instant_ns, look->gap_ns);
  }
  set_instant(&on_core->last, instant_ns, look->gap_ns);
  found |= look->ran ? ON_CORE_YES : ON_CORE_NO;
  atomic_store_explicit(&on_core->found, look->thread ? found : 0, memory_order_release);
}

bool on_core_was_taken(int64_t *times)
{
  struct rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return true;
  bool taken = usage.ru_nivcsw != *times;
  *times = usage.ru_nivcsw;
  return taken;
}
