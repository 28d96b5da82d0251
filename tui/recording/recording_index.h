/* SPDX-License-Identifier: MIT */
/* The index of a part of a recording: its chunks, and a summary of every window in them.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_RECORDING_INDEX_H
#define RTOP_TUI_RECORDING_INDEX_H

#include "recording_bytes.h"
#include "shm/base/format.h"
#include "tui/history/profile.h"
#include "tui/text/budget.h"

/* The summary of a window that the index has, so that the window need not be read. */
struct recording_known {
  uint32_t source;
  bool gap;
  uint32_t thread_count; /* alive at its end */
  int64_t start_ns, end_ns;
  uint64_t wall_ns[RTOP_STATES];
  uint64_t counters_present;
  uint64_t counters[RTOP_COUNTER_ID_MAX];
};

struct recording_chunk {
  uint64_t position; /* of its head in the file */
  struct recording_chunk_head head;
  size_t known_start, known_count; /* its windows and gaps */
};

/* An index of zeros is empty. Its order is that of the file. */
struct recording_index {
  struct rtop_budget *budget; /* budget of the file that is being read; NULL when writing */
  struct recording_chunk *chunks;
  size_t chunk_count, chunk_capacity;
  struct recording_known *known;
  size_t known_count, known_capacity;
};
/* Forgets chunks whose index was written, but not windows that have no chunk yet. Keeps the memory. */
void recording_index_written(struct recording_index *index);
void recording_index_destroy(struct recording_index *index);
/* NULL: memory ran out, or the budget. */
struct recording_chunk *recording_index_add_chunk(struct recording_index *index);
struct recording_known *recording_index_add_known(struct recording_index *index);
/* What a window says of itself. */
struct rtop_window;
void recording_known_fill(struct recording_known *known, uint32_t source, const struct rtop_window *window);

/* Appends the complete index frame, which will be at `position`, to `out`. False: memory ran out. */
bool recording_index_encode(const struct recording_index *index, uint64_t position, struct recording_bytes *out);
/* Appends the content of the frame at `position`. False: it is damaged, and nothing was appended. */
bool recording_index_decode(struct recording_index *index, const void *frame, size_t bytes, uint64_t position);

#endif
