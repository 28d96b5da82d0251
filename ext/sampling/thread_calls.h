/* SPDX-License-Identifier: MIT */
/* Thread#name, Thread#priority and Thread.list without a visible call: no TracePoint of the application sees it, and no
 * redefined method runs. The VM exports no functions for this, so the C functions behind these methods are called
 * (method_entry.h). If a function cannot be identified with certainty, the result is Qundef.
 *
 * Threads: thread_calls_learn() once, at load; it may raise. All other functions with the GVL, not in a hook, since the
 * list allocates.
 */
#ifndef RTOP_EXT_THREAD_CALLS_H
#define RTOP_EXT_THREAD_CALLS_H

#include <ruby.h>

void thread_calls_learn(void);

/* Returns the thread's name: a String that must not be changed, nil, or Qundef when unknown. */
VALUE thread_calls_name(VALUE thread);

/* Returns an Array of the living threads of this Ractor; Qundef when unknown. */
VALUE thread_calls_list(void);

/* Makes the calling thread keep the GVL beyond its time slice, for up to 0.8 s, unless the thread waits. So an
 * exception raised by another thread (Thread#raise, Thread#kill, Timeout) cannot arrive in the middle of a job, where
 * the exception would be lost. Returns the value for thread_calls_let_go(); Qundef when not possible. */
VALUE thread_calls_hold_on(void);
void thread_calls_let_go(VALUE before);

#endif
