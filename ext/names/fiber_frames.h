/* SPDX-License-Identifier: MIT */
/* The stack of a fiber that does not run.
 *
 * The VM shows the frames of the fiber that a thread runs (rb_profile_thread_frames()), and tells of a switch when the
 * next fiber runs already. So it is given a copy of the thread's object, in which the word that says which fiber runs is
 * another one: nothing of the VM's is written to. Which word that is is learnt at load, from a fiber of our own.
 *
 * Threads: under the GVL. fiber_frames_learn() once, not in a hook, may raise; the others [hook].
 */
#ifndef RTOP_EXT_FIBER_FRAMES_H
#define RTOP_EXT_FIBER_FRAMES_H

#include <ruby.h>
#include <stdbool.h>

/* After method_entry_learn(). */
void fiber_frames_learn(void);

/* Is it known how to? */
bool fiber_frames_known(void);

/* What stands for the fiber that this thread runs: the same as long as the fiber lives. NULL: it cannot be known. */
const void *fiber_frames_current(VALUE thread);

/* Frames of a fiber of the thread that lives and does not run, leaf first. Returns how many. */
int fiber_frames_of(VALUE thread, const void *fiber, int limit, VALUE *frames, int *lines);

#endif
