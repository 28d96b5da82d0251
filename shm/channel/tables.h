/* SPDX-License-Identifier: MIT */
/* The writer's side of the append-only tables: strings, frames, and call tree nodes. Private to shm/.
 *
 * The fill level of each table is kept in private memory and never read back from the segment; tables_count() passes it
 * to readers. Entries beyond the published count are not visible.
 *
 * Threads: the publisher. Never blocks, never allocates.
 */
#ifndef RTOP_SHM_TABLES_H
#define RTOP_SHM_TABLES_H

#include "channel.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tables {
  const struct channel_parts *parts;
  uint64_t string_bytes; /* number of bytes used */
  uint64_t frame_count;
  uint64_t node_count;
  uint64_t frame_labels;
  uint64_t strings_overflowed;
  uint64_t frames_overflowed;
  uint64_t nodes_overflowed;
};

/* Starts empty tables and writes the reserved string, frames and nodes. */
void tables_init(struct tables *tables, const struct channel_parts *parts);

/* Like rtop_writer_add_*(). */
uint32_t tables_add_string(struct tables *tables, const char *bytes, size_t count);
bool tables_add_frame(struct tables *tables, const struct rtop_frame_entry *frame, uint32_t *id);
bool tables_add_node(struct tables *tables, const struct rtop_node_entry *node, uint32_t *id);

/* Like rtop_writer_relabel_frame(). */
void tables_relabel_frame(struct tables *tables, uint32_t id, uint32_t label, uint32_t namespace_label);

/* Sets the counts of the tables in `image`, for channel_publish_counters() after the entries are stored. */
void tables_count(const struct tables *tables, struct rtop_counters *image);

#endif
