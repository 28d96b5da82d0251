/* SPDX-License-Identifier: MIT */
/* The CPU clock of the calling thread, mostly without a system call.
 *
 * A thread that stays on its core uses as much CPU time as wall time passes. An rseq area (rseq(2)) shows whether the
 * thread stayed on its core; glibc 2.35 or rseq_own.h registers one for each native thread. The area's rseq_cs word
 * points to a descriptor of ours, for code that never runs, and the kernel clears that word when it takes the thread
 * off its core. While the word is unchanged, CPU time = CPU time at the last reading + wall time since then. The clock
 * is read by a system call in these cases:
 *   - without rseq, or with a kernel that clears the word only on preemption (tested by cpu_clock_init());
 *   - when other code uses the word, since only a word that is 0 or ours is overwritten;
 *   - when another Ruby thread ran on the same native thread (M:N), or after fork: marks carry their owner;
 *   - every 20 ms, which bounds the error caused by interrupts and by time that a hypervisor steals.
 * The kernel reads the descriptor, so the library must stay mapped (-z nodelete).
 *
 * Threads: any thread, for its own clock. No lock, no allocation, async-signal-safe. cpu_clock_init() must come first,
 * once.
 */
#ifndef RTOP_EXT_CPU_CLOCK_H
#define RTOP_EXT_CPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Values of both clocks of a native thread, read at the same time. All fields of a mark that was never read are 0,
 * except for its owner. */
struct cpu_clock_mark {
  uint64_t owner; /* the Ruby thread that the mark belongs to; never 0, and never reused for another thread */
  uintptr_t area; /* rseq area of the native thread; 0: not watched */
  int64_t wall_ns, cpu_ns;
};

#define CPU_CLOCK_TRUE_EVERY_NS INT64_C(20000000)

/* Tests, in about 200 us, whether the kernel clears rseq_cs at context switches. `always_ask` skips the test and makes
 * every reading a system call. Returns true when rseq can be used. */
bool cpu_clock_init(bool always_ask);

bool cpu_clock_usable(void);

/* Returns the CPU time of the calling native thread at now_ns (CLOCK_MONOTONIC, just read) or slightly later. A result
 * can be smaller than an earlier result, by as much as the latter was too large. *asked: whether a system call was
 * needed. */
int64_t cpu_clock_read_ns(struct cpu_clock_mark *mark, int64_t now_ns, bool *asked);

/* Makes a new mark without a system call, for a calling thread that is on its core at now_ns. The caller supplies
 * cpu_ns, the thread's CPU time. Readings within CPU_CLOCK_TRUE_EVERY_NS after now_ns use this mark, unless the thread
 * leaves its core first. */
void cpu_clock_watch(struct cpu_clock_mark *mark, int64_t now_ns, int64_t cpu_ns);

/* Clears rseq_cs, before the thread gives up its core voluntarily. Then the kernel need not process the descriptor at
 * the context switch; the next reading makes a new mark. */
void cpu_clock_rest(struct cpu_clock_mark *mark);

/* Makes the next reading a system call. */
static inline void cpu_clock_forget(struct cpu_clock_mark *mark)
{
  mark->area = 0;
}

/* Tells whether the calling thread has been on its core without a break since its mark was made; false also when
 * unknown. */
bool cpu_clock_unbroken(const struct cpu_clock_mark *mark);

#endif
