#include "channel.h"

void channel_parts_of(const struct rtop_segment *segment, struct channel_parts *parts)
{
  *parts = (struct channel_parts){.counters = rtop_segment_counters(segment)};
  parts->strings = rtop_segment_elements(segment, RTOP_SECTION_STRINGS, &parts->string_bytes);
  parts->frames = rtop_segment_elements(segment, RTOP_SECTION_FRAMES, &parts->frame_capacity);
  parts->nodes = rtop_segment_elements(segment, RTOP_SECTION_NODES, &parts->node_capacity);
  parts->threads = rtop_segment_elements(segment, RTOP_SECTION_THREADS, &parts->thread_capacity);
  parts->ring.counters = parts->counters;
  parts->ring.slots = rtop_segment_elements(segment, RTOP_SECTION_DIRECTORY, &parts->ring.slot_count);
  parts->ring.bytes = rtop_segment_elements(segment, RTOP_SECTION_RING, &parts->ring.capacity);
  parts->ring.instance_id = segment->geometry.instance_id;
}
