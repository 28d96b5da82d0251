/* SPDX-License-Identifier: MIT */
/* Reads the tables of a segment that is not trusted. Private to shm/.
 *
 * Every index is checked against the published count and the section's capacity, and every entry is validated. If the
 * file is truncated, the call fails.
 */
#ifndef RTOP_SHM_READER_TABLES_H
#define RTOP_SHM_READER_TABLES_H

#include "channel.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader_tables {
  const struct channel_parts *parts;
  const void *base; /* start of the mapping, for the SIGBUS guard */
  size_t bytes;
};

/* Copies under the SIGBUS guard. Returns false when the file is truncated. */
bool reader_tables_copy(const struct reader_tables *tables, void *to, const void *shared, size_t bytes);
/* Loads a word with acquire order under the SIGBUS guard; returns 0 when the file is truncated. */
uint64_t reader_tables_load(const struct reader_tables *tables, const uint64_t *shared);

uint64_t reader_tables_frame_count(const struct reader_tables *tables);
uint64_t reader_tables_node_count(const struct reader_tables *tables);
uint64_t reader_tables_string_bytes(const struct reader_tables *tables);
bool reader_tables_frame(const struct reader_tables *tables, uint32_t id, struct rtop_frame_entry *frame);
bool reader_tables_node(const struct reader_tables *tables, uint32_t id, struct rtop_node_entry *node);
size_t reader_tables_string(const struct reader_tables *tables, uint32_t reference, char *buffer, size_t buffer_bytes);
bool reader_tables_thread(const struct reader_tables *tables, uint32_t slot, uint64_t serial,
                          struct rtop_thread_entry *thread);

#endif
