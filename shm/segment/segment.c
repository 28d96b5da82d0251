/* SPDX-License-Identifier: MIT */
/* Makes, maps and closes a segment. */
#include "segment.h"
#include "segment_file.h"
#include "shm/base/clock.h"
#include "shm/base/liveness.h"
#include "shm/base/process.h"
#include "shm/base/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void segment_add_section(struct rtop_geometry *geometry, enum rtop_section_kind kind, uint64_t count,
                                size_t element_bytes)
{
  uint64_t bytes = count * element_bytes;
  geometry->sections[geometry->section_count++] = (struct rtop_section){
    .kind = (uint32_t)kind,
    .element_bytes = (uint32_t)element_bytes,
    .offset = geometry->segment_bytes,
    .bytes = bytes,
  };
  geometry->segment_bytes += (bytes + RTOP_PAGE_BYTES - 1) & ~(uint64_t)(RTOP_PAGE_BYTES - 1);
}

static void segment_lay_out(struct rtop_geometry *geometry, const struct rtop_segment_sizes *sizes)
{
  geometry->segment_bytes = RTOP_SECTIONS_OFFSET;
  segment_add_section(geometry, RTOP_SECTION_STRINGS, sizes->string_bytes, 1);
  segment_add_section(geometry, RTOP_SECTION_FRAMES, sizes->frame_capacity, sizeof(struct rtop_frame_entry));
  segment_add_section(geometry, RTOP_SECTION_NODES, sizes->node_capacity, sizeof(struct rtop_node_entry));
  segment_add_section(geometry, RTOP_SECTION_THREADS, sizes->thread_capacity, sizeof(struct rtop_thread_entry));
  segment_add_section(geometry, RTOP_SECTION_DIRECTORY, sizes->directory_slots, sizeof(struct rtop_slot));
  segment_add_section(geometry, RTOP_SECTION_RING, sizes->ring_bytes, 1);
  if (sizes->tiers[0].ring_bytes == 0) return;
  segment_add_section(geometry, RTOP_SECTION_TIERS, RTOP_MERGED_TIERS, sizeof(struct rtop_counters));
  for (uint32_t i = 0; i < RTOP_MERGED_TIERS; i++) {
    segment_add_section(geometry, RTOP_SECTION_DIRECTORY_1S + 2 * i, sizes->tiers[i].directory_slots,
                        sizeof(struct rtop_slot));
    segment_add_section(geometry, RTOP_SECTION_RING_1S + 2 * i, sizes->tiers[i].ring_bytes, 1);
  }
}

uint64_t rtop_segment_bytes(const struct rtop_segment_sizes *sizes)
{
  struct rtop_geometry geometry = { .section_count = 0 };
  segment_lay_out(&geometry, sizes);
  return geometry.segment_bytes;
}

/* Checks that no product or sum of the sizes can overflow. */
static bool segment_sizes_sane(const struct rtop_segment_sizes *sizes)
{
  const uint64_t all[] = { sizes->ring_bytes,          sizes->directory_slots,
                           sizes->string_bytes,        sizes->frame_capacity,
                           sizes->node_capacity,       sizes->thread_capacity,
                           sizes->tiers[0].ring_bytes, sizes->tiers[0].directory_slots,
                           sizes->tiers[1].ring_bytes, sizes->tiers[1].directory_slots };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i] > RTOP_SEGMENT_BYTES_MAX) return false;
  return true;
}

static void segment_copy_text(char *to, const char *from, size_t to_bytes)
{
  size_t length = strnlen(from, to_bytes - 1);
  memcpy(to, from, length);
}

static int segment_describe(struct rtop_geometry *geometry, const struct rtop_segment_sizes *sizes,
                            const struct rtop_segment_identity *identity, struct rtop_error *error)
{
  memset(geometry, 0, sizeof *geometry);
  memcpy(geometry->magic, RTOP_MAGIC, sizeof geometry->magic);
  geometry->byte_order = RTOP_BYTE_ORDER;
  geometry->version_major = RTOP_VERSION_MAJOR;
  geometry->version_minor = RTOP_VERSION_MINOR;
  geometry->geometry_bytes = sizeof *geometry;
  geometry->pid = (uint32_t)getpid();
  geometry->uid = geteuid();
  geometry->pid_namespace = process_own_pid_namespace();
  geometry->start_ticks = process_own_start_ticks();
  geometry->created_mono_ns = clock_now_ns();
  geometry->created_real_ns = clock_real_ns();
  geometry->window_ns = identity->window_ns;
  process_random(geometry->instance_id, sizeof geometry->instance_id);
  process_boot_id(geometry->boot_id);
  segment_copy_text(geometry->ruby_version, identity->ruby_version, sizeof geometry->ruby_version);
  segment_copy_text(geometry->tool_version, identity->tool_version, sizeof geometry->tool_version);
  segment_copy_text(geometry->command, identity->command, sizeof geometry->command);
  if (!segment_sizes_sane(sizes))
    return rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "a part of the segment is too large");
  segment_lay_out(geometry, sizes);
  geometry->crc32c = rtop_geometry_crc(geometry);
  struct rtop_error cause;
  if (rtop_geometry_validate(geometry, geometry->segment_bytes, &cause) == 0) return 0;
  return rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "these sizes make no segment: %.200s", cause.text);
}

/* Maps the segment. If fd is -1, only reserves address space, for the writer's view. */
static int segment_map(struct rtop_segment *segment, int fd, struct rtop_error *error)
{
  segment->bytes = (size_t)segment->geometry.segment_bytes;
  int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  segment->base = mmap(NULL, segment->bytes, fd < 0 ? PROT_NONE : PROT_READ, flags, fd, 0);
  if (segment->base != MAP_FAILED) {
    madvise(segment->base, segment->bytes, MADV_DONTFORK);
    return 0;
  }
  segment->base = NULL;
  return rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot map the segment: %s", strerror(errno));
}

enum { SEGMENT_TABLE_BYTES_MIN = 1 << 16 };

/* Returns how many bytes of a section are allocated at first. For a ring this is an eighth, since the largest window
 * can take so much. For the threads section it is the slots of threads that are kept after their end (thread_slots.h). */
uint64_t rtop_segment_reserved(const struct rtop_section *section)
{
  uint64_t least = section->bytes;
  switch (section->kind) {
  case RTOP_SECTION_STRINGS:
  case RTOP_SECTION_FRAMES:
  case RTOP_SECTION_NODES: least = SEGMENT_TABLE_BYTES_MIN; break;
  case RTOP_SECTION_THREADS:
  case RTOP_SECTION_RING:
  case RTOP_SECTION_RING_1S:
  case RTOP_SECTION_RING_10S: least = section->bytes / 8; break;
  }
  return least < section->bytes ? least : section->bytes;
}

static int segment_reserve(int fd, const struct rtop_geometry *geometry, struct rtop_error *error)
{
  if (segment_file_size(fd, geometry->segment_bytes, error) != 0 ||
      segment_file_reserve(fd, 0, RTOP_SECTIONS_OFFSET, error) != 0)
    return -1;
  for (uint32_t i = 0; i < geometry->section_count; i++)
    if (segment_file_reserve(fd, geometry->sections[i].offset, rtop_segment_reserved(&geometry->sections[i]), error) !=
        0)
      return -1;
  return 0;
}

/* Does everything that must be done before the file gets its name. */
static int segment_fill(struct rtop_segment *segment, int fd, struct rtop_error *error)
{
  struct stat status;
  segment->fd = fd;
  if (segment_reserve(fd, &segment->geometry, error) != 0) return -1;
  const struct rtop_counters counters = { .state = RTOP_WRITER_LIVE };
  if (segment_map(segment, -1, error) != 0 ||
      segment_file_write(fd, &counters, sizeof counters, RTOP_COUNTERS_OFFSET, error) != 0 ||
      segment_file_write(fd, &segment->geometry, sizeof segment->geometry, 0, error) != 0)
    return -1;
  if (rtop_liveness_hold_writer(fd) != 0 || fstat(fd, &status) != 0)
    return rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot lock the segment: %s", strerror(errno));
  segment->device = status.st_dev;
  segment->inode = status.st_ino;
  segment->writable = true;
  return 0;
}

static int segment_create_file(struct rtop_segment *segment, bool anonymous, struct rtop_error *error)
{
  struct segment_file file;
  char directory[sizeof segment->path];
  const char *name = strrchr(segment->path, '/') + 1;
  snprintf(directory, sizeof directory, "%.*s", (int)(name - segment->path), segment->path);
  if (segment_file_make(&file, directory, anonymous, error) != 0) return -1;
  bool named = segment_fill(segment, file.fd, error) == 0 && segment_file_name(&file, name, error) == 0;
  segment_file_finish(&file, named);
  if (named) return 0;
  if (segment->base) munmap(segment->base, segment->bytes);
  segment->base = NULL;
  segment->fd = -1;
  return -1;
}

int rtop_segment_choose_path(char path[512], const char *directory, struct rtop_error *error)
{
  uint64_t random;
  process_random(&random, sizeof random);
  int length =
      snprintf(path, 512, "%s/rperf-top.%u.%u.%016" PRIx64, directory, (unsigned)geteuid(), (unsigned)getpid(), random);
  if (length < 0 || length >= 512)
    return rtop_error_set(error, RTOP_ERROR_LIMIT, ENAMETOOLONG, "the path %.96s... is too long", directory);
  return 0;
}

int rtop_segment_create_at(struct rtop_segment *segment, const char *path, const struct rtop_segment_sizes *sizes,
                           const struct rtop_segment_identity *identity, struct rtop_error *error)
{
  struct rtop_error cause = { 0 };
  memset(segment, 0, sizeof *segment);
  segment->fd = -1;
  if (segment_describe(&segment->geometry, sizes, identity, error) != 0) return -1;
  snprintf(segment->path, sizeof segment->path, "%s", path);
  if (segment_create_file(segment, true, &cause) == 0) return 0;
  /* The file system lacks O_TMPFILE, or there is no /proc, which is needed to give the file its name. */
  int why = cause.errno_value;
  if (cause.code == RTOP_ERROR_SYSTEM && (why == EOPNOTSUPP || why == EISDIR || why == EINVAL) &&
      segment_create_file(segment, false, &cause) == 0)
    return 0;
  return rtop_error_set(error, cause.code, cause.errno_value, "%s", cause.text);
}

int rtop_segment_create(struct rtop_segment *segment, const char *directory, const struct rtop_segment_sizes *sizes,
                        const struct rtop_segment_identity *identity, struct rtop_error *error)
{
  char path[sizeof segment->path];
  memset(segment, 0, sizeof *segment);
  segment->fd = -1;
  if (rtop_segment_choose_path(path, directory, error) != 0) return -1;
  return rtop_segment_create_at(segment, path, sizes, identity, error);
}

static int segment_read_geometry(struct rtop_segment *segment, uint64_t file_bytes, struct rtop_error *error)
{
  struct rtop_geometry *geometry = &segment->geometry;
  ssize_t got = pread(segment->fd, geometry, sizeof *geometry, 0);
  if (got < 0) return rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot read the segment: %s", strerror(errno));
  if ((size_t)got >= sizeof geometry->magic && memcmp(geometry->magic, RTOP_MAGIC, sizeof geometry->magic) != 0)
    return rtop_error_set(error, RTOP_ERROR_CORRUPT, 0, "not an rperf-top segment (wrong magic bytes)");
  /* The first 16 bytes never change, so another version can be distinguished from damage. */
  if ((size_t)got >= 16 && geometry->version_major != RTOP_VERSION_MAJOR)
    return rtop_geometry_validate(geometry, file_bytes, error);
  if ((size_t)got < sizeof *geometry)
    return rtop_error_set(error, RTOP_ERROR_CORRUPT, 0,
                          "the segment is cut off after %zd bytes; restart the process to get a new one", got);
  return rtop_geometry_validate(geometry, file_bytes, error);
}

int rtop_segment_open_header(struct rtop_segment *segment, const char *path, uid_t expected_uid,
                             struct rtop_error *error)
{
  struct stat status;
  memset(segment, 0, sizeof *segment);
  segment->fd = -1;
  int length = snprintf(segment->path, sizeof segment->path, "%s", path);
  if (length < 0 || (size_t)length >= sizeof segment->path)
    return rtop_error_set(error, RTOP_ERROR_LIMIT, ENAMETOOLONG, "the path %.96s... is too long", path);
  segment->fd = segment_file_open(path, expected_uid, O_RDONLY, &status, error);
  if (segment->fd < 0) return -1;
  segment->device = status.st_dev;
  segment->inode = status.st_ino;
  if (segment_read_geometry(segment, (uint64_t)status.st_size, error) == 0) return 0;
  close(segment->fd);
  segment->fd = -1;
  return -1;
}

int rtop_segment_open(struct rtop_segment *segment, const char *path, uid_t expected_uid, struct rtop_error *error)
{
  if (rtop_segment_open_header(segment, path, expected_uid, error) != 0) return -1;
  if (segment_map(segment, segment->fd, error) == 0) return 0;
  close(segment->fd);
  segment->fd = -1;
  return -1;
}

static bool segment_owns_name(const struct rtop_segment *segment)
{
  struct stat status;
  return segment->path[0] && lstat(segment->path, &status) == 0 && status.st_dev == segment->device &&
         status.st_ino == segment->inode;
}

void rtop_segment_close(struct rtop_segment *segment, bool unlink_name)
{
  if (unlink_name && segment_owns_name(segment)) unlink(segment->path);
  if (segment->base) munmap(segment->base, segment->bytes);
  segment_file_close(segment->fd, segment->device, segment->inode);
  segment->base = NULL;
  segment->fd = -1;
}

const struct rtop_section *rtop_segment_section(const struct rtop_segment *segment, enum rtop_section_kind kind)
{
  for (uint32_t i = 0; i < segment->geometry.section_count && i < RTOP_SECTION_MAX; i++)
    if (segment->geometry.sections[i].kind == (uint32_t)kind) return &segment->geometry.sections[i];
  return NULL;
}

void *rtop_segment_elements(const struct rtop_segment *segment, enum rtop_section_kind kind, uint64_t *count)
{
  const struct rtop_section *section = rtop_segment_section(segment, kind);
  *count = section ? section->bytes / section->element_bytes : 0;
  return section ? (unsigned char *)segment->base + section->offset : NULL;
}

struct rtop_counters *rtop_segment_counters(const struct rtop_segment *segment)
{
  return (struct rtop_counters *)(void *)((unsigned char *)segment->base + RTOP_COUNTERS_OFFSET);
}

bool rtop_segment_intact(const struct rtop_segment *segment)
{
  struct stat status;
  return fstat(segment->fd, &status) == 0 && status.st_nlink > 0 && status.st_dev == segment->device &&
         status.st_ino == segment->inode && (uint64_t)status.st_size == segment->geometry.segment_bytes;
}
