/* SPDX-License-Identifier: MIT */
/* Where the fibers of a thread wait, under a fiber scheduler.
 *
 * A thread has one time. While it is off the GVL in its scheduler's loop it waits for all fibers that wait there, so that
 * time is divided evenly among them: a second in which twenty fibers wait in one method and ten in another is two thirds
 * of a second of the first and one third of the second. What waits at the same stack is one group, so the division takes
 * as long as there are such stacks, not fibers; a wait shorter than a millisecond goes to one fiber, drawn at random.
 *
 *   a fiber waits  when it switches to a blocking fiber (the scheduler's) from within a method of its scheduler: Enumerators
 *                  and plain fibers do not. Its stack is taken then, within the budget of stacks at SUSPENDED, without what
 *                  the scheduler does: it ends where a thread's would. It waits until the thread switches to it.
 *   the loop       is where the thread goes off the GVL in a blocking fiber within a method of the scheduler.
 *   what is left   is the loop's own, as without a scheduler: the share of fibers whose stack was not taken, or of which
 *                  there are too many kinds; GVL waiting; all time of fibers that went to wait before the hook was set.
 *
 * Threads: the thread itself, under the GVL, but for fibers_mix(). [hook]: also under the scheduler's lock. Other hooks
 * may allocate with libc.
 */
#ifndef RTOP_EXT_FIBERS_H
#define RTOP_EXT_FIBERS_H

#include "sampler.h"

/* What is told of those that wait under one name and at one stack. */
struct fibers_row {
  uint32_t group, name, node, alive, waiting;
  int64_t wait_ns, longest_ns, told_ns;
};

enum { FIBERS_GROUPS_MAX = 64, FIBERS_MAX = 32768 };

/* What was known of the waiting fibers at one moment: how many, and how many of them at which node. */
struct fibers_mix {
  uint32_t waiting, count;
  struct fibers_part {
    uint32_t node, fibers;
  } parts[FIBERS_GROUPS_MAX];
};

/* The thread has switched to another fiber, and has this scheduler. */
void fibers_switch(struct sampler *sampler, struct thread_data *data, VALUE thread, VALUE scheduler);

/* The thread runs this fiber, and all its switches will be told from now on. */
void fibers_begin(struct sampler *sampler, struct thread_data *data, VALUE thread);

/* The thread has no scheduler (any more). */
void fibers_forget(struct thread_data *data);

/* The running fiber has this set of labels now. */
void fibers_label(struct thread_data *data, uint32_t set);

/* The stack that a hook noted is this one. */
void fibers_named(struct thread_data *data, const void *fiber, uint32_t name, uint32_t node);

/* Goes off the GVL with the stack that stands in the stack buffers; its node, or 0: not known yet. Lock held. [hook] */
void fibers_saw(struct sampler *sampler, struct thread_data *data, uint32_t node);

/* Goes off the GVL now, whether the stack was taken or not. [hook] */
void fibers_go_off(struct thread_data *data);

/* The fibers for which the thread is off the GVL. False: it is not for fibers. Any thread; what comes of it counts only
 * if the thread's word did not change meanwhile. [hook] */
bool fibers_mix(const struct thread_data *data, struct fibers_mix *mix);

/* How many fibers wait; -1: the thread has had no scheduler. Any thread. */
int64_t fibers_waiting(const struct thread_data *data);

/* Of all groups with fibers, or in which some waited since the last call; returns how many. Publisher. */
uint32_t fibers_rows(struct thread_data *data, int64_t end_ns, struct fibers_row rows[FIBERS_GROUPS_MAX]);

/* The part of a wait. */
static inline int64_t fibers_share(const struct fibers_mix *mix, uint32_t part, int64_t wall_ns)
{
  return (int64_t)((double)wall_ns * mix->parts[part].fibers / mix->waiting);
}

/* One fiber, drawn at random; false: one whose stack is not known. [hook] */
bool fibers_draw(const struct fibers_mix *mix, uint32_t *random, uint32_t *node);

/* In the GC: marks fibers that went to wait a moment ago. */
void fibers_mark(const struct thread_data *data);

/* [job] Lets go of fibers that have waited for a while, and forgets those that were collected meanwhile. */
void fibers_look_after(const struct sampler *sampler, const struct thread_data *data);

void fibers_free(struct thread_data *data);

#endif
