/* SPDX-License-Identifier: MIT */
/* The merged tiers: published windows are summed up to windows of 1 s, and these to windows of 10 s, each tier in a
 * ring of its own. Private to shm/.
 *
 * A merged window ends with the window that reaches the next multiple of its length, within half a nominal window, so
 * that channels of several processes cut at the same moments; it also ends before a hole in time. A tier must reach
 * back far enough whatever the program does. So a merged window may use at most the share of the ring that leaves room
 * for TIERS_WINDOWS_MIN windows; if it is larger, its smallest cells are folded.
 *
 * Threads: the publisher. Never blocks, never allocates: the caller provides the memory.
 */
#ifndef RTOP_SHM_TIERS_H
#define RTOP_SHM_TIERS_H

#include "channel.h"
#include "shm/window/window_merge.h"
#include <stddef.h>
#include <stdint.h>

enum {
  TIERS_WINDOWS_MIN = 360,       /* minimum number of windows in a tier: an hour of 10 s, six minutes of 1 s */
  TIERS_WINDOW_BYTES_MIN = 2048, /* a window may always use this many bytes, whatever its share */
  TIERS_THREAD_BYTES = 24,       /* additional bytes for every thread in the window */
};

/* Buffers for encoding windows, shared with the writer. */
struct tiers_buffers {
  unsigned char *raw, *packed; /* each with rtop_ring_payload_max() bytes of the largest ring */
  void *scratch;               /* at least window_merge_scratch_bytes() bytes */
};

struct tiers {
  struct channel_parts *parts;
  struct tiers_buffers buffers;
  int64_t tolerance_ns; /* half the length of a nominal window */
  struct window_merge merges[RTOP_MERGED_TIERS];
  uint64_t folded[RTOP_MERGED_TIERS]; /* number of windows that were too large */
};

/* Returns the size of the zeroed memory that tiers_init() needs. */
size_t tiers_memory_bytes(void);
void tiers_init(struct tiers *tiers, struct channel_parts *parts, uint32_t window_ns,
                const struct tiers_buffers *buffers, void *memory);

/* Adds a published window, and publishes the merged windows that it completes. Tables must be published before. */
void tiers_add(struct tiers *tiers, const struct rtop_window *window, uint64_t node_count, uint64_t frame_count);

/* Publishes incomplete merged windows at the end of the channel. */
void tiers_finish(struct tiers *tiers, uint64_t node_count, uint64_t frame_count);

#endif
