/* SPDX-License-Identifier: MIT */
/* Shared by the files that write a recording only. */
#ifndef RTOP_TUI_RECORDING_IMPL_H
#define RTOP_TUI_RECORDING_IMPL_H

#include "recording_index.h"
#include "recording_names.h"
#include "recording_write.h"

#include "shm/base/error.h"
#include "shm/window/window.h"

/* Destination of a stream: state of the connection and data still to send. */
struct recorder_outlet {
  bool streams; /* false: the recorder writes a file, and all other members are 0 */
  bool begun;   /* data have been sent; before that, the queue has no limit, so that the rings' earlier content fits */
  bool gone;    /* the reader */
  bool socket;
  struct recording_bytes queue;
  size_t sent; /* of the queue */
  uint64_t left_out[RECORDING_SOURCES_MAX];
};

struct rtop_recorder {
  char *path;      /* of a stream: what it is called */
  char *temporary; /* temporary name of the file until it gets its final name; then NULL */
  int fd;
  uint64_t bytes;     /* of the file: all that was written */
  uint64_t bytes_max; /* 0: none */
  uint64_t windows;
  struct rtop_error problem; /* code 0: none */
  struct rtop_profile *profile;
  bool tapped, finished;
  struct recording_names names;
  int64_t flushed_ns; /* by our own clock */
  /* the chunk being collected */
  struct recording_chunk_head chunk;
  struct recording_bytes window_rows;
  /* since the last index */
  struct recording_index index;
  uint64_t group_start; /* position of its first chunk */
  /* A group: an index in the file, and the first chunk that it covers. */
  struct recorder_group {
    uint64_t start, index; /* positions */
    uint64_t end;
    uint32_t first_chunk;
  } * groups;
  size_t group_count, group_capacity;
  uint32_t sources[RECORDING_SOURCES_MAX]; /* number of each source in the profile, by its number in the file */
  uint32_t source_count;
  /* scratch */
  struct recording_bytes raw, out, packed; /* packed: the chunk to be written */
  struct recorder_outlet outlet;
  struct rtop_window window;
  void *sort;
  size_t sort_capacity;
};

void recorder_fail(struct rtop_recorder *recorder, int problem); /* an errno */
static inline bool recorder_failed(const struct rtop_recorder *recorder)
{
  return recorder->problem.code != 0;
}

/* recording_file.c. False: errno says why. */
bool recording_file_write(int fd, const void *data, size_t bytes, uint64_t position);
bool recording_file_copy(int from, uint64_t from_position, int to, uint64_t to_position, uint64_t bytes);

/* recording_write.c: number in the file for a source of the profile; RECORDING_SOURCES_MAX: it is not recorded. */
uint32_t recorder_number(const struct rtop_recorder *recorder, uint32_t source);

/* recording_window.c: adds a window or gap as a row of the chunk and an entry of the index. */
void recorder_add_window(struct rtop_recorder *recorder, uint32_t source, const struct rtop_window *window,
                         const uint32_t *nodes, size_t node_count);
void recorder_add_gap(struct rtop_recorder *recorder, uint32_t source, int64_t start_ns, int64_t end_ns);
void recorder_add_mark(struct rtop_recorder *recorder, uint32_t source, int64_t time_ns, const char *name,
                       size_t name_bytes);

/* recording_write.c, in this order: makes a recorder without a file; connects a recorder to the profile as a tap; frees
 * a recorder and closes its file; writes the head, the open chunk, the index of the chunks written so far. */
struct rtop_recorder *recorder_make(const char *path, struct rtop_profile *profile, uint64_t bytes_max,
                                    struct rtop_error *error);
void recorder_tap(struct rtop_recorder *recorder);
void recorder_free(struct rtop_recorder *recorder);
bool recorder_write_head(struct rtop_recorder *recorder);
void recorder_flush(struct rtop_recorder *recorder);
void recorder_write_index(struct rtop_recorder *recorder);

/* recording_stream_write.c: recorder_queue() queues bytes for the reader; recorder_is_behind(): is the queue full?
   recorder_leaves_out(): the same, and if so counts a dropped window of the source. */
bool recorder_queue(struct rtop_recorder *recorder, const void *data, size_t bytes);
bool recorder_is_behind(const struct rtop_recorder *recorder);
bool recorder_leaves_out(struct rtop_recorder *recorder, uint32_t source);

/* recording_drop.c: shortens the file by its oldest groups until `more` bytes fit. */
void recorder_drop_oldest(struct rtop_recorder *recorder, uint64_t more);

#endif
