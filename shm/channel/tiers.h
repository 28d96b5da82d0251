/* SPDX-License-Identifier: MIT */
/* The merged tiers: every window that is published is added up to one of 1 s, each of these to one of
 * 10 s, in rings of their own. Private to shm/.
 *
 * A merged window ends with the window that reaches the next multiple of its length (by half a window of
 * the channel's nominal length: the clocks of several processes then cut at the same moments), and before
 * a hole in time. So that a tier reaches back for a while whatever the program does, a merged window may
 * take no more than TIERS_WINDOWS_MIN of its kind would leave it, and folds its smallest cells beyond.
 *
 * Threads: the publisher. Never blocks, never allocates: the memory is the caller's.
 */
#ifndef RTOP_SHM_TIERS_H
#define RTOP_SHM_TIERS_H

#include "channel.h"
#include "shm/window/window_merge.h"
#include <stddef.h>
#include <stdint.h>

enum {
  TIERS_WINDOWS_MIN = 360,       /* an hour of 10 s, six minutes of 1 s */
  TIERS_WINDOW_BYTES_MIN = 2048, /* but never fewer bytes for a window than these */
  TIERS_THREAD_BYTES = 24,       /* and these for every thread in it */
};

/* Where a window is made into bytes; shared with the writer. */
struct tiers_buffers {
  unsigned char *raw, *packed; /* of rtop_ring_payload_max() of the largest ring */
  void *scratch;               /* at least window_merge_scratch_bytes() */
};

struct tiers {
  struct channel_parts *parts;
  struct tiers_buffers buffers;
  int64_t tolerance_ns; /* half a window */
  struct window_merge merges[RTOP_MERGED_TIERS];
  uint64_t folded[RTOP_MERGED_TIERS]; /* windows that were too large */
};

/* Memory for tiers_init(), zeroed. */
size_t tiers_memory_bytes(void);
void tiers_init(struct tiers *tiers, struct channel_parts *parts, uint32_t window_ns,
                const struct tiers_buffers *buffers, void *memory);

/* Takes a window that was published, and publishes what it completes. Tables must be published. */
void tiers_add(struct tiers *tiers, const struct rtop_window *window, uint64_t node_count, uint64_t frame_count);

/* Publishes what is incomplete: the end of the channel. */
void tiers_finish(struct tiers *tiers, uint64_t node_count, uint64_t frame_count);

#endif
