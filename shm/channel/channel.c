/* SPDX-License-Identifier: MIT */
/* Finds the parts of a segment from its geometry. */
#include "channel.h"
#include "shm/base/outlet.h"

void channel_parts_of(const struct rtop_segment *segment, struct channel_parts *parts)
{
  *parts = (struct channel_parts){ .counters = rtop_segment_counters(segment) };
  parts->strings = rtop_segment_elements(segment, RTOP_SECTION_STRINGS, &parts->string_bytes);
  parts->frames = rtop_segment_elements(segment, RTOP_SECTION_FRAMES, &parts->frame_capacity);
  parts->nodes = rtop_segment_elements(segment, RTOP_SECTION_NODES, &parts->node_capacity);
  parts->threads = rtop_segment_elements(segment, RTOP_SECTION_THREADS, &parts->thread_capacity);
  parts->ring.counters = parts->counters;
  parts->ring.slots = rtop_segment_elements(segment, RTOP_SECTION_DIRECTORY, &parts->ring.slot_count);
  parts->ring.bytes = rtop_segment_elements(segment, RTOP_SECTION_RING, &parts->ring.capacity);
  parts->ring.instance_id = segment->geometry.instance_id;
  uint64_t count;
  struct rtop_counters *counters = rtop_segment_elements(segment, RTOP_SECTION_TIERS, &count);
  parts->tiered = counters != NULL;
  for (uint32_t i = 0; i < RTOP_MERGED_TIERS && parts->tiered; i++) {
    struct rtop_ring *ring = &parts->tiers[i];
    ring->counters = &counters[i];
    ring->slots = rtop_segment_elements(segment, RTOP_SECTION_DIRECTORY_1S + 2 * i, &ring->slot_count);
    ring->bytes = rtop_segment_elements(segment, RTOP_SECTION_RING_1S + 2 * i, &ring->capacity);
    ring->instance_id = segment->geometry.instance_id;
  }
}

void channel_parts_write(struct channel_parts *parts, struct outlet *outlet)
{
  parts->outlet = parts->ring.outlet = outlet;
  for (size_t i = 0; i < RTOP_MERGED_TIERS; i++) parts->tiers[i].outlet = outlet;
}

void channel_publish_counters(const struct channel_parts *parts, const struct rtop_counters *image)
{
  const size_t bytes = offsetof(struct rtop_counters, stats_reserved) - offsetof(struct rtop_counters, string_bytes);
  outlet_fence(parts->outlet);
  outlet_store(parts->outlet, &parts->counters->string_bytes, &image->string_bytes, bytes);
}
