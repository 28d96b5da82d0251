/* SPDX-License-Identifier: MIT */
/* Reads the CPU time of the calling thread: with the help of its rseq area where possible, else by a system call. */
#include "cpu_clock.h"
#include "rseq_own.h"
#include "shm/base/clock.h"

#include <stdatomic.h>
#include <stddef.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

/* This part uses the rseq areas of glibc, or our own (rseq_own.h). */
#if defined(RSEQ_SIG) && UINTPTR_MAX == UINT64_MAX

enum { LAST_SLOTS_LOG2 = 10, PROBES = 3, PROBE_NS = 20000, PROBE_MOST_NS = 2000000 };

/* Types for reading the words of an area: rseq_cs is a union in some headers and a plain number in others, at the same
 * offset. */
typedef uint64_t area_word __attribute__((may_alias));
typedef int32_t area_cpu_id __attribute__((may_alias));

/* A critical section that no code ever runs in. The kernel requires the signature right before abort_ip, and abort_ip
 * outside the section. */
static const uint32_t nowhere[4] = { 0, RSEQ_SIG, RSEQ_SIG, RSEQ_SIG };
static const struct rseq_cs descriptor = {
  .start_ip = (uintptr_t)&nowhere[0],
  .post_commit_offset = 1,
  .abort_ip = (uintptr_t)&nowhere[2],
};
static bool usable;
/* Owner of the latest mark made on a native thread, by a hash of the thread's area. Two native threads that share a
 * slot only cause extra readings. */
static _Atomic uint64_t last_owners[1 << LAST_SLOTS_LOG2];

#ifdef RTOP_RSEQ_OWN
static bool have_areas(void)
{
  return rseq_own_start();
}

static uintptr_t own_area(void)
{
  return rseq_own_area();
}

static uintptr_t area_to_watch(void)
{
  return rseq_own_claim();
}
#else
static bool have_areas(void)
{
  return __rseq_size >= offsetof(struct rseq, flags);
}

static uintptr_t own_area(void)
{
  return (uintptr_t)__builtin_thread_pointer() + (uintptr_t)__rseq_offset;
}

static uintptr_t area_to_watch(void)
{
  return own_area();
}
#endif

static area_word *word_of(uintptr_t area)
{
  return (area_word *)(area + offsetof(struct rseq, rseq_cs));
}

/* cpu_id is negative until the kernel has registered the area. */
static bool registered(uintptr_t area)
{
  return __atomic_load_n((area_cpu_id *)(area + offsetof(struct rseq, cpu_id)), __ATOMIC_RELAXED) >= 0;
}

static _Atomic uint64_t *last_owner(uintptr_t area)
{
  return &last_owners[(uint64_t)area * UINT64_C(0x9E3779B97F4A7C15) >> (64 - LAST_SLOTS_LOG2)];
}

static void watch(struct cpu_clock_mark *mark)
{
  uintptr_t area = area_to_watch();
  mark->area = 0;
  if (!area) return;
  uint64_t before = __atomic_load_n(word_of(area), __ATOMIC_RELAXED);
  bool free = before == 0 || before == (uintptr_t)&descriptor;
  mark->area = free && registered(area) ? area : 0;
  if (!mark->area) return;
  atomic_store_explicit(last_owner(area), mark->owner, memory_order_relaxed);
  __atomic_store_n(word_of(area), (uintptr_t)&descriptor, __ATOMIC_RELAXED);
}

bool cpu_clock_usable(void)
{
  return usable;
}

bool cpu_clock_unbroken(const struct cpu_clock_mark *mark)
{
  uintptr_t area = mark->area;
  if (!area || area != own_area()) return false;
  return __atomic_load_n(word_of(area), __ATOMIC_RELAXED) == (uintptr_t)&descriptor && registered(area) &&
         atomic_load_explicit(last_owner(area), memory_order_relaxed) == mark->owner;
}

int64_t cpu_clock_read_ns(struct cpu_clock_mark *mark, int64_t now_ns, bool *asked)
{
  *asked = true;
  if (!usable) return clock_own_cpu_ns();
  int64_t since = now_ns - mark->wall_ns;
  /* The caller read now_ns before the clock, so a context switch between the two readings is noticed. */
  atomic_signal_fence(memory_order_seq_cst);
  bool fresh = since > -CPU_CLOCK_TRUE_EVERY_NS && since < CPU_CLOCK_TRUE_EVERY_NS;
  if (fresh && cpu_clock_unbroken(mark)) {
    *asked = false;
    return mark->cpu_ns + since;
  }
  watch(mark);
  /* The area is armed before the clock is read, so the next reading notices a context switch in between. */
  atomic_signal_fence(memory_order_seq_cst);
  mark->wall_ns = clock_now_ns();
  mark->cpu_ns = clock_own_cpu_ns();
  return mark->cpu_ns;
}

void cpu_clock_watch(struct cpu_clock_mark *mark, int64_t now_ns, int64_t cpu_ns)
{
  if (!usable) return;
  watch(mark);
  mark->wall_ns = now_ns;
  mark->cpu_ns = cpu_ns;
}

void cpu_clock_rest(struct cpu_clock_mark *mark)
{
  bool ours = mark->area && mark->area == own_area() &&
              __atomic_load_n(word_of(mark->area), __ATOMIC_RELAXED) == (uintptr_t)&descriptor;
  if (ours) __atomic_store_n(word_of(mark->area), 0, __ATOMIC_RELAXED);
  mark->area = 0;
}

/* Tests whether the kernel clears rseq_cs when a thread sleeps. A short sleep can end before the thread has left its
 * core, which proves nothing; then a longer sleep is tried. */
static bool cleared_by_sleep(struct cpu_clock_mark *mark)
{
  for (long sleep_ns = PROBE_NS; sleep_ns <= PROBE_MOST_NS; sleep_ns *= 10) {
    watch(mark);
    if (!mark->area) return false;
    nanosleep(&(struct timespec){ .tv_nsec = sleep_ns }, NULL);
    if (!cpu_clock_unbroken(mark)) return true;
  }
  return false;
}

/* Makes several tests, since a preemption by chance must not decide the result. */
bool cpu_clock_init(bool always_ask)
{
  struct cpu_clock_mark mark = { .owner = UINT64_MAX };
  usable = false;
  if (always_ask || !have_areas()) return false;
  for (int i = 0; i < PROBES; i++)
    if (!cleared_by_sleep(&mark)) return false;
  usable = true;
  return true;
}

#else

bool cpu_clock_init(bool always_ask)
{
  (void)always_ask;
  return false;
}

bool cpu_clock_usable(void)
{
  return false;
}

bool cpu_clock_unbroken(const struct cpu_clock_mark *mark)
{
  (void)mark;
  return false;
}

void cpu_clock_watch(struct cpu_clock_mark *mark, int64_t now_ns, int64_t cpu_ns)
{
  (void)mark;
  (void)now_ns;
  (void)cpu_ns;
}

void cpu_clock_rest(struct cpu_clock_mark *mark)
{
  (void)mark;
}

int64_t cpu_clock_read_ns(struct cpu_clock_mark *mark, int64_t now_ns, bool *asked)
{
  (void)mark;
  (void)now_ns;
  *asked = true;
  return clock_own_cpu_ns();
}

#endif
