/* SPDX-License-Identifier: MIT */
/* Sums windows up to windows of 1 s and 10 s. */
#include "tiers.h"
#include "shm/base/outlet.h"
#include "shm/window/window_threads.h"

static const int64_t tiers_length_ns[RTOP_MERGED_TIERS] = { INT64_C(1000000000), INT64_C(10000000000) };
/* a smaller distance between two windows is a rounding difference, not a hole */
#define TIERS_HOLE_NS INT64_C(10000000)

size_t tiers_memory_bytes(void)
{
  return RTOP_MERGED_TIERS * window_merge_memory_bytes();
}

void tiers_init(struct tiers *tiers, struct channel_parts *parts, uint32_t window_ns,
                const struct tiers_buffers *buffers, void *memory)
{
  *tiers = (struct tiers){ .parts = parts, .buffers = *buffers, .tolerance_ns = window_ns / 2 };
  for (size_t i = 0; i < RTOP_MERGED_TIERS; i++)
    window_merge_init(&tiers->merges[i], (unsigned char *)memory + i * window_merge_memory_bytes(), buffers->scratch);
}

static size_t tiers_limit(const struct rtop_ring *ring, const struct rtop_window *window)
{
  size_t limit = ring->capacity / TIERS_WINDOWS_MIN;
  if (limit < TIERS_WINDOW_BYTES_MIN) limit = TIERS_WINDOW_BYTES_MIN;
  limit += window->thread_count * TIERS_THREAD_BYTES;
  return limit < rtop_ring_payload_max(ring) ? limit : rtop_ring_payload_max(ring);
}

/* Encodes a merged window. If the window is too large even without cells, all threads are merged into one; if it is
 * still too large, only counters remain. */
static size_t tiers_encode(struct tiers *tiers, const struct rtop_ring *ring, struct rtop_window *window)
{
  unsigned char *raw = tiers->buffers.raw;
  void *scratch = tiers->buffers.scratch;
  size_t bytes = rtop_window_encode(window, raw, tiers_limit(ring, window), scratch);
  if (bytes) return bytes;
  size_t most = rtop_ring_payload_max(ring);
  window->folded = true;
  bytes = rtop_window_encode(window, raw, most, scratch);
  if (bytes) return bytes;
  window_sum_threads(window, false, scratch);
  bytes = rtop_window_encode(window, raw, most, scratch);
  if (bytes) return bytes;
  window->thread_count = window->cell_count = window->late_count = window->mark_count = 0;
  window->begun_count = window->fibers_count = window->exact_count = window->slow_count = 0;
  window->raised_count = window->pair_count = 0;
  return rtop_window_encode(window, raw, most, scratch);
}

static void tiers_publish(struct tiers *tiers, size_t level, const struct rtop_slot *counts)
{
  struct window_merge *merge = &tiers->merges[level];
  struct rtop_ring *ring = &tiers->parts->tiers[level];
  struct rtop_slot slot = *counts;
  slot.start_mono_ns = merge->window.start_mono_ns;
  slot.end_mono_ns = merge->window.end_mono_ns;
  slot.raw_bytes = (uint32_t)tiers_encode(tiers, ring, &merge->window);
  slot.stored_bytes = (uint32_t)rtop_window_compress(tiers->buffers.raw, slot.raw_bytes, tiers->buffers.packed,
                                                     rtop_ring_payload_max(ring), &slot.codec);
  tiers->folded[level] += merge->window.folded || merge->lossy;
  outlet_store(ring->outlet, &ring->counters->windows_folded, &tiers->folded[level], sizeof tiers->folded[level]);
  rtop_ring_publish(ring, &slot, tiers->buffers.packed);
}

static void tiers_take(struct tiers *tiers, size_t level, const struct rtop_window *window,
                       const struct rtop_slot *counts);

/* Passes the window to the next tier before anything is folded to fit into this tier's ring. */
static void tiers_close(struct tiers *tiers, size_t level, const struct rtop_slot *counts)
{
  if (window_merge_is_empty(&tiers->merges[level])) return;
  if (level + 1 < RTOP_MERGED_TIERS) tiers_take(tiers, level + 1, &tiers->merges[level].window, counts);
  tiers_publish(tiers, level, counts);
  window_merge_clear(&tiers->merges[level]);
}

static bool tiers_is_complete(const struct tiers *tiers, size_t level)
{
  const struct rtop_window *window = &tiers->merges[level].window;
  int64_t length_ns = tiers_length_ns[level];
  int64_t left_ns = length_ns - (window->start_mono_ns + tiers->tolerance_ns) % length_ns;
  return window->end_mono_ns - window->start_mono_ns >= left_ns;
}

/* Adds a window to a tier: level 0 takes published windows, level 1 merged ones. */
static void tiers_take(struct tiers *tiers, size_t level, const struct rtop_window *window,
                       const struct rtop_slot *counts)
{
  struct window_merge *merge = &tiers->merges[level];
  if (!window_merge_is_empty(merge) && window->start_mono_ns - merge->window.end_mono_ns > TIERS_HOLE_NS)
    tiers_close(tiers, level, counts);
  window_merge_add(merge, window);
  if (tiers_is_complete(tiers, level)) tiers_close(tiers, level, counts);
}

void tiers_add(struct tiers *tiers, const struct rtop_window *window, uint64_t node_count, uint64_t frame_count)
{
  const struct rtop_slot counts = { .node_count = node_count, .frame_count = frame_count };
  if (tiers->parts->tiered && window->end_mono_ns > window->start_mono_ns) tiers_take(tiers, 0, window, &counts);
}

void tiers_finish(struct tiers *tiers, uint64_t node_count, uint64_t frame_count)
{
  const struct rtop_slot counts = { .node_count = node_count, .frame_count = frame_count };
  for (size_t level = 0; level < RTOP_MERGED_TIERS && tiers->parts->tiered; level++) tiers_close(tiers, level, &counts);
}
