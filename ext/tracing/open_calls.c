/* SPDX-License-Identifier: MIT */
/* Lists of open calls, in memory of fixed size. */
#include "open_calls.h"

#include <stddef.h>

enum { PLACES = 8 }; /* number of entries that a fiber may use */

static void drop_call(struct open_calls *open, struct open_fiber *fiber)
{
  const struct open_call *call = open_calls_pop(open, fiber);
  open->lost(open->context, call->target);
}

/* Finds the entry of a fiber or makes one. An entry without open calls may be reused. */
struct open_fiber *open_calls_of(struct open_calls *open, uintptr_t fiber)
{
  uint32_t at = (uint32_t)(fiber * UINT64_C(0x9E3779B97F4A7C15) >> 40);
  struct open_fiber *free = NULL, *oldest = NULL;
  for (uint32_t i = 0; i < PLACES; i++) {
    struct open_fiber *place = &open->fibers[(at + i) % OPEN_CALLS_FIBERS];
    if (place->fiber == fiber) return place;
    if (!place->innermost && !free) free = place;
    if (!oldest || place->used_ns < oldest->used_ns) oldest = place;
  }
  if (!free) free = oldest;
  while (free->innermost) drop_call(open, free);
  *free = (struct open_fiber){ .fiber = fiber };
  return free;
}

void open_calls_called(struct open_calls *open, struct open_fiber *fiber, uintptr_t frame)
{
  while (fiber->innermost && open->calls[fiber->innermost].place.frame <= frame) drop_call(open, fiber);
}

void open_calls_returns(struct open_calls *open, struct open_fiber *fiber, uintptr_t frame)
{
  while (fiber->innermost && open->calls[fiber->innermost].place.frame < frame) drop_call(open, fiber);
}

struct open_call *open_calls_push(struct open_calls *open, struct open_fiber *fiber, const struct call_place *place)
{
  uint32_t index = open->free;
  if (index) open->free = open->calls[index].outer;
  else if (open->used < OPEN_CALLS_MAX) index = open->used++;
  else return NULL;
  struct open_call *call = &open->calls[index];
  call->place = *place;
  call->outer = fiber->innermost;
  fiber->innermost = index;
  return call;
}

const struct open_call *open_calls_pop(struct open_calls *open, struct open_fiber *fiber)
{
  uint32_t index = fiber->innermost;
  if (!index) return NULL;
  struct open_call *call = &open->calls[index];
  fiber->innermost = call->outer;
  call->outer = open->free;
  open->free = index;
  return call;
}

void open_calls_forget(struct open_calls *open)
{
  for (uint32_t i = 0; i < OPEN_CALLS_FIBERS; i++) open->fibers[i] = (struct open_fiber){ 0 };
  open->free = 0;
  open->used = 1;
}
