/* SPDX-License-Identifier: MIT */
/* Shared by the files that read a recording only. */
#ifndef RTOP_TUI_RECORDING_READ_IMPL_H
#define RTOP_TUI_RECORDING_READ_IMPL_H

#include "recording_read.h"
#include "recording_stream.h"

struct rtop_error;

struct read_thread;
struct rtop_recording {
  int fd;
  uint64_t bytes; /* of the file when it was opened */
  struct recording_head head;
  bool complete;
  struct rtop_budget budget;
  uid_t owner;
  struct recording_index index;
  /* names (recording_read_names.c) */
  struct rtop_recording_source *sources;
  size_t source_count, source_capacity;
  uint32_t *frames, *nodes; /* to ids of the symbols */
  size_t frame_count, frame_capacity, node_count, node_capacity;
  struct read_thread *threads;
  struct rtop_recording_placing placing; /* of a stream (recording_stream.h) */
  bool placed;
  /* the chunk that was unpacked last */
  struct recording_bytes packed, raw;
  struct varint_reader rows;
};

/* recording_read.c: checks that the head is readable by this version. */
bool recording_check_head(const struct recording_head *head, const char *path, struct rtop_error *error);
/* Is a content of raw_bytes plausible for a compressed frame of `bytes`? */
bool recording_sizes_right(uint32_t bytes, uint32_t raw_bytes);
/* Decompresses an LZ4 frame into recording->raw, which then has the current rows; recording_read_frame() first reads
 * the frame from the file. */
bool recording_take_frame(struct rtop_recording *recording, const void *packed, uint32_t bytes, uint32_t raw_bytes);
bool recording_read_frame(struct rtop_recording *recording, uint64_t position, uint32_t bytes, uint32_t raw_bytes);
/* Reads the next record, its kind and content; false at the end or when the remaining rows are invalid. */
bool recording_read_record(struct varint_reader *rows, uint64_t *kind, struct varint_reader *content);

/* recording_walk.c: fill the index from the file. False: memory ran out. */
bool recording_read_ends(struct rtop_recording *recording);
bool recording_walk(struct rtop_recording *recording);
bool recording_pread(const struct rtop_recording *recording, void *to, size_t bytes, uint64_t position);

/* recording_read_names.c: reads the names that were decompressed last; without a profile, only sources. */
void recording_take_names(struct rtop_recording *recording, struct rtop_profile *profile);
void recording_names_free(struct rtop_recording *recording);

#endif
