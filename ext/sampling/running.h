/* SPDX-License-Identifier: MIT */
/* Running time: from when a thread gets the GVL until it releases it.
 *
 * The points of a stretch are added to the pool at its end, when its kind is known; its time stays in the thread's
 * lanes and is divided at the window's end (strata.h, points.h, ext/out/divide.h).
 *
 * A stretch that has used 32 ms of CPU is long and is divided by its own instants: each instant gets half of the time
 * to its neighbours, and the last one also the time after it. An instant that passes in C code is sampled where that
 * code ends. The time after such a sample is charged at the next instant; otherwise C code would get too much. All time
 * between two such samples is charged only if several instants passed in each of the two calls.
 *
 * Time with the GVL but without a core (on_core.h) has strata of its own, one for sleep and one for waits. Such time is
 * divided only by instants that hit it, and has no CPU time. Otherwise a call that sleeps would get CPU time of other
 * code, since cores are mostly lost where system calls end. This needs the CPU time of each stretch (cpu_clock_usable).
 *
 * Threads: the thread itself, with the GVL, in hooks and the job.
 */
#ifndef RTOP_EXT_RUNNING_H
#define RTOP_EXT_RUNNING_H

#include "sampler.h"

/* Value in place of a node when a collection precedes or follows the stretch. Such a stretch has no kind and uses
 * stratum 0. */
#define RUNNING_GC UINT32_MAX

/* Begins a stretch at now_ns, after a wait with the stack begin_node (0: unknown). */
void running_begin(struct sampler *sampler, struct thread_data *data, int64_t now_ns, uint32_t begin_node);

/* Records that an instant hit the open stretch in this node. Lock held. */
void running_point(struct sampler *sampler, struct thread_data *data, uint32_t node);

/* Moves CPU time that exceeds the wall time of the open stretch to stratum 0: this CPU time was read late and belongs
 * to stretches that ended before. Call after accounting_read_cpu(). */
void running_late_cpu(struct thread_data *data);

/* Ends a stretch at now_ns, before a wait with the stack end_node (0: unknown). Call when all time of the stretch is in
 * the thread's lane. Tries to take the lock. */
void running_end(struct sampler *sampler, struct thread_data *data, int64_t now_ns, uint32_t end_node);

/* Divides the open stretch by its own instants, for a thread that will not be sampled again before its stretch ends.
 * Lock held. */
void running_hand_in(struct sampler *sampler, struct thread_data *data);

#endif
