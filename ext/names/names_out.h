/* SPDX-License-Identifier: MIT */
/* Copies new strings, frames and call tree nodes from the sampler's tables into the segment.
 *
 * Threads: the publisher. Allocates once, in names_out_create().
 */
#ifndef RTOP_EXT_NAMES_OUT_H
#define RTOP_EXT_NAMES_OUT_H

#include "calltree.h"
#include "frames.h"
#include "shm/channel/writer.h"

struct names_out {
  /* references into the segment, by string id; 0: not copied yet (or the empty string) */
  uint32_t *string_references;
  uint32_t string_capacity, frame_capacity;
  uint32_t frame_count, node_count; /* number of frames and nodes published so far */
};

int names_out_create(struct names_out *out, const struct frames *frames);
void names_out_destroy(struct names_out *out);

void names_out_update(struct names_out *out, struct frames *frames, struct calltree *tree, struct rtop_writer *writer);

/* Returns `node` itself if it is in the segment, else its nearest ancestor in the segment. */
uint32_t names_out_known(const struct names_out *out, const struct calltree *tree, uint32_t node);

#endif
