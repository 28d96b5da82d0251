/* SPDX-License-Identifier: MIT */
/* Running time, from when a thread gets the GVL until it lets go of it.
 *
 * Its time is divided by what instants met in stretches of its kind, when the window ends (strata.h, points.h, ext/out/divide.h): it waits
 * in the thread until then, and what met it is told when it ends, for its place is not known before.
 *
 * A long one has instants enough of its own: once it took 32 ms of a core, what lies between two instants belongs to what the
 * later one met, and what lies behind the last one to what that met. An instant that passes in C code is looked at where that code ends;
 * what lies behind it waits for the next instant all the same. (Else of 9 ms of C code and 7 of Ruby in turn at 100 Hz, C code had a
 * third too much, and 1 ms of Ruby between long calls of C next to nothing.) Only where several instants passed at once, and
 * several the time before, all time in between is told exactly, as in one long call of C after another. What waited then
 * waits on. The next one that is not long has what the instants say: if less waits than lay behind the last one, the rest
 * comes off what follows; if more, that is left to what follows.
 *
 * What is open when a window ends is told as not sampled, and corrected by late records when it ends.
 *
 * A thread with the GVL may be without a core (on_core.h): it rests in a system call, or waits for a core that others have.
 * Time without one waits in a place of its own, one for each of the two, for an instant that meets such time, and is nobody's
 * CPU; an instant that met a thread so tells of that only. Else a call that sleeps in the system would be given what was used
 * before it, and by others. (Where 1 ms of work and 3 ms of such a rest followed each other, at random which came first, the
 * rest was given 54 % of the CPU at 1000 Hz and 78 % at 100 Hz; now 2 to 7, of some 5 that it used.) And cores are not taken
 * anywhere, but mostly where a system call ends. (Beside two busy processes, reading the CPU clock after 0.6 ms of work was
 * given 8 to 19 % of the CPU of that work; now -0.3 +- 0.7.) Rests and waits are kept apart, and by what the thread knows
 * itself, because instants tell of waits less often than of rests, which would have their time. (Beside one busy process on two
 * cores sleeps with the GVL had 3.8 to 6 % too much wall time, and C code lacked 2.5 to 4 %; now both are right within 0.4.) All
 * that only where the CPU of each stretch is known (cpu_clock_usable).
 *
 * Threads: the thread itself, under the GVL, in hooks and the job.
 */
#ifndef RTOP_EXT_RUNNING_H
#define RTOP_EXT_RUNNING_H

#include "sampler.h"

/* In place of a node: a collection comes before or behind the stretch. It is of no kind, and waits in place 0. */
#define RUNNING_GC UINT32_MAX

/* It begins at now_ns, after a wait with the stack begin_node; 0: not known. */
void running_begin(struct sampler *sampler, struct thread_data *data, int64_t now_ns, uint32_t begin_node);

/* An instant met it here. Lock held. */
void running_point(struct sampler *sampler, struct thread_data *data, uint32_t node);

/* CPU that was read only now, of stretches that ended before: it goes to where their wall time went. After
 * accounting_read_cpu. */
void running_late_cpu(struct thread_data *data);

/* It ended at now_ns, for a wait with the stack end_node; 0: not known. All its time is in the thread's lane. Tries to
 * get the lock. */
void running_end(struct sampler *sampler, struct thread_data *data, int64_t now_ns, uint32_t end_node);

/* It is open, and nobody will ask when it ends: its time is divided by its own instants. Lock held. */
void running_hand_in(struct sampler *sampler, struct thread_data *data);

#endif
