/* SPDX-License-Identifier: MIT */
/* The parts of a mapped segment, or of a writer's view of one (outlet.h), as pointers and capacities from the validated
 * geometry. Private to shm/.
 */
#ifndef RTOP_SHM_CHANNEL_H
#define RTOP_SHM_CHANNEL_H

#include "shm/base/ring.h"
#include "shm/segment/segment.h"

struct channel_parts {
  struct rtop_counters *counters;
  unsigned char *strings;
  uint64_t string_bytes;
  struct rtop_frame_entry *frames;
  uint64_t frame_capacity;
  struct rtop_node_entry *nodes;
  uint64_t node_capacity;
  struct rtop_thread_entry *threads;
  uint64_t thread_capacity;
  struct rtop_ring ring; /* the ring; its cursors are 0, for the writer of a new segment or a reader */
  struct rtop_ring tiers[RTOP_MERGED_TIERS];
  struct outlet *outlet; /* outlet of a writer; NULL: the addresses are real memory */
  bool tiered;           /* false: the segment has no merged tiers, and the fields for them are empty */
};

/* Fills in the parts, which point into the segment's mapping and geometry: the segment must outlive them. */
void channel_parts_of(const struct rtop_segment *segment, struct channel_parts *parts);

/* Turns the parts into those of a writer, which stores everything through the outlet. */
void channel_parts_write(struct channel_parts *parts, struct outlet *outlet);

/* Publishes the counters from string_bytes on, without the ring's intent and head. The entries that they count must
 * have been stored before. */
void channel_publish_counters(const struct channel_parts *parts, const struct rtop_counters *image);

#endif
