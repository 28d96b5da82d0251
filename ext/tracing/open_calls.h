/* SPDX-License-Identifier: MIT */
/* Calls of traced methods that have begun and not ended, of each fiber the innermost first.
 *
 * Memory is bounded and made once. A call that finds no room is not timed; a fiber that finds no place takes that of the
 * one that did nothing for longest, whose open calls are not timed then. What a fiber left without an event (its stack
 * overflowed, or it was given up) is dropped when a frame is met that cannot be inside it.
 *
 * Threads: under the GVL; those that take a place in hooks of events: nothing is allocated.
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
  uint32_t outer;                   /* the call around it in this fiber; 0: none */
  const struct thread_data *thread; /* NULL: not known */
  int64_t start_ns, inside_ns;      /* inside: in calls that it made */
  int64_t off_ns, wait_ns;          /* of the thread, when it began */
  uint64_t raises;
};

struct open_fiber {
  uintptr_t fiber;
  uint32_t innermost; /* 0: it has none */
  int64_t used_ns;    /* when its last call began */
};

struct open_calls {
  struct open_call calls[OPEN_CALLS_MAX]; /* 0 is nobody's */
  uint32_t free;                          /* first of a list; 0: none was given back */
  uint32_t used;                          /* at and above it none was ever used */
  struct open_fiber fibers[OPEN_CALLS_FIBERS];
  void (*lost)(void *context, uint32_t target); /* one is dropped: its end was not seen */
  void *context;
};

/* The fiber's, found or made. */
struct open_fiber *open_calls_of(struct open_calls *open, uintptr_t fiber);

/* Drops what cannot be open any more when a frame is called, or when it returns. */
void open_calls_called(struct open_calls *open, struct open_fiber *fiber, uintptr_t frame);
void open_calls_returns(struct open_calls *open, struct open_fiber *fiber, uintptr_t frame);

/* A new innermost call, its place filled in; NULL: there is no room. */
struct open_call *open_calls_push(struct open_calls *open, struct open_fiber *fiber, const struct call_place *place);
/* Takes the innermost one away; it can be read until the next push. NULL: there is none. */
const struct open_call *open_calls_pop(struct open_calls *open, struct open_fiber *fiber);
static inline struct open_call *open_calls_innermost(struct open_calls *open, const struct open_fiber *fiber)
{
  return fiber->innermost ? &open->calls[fiber->innermost] : NULL;
}

/* Nothing is open, and nothing was lost. */
void open_calls_forget(struct open_calls *open);

#endif
