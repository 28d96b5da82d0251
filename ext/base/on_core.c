/* Looks at the thread that has the GVL: its CPU clock, and where it waits. */
#include "on_core.h"
#include "shm/base/clock.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* After so many looks that said nothing the publisher goes to another core; after so many without one that saw its thread run,
 * it may be that the two have but one. */
enum { TO_LEAVE = 4, SINCE_RAN = 64 };

/* Each look that finds it waiting for another core adds to the shortage of cores, and each takes 1 off: one in 350 looks does
 * where nobody else wants a core, one in 5 to 16 beside two busy processes on two cores. */
enum { A_WAIT = 24, SHORTAGE = 24, SHORTAGE_MAX = 64 };

/* Fields 4 to 38 of a thread's stat, which stand between its state and its core (proc(5)). */
#define SKIP_7 " %*s %*s %*s %*s %*s %*s %*s"
#define STATE_AND_CORE "%c" SKIP_7 SKIP_7 SKIP_7 SKIP_7 SKIP_7 " %d"

enum place { RESTS, WAITS_ELSEWHERE, WAITS_HERE };

/* Of a thread that does not run; WAITS_HERE also when that cannot be known. */
static enum place find_place(uint32_t native_id)
{
  char path[64], text[1024], state;
  int core;
  snprintf(path, sizeof path, "/proc/self/task/%u/stat", native_id);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return WAITS_HERE;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  text[length > 0 ? length : 0] = '\0';
  const char *name_end = strrchr(text, ')');
  if (!name_end || name_end[1] != ' ' || sscanf(name_end + 2, STATE_AND_CORE, &state, &core) != 2) return WAITS_HERE;
  if (state != 'R') return RESTS;
  return core == sched_getcpu() ? WAITS_HERE : WAITS_ELSEWHERE;
}

/* Those that the program may use. False: no more than one. */
static bool find_cores(cpu_set_t *cores)
{
  return sched_getaffinity(getpid(), sizeof *cores, cores) == 0 && CPU_COUNT(cores) > 1;
}

/* To any other. */
static void leave_core(struct on_core_past *past, const cpu_set_t *cores)
{
  cpu_set_t others = *cores;
  int core = sched_getcpu();
  if (core < 0) return;
  CPU_CLR((size_t)core, &others);
  past->confined = sched_setaffinity(0, sizeof others, &others) == 0;
}

/* Where others are idle the kernel finds a better core than this. */
static void end_leave(struct on_core_past *past)
{
  cpu_set_t cores;
  past->since_ran = 0;
  if (past->confined && find_cores(&cores)) sched_setaffinity(0, sizeof cores, &cores);
  past->confined = false;
}

/* Of one that does not run. */
static unsigned judge(struct on_core_past *past, uint32_t native_id, bool ran_since)
{
  cpu_set_t cores;
  if (!ran_since) return ON_CORE_NO;
  enum place place = find_place(native_id);
  if (place == WAITS_ELSEWHERE) past->shortage += A_WAIT;
  if (place != WAITS_HERE) return ON_CORE_NO;
  if (past->shortage <= SHORTAGE || !find_cores(&cores) || ++past->since_ran > SINCE_RAN) return ON_CORE_YES;
  if (past->since_ran % TO_LEAVE == 0) leave_core(past, &cores);
  return 0;
}

struct on_core_look on_core_look(struct on_core_past *past, const struct on_core_thread *thread)
{
  int64_t before = clock_read_ns(thread->clock), cpu = clock_read_ns(thread->clock);
  struct on_core_look look = { .thread = thread->number, .met = ON_CORE_YES, .gap_ns = clock_now_ns() - cpu };
  bool ran_since = past->thread != thread->number || past->cpu_ns != cpu;
  if (past->shortage > SHORTAGE_MAX) past->shortage = SHORTAGE_MAX;
  if (past->shortage) past->shortage--;
  if (cpu > before) end_leave(past);
  else look.met = judge(past, thread->native_id, ran_since);
  past->thread = thread->number;
  past->cpu_ns = cpu;
  return look;
}

void on_core_tell(struct on_core *on_core, const struct on_core_look *look, bool first)
{
  uint64_t found = atomic_load_explicit(&on_core->found, memory_order_relaxed);
  if (first || found / ON_CORE_ALL != look->thread) {
    found = look->thread * ON_CORE_ALL;
    atomic_store_explicit(&on_core->first_gap_ns, look->gap_ns, memory_order_relaxed);
  }
  atomic_store_explicit(&on_core->last_gap_ns, look->gap_ns, memory_order_relaxed);
  found |= look->met;
  atomic_store_explicit(&on_core->found, look->thread ? found : 0, memory_order_release);
}
