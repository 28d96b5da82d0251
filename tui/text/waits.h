/* SPDX-License-Identifier: MIT */
/* Methods made for waiting, by label ("Kernel#sleep"). Only for methods in C and methods of Ruby itself; the caller
 * must check that.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_WAITS_H
#define RTOP_TUI_WAITS_H

#include <stdbool.h>

enum rtop_wait {
  RTOP_WAIT_NOT,
  /* waits for something that another thread or a client provides: pop, accept, ConditionVariable#wait */
  RTOP_WAIT_EVENT,
  RTOP_WAIT_ANY,    /* waits for work, or for time to pass: sleep, select, read, gets */
  RTOP_WAIT_OTHERS, /* waits for a thread or a child to end: join, value, waitpid */
};
enum rtop_wait rtop_wait_of(const char *label);

/* Does the method wait for a lock, or own the lock while a call is below it on the stack? */
bool rtop_wait_is_lock(const char *label);

/* Does the method release the lock taken around it and wait, as ConditionVariable#wait and Mutex#sleep do? */
bool rtop_wait_lets_go(const char *label);

/* What a method waits for, by its name. */
enum rtop_wait_kind {
  RTOP_WAITS_UNKNOWN, /* the stack is not known */
  RTOP_WAITS_MUTEX,
  RTOP_WAITS_MONITOR,
  RTOP_WAITS_QUEUE,      /* for something in it */
  RTOP_WAITS_SIZED_ROOM, /* for room in a SizedQueue */
  RTOP_WAITS_CONDITION,
  RTOP_WAITS_IO,    /* I/O of Ruby, OpenSSL, and drivers known to wait for a server */
  RTOP_WAITS_SLEEP, /* for a time, or to be woken */
  RTOP_WAITS_THREAD,
  RTOP_WAITS_CHILD, /* a process */
  RTOP_WAITS_OTHER, /* anything else that releases the GVL, including computing C code */
  RTOP_WAIT_KINDS,
};
enum rtop_wait_kind rtop_wait_kind_of(const char *label);

/* "sleep" of "Kernel#sleep". */
const char *rtop_wait_method(const char *label);

#endif
