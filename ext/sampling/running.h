/* SPDX-License-Identifier: MIT */
/* Running time: from when a thread gets the GVL until it releases it.
 *
 * A stretch's points are reported at its end, when its kind is known; its time waits in the thread and is divided at
 * the window's end (strata.h, points.h, ext/out/divide.h).
 *
 * A stretch that has used 32 ms of CPU is long and is divided by its own instants: each gets half of the time to its
 * neighbours, the last also the time after it. An instant that passes in C code is answered where that code ends; the
 * time after it waits for the next instant, or C code would get too much. Only several instants in one call, following
 * several in the call before, charge all time between.
 *
 * Time with the GVL but without a core (on_core.h) waits in strata of its own, for rests and for waits, is divided only
 * by instants that met such time, and has no CPU time. Otherwise a call that sleeps would get CPU time of other code,
 * since cores are mostly lost where system calls end. This needs the CPU time of each stretch (cpu_clock_usable).
 *
 * Threads: the thread itself, with the GVL, in hooks and the job.
 */
#ifndef RTOP_EXT_RUNNING_H
#define RTOP_EXT_RUNNING_H

#include "sampler.h"

/* Used in place of a node when a collection precedes or follows the stretch. Such a stretch has no kind and uses
 * stratum 0. */
#define RUNNING_GC UINT32_MAX

/* Begins a stretch at now_ns, after a wait with the stack begin_node; 0: unknown. */
void running_begin(struct sampler *sampler, struct thread_data *data, int64_t now_ns, uint32_t begin_node);

/* An instant met it here. Lock held. */
void running_point(struct sampler *sampler, struct thread_data *data, uint32_t node);

/* Attributes CPU time that was read only now to stretches that ended before, where their wall time went. Call after
 * accounting_read_cpu(). */
void running_late_cpu(struct thread_data *data);

/* Ends a stretch at now_ns, before a wait with the stack end_node; 0: unknown. All its time is in the thread's lane.
 * Tries to take the lock. */
void running_end(struct sampler *sampler, struct thread_data *data, int64_t now_ns, uint32_t end_node);

/* Divides the open stretch by its own instants, when nobody will be there to do so at its end. Lock held. */
void running_hand_in(struct sampler *sampler, struct thread_data *data);

#endif
