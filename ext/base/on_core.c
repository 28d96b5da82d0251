/* SPDX-License-Identifier: MIT */
/* Examines the thread that has the GVL: its CPU clock, and whether it sleeps or waits for a core. */
#include "on_core.h"
#include "shm/base/clock.h"
#include "shm/base/process.h"

#include <sys/prctl.h>
#include <sys/resource.h>

/* Maximum number of looks in a row that decide nothing while the thread is not seen to run. After them, the publisher
 * and the thread probably share one core, and the thread is assumed to have had a core. */
enum { SINCE_RAN = 64 };

/* An estimate of the shortage of cores: a look that finds a thread waiting for another core adds A_WAIT, every other
 * look subtracts 1. */
enum { A_WAIT = 24, SHORTAGE = 24, SHORTAGE_MAX = 64 };

enum place { UNKNOWN, RESTS, WAITS_ELSEWHERE, WAITS_HERE };

/* Finds out whether a thread that does not run sleeps, or for which core it waits, compared to core `here`. */
static enum place find_place(const struct on_core_thread *thread, int here)
{
  char state;
  int core;
  bool known = here >= 0 && thread->may_open && process_thread_place(thread->native_id, &state, &core);
  if (!known) return UNKNOWN;
  if (state != 'R') return RESTS;
  return core == here ? WAITS_HERE : WAITS_ELSEWHERE;
}

/* Tells whether the calling thread may run on more than one core. Returns false also when a seccomp filter is active,
 * since some filters kill the process for these system calls. */
static bool find_cores(struct on_core_past *past)
{
  if (prctl(PR_GET_SECCOMP) != 0) return false;
  if (!past->confined && sched_getaffinity(0, sizeof past->cores, &past->cores) != 0) return false;
  return CPU_COUNT(&past->cores) > 1;
}

static void leave_core(struct on_core_past *past, int here)
{
  past->others = past->cores;
  CPU_CLR((size_t)here, &past->others);
  if (sched_setaffinity(0, sizeof past->others, &past->others) == 0) past->confined = true;
}

/* Tells whether the restriction to the other cores is still in place. Another program may have chosen different cores
 * meanwhile (taskset(1)); that choice must not be undone. */
static bool is_confined(const struct on_core_past *past)
{
  cpu_set_t now;
  return sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &past->others);
}

void on_core_roam(struct on_core_past *past)
{
  if (!past->confined || prctl(PR_GET_SECCOMP) != 0) return;
  if (!is_confined(past) || sched_setaffinity(0, sizeof past->cores, &past->cores) == 0) past->confined = false;
}

/* Returns the result (ON_CORE_...) for a thread that does not run now, but ran since the last look. */
static unsigned judge(struct on_core_past *past, enum place place, int here)
{
  if (place == RESTS) return ON_CORE_RESTS;
  if (place == WAITS_ELSEWHERE) {
    past->shortage += A_WAIT;
    return past->shortage > SHORTAGE ? ON_CORE_WAITS : ON_CORE_YES;
  }
  if (past->shortage <= SHORTAGE || !find_cores(past) || ++past->since_ran > SINCE_RAN) return ON_CORE_YES;
  if (here >= 0) leave_core(past, here);
  return ON_CORE_UNKNOWN;
}

/* Returns the result (ON_CORE_...) for a thread that has not run since the last look. */
static unsigned judge_still(const struct on_core_past *past, const struct on_core_thread *thread, int here)
{
  if (past->met & ON_CORE_NO) return past->met;
  enum place place = find_place(thread, here);
  return place == WAITS_ELSEWHERE || place == WAITS_HERE ? ON_CORE_WAITS : ON_CORE_RESTS;
}

struct on_core_look on_core_look(struct on_core_past *past, const struct on_core_thread *thread)
{
  int here = sched_getcpu();
  int64_t before = clock_read_ns(thread->clock), cpu = clock_read_ns(thread->clock);
  struct on_core_look look = { .thread = thread->number, .met = ON_CORE_YES, .gap_ns = clock_now_ns() - cpu };
  if (past->shortage > SHORTAGE_MAX) past->shortage = SHORTAGE_MAX;
  if (past->shortage) past->shortage--;
  if (cpu > before) {
    past->since_ran = 0;
    on_core_roam(past);
  } else if (past->thread != thread->number || past->cpu_ns != cpu) {
    look.met = judge(past, find_place(thread, here), here);
  } else {
    look.met = judge_still(past, thread, here);
  }
  look.wanted = past->shortage > 0;
  past->thread = thread->number;
  past->cpu_ns = cpu;
  past->met = look.met;
  return look;
}

int64_t on_core_voluntary_switches(void)
{
  struct rusage usage;
  if (prctl(PR_GET_SECCOMP) != 0 || getrusage(RUSAGE_THREAD, &usage) != 0) return -1;
  return usage.ru_nvcsw;
}

void on_core_tell(struct on_core *on_core, const struct on_core_look *look, bool first)
{
  uint64_t found = atomic_load_explicit(&on_core->found, memory_order_relaxed);
  if (first || found / ON_CORE_ALL != look->thread) {
    found = look->thread * ON_CORE_ALL;
    atomic_store_explicit(&on_core->first_gap_ns, look->gap_ns, memory_order_relaxed);
  }
  atomic_store_explicit(&on_core->last_gap_ns, look->gap_ns, memory_order_relaxed);
  atomic_store_explicit(&on_core->wanted, look->wanted, memory_order_relaxed);
  found |= look->met;
  atomic_store_explicit(&on_core->found, look->thread ? found : 0, memory_order_release);
}
