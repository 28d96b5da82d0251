/* SPDX-License-Identifier: MIT */
/* Thread#name, Thread#priority and Thread.list without a call that anybody could see: no TracePoint of the application is
 * told of it and no method that the application put in their place runs. The VM has no functions for that in its interface, so those
 * behind the methods are called (method_entry.h); where they are not known for certain, there is no answer.
 *
 * Threads: thread_calls_learn() once, at load; it may raise. The others under the GVL, not in a hook: the list allocates.
 */
#ifndef RTOP_EXT_THREAD_CALLS_H
#define RTOP_EXT_THREAD_CALLS_H

#include <ruby.h>

void thread_calls_learn(void);

/* A String that is not to be changed, nil, or Qundef when it cannot be known. */
VALUE thread_calls_name(VALUE thread);

/* An Array of the living threads of this Ractor; Qundef when they cannot be known. */
VALUE thread_calls_list(void);

/* From here on the calling thread keeps the GVL beyond its time slice, up to 0.8 s as long as it waits for nothing: what another
 * thread raises in it (Thread#raise, Thread#kill, Timeout) cannot come in the middle, where it would be lost with the job.
 * What to give to thread_calls_let_go(); Qundef when it is not possible. */
VALUE thread_calls_hold_on(void);
void thread_calls_let_go(VALUE before);

#endif
