/* SPDX-License-Identifier: MIT */
/* Methods that are made for waiting, by their labels ("Kernel#sleep"). Only those of C and of Ruby's own are
 * meant: the caller knows which these are.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_WAITS_H
#define RTOP_TUI_WAITS_H

#include <stdbool.h>

enum rtop_wait {
  RTOP_WAIT_NOT,
  RTOP_WAIT_EVENT,  /* for something that another thread or a client brings: pop, accept, ConditionVariable#wait */
  RTOP_WAIT_ANY,    /* may be work or rest: sleep, select, read, gets */
  RTOP_WAIT_OTHERS, /* for a thread or a child to end: join, value, waitpid */
};
enum rtop_wait rtop_wait_of(const char *label);

/* Waits for a lock, or (with a call above it on the stack) has it. */
bool rtop_wait_is_lock(const char *label);

/* Lets go of the lock that it stands in, and waits: ConditionVariable#wait, Mutex#sleep. */
bool rtop_wait_lets_go(const char *label);

/* What is waited for, as far as the name tells. */
enum rtop_wait_kind {
  RTOP_WAITS_UNKNOWN, /* the stack is not known */
  RTOP_WAITS_MUTEX,
  RTOP_WAITS_MONITOR,
  RTOP_WAITS_QUEUE,      /* for something in it */
  RTOP_WAITS_SIZED_ROOM, /* for room in a SizedQueue */
  RTOP_WAITS_CONDITION,
  RTOP_WAITS_IO,    /* of Ruby's own, of OpenSSL's, and of drivers that are known to wait for a server */
  RTOP_WAITS_SLEEP, /* for a time, or to be woken */
  RTOP_WAITS_THREAD,
  RTOP_WAITS_CHILD, /* a process */
  RTOP_WAITS_OTHER, /* anything else that lets go of the GVL: C code that computes, too */
  RTOP_WAIT_KINDS,
};
enum rtop_wait_kind rtop_wait_kind_of(const char *label);

/* "sleep" of "Kernel#sleep". */
const char *rtop_wait_method(const char *label);

#endif
