/* SPDX-License-Identifier: MIT */
/* Requests a short time slice for the calling thread from the scheduler.
 *
 * With EEVDF (Linux 6.12 and later, sched_setattr(2)) a thread with a shorter slice gets a core sooner when it wakes,
 * while its share of the CPU stays the same. That matters to the timer thread, because a late wake-up misses instants
 * in the running program. On older kernels nothing changes.
 *
 * No call is made when a seccomp filter is active, since some filters, such as those of hardened services, kill the
 * process for it.
 */
#ifndef RTOP_EXT_SHORT_SLICE_H
#define RTOP_EXT_SHORT_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#define SHORT_SLICE_NS UINT64_C(100000)

/* Requests the slice. Returns false when the thread keeps its previous slice. */
bool short_slice_take(void);

#endif
