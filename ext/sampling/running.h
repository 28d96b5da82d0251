/* Running time, from when a thread gets the GVL until it lets go of it.
 *
 * What lies between two instants of a stretch belongs to what the later one met. What lies behind the last one, or the
 * whole when no instant came, waits with the stretches of its kind (strata.h) until an instant meets one of these. What
 * lies before the first one does half this, half that: instants stand about a period apart, so one that comes early in a
 * stretch has most of its time from those before, and one that comes late must not have that of its own stretch besides.
 * (All to what was met: of 15 ms at 100 Hz the first millisecond lacks a fifth of its time. All left to wait: it has a
 * quarter too much. Half: 3 %; from a third of a period down to a tenth it is 1 % where it was 10.)
 *
 * Threads: the thread itself, under the GVL, in hooks and the job.
 */
#ifndef RTOP_EXT_RUNNING_H
#define RTOP_EXT_RUNNING_H

#include "sampler.h"

/* It begins at now_ns, after a wait with the stack begin_node; 0: not known. */
void running_begin(struct thread_data *data, int64_t now_ns, uint32_t begin_node);

/* An instant met it here. Allocations go with it. Lock held. */
void running_point(struct sampler *sampler, struct thread_data *data, uint32_t node);

/* CPU that was read only now, of stretches that ended before: it goes to where their wall time went. After
 * accounting_read_cpu. */
void running_late_cpu(struct thread_data *data);

/* It ended at now_ns, for a wait with the stack end_node; 0: not known. All its time is in the thread's lane. Tries to
 * get the lock. */
void running_end(struct sampler *sampler, struct thread_data *data, int64_t now_ns, uint32_t end_node);

#endif
