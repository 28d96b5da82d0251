/* The parts of a mapped segment as pointers and capacities, taken from its validated geometry. Private
 * to shm/.
 */
#ifndef RTOP_SHM_CHANNEL_H
#define RTOP_SHM_CHANNEL_H

#include "ring.h"
#include "segment.h"

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
  struct rtop_ring ring;               /* cursors 0: for a writer of a new segment, or a reader */
  struct rtop_ring tiers[RTOP_MERGED_TIERS];
  bool tiered;                         /* false: the segment has no merged tiers, theirs are empty */
};

/* The segment must outlive the parts: they point into its mapping and its geometry. */
void channel_parts_of(const struct rtop_segment *segment, struct channel_parts *parts);

#endif
