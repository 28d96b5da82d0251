/* SPDX-License-Identifier: MIT */
/* Who makes objects: samples of new ones, each with its whole stack.
 *
 * What the VM counts says how many a thread made, not where. A method that stood on the stack when the counter was looked at
 * need not have made one: where one method makes all and another none, in turn, the second was told to have made 80 % of
 * them. So a method has objects only where one was seen as it was made. Between two jobs, in some of these intervals, drawn by
 * chance, the VM tells of each new object, and of some a sample is taken; it stands for those that were left out, in its
 * interval and in the others. A thread's samples never have more than the thread has made; the rest of what it made
 * goes to "(shared)" after about a second (running.c).
 *
 * All together is to cost what sampling leaves of the budget, some 0.3 % of the time (sampler.h, makers_share_ppm): intervals
 * are the rarer the more objects there are. Nothing is compiled again for it, with YJIT neither. Only of the main Ractor.
 *
 * Threads: under the GVL. The hook is called inside the allocator: it makes nothing and takes no lock (it tries).
 */
#ifndef RTOP_EXT_MAKERS_H
#define RTOP_EXT_MAKERS_H

#include "ext/sampling/sampler.h"

/* Before the profiler's own work in a job, whose objects do not count: an interval that was looked at ends. */
void makers_close(struct sampler *sampler);

/* Behind it: the next interval begins, and may be looked at. */
void makers_open(struct sampler *sampler);

/* When other hooks go off, and in the child of a fork: nothing is looked at any more. */
void makers_off(void);

#endif
