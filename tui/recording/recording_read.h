/* SPDX-License-Identifier: MIT */
/* Reading a recording. The file is never trusted: everything is bounded, checked by its checksums and
 * validated. What is damaged or cut off at the end is left out; what is whole is read.
 *
 * Opening reads the index, else (the recorder was killed) walks over the chunks; nothing is unpacked that
 * is not asked for.
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
  uint32_t end_state;                        /* 0 it went on, 1 it ended by itself, 2 it was gone */
  char command[256], ruby[64];               /* sanitised */
  char folder[RECORDING_TEXT_BYTES_MAX + 1]; /* where it worked, raw bytes; "": not known */
  char host[256];                            /* of a stream; sanitised */
  int64_t parent;                            /* of a stream; 0: none */
  bool pulses;                               /* a stream told how it is, or a file how it ended: */
  struct rtop_pulse pulse;
};

/* NULL and one clear sentence in error->text when it is no recording, or one of a later major version. What stands in it
 * is read with the rights of its owner: opened by root, one of another user takes his rights for good. */
struct rtop_recording *rtop_recording_open(const char *path, struct rtop_error *error);
void rtop_recording_close(struct rtop_recording **recording);

/* Takes the rights of the owner of an open file for good, where this is root and he is not. False: that cannot be done. */
bool rtop_recording_become_owner(int fd, const char *path, struct rtop_error *error);

/* Whose file it is. */
uid_t rtop_recording_owner(const struct rtop_recording *recording);
/* What reading it may cost. When it is over, the sentence that says which limit was reached. */
struct rtop_budget *rtop_recording_budget(struct rtop_recording *recording);
void rtop_recording_refuse(const struct rtop_recording *recording, const char *path, struct rtop_error *error);

/* What is in the file, in its order. Chunks that no index tells of know no windows (known_count 0). */
const struct recording_index *rtop_recording_index(const struct rtop_recording *recording);
int64_t rtop_recording_created_real_ns(const struct rtop_recording *recording);
/* Was it closed as it should be? */
bool rtop_recording_complete(const struct rtop_recording *recording);

/* Reads the names of a chunk: frames and nodes become those of the profile's symbols, marks the profile's,
 * sources and threads become known. False: they are damaged. Once per chunk, in their order. */
bool rtop_recording_read_names(struct rtop_recording *recording, size_t chunk, struct rtop_profile *profile);
/* By number; NULL when nothing is known of it. count: one more than the largest. */
const struct rtop_recording_source *rtop_recording_source(const struct rtop_recording *recording, uint32_t source);
uint32_t rtop_recording_source_count(const struct rtop_recording *recording);
/* What is added to the times of a source so that all are by the clock that began first: times of that boot
 * as they are, those of others by wall clock. Marks have it already; 0 when nothing is known. Sources of
 * several boots are told before their marks. */
int64_t rtop_recording_shift_ns(const struct rtop_recording *recording, uint32_t source);
/* From node ids of the recording to those of the symbols. */
const uint32_t *rtop_recording_nodes(const struct rtop_recording *recording, size_t *count);
struct rtop_recording_thread {
  const char *name; /* raw bytes; valid till names are read */
  size_t name_bytes;
  uint32_t native_id;
  bool is_main;
};
bool rtop_recording_thread(const struct rtop_recording *recording, uint32_t source, uint64_t serial,
                           struct rtop_recording_thread *thread);

/* Of a stream, in which a window was the last to tell of it. */
void rtop_recording_drop_thread(struct rtop_recording *recording, uint32_t source, uint64_t serial);

/* Walks over the windows and gaps of a chunk: load, then next until it says END. A row that is damaged is
 * left out. False: the chunk cannot be read. */
bool rtop_recording_load(struct rtop_recording *recording, size_t chunk);
enum rtop_recording_row { RTOP_RECORDING_WINDOW, RTOP_RECORDING_GAP, RTOP_RECORDING_END };
/* Of a gap only the times of *window are set. Arrays of *window are grown and used again. */
enum rtop_recording_row rtop_recording_next(struct rtop_recording *recording, uint32_t *source,
                                            struct rtop_window *window);

#endif
