/* SPDX-License-Identifier: MIT */
/* Walks the stack of a fiber that is not running.
 *
 * rb_profile_thread_frames() only walks the fiber that a thread currently runs, and the VM reports a switch when the
 * next fiber already runs. So rb_profile_thread_frames() gets a copy of the thread's object, in which the word for the
 * current fiber is replaced; the VM's own memory is not written to. The position of this word is learnt at load, from a
 * fiber of our own.
 *
 * Threads: with the GVL. fiber_frames_learn() once, not in a hook; may raise. The other functions also in hooks.
 */
#ifndef RTOP_EXT_FIBER_FRAMES_H
#define RTOP_EXT_FIBER_FRAMES_H

#include <ruby.h>
#include <stdbool.h>

/* Learns the position of the word for the current fiber. Call after method_entry_learn(). */
void fiber_frames_learn(void);

/* Tells whether fiber_frames_learn() succeeded. */
bool fiber_frames_known(void);

/* Returns an identity of the fiber that this thread runs, constant while the fiber lives; NULL when unknown. */
const void *fiber_frames_current(VALUE thread);

/* Walks the stack of a living fiber of the thread that is not running, innermost frame first. Returns the number of
 * frames. */
int fiber_frames_of(VALUE thread, const void *fiber, int limit, VALUE *frames, int *lines);

#endif
