/* SPDX-License-Identifier: MIT */
/* The parts of a mapped segment, or of a writer's view of one (outlet.h), as pointers and capacities,
 * taken from its validated geometry. Private to shm/.
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
  struct rtop_ring ring; /* cursors 0: for a writer of a new segment, or a reader */
  struct rtop_ring tiers[RTOP_MERGED_TIERS];
  struct outlet *outlet; /* of a writer; NULL: the addresses are memory */
  bool tiered;           /* false: the segment has no merged tiers, theirs are empty */
};

/* The segment must outlive the parts: they point into its mapping and its geometry. */
void channel_parts_of(const struct rtop_segment *segment, struct channel_parts *parts);

/* Makes them the parts of a writer, all of whose stores go through the outlet. */
void channel_parts_write(struct channel_parts *parts, struct outlet *outlet);

/* Publishes the counters from string_bytes on, all but the intent and the head of the ring; what they count
 * must have been stored before. */
void channel_publish_counters(const struct channel_parts *parts, const struct rtop_counters *image);

#endif
