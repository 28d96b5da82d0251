/* What the files that read a recording share and nobody else sees. */
#ifndef RTOP_TUI_RECORDING_READ_IMPL_H
#define RTOP_TUI_RECORDING_READ_IMPL_H

#include "recording_read.h"

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
  /* the chunk that was unpacked last */
  struct recording_bytes packed, raw;
  struct varint_reader rows;
};

/* recording_read.c: an LZ4 frame of the file unpacked into recording->raw. */
bool recording_read_frame(struct rtop_recording *recording, uint64_t position, uint32_t bytes, uint32_t raw_bytes);
/* The next record: its kind and content; false at the end or when nothing more makes sense. */
bool recording_read_record(struct varint_reader *rows, uint64_t *kind, struct varint_reader *content);

/* recording_walk.c: fills the index from the file. False: memory ran out. */
bool recording_read_ends(struct rtop_recording *recording);
bool recording_walk(struct rtop_recording *recording);
bool recording_pread(const struct rtop_recording *recording, void *to, size_t bytes, uint64_t position);

void recording_names_free(struct rtop_recording *recording);

#endif
