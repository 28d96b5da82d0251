/* SPDX-License-Identifier: MIT */
/* Copies a live segment. */
#include "snapshot.h"
#include "segment_file.h"
#include "shm/base/atomics.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ENTRY_TRIES = 64, BLOCK_BYTES = 65536 };

static int read_bytes(const struct rtop_segment *segment, void *to, uint64_t bytes, uint64_t offset,
                      struct rtop_error *error)
{
  for (uint64_t done = 0; done < bytes;) {
    ssize_t count = pread(segment->fd, (char *)to + done, bytes - done, (off_t)(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      return rtop_error_set(error, RTOP_ERROR_SYSTEM, count < 0 ? errno : EIO, "cannot read the segment: %s",
                            count < 0 ? strerror(errno) : "it was truncated");
    done += (uint64_t)count;
  }
  return 0;
}

/* Finds the offsets in the file of the counters of each tier. Returns the number of tiers. */
static int counters_offsets(const struct rtop_segment *segment, uint64_t offsets[RTOP_TIERS])
{
  const struct rtop_section *tiers = rtop_segment_section(segment, RTOP_SECTION_TIERS);
  offsets[RTOP_TIER_FINE] = RTOP_COUNTERS_OFFSET;
  for (uint64_t i = 0; tiers && i < RTOP_MERGED_TIERS; i++)
    offsets[1 + i] = tiers->offset + i * sizeof(struct rtop_counters);
  return tiers ? RTOP_TIERS : 1;
}

static int read_counters(const struct rtop_segment *segment, struct rtop_counters counters[RTOP_TIERS],
                         struct rtop_error *error)
{
  uint64_t offsets[RTOP_TIERS];
  int count = counters_offsets(segment, offsets);
  for (int i = 0; i < count; i++)
    if (read_bytes(segment, &counters[i], sizeof counters[i], offsets[i], error) != 0) return -1;
  return 0;
}

/* Reads thread entries; an entry that is being written is read again until its version is unchanged. */
static int read_threads(const struct rtop_segment *segment, unsigned char *image, struct rtop_error *error)
{
  const struct rtop_section *section = rtop_segment_section(segment, RTOP_SECTION_THREADS);
  for (uint64_t at = 0; at < section->bytes; at += sizeof(struct rtop_thread_entry)) {
    struct rtop_thread_entry *entry = (struct rtop_thread_entry *)(void *)(image + section->offset + at);
    for (int tries = 0; entry->version != 0 && tries < ENTRY_TRIES; tries++) {
      uint64_t version;
      rtop_fence_acquire();
      if (read_bytes(segment, &version, sizeof version, section->offset + at, error) != 0) return -1;
      if (version % 2 == 0 && version == entry->version) break;
      sched_yield();
      if (read_bytes(segment, entry, sizeof *entry, section->offset + at, error) != 0) return -1;
    }
  }
  return 0;
}

int rtop_snapshot_take(const struct rtop_segment *segment, void *image, struct rtop_error *error)
{
  struct rtop_counters heads[RTOP_TIERS], intents[RTOP_TIERS];
  uint64_t offsets[RTOP_TIERS];
  if (read_counters(segment, heads, error) != 0) return -1;
  rtop_fence_acquire();
  if (read_bytes(segment, image, segment->bytes, 0, error) != 0 || read_threads(segment, image, error) != 0) return -1;
  rtop_fence_acquire();
  if (read_counters(segment, intents, error) != 0) return -1;
  int count = counters_offsets(segment, offsets);
  for (int i = 0; i < count; i++) {
    heads[i].intent_position = intents[i].intent_position;
    heads[i].intent_sequence = intents[i].intent_sequence;
    if (i == RTOP_TIER_FINE) heads[i].state = RTOP_WRITER_ENDED;
    memcpy((unsigned char *)image + offsets[i], &heads[i], sizeof heads[i]);
  }
  return 0;
}

/* ---- file of the copy ------------------------------------------------------------------------------- */

static bool is_zero(const unsigned char *block, size_t bytes)
{
  return block[0] == 0 && memcmp(block, block + 1, bytes - 1) == 0;
}

/* Writes the image to a file; blocks of zeros become holes. */
static int write_image(int fd, const unsigned char *image, size_t bytes)
{
  if (ftruncate(fd, (off_t)bytes) != 0) return -1;
  for (size_t at = 0; at < bytes;) {
    size_t block = bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES;
    ssize_t count = (ssize_t)block;
    if (!is_zero(image + at, block)) count = pwrite(fd, image + at, block, (off_t)at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    at += (size_t)count;
  }
  return 0;
}

/* Splits a path: copies its directory to `directory`, returns its last part. */
static const char *split(const char *path, char *directory, size_t bytes)
{
  const char *slash = strrchr(path, '/');
  int length = slash ? (int)(slash - path) : 1;
  snprintf(directory, bytes, "%.*s%s", length, slash ? path : ".", slash == path ? "/" : "");
  return slash ? slash + 1 : path;
}

static int save(const void *image, size_t bytes, const char *path, bool anonymous, struct rtop_error *error)
{
  char directory[PATH_MAX];
  struct segment_file file;
  const char *name = split(path, directory, sizeof directory);
  if (segment_file_make(&file, directory, anonymous, error) != 0) return -1;
  int result = write_image(file.fd, image, bytes);
  if (result != 0) rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "it cannot be written");
  else result = segment_file_name(&file, name, error);
  int fd = file.fd;
  segment_file_finish(&file, result == 0);
  if (result == 0) close(fd);
  return result;
}

int rtop_snapshot_save(const void *image, size_t bytes, const char *path, struct rtop_error *error)
{
  struct rtop_error cause = { 0 };
  int result = -1;
  if (!segment_file_size_allowed(bytes)) cause.errno_value = EFBIG;
  else if (strlen(path) >= PATH_MAX) cause.errno_value = ENAMETOOLONG;
  else result = save(image, bytes, path, true, &cause);
  /* Not every file system supports unnamed files, or naming them later. */
  int why = cause.errno_value;
  if (result != 0 && (why == EOPNOTSUPP || why == EISDIR || why == EINVAL || why == ENOENT))
    result = save(image, bytes, path, false, &cause);
  if (result == 0) return 0;
  return rtop_error_set(error, RTOP_ERROR_SYSTEM, cause.errno_value, "cannot save %.160s: %s", path,
                        strerror(cause.errno_value));
}
