/* SPDX-License-Identifier: MIT */
/* The segment file: made by the writer so that nobody ever sees it half made, mapped by readers who
 * trust nothing in it.
 *
 * Name: <directory>/rperf-top.<uid>.<pid>.<16 hex>, mode 0600; the directories: place.h. Creation:
 * O_TMPFILE, posix_fallocate (of what grows only the first part: a full file system is found at once),
 * header, record lock (liveness.h), then linkat into place.
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
  uint64_t ring_bytes;      /* power of two */
  uint64_t directory_slots; /* power of two */
};

/* How large each part is to be. rtop_segment_plan() derives everything from the rings' budget. */
struct rtop_segment_sizes {
  uint64_t ring_bytes;      /* power of two */
  uint64_t directory_slots; /* power of two */
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
  void *base; /* readers: the mapping. The writer: a view of it (outlet.h) */
  size_t bytes;
  bool writable;
  dev_t device; /* of the file, to notice that it was replaced or removed */
  ino_t inode;
  char path[512];                /* as opened; "" when it has no name */
  struct rtop_geometry geometry; /* private copy, validated */
};

/* Sizes for a history of about history_bytes (rounded down to a power of two, 1 MB to 64 MB): half of it
 * for windows of 100 ms, an eighth for 1 s, a quarter for 10 s, the directories of the merged tiers, and
 * every table in proportion: 8 MB of history make 12 MB in all. */
struct rtop_segment_sizes rtop_segment_plan(uint64_t history_bytes);

/* How long the file will be. */
uint64_t rtop_segment_bytes(const struct rtop_segment_sizes *sizes);

/* How much of a section has its memory from the beginning. The rings and the tables that are appended to get
 * theirs in steps, as they are filled; what can be written at any place gets it whole. */
uint64_t rtop_segment_reserved(const struct rtop_section *section);

/* A new name in `directory` for a segment of this process: nobody can guess it. -1: LIMIT. */
int rtop_segment_choose_path(char path[512], const char *directory, struct rtop_error *error);

/* Makes the segment of this process in `directory` and links it into place, with the writer's lock
 * held. Reserved nodes and frames are not written here (writer.h). Returns 0, or -1: NO_SPACE when the
 * file system cannot hold it (the caller may try a smaller one). Nothing is mapped: see outlet.h. */
int rtop_segment_create(struct rtop_segment *segment, const char *directory, const struct rtop_segment_sizes *sizes,
                        const struct rtop_segment_identity *identity, struct rtop_error *error);
/* The same under a path that was chosen before. */
int rtop_segment_create_at(struct rtop_segment *segment, const char *path, const struct rtop_segment_sizes *sizes,
                           const struct rtop_segment_identity *identity, struct rtop_error *error);

/* Opens a segment for reading by name, safely: no symbolic link, a regular file with one link, owned by
 * `expected_uid` (or -1: the caller's own uid), not writable by others, a sane size; then validates
 * the geometry and maps read-only. SIGBUS after a later truncation is the caller's to guard
 * (reader.h does). */
int rtop_segment_open(struct rtop_segment *segment, const char *path, uid_t expected_uid, struct rtop_error *error);
/* The same without the mapping: for its header and its locks. */
int rtop_segment_open_header(struct rtop_segment *segment, const char *path, uid_t expected_uid,
                             struct rtop_error *error);

/* Unmaps and closes. Unlinks the name first when `unlink_name` and the name still is this file. */
void rtop_segment_close(struct rtop_segment *segment, bool unlink_name);

/* Checks a private copy of page 0 against a file of file_bytes: magic, order, version, CRC, every
 * section inside the file, page aligned, not overlapping, powers of two. -1: VERSION or CORRUPT. */
int rtop_geometry_validate(const struct rtop_geometry *geometry, uint64_t file_bytes, struct rtop_error *error);
uint32_t rtop_geometry_crc(const struct rtop_geometry *geometry);

/* NULL when the segment has no such section. */
const struct rtop_section *rtop_segment_section(const struct rtop_segment *segment, enum rtop_section_kind kind);
/* Start of the section in the mapping and number of elements; NULL and 0 when absent. */
void *rtop_segment_elements(const struct rtop_segment *segment, enum rtop_section_kind kind, uint64_t *count);
struct rtop_counters *rtop_segment_counters(const struct rtop_segment *segment);

/* False when the file was truncated, grown, removed or replaced underneath. One fstat. */
bool rtop_segment_intact(const struct rtop_segment *segment);

#endif
