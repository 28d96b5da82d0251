#include "exclude.h"

#include "frames.h"
#include "shm/pattern.h"
#include <sched.h>

void exclude_judge(const struct frames *frames, struct frames_entry *entry)
{
  struct rtop_pattern_frame frame = { .is_c = entry->kind == RTOP_FRAME_C };
  if (!frames->excluded || entry->kind == RTOP_FRAME_SPECIAL) {
    entry->excluded = false;
    return;
  }
  frame.label = frames_string(frames, entry->label, &frame.label_bytes);
  frame.namespace_label = frames_string(frames, entry->namespace_label, &frame.namespace_bytes);
  frame.path = frames_string(frames, entry->path, &frame.path_bytes);
  entry->excluded = rtop_patterns_match(frames->excluded, &frame);
}

void exclude_use(struct frames *frames, struct clock_trylock *lock, const char *patterns, size_t bytes)
{
  struct rtop_patterns *made = bytes ? rtop_patterns_create(patterns, bytes, NULL) : NULL;
  struct rtop_patterns *before = frames->excluded;
  if (!made && !before) return;
  while (!clock_trylock(lock)) sched_yield();
  frames->excluded = made;
  for (uint32_t id = RTOP_NODE_FIRST_FREE; id < frames_count(frames); id++)
    exclude_judge(frames, &frames->entries[id]);
  atomic_fetch_add(&frames->generation, 1);   /* stacks that threads remember were made by the old ones */
  clock_unlock(lock);
  rtop_patterns_destroy(&before);
}
