/* SPDX-License-Identifier: MIT */
/* Applies the patterns of excluded frames to new frames. */
#include "exclude.h"

#include "frames.h"
#include "ext/base/trylock.h"
#include "shm/base/pattern.h"
#include <sched.h>

void exclude_use(struct frames *frames, struct trylock *lock, const char *patterns, size_t bytes)
{
  struct rtop_patterns *made = bytes ? rtop_patterns_create(patterns, bytes, NULL) : NULL;
  struct rtop_patterns *before = frames->excluded;
  if (!made && !before) return;
  while (!trylock_take(lock)) sched_yield();
  frames->excluded = made;
  for (uint32_t id = RTOP_NODE_FIRST_FREE; id < frames_count(frames); id++) frames_judge(frames, &frames->entries[id]);
  /* Cached stacks were made with the old patterns, so they become invalid. */
  atomic_fetch_add(&frames->generation, 1);
  trylock_release(lock);
  rtop_patterns_destroy(&before);
}
