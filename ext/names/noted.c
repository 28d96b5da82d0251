/* SPDX-License-Identifier: MIT */
/* A short queue of stacks that a hook could not name. */
#include "noted.h"

#include <string.h>

struct noted_stack *noted_add(struct noted *noted, const VALUE *frames, const int *lines, uint32_t depth)
{
  uint32_t count = atomic_load_explicit(&noted->count, memory_order_relaxed);
  if (count == NOTED_MAX || depth > NOTED_DEPTH_MAX) return NULL;
  struct noted_stack *stack = &noted->stacks[count];
  memcpy(stack->frames, frames, depth * sizeof *frames);
  memcpy(stack->lines, lines, depth * sizeof *lines);
  stack->depth = depth;
  atomic_store_explicit(&noted->count, count + 1, memory_order_release);
  return stack;
}

void noted_drop_first(struct noted *noted)
{
  uint32_t count = atomic_load_explicit(&noted->count, memory_order_relaxed);
  if (count == 0) return;
  memmove(&noted->stacks[0], &noted->stacks[1], (count - 1) * sizeof noted->stacks[0]);
  atomic_store_explicit(&noted->count, count - 1, memory_order_release);
}

bool noted_has(const struct noted *noted, uint64_t serial)
{
  uint32_t count = atomic_load_explicit(&noted->count, memory_order_relaxed);
  for (uint32_t i = 0; i < count; i++)
    if (noted->stacks[i].serial == serial) return true;
  return false;
}

void noted_mark(const struct noted *noted)
{
  uint32_t count = atomic_load_explicit(&noted->count, memory_order_acquire);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t level = 0; level < noted->stacks[i].depth; level++) rb_gc_mark(noted->stacks[i].frames[level]);
}
