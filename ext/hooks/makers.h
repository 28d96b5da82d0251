/* SPDX-License-Identifier: MIT */
/* Samples of new objects, each with its whole stack.
 *
 * The VM counts the objects that a thread makes, but does not record where they are made; the methods on the stack when
 * the counter is read need not have made any. So objects are attributed by samples alone: in randomly chosen intervals
 * between two jobs the VM reports each new object, and some of these objects are sampled and stand for all of them. A
 * thread's samples never sum up to more than the thread has made; the unattributed remainder becomes "(shared)" after
 * about a second (running.c).
 *
 * The cost stays within makers_share_ppm (sampler.h): the more objects the program makes, the fewer intervals are
 * sampled. Installing the hook does not invalidate compiled code, not even with YJIT. Only the main Ractor is covered.
 *
 * Threads: with the GVL. The hook runs inside the allocator; it creates no object and does not wait for the lock.
 */
#ifndef RTOP_EXT_MAKERS_H
#define RTOP_EXT_MAKERS_H

#include "ext/sampling/sampler.h"

/* Ends the interval. Call before the profiler's own work in a job, whose objects do not count. */
void makers_close(struct sampler *sampler);

/* Begins the next interval, which may be sampled. Call after the profiler's own work. */
void makers_open(struct sampler *sampler);

/* Ends sampling of objects. Call when the other hooks are removed, and in a forked child. */
void makers_off(void);

#endif
