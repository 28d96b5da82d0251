/* SPDX-License-Identifier: MIT */
/* Frames that are left out of stacks: their time goes to the caller that is kept.
 *
 * Patterns (shm/base/pattern.h) are asked once for each frame, when it gets its id or its complete name; a walk
 * looks at one bit.
 *
 * Threads: under the sampler's lock, but for exclude_use().
 */
#ifndef RTOP_EXT_EXCLUDE_H
#define RTOP_EXT_EXCLUDE_H

#include "ext/base/trylock.h"
#include <stddef.h>

struct frames;

/* From now on these patterns; all frames are judged again. "" or a text that means nothing: none. Under the
 * GVL, while nothing is sampled in this Ractor; waits for the lock. Allocates with libc. */
void exclude_use(struct frames *frames, struct trylock *lock, const char *patterns, size_t bytes);

#endif
