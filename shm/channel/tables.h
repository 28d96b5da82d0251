/* SPDX-License-Identifier: MIT */
/* The append-only tables: strings, frames, call nodes. Private to shm/.
 *
 * The writer's side of them. How far each table is filled is known here alone and never read back from
 * the segment; tables_count() tells readers. Entries behind the published count are nobody's yet.
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
  uint64_t string_bytes; /* filled */
  uint64_t frame_count;
  uint64_t node_count;
  uint64_t frame_labels;
  uint64_t strings_overflowed;
  uint64_t frames_overflowed;
  uint64_t nodes_overflowed;
};

/* Starts empty tables and writes the reserved string, frames and nodes. */
void tables_init(struct tables *tables, const struct channel_parts *parts);

/* As rtop_writer_add_*(). */
uint32_t tables_add_string(struct tables *tables, const char *bytes, size_t count);
bool tables_add_frame(struct tables *tables, const struct rtop_frame_entry *frame, uint32_t *id);
bool tables_add_node(struct tables *tables, const struct rtop_node_entry *node, uint32_t *id);

/* As rtop_writer_relabel_frame(). */
void tables_relabel_frame(struct tables *tables, uint32_t id, uint32_t label, uint32_t namespace_label);

/* Fills in what readers are told of them; for channel_publish_counters(), when the entries are stored. */
void tables_count(const struct tables *tables, struct rtop_counters *image);

#endif
