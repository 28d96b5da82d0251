/* SPDX-License-Identifier: MIT */
/* Merges windows into a longer one. Private to shm/.
 *
 * Sums stay sums: cells with equal keys become one, changes of counters are added, "now" values are the last ones, a
 * thread is as it was at the end. A late record within the merged window becomes a cell and takes its time from the
 * unsampled time of its thread and state (or replaces provisional time); one that begins before stays a late record.
 * More than WINDOW_MERGE_ENDED_MAX ended threads become one: slot 0, serial 0, "(other threads)".
 *
 * Without room: cells are folded; late records become cells of this window; labels that began lose their set, fibers
 * their stacks, exceptions their class and place, pairs their parties; marks, details of traced methods, the shortest slow calls and the
 * latest arguments are dropped.
 *
 * Threads: the publisher. Never allocates: memory is the caller's and bounded.
 */
#ifndef RTOP_SHM_WINDOW_MERGE_H
#define RTOP_SHM_WINDOW_MERGE_H

#include "window.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
#define LIST(kind, number, array, one, row, share, most, ...) WINDOW_MERGE_##kind##_MAX = (most),
#include "shm/base/parts.def"
  WINDOW_MERGE_ENDED_MAX = 32,
  WINDOW_MERGE_ARGS_BYTES = 2 * RTOP_ARGS_WINDOW_BYTES,
};

struct window_merge {
  struct rtop_window window;               /* empty while thread_count and end_mono_ns are 0 */
  int64_t *provisional_since;              /* by row: start of the first window in which it was provisional */
  uint16_t *rows;                          /* open addressing by serial: row + 1; 0: free */
  uint16_t (*unsampled)[RTOP_STATE_COUNT]; /* by row: its cell of RTOP_NODE_UNSAMPLED + 1; 0: none */
  uint32_t ended_count;
  bool lossy; /* something did not fit as it was */
  void *scratch;
};

/* window_merge_memory_bytes(): zeroed memory for window_merge_init(). `scratch`: of window_merge_scratch_bytes(),
 * which others may use in between. */
size_t window_merge_memory_bytes(void);
size_t window_merge_scratch_bytes(void);
void window_merge_init(struct window_merge *merge, void *memory, void *scratch);

static inline bool window_merge_is_empty(const struct window_merge *merge)
{
  return merge->window.end_mono_ns == 0;
}

/* Adds a window that follows those added before. Its indices are trusted, since the writer made it. */
void window_merge_add(struct window_merge *merge, const struct rtop_window *window);

/* To begin anew. */
void window_merge_clear(struct window_merge *merge);

#endif
