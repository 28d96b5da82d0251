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

/* "sleep" of "Kernel#sleep". */
const char *rtop_wait_method(const char *label);

#endif
