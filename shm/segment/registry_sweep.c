/* SPDX-License-Identifier: MIT */
/* Removes segments of dead processes: only this user's, and never one that is locked. */
#include "registry.h"
#include "registry_scan.h"
#include "segment_file.h"
#include "shm/base/liveness.h"
#include "shm/base/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  SWEEP_LOOK_MAX = 64,
  SWEEP_KEEP_MAX = 4,
  SWEEP_AGE_MAX_S = 3600,
  SWEEP_ORPHAN_AGE_S = 60, /* younger files are kept, since a process makes its control file before its segment */
};

struct sweep_candidate {
  char name[80];
  dev_t device;
  ino_t inode;
  int64_t modified_s;
  uint64_t bytes;
};

struct sweep {
  const char *directory;
  int64_t now_s;
  size_t looked;
  size_t count;
  struct sweep_candidate candidates[SWEEP_LOOK_MAX];
};

/* Tells whether this process made the segment. A process does not find its own locks, so the segment's geometry
 * decides. */
static bool sweep_is_own(int fd)
{
  struct rtop_geometry geometry;
  uint8_t boot_id[16];
  if (pread(fd, &geometry, sizeof geometry, 0) != (ssize_t)sizeof geometry) return false;
  process_boot_id(boot_id);
  return geometry.pid == (uint32_t)getpid() && geometry.start_ticks == process_own_start_ticks() &&
         geometry.pid_namespace == process_own_pid_namespace() && memcmp(geometry.boot_id, boot_id, 16) == 0;
}

static bool sweep_is_dead(int fd)
{
  return !rtop_liveness_writer_alive(fd, NULL) && !rtop_liveness_watched(fd) && !sweep_is_own(fd);
}

static int sweep_open(const char *directory, const char *name, struct stat *status)
{
  char path[512];
  int length = snprintf(path, sizeof path, "%s/%s", directory, name);
  if (length < 0 || (size_t)length >= sizeof path) return -1;
  return segment_file_open(path, geteuid(), O_RDWR, status, NULL);
}

/* Tells whether this is an old control file without a segment: its segment was never made, or has been removed. */
static bool sweep_is_orphan(const struct sweep *sweep, int directory_fd, const char *name)
{
  char segment[80];
  struct stat status;
  uid_t uid;
  pid_t pid;
  size_t length = strlen(name);
  if (length < 4 || length - 4 >= sizeof segment || strcmp(name + length - 4, ".ctl") != 0) return false;
  memcpy(segment, name, length - 4);
  segment[length - 4] = '\0';
  return registry_name_parse(segment, &uid, &pid) && uid == geteuid() &&
         fstatat(directory_fd, segment, &status, AT_SYMLINK_NOFOLLOW) != 0 &&
         fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_uid == geteuid() &&
         sweep->now_s - status.st_mtim.tv_sec > SWEEP_ORPHAN_AGE_S;
}

static bool sweep_visit(int directory_fd, const char *name, void *argument)
{
  struct sweep *sweep = argument;
  struct stat status;
  uid_t uid;
  pid_t pid;
  if (sweep_is_orphan(sweep, directory_fd, name)) unlinkat(directory_fd, name, 0);
  /* Names made up by other users do not count against the limit. */
  if (!registry_name_parse(name, &uid, &pid) || uid != geteuid() ||
      fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_uid != geteuid())
    return true;
  if (sweep->looked++ == SWEEP_LOOK_MAX) return false;
  int fd = sweep_open(sweep->directory, name, &status);
  if (fd < 0) return true;
  if (sweep_is_dead(fd)) {
    struct sweep_candidate *candidate = &sweep->candidates[sweep->count++];
    snprintf(candidate->name, sizeof candidate->name, "%s", name);
    candidate->device = status.st_dev;
    candidate->inode = status.st_ino;
    candidate->modified_s = status.st_mtim.tv_sec;
    candidate->bytes = (uint64_t)status.st_blocks * 512;
  }
  close(fd);
  return true;
}

static int sweep_newest_first(const void *a, const void *b)
{
  int64_t left = ((const struct sweep_candidate *)a)->modified_s;
  int64_t right = ((const struct sweep_candidate *)b)->modified_s;
  return (left < right) - (left > right);
}

/* Removes a dead segment under the writer's lock, so that only one of two sweepers removes it, and only if it is the
 * file that was examined before. */
static bool sweep_remove(const struct sweep *sweep, const struct sweep_candidate *candidate)
{
  struct stat status;
  char path[640];
  int fd = sweep_open(sweep->directory, candidate->name, &status);
  if (fd < 0) return false;
  bool removed = status.st_dev == candidate->device && status.st_ino == candidate->inode && sweep_is_dead(fd) &&
                 rtop_liveness_hold_writer(fd) == 0;
  if (removed) {
    snprintf(path, sizeof path, "%s/%s.ctl", sweep->directory, candidate->name);
    unlink(path);
    path[strlen(path) - 4] = '\0';
    removed = unlink(path) == 0;
  }
  close(fd);
  return removed;
}

size_t rtop_registry_sweep(const char *directory, uint64_t kept_bytes)
{
  struct sweep sweep = { .directory = directory, .now_s = (int64_t)time(NULL) };
  int fd = registry_open_directory(directory);
  if (fd < 0) return 0;
  registry_scan(fd, sweep_visit, &sweep);
  qsort(sweep.candidates, sweep.count, sizeof sweep.candidates[0], sweep_newest_first);
  uint64_t bytes = 0;
  size_t removed = 0;
  for (size_t i = 0; i < sweep.count; i++) {
    const struct sweep_candidate *candidate = &sweep.candidates[i];
    bytes += candidate->bytes;
    if (i >= SWEEP_KEEP_MAX || bytes > kept_bytes || sweep.now_s - candidate->modified_s > SWEEP_AGE_MAX_S)
      removed += sweep_remove(&sweep, candidate);
  }
  return removed;
}
