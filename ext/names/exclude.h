/* SPDX-License-Identifier: MIT */
/* Excludes frames from stacks; the time of an excluded frame goes to its nearest caller that is kept.
 *
 * Patterns (shm/base/pattern.h) are matched once for each frame, when it gets its id or its complete name; a stack walk
 * only tests a bit.
 *
 * Threads: under the sampler's lock, except exclude_use().
 */
#ifndef RTOP_EXT_EXCLUDE_H
#define RTOP_EXT_EXCLUDE_H

#include "ext/base/trylock.h"
#include <stddef.h>

struct frames;

/* Replaces the patterns and matches all frames again. With an empty or invalid text, no frame is excluded. Call with
 * the GVL, while nothing is sampled in this Ractor. Waits for the lock; allocates with libc. */
void exclude_use(struct frames *frames, struct trylock *lock, const char *patterns, size_t bytes);

#endif
