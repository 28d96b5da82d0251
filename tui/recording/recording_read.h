/* SPDX-License-Identifier: MIT */
/* Reads a recording. The file is never trusted: everything is bounded, checked by checksums and validated. Damaged or
 * truncated parts are left out; intact parts are read.
 *
 * Opening reads the index, or if the recorder was killed walks over the chunks; nothing is decompressed before it is
 * needed.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_RECORDING_READ_H
#define RTOP_TUI_RECORDING_READ_H

#include "feed_info.h"
#include "recording_index.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rtop_recording;
struct rtop_error;
struct rtop_window;

struct rtop_recording_source {
  bool known;
  int64_t pid;
  uint32_t window_ns;
  int64_t clock_offset_ns; /* real - mono */
  int64_t started_real_ns;
  uint32_t end_state;                        /* 0 the process was still running, 1 it ended by itself, 2 it vanished */
  char command[256], ruby[64];               /* sanitised */
  char folder[RECORDING_TEXT_BYTES_MAX + 1]; /* where it worked, raw bytes; "": not known */
  char host[256];                            /* of a stream, or a file made of one; sanitised */
  int64_t parent;                            /* of a stream; 0: none */
  bool pulses;                               /* `pulse` is set: the last status in a stream,
                                                or in a file how the process ended */
  struct rtop_pulse pulse;
};

/* Opens a recording. NULL, with one clear sentence in error->text, when it is not a recording or of a later major
 * version. The file is read with the rights of its owner: root drops to the rights of another owner for good. */
struct rtop_recording *rtop_recording_open(const char *path, struct rtop_error *error);
void rtop_recording_close(struct rtop_recording **recording);

/* Drops root's rights to those of the owner of an open file, for good. False: this is not possible. */
bool rtop_recording_become_owner(int fd, const char *path, struct rtop_error *error);

/* Whose file it is. */
uid_t rtop_recording_owner(const struct rtop_recording *recording);
/* rtop_recording_budget(): the budget for reading the recording; rtop_recording_refuse(): writes the sentence that
   names the limit when the budget is used up. */
struct rtop_budget *rtop_recording_budget(struct rtop_recording *recording);
void rtop_recording_refuse(const struct rtop_recording *recording, const char *path, struct rtop_error *error);

/* Returns the index of the file, in the order of the file. Chunks without an index have no known
   windows (known_count 0). */
const struct recording_index *rtop_recording_index(const struct rtop_recording *recording);
int64_t rtop_recording_created_real_ns(const struct rtop_recording *recording);
/* Was it closed as it should be? */
bool rtop_recording_complete(const struct rtop_recording *recording);

/* Reads the names of a chunk: frames and nodes are added to the profile's symbols, marks to the profile, sources and
 * threads become known. False: the names are damaged. To be called once per chunk, in order. */
bool rtop_recording_read_names(struct rtop_recording *recording, size_t chunk, struct rtop_profile *profile);
/* rtop_recording_source(): a source by number; NULL if unknown. rtop_recording_source_count(): one more than
   the largest number. */
const struct rtop_recording_source *rtop_recording_source(const struct rtop_recording *recording, uint32_t source);
uint32_t rtop_recording_source_count(const struct rtop_recording *recording);
/* Returns the difference (ns) to add to times of a source, which converts them to the clock that began first: 0 for the
 * same boot, by wall clock for others. Marks already include it; 0 when unknown. With several boots, sources are
 * written before their marks. */
int64_t rtop_recording_shift_ns(const struct rtop_recording *recording, uint32_t source);
/* Returns the map from node ids of the recording to ids of the symbols. */
const uint32_t *rtop_recording_nodes(const struct rtop_recording *recording, size_t *count);
struct rtop_recording_thread {
  const char *name; /* raw bytes; valid till names are read */
  size_t name_bytes;
  uint32_t native_id;
  bool is_main;
};
bool rtop_recording_thread(const struct rtop_recording *recording, uint32_t source, uint64_t serial,
                           struct rtop_recording_thread *thread);

/* Forgets a thread of a stream after the last window that had it. */
void rtop_recording_drop_thread(struct rtop_recording *recording, uint32_t source, uint64_t serial);

/* Walks over the windows and gaps of a chunk: load the chunk, then call rtop_recording_next() until END. Damaged rows
 * are left out. False: the chunk cannot be read. */
bool rtop_recording_load(struct rtop_recording *recording, size_t chunk);
enum rtop_recording_row { RTOP_RECORDING_WINDOW, RTOP_RECORDING_GAP, RTOP_RECORDING_END };
/* Reads the next row. For a gap only the times of *window are set. The arrays of *window are reused. */
enum rtop_recording_row rtop_recording_next(struct rtop_recording *recording, uint32_t *source,
                                            struct rtop_window *window);

#endif
