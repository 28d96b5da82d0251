/* SPDX-License-Identifier: MIT */
/* The CPU clock of the calling thread, mostly without a system call.
 *
 * A thread that stays on its core uses as much CPU time as wall time passes. An rseq area (rseq(2)) shows whether the
 * thread stayed there; glibc 2.35 or rseq_own.h registers one for each native thread. The area's rseq_cs word points to
 * a descriptor of ours, for code that never runs, and the kernel clears that word when it takes the thread off its
 * core. While the word is untouched, CPU time = CPU time at the last reading + wall time since then. Else the clock is
 * read by a system call:
 *   - without rseq, or with a kernel that clears the word only on preemption (tried out by cpu_clock_init());
 *   - when other code uses the word, since only a word that is 0 or ours is overwritten;
 *   - when another Ruby thread ran on the same native thread (M:N), or after fork: marks carry their owner;
 *   - every 20 ms, which bounds the error by interrupts and time that a hypervisor steals.
 * The kernel reads the descriptor, so the library must stay mapped (-z nodelete).
 *
 * Threads: any, each for itself. No lock, no allocation, async-signal-safe. cpu_clock_init() must come first, once.
 */
#ifndef RTOP_EXT_CPU_CLOCK_H
#define RTOP_EXT_CPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Both clocks of a native thread, read at the same time. A mark that was never read is all 0 except for its owner. */
struct cpu_clock_mark {
  uint64_t owner; /* the Ruby thread that the mark belongs to; never 0, and never reused for another thread */
  uintptr_t area; /* of the native thread; 0: not watched */
  int64_t wall_ns, cpu_ns;
};

#define CPU_CLOCK_TRUE_EVERY_NS INT64_C(20000000)

/* Finds out, in about 200 us, whether the kernel clears rseq_cs at context switches. `always_ask` skips the trial, so
 * that every reading is a system call. Returns true when rseq can be used. */
bool cpu_clock_init(bool always_ask);

bool cpu_clock_usable(void);

/* CPU time of the calling native thread at now_ns (CLOCK_MONOTONIC, just read) or slightly later. A result can be
 * smaller than an earlier one, by as much as the earlier one was too large. *asked: whether a system call was needed. */
int64_t cpu_clock_read_ns(struct cpu_clock_mark *mark, int64_t now_ns, bool *asked);

/* Makes a new mark without a system call, for a calling thread that is on its core at now_ns. The caller supplies
 * cpu_ns, the thread's CPU time. Readings within CPU_CLOCK_TRUE_EVERY_NS start from that mark unless the thread leaves
 * its core before. */
void cpu_clock_watch(struct cpu_clock_mark *mark, int64_t now_ns, int64_t cpu_ns);

/* Clears rseq_cs, before the thread gives up its core voluntarily. The kernel then need not process the descriptor at
 * that switch; the next reading makes a new mark. */
void cpu_clock_rest(struct cpu_clock_mark *mark);

/* Makes the next reading ask the kernel. */
static inline void cpu_clock_forget(struct cpu_clock_mark *mark)
{
  mark->area = 0;
}

/* Tells whether the calling thread has been on its core without a break since its mark was made; false also when
 * unknown. */
bool cpu_clock_unbroken(const struct cpu_clock_mark *mark);

#endif
