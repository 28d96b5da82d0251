/* SPDX-License-Identifier: MIT */
/* Where the fibers of a thread wait under a fiber scheduler.
 *
 * While a thread is off the GVL in its scheduler's loop, it waits on behalf of all its waiting fibers, so its time is
 * divided evenly among these fibers. Fibers with the same stack form a group, so dividing takes time by groups, not by
 * fibers. A wait shorter than a millisecond goes to one fiber drawn at random.
 *
 * A fiber begins to wait when it switches to the scheduler's (blocking) fiber from a method of its scheduler. The wait
 * ends when the thread switches back to the fiber. Enumerators and plain fibers do not count. The fiber's stack is
 * taken when the wait begins, within the budget for stacks at SUSPENDED, without the scheduler's own frames. The loop
 * itself is charged with all time waiting for the GVL, and with the share of fibers whose stack is unknown, whose group
 * found no room, or that already waited when the hook was installed.
 *
 * Threads: the thread itself with the GVL, except fibers_mix() and functions for the publisher. [hook] functions may
 * run under the scheduler's lock; other hooks may allocate with libc.
 */
#ifndef RTOP_EXT_FIBERS_H
#define RTOP_EXT_FIBERS_H

#include "sampler.h"

/* Figures of the fibers that wait under one name with one stack. */
struct fibers_row {
  uint32_t group, name, node, alive, waiting;
  int64_t wait_ns, longest_ns, told_ns;
};

enum { FIBERS_GROUPS_MAX = 64, FIBERS_MAX = 32768 };

/* The waiting fibers at one moment: their number, and how many of them wait at which node. */
struct fibers_mix {
  uint32_t waiting, count;
  struct fibers_part {
    uint32_t node, fibers;
  } parts[FIBERS_GROUPS_MAX];
};

/* Call when the thread has switched to another fiber; `scheduler` is the thread's scheduler. */
void fibers_switch(struct sampler *sampler, struct thread_data *data, VALUE thread, VALUE scheduler);

/* Call when the thread runs this fiber and, from now on, all its switches of fibers are reported. */
void fibers_begin(struct sampler *sampler, struct thread_data *data, VALUE thread);

/* Call when the thread has no scheduler, or none any more. */
void fibers_forget(struct thread_data *data);

/* Call when the running fiber has got this set of labels. */
void fibers_label(struct thread_data *data, uint32_t set);

/* Moves a fiber to the group of this name and node, once a job has named the stack that a hook recorded for the
 * fiber. */
void fibers_named(struct thread_data *data, const void *fiber, uint32_t name, uint32_t node);

/* Call when the thread releases the GVL and its stack is in the stack buffers. `node` is that stack's node, or 0 while
 * its frames have no names. The sampler's lock is held. [hook] */
void fibers_saw(struct sampler *sampler, struct thread_data *data, uint32_t node);

/* Call when the thread goes off the GVL, with or without a stack. [hook] */
void fibers_go_off(struct thread_data *data);

/* Lists the fibers on whose behalf the thread is off the GVL. Returns false when the thread does not wait for fibers.
 * Any thread; the result is valid only if the thread's word has not changed during the call. [hook] */
bool fibers_mix(const struct thread_data *data, struct fibers_mix *mix);

/* Returns the number of waiting fibers; -1 if the thread never had a scheduler. Any thread. */
int64_t fibers_waiting(const struct thread_data *data);

/* Lists all groups that have waiting fibers, or had waits since the last call. Returns the number of groups.
 * Publisher. */
uint32_t fibers_rows(struct thread_data *data, int64_t end_ns, struct fibers_row rows[FIBERS_GROUPS_MAX]);

/* Returns the part in ns of a wait of wall_ns that belongs to one part of the mix. */
static inline int64_t fibers_share(const struct fibers_mix *mix, uint32_t part, int64_t wall_ns)
{
  return (int64_t)((double)wall_ns * mix->parts[part].fibers / mix->waiting);
}

/* Draws one of the waiting fibers at random. Returns false when its stack is unknown. [hook] */
bool fibers_draw(const struct fibers_mix *mix, uint32_t *random, uint32_t *node);

/* Marks the fibers that are kept alive by a reference, because they began to wait a moment ago. Called by the GC. */
void fibers_mark(const struct thread_data *data);

/* [job] Replaces references to fibers that have waited for a while by tokens, and forgets fibers that were
 * collected. */
void fibers_look_after(const struct sampler *sampler, const struct thread_data *data);

void fibers_free(struct thread_data *data);

#endif
