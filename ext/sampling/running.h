/* Running time, from when a thread gets the GVL until it lets go of it.
 *
 * What lies between two instants of a stretch belongs to what the later one met. What lies behind the last one, or the
 * whole when no instant came, waits with the stretches of its kind (strata.h) until an instant meets one of these. What
 * lies before the first one is laid to what waits, and of both that one has about a period; the rest waits on, from the end of
 * the stretch, three periods of it where these are short (strata_waits_on). When no first instant will come any more, what was
 * kept back is that of those it was kept from. (All to what was met: what is short and comes first, after waits longer than a period, lacks
 * half of its time. All left to wait: after short waits it has half too much. Half to each: -29 to +23 % by simulation, and
 * measured at 1000 Hz, 0.2 ms of Ruby before 2 ms of other after waits of 4 to 12 ms, -17.8 +- 1.7. Now simulated -6 to +7,
 * and -13 to +7 at 100 Hz.)
 *
 * An instant that passes in C code is looked at where that code ends. What lies behind it waits for the next instant all
 * the same, although it is known whose it is: whoever has met instants is given what is before them for all that nobody met, and
 * must not be given what is behind them besides. (With both, of 9 ms of C code and 7 of Ruby in turn at 100 Hz, C code had a
 * third too much, and 1 ms of Ruby between long calls of C next to nothing.) Only where several instants passed at once, and
 * several the time before, all time in between is told exactly, as in one long call of C after another. What waited then
 * waits on. The next one that is not long has what the instants say: if less waits than lay behind the last one, the rest
 * comes off what follows; if more, that is left to what follows.
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

#endif
