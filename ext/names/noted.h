/* SPDX-License-Identifier: MIT */
/* Stacks that a hook saw but could not name. Their frames and the time that belongs to them are kept until the next
 * job.
 *
 * The queue is short, since a stack is noted only if one of its methods is new. When it is full, the time is treated
 * like any time without a stack (accounting.h).
 *
 * Threads: under the sampler's lock; noted_mark() in the GC, with the GVL. No allocation.
 */
#ifndef RTOP_EXT_NOTED_H
#define RTOP_EXT_NOTED_H

#include <ruby.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { NOTED_MAX = 16, NOTED_DEPTH_MAX = 192 };

struct noted_stack {
  uint64_t serial; /* serial of the thread */
  uint32_t thread, depth;
  uint32_t root;     /* node below which the stack is added */
  uint32_t name;     /* call tree node of the fiber's name (task_names.h) */
  const void *fiber; /* fiber whose waiting stack this is (fiber_frames.h); NULL: the stack of the thread itself */
  uint32_t states[2];
  int64_t wall_ns[2], cpu_ns[2];
  VALUE frames[NOTED_DEPTH_MAX]; /* leaf first */
  int lines[NOTED_DEPTH_MAX];
};

struct noted {
  _Atomic uint32_t count;
  struct noted_stack stacks[NOTED_MAX];
};

/* Takes a free entry and stores the stack in it; NULL when no entry is free. The caller adds the thread and the
 * time. */
struct noted_stack *noted_add(struct noted *noted, const VALUE *frames, const int *lines, uint32_t depth);

/* Removes the oldest stack. */
void noted_drop_first(struct noted *noted);

/* Tells whether a stack of this thread is in the queue. */
bool noted_has(const struct noted *noted, uint64_t serial);

void noted_mark(const struct noted *noted);

#endif
