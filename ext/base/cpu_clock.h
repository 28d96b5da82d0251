/* SPDX-License-Identifier: MIT */
/* The CPU clock of the calling thread, without a system call where it can be known.
 *
 * A thread that was not taken off its core used as much CPU as time went by, and the kernel tells for free
 * whether it was. glibc (2.35 on) registers an area per native thread for restartable sequences (rseq(2),
 * linux/rseq.h, sys/rseq.h), rseq_own.h does with musl; whenever the kernel takes a thread off its core outside the code that the area's
 * rseq_cs word points out, it clears that word. We put a descriptor there that points out code which never
 * runs, and read both clocks. As long as the word is still ours, CPU = CPU then + wall time since then.
 *
 * What could go wrong, and what is done about it:
 *   no rseq, not registered        the clock is read with a system call, as always
 *   a kernel that clears the word  tried out at init; then the same
 *     only on preemption (6.19 on?)
 *   somebody else uses the word    only a word that is 0 or ours is written: what others left there stays until
 *                                  the kernel clears it. Others write it without asking, which we take for a switch
 *   another Ruby thread on the     a mark says whose it is, and each native thread remembers the last: only that
 *     same native thread (M:N)     one counts. Also after fork, where Ruby threads get new owners
 *   time that is nobody's          interrupts, and what a hypervisor steals: the clocks are read again every 20 ms,
 *                                  and no error outlives that
 *   unloading of the library       the kernel reads the descriptor, so it must stay mapped: linked with -z nodelete
 *
 * Threads: any, each for itself. No lock, no allocation, async-signal-safe. cpu_clock_init() once, before.
 */
#ifndef RTOP_EXT_CPU_CLOCK_H
#define RTOP_EXT_CPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Both clocks of a native thread, read together. All 0 (but for the owner): never read. */
struct cpu_clock_mark {
  uint64_t owner; /* of whom; never 0, never used for another again */
  uintptr_t area; /* of the native thread; 0: not watched */
  int64_t wall_ns, cpu_ns;
};

#define CPU_CLOCK_TRUE_EVERY_NS INT64_C(20000000)

/* Finds out whether the kernel tells; takes some 200 us. `always_ask`: do not even try. True when it does. */
bool cpu_clock_init(bool always_ask);

bool cpu_clock_usable(void);

/* CPU time of the calling native thread at now_ns (CLOCK_MONOTONIC, just read); may be a little later. It may
 * fall behind what was returned before, by as much as was wrong then. *asked: by a system call. */
int64_t cpu_clock_read_ns(struct cpu_clock_mark *mark, int64_t now_ns, bool *asked);

/* The calling thread is on its core at now_ns and is taken to have used cpu_ns by then: what the next reading within
 * CPU_CLOCK_TRUE_EVERY_NS says goes by that, unless the thread is taken off its core before. No system call. */
void cpu_clock_watch(struct cpu_clock_mark *mark, int64_t now_ns, int64_t cpu_ns);

/* The calling thread is about to leave its core by its own will, and who reads next asks or watches anew: the kernel, which
 * else reads the descriptor whenever it takes the thread off (0.3 us), finds nothing to do. */
void cpu_clock_rest(struct cpu_clock_mark *mark);

/* The next reading asks. */
static inline void cpu_clock_forget(struct cpu_clock_mark *mark)
{
  mark->area = 0;
}

/* Has the calling thread been on its core without a break since its mark was made? False when unknown. */
bool cpu_clock_unbroken(const struct cpu_clock_mark *mark);

#endif
