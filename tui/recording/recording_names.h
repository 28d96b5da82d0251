/* SPDX-License-Identifier: MIT */
/* The names that a recording needs before its windows can refer to them: sources, frames, nodes, threads. Each is
 * written once, when a window first needs it; ids are those of the symbols.
 *
 * Each entry stores the last chunk that used it, so that names used only by dropped chunks can be left out when the
 * oldest part is dropped.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_RECORDING_NAMES_H
#define RTOP_TUI_RECORDING_NAMES_H

#include "feed_info.h"
#include "recording_bytes.h"
#include "tui/history/profile.h"

struct recording_frame_use {
  uint32_t chunk;     /* that used it last; 0: not written */
  uint32_t label_crc; /* CRC of label and namespace as last written */
};

struct recording_names {
  const struct rtop_profile *profile;
  const struct rtop_symbols *symbols;
  uint32_t chunk; /* being collected: 1, 2, … */
  struct recording_frame_use *frames;
  size_t frame_capacity;
  uint32_t *nodes; /* number of the chunk that last used the node, by node; 0: not written */
  size_t node_capacity;
  uint32_t *stack; /* scratch */
  size_t stack_capacity;
  struct recording_thread *threads; /* hash by source and serial */
  /* ended threads are forgotten: set when no chunk will be dropped, so that nothing must be written again */
  bool forget_ended;
  uint32_t relabelings;
  struct recording_source {
    char command[256], ruby[64], host[256], folder[RECORDING_TEXT_BYTES_MAX + 1];
    struct rtop_feed_info info;
    bool known;
  } * sources;
  size_t source_capacity;
  /* Collected rows, and the previous values for their differences. */
  struct recording_bytes source_rows, frame_rows, node_rows, relabel_rows, thread_rows, mark_rows, state_rows,
      pulse_rows;
  uint32_t frame_before, node_before, node_frame_before;
  bool failed;
};

void recording_names_open(struct recording_names *names, struct rtop_profile *profile, bool forget_ended);
void recording_names_destroy(struct recording_names *names);

void recording_names_source(struct recording_names *names, uint32_t source, const struct rtop_feed_info *info);
void recording_names_state(struct recording_names *names, uint32_t source, uint64_t state);
void recording_names_pulse(struct recording_names *names, uint32_t source, const struct rtop_pulse *pulse);
/* Marks a node of the symbols and its callers as used, and writes new ones. */
void recording_names_node(struct recording_names *names, uint32_t node);
/* Marks a thread as used. `of`: the number of its source in the profile. */
void recording_names_thread(struct recording_names *names, uint32_t of, uint32_t source, uint64_t serial, bool ended);
/* Adds a mark. Marks are stored with the names, so that opening a recording finds all of them. */
void recording_names_mark(struct recording_names *names, uint32_t source, int64_t time_ns, const char *name,
                          size_t name_bytes);
/* Bytes collected by now. */
size_t recording_names_bytes(const struct recording_names *names);
/* Appends what was collected as records, with labels completed since they were written, and starts the next chunk.
 * False: memory ran out. */
bool recording_names_take(struct recording_names *names, struct recording_bytes *out);
/* Forgets names that no chunk from `first` on uses, and appends all others again. No collected rows may be pending. */
bool recording_names_base(struct recording_names *names, uint32_t first, struct recording_bytes *out);

#endif
