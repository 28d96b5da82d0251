/* SPDX-License-Identifier: MIT */
/* The segment file: made by the writer such that no process ever finds it incomplete, and mapped by readers, which
 * trust nothing in it.
 *
 * Name: <directory>/rperf-top.<uid>.<pid>.<16 hex>, mode 0600; directories: see place.h. The writer opens the file with
 * O_TMPFILE, allocates its blocks (of growing parts only the beginning), so that a full file system is noticed at once,
 * writes the header and takes its record lock (liveness.h). Only then does linkat() give the file its name.
 *
 * Threads: a segment belongs to one thread at a time. May block in system calls; allocates.
 */
#ifndef RTOP_SHM_SEGMENT_H
#define RTOP_SHM_SEGMENT_H

#include "shm/base/error.h"
#include "shm/base/format.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Ring and directory of a merged tier. */
struct rtop_tier_sizes {
  uint64_t ring_bytes;      /* a power of two */
  uint64_t directory_slots; /* a power of two */
};

/* Sizes of the parts of a segment. rtop_segment_plan() derives all of them from the size of the history. */
struct rtop_segment_sizes {
  uint64_t ring_bytes;      /* a power of two */
  uint64_t directory_slots; /* a power of two */
  uint64_t string_bytes;
  uint64_t frame_capacity;
  uint64_t node_capacity;
  uint64_t thread_capacity;
  struct rtop_tier_sizes tiers[RTOP_MERGED_TIERS]; /* all 0: a segment without merged tiers */
};

struct rtop_segment_identity {
  uint32_t window_ns;
  char ruby_version[64];
  char tool_version[32];
  char command[256];
};

struct rtop_segment {
  int fd;
  void *base; /* readers: the mapping; the writer: its view (outlet.h) */
  size_t bytes;
  bool writable;
  dev_t device; /* identity of the file, to notice when it is replaced or removed */
  ino_t inode;
  char path[512];                /* the path by which it was opened; "" when the file has no name */
  struct rtop_geometry geometry; /* private copy, validated */
};

/* Sizes for a history of about history_bytes (rounded down to a power of two, 1 MB to 64 MB): half of it for windows of
 * 100 ms, an eighth for windows of 1 s, a quarter for windows of 10 s, the remainder for the directories of merged
 * tiers. Tables are in proportion. A history of 8 MB makes a segment of 13 MB; 1 MB of it is for 8191 threads and is
 * allocated as threads come. */
struct rtop_segment_sizes rtop_segment_plan(uint64_t history_bytes);

/* Returns the length of the file in bytes. */
uint64_t rtop_segment_bytes(const struct rtop_segment_sizes *sizes);

/* Returns how many bytes of a section are allocated at first. Rings and append-only tables are allocated in steps as
 * they fill; sections that are written at any position are allocated completely. */
uint64_t rtop_segment_reserved(const struct rtop_section *section);

/* Chooses an unguessable name in `directory` for a segment of this process. Returns -1 with LIMIT when the path is
 * too long. */
int rtop_segment_choose_path(char path[512], const char *directory, struct rtop_error *error);

/* Makes the segment of this process in `directory`, takes the writer's lock, and gives it its name. Reserved nodes and
 * frames are not written here (writer.h). Returns 0, or -1: NO_SPACE when it does not fit into the file system (the
 * caller may try a smaller segment). Maps no memory of the file: see outlet.h. */
int rtop_segment_create(struct rtop_segment *segment, const char *directory, const struct rtop_segment_sizes *sizes,
                        const struct rtop_segment_identity *identity, struct rtop_error *error);
/* Like rtop_segment_create(), under a path that was chosen before. */
int rtop_segment_create_at(struct rtop_segment *segment, const char *path, const struct rtop_segment_sizes *sizes,
                           const struct rtop_segment_identity *identity, struct rtop_error *error);

/* Opens a segment for reading, safely: no symbolic link, a regular file with one link, owned by `expected_uid` (-1:
 * the caller's uid), not writable by others, of plausible size; then validates the geometry and maps read-only. The
 * caller must guard against SIGBUS after a later truncation (reader.h does). */
int rtop_segment_open(struct rtop_segment *segment, const char *path, uid_t expected_uid, struct rtop_error *error);
/* Like rtop_segment_open(), but without the mapping: for the header and the locks. */
int rtop_segment_open_header(struct rtop_segment *segment, const char *path, uid_t expected_uid,
                             struct rtop_error *error);

/* Unmaps and closes. If `unlink_name` is set, first removes the name, provided that it still refers to this file. */
void rtop_segment_close(struct rtop_segment *segment, bool unlink_name);

/* Validates a private copy of page 0 for a file of file_bytes: magic, byte order, version, CRC; sections must be
 * inside the file, page aligned, disjoint, with powers of two where required. Returns -1 with VERSION or CORRUPT. */
int rtop_geometry_validate(const struct rtop_geometry *geometry, uint64_t file_bytes, struct rtop_error *error);
uint32_t rtop_geometry_crc(const struct rtop_geometry *geometry);

/* Returns the entry of a section; NULL when the segment has no such section. */
const struct rtop_section *rtop_segment_section(const struct rtop_segment *segment, enum rtop_section_kind kind);
/* Returns the start of a section in the mapping and, in *count, its number of elements; NULL and 0 when the section is
 * missing. */
void *rtop_segment_elements(const struct rtop_segment *segment, enum rtop_section_kind kind, uint64_t *count);
struct rtop_counters *rtop_segment_counters(const struct rtop_segment *segment);

/* Tells whether the file is still complete; false when it was truncated, extended, removed or replaced. One fstat. */
bool rtop_segment_intact(const struct rtop_segment *segment);

#endif
