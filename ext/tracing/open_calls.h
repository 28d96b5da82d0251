/* SPDX-License-Identifier: MIT */
/* Open calls: calls of traced methods that have begun and not ended, a list per fiber with the innermost call first.
 *
 * Memory is allocated once and bounded. A call that finds no room is not timed. A fiber that finds no entry takes the
 * entry that was idle for longest; the open calls in that entry are then not timed. Calls whose return was never
 * reported (a stack overflow, or an abandoned fiber) are dropped when a frame appears that cannot be inside them.
 *
 * Threads: with the GVL; functions that take a place run in hooks of events and never allocate.
 */
#ifndef RTOP_EXT_OPEN_CALLS_H
#define RTOP_EXT_OPEN_CALLS_H

#include "call_place.h"
#include <stdbool.h>
#include <stdint.h>

enum { OPEN_CALLS_MAX = 1 << 15, OPEN_CALLS_FIBERS = 1 << 12 };

struct thread_data;

struct open_call {
  struct call_place place;
  uint32_t target;
  uint32_t outer;                   /* enclosing call in the same fiber; 0: none */
  const struct thread_data *thread; /* NULL: the thread is not known */
  int64_t start_ns, inside_ns;      /* inside: time of the calls that this call made */
  int64_t off_ns, wait_ns;          /* total off-GVL and waiting time of the thread when the call began */
  uint64_t raises;
};

struct open_fiber {
  uintptr_t fiber;
  uint32_t innermost; /* 0: no call is open */
  int64_t used_ns;    /* time at which the fiber's last call began */
};

struct open_calls {
  struct open_call calls[OPEN_CALLS_MAX]; /* entry 0 is not used */
  uint32_t free;                          /* first entry of the list of freed entries; 0: the list is empty */
  uint32_t used;                          /* entries from this index on were never used */
  struct open_fiber fibers[OPEN_CALLS_FIBERS];
  void (*lost)(void *context, uint32_t target); /* called for each call that is dropped because its end was not seen */
  void *context;
};

/* Finds or makes the entry of a fiber. */
struct open_fiber *open_calls_of(struct open_calls *open, uintptr_t fiber);

/* Drop the calls that can no longer be open, because this frame is called, or returns. */
void open_calls_called(struct open_calls *open, struct open_fiber *fiber, uintptr_t frame);
void open_calls_returns(struct open_calls *open, struct open_fiber *fiber, uintptr_t frame);

/* Adds a new innermost call and sets its place; NULL when there is no room. */
struct open_call *open_calls_push(struct open_calls *open, struct open_fiber *fiber, const struct call_place *place);
/* Removes and returns the innermost call, which can be read until the next push; NULL when there is none. */
const struct open_call *open_calls_pop(struct open_calls *open, struct open_fiber *fiber);
static inline struct open_call *open_calls_innermost(struct open_calls *open, const struct open_fiber *fiber)
{
  return fiber->innermost ? &open->calls[fiber->innermost] : NULL;
}

/* Forgets all calls and fibers, without reporting open calls as lost. */
void open_calls_forget(struct open_calls *open);

#endif
