/* SPDX-License-Identifier: MIT */
/* Stacks that a hook saw but could not name: their frames and the time that belongs to them, until the next job.
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
  uint64_t serial; /* of the thread */
  uint32_t thread, depth;
  uint32_t root;     /* node below which it stands */
  uint32_t name;     /* of the fiber (task_names.h) */
  const void *fiber; /* fiber that waits there (fiber_frames.h); NULL: the thread itself */
  uint32_t states[2];
  int64_t wall_ns[2], cpu_ns[2];
  VALUE frames[NOTED_DEPTH_MAX]; /* leaf first */
  int lines[NOTED_DEPTH_MAX];
};

struct noted {
  _Atomic uint32_t count;
  struct noted_stack stacks[NOTED_MAX];
};

/* Takes a free entry and stores the stack in it; NULL when there is none. The caller adds thread and time. */
struct noted_stack *noted_add(struct noted *noted, const VALUE *frames, const int *lines, uint32_t depth);

/* Frees the place of the oldest. */
void noted_drop_first(struct noted *noted);

/* Is there one of this thread? */
bool noted_has(const struct noted *noted, uint64_t serial);

void noted_mark(const struct noted *noted);

#endif
