/* SPDX-License-Identifier: MIT */
/* Makes, opens and names the files. */
#include "segment_file.h"
#include "shm/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
  RESERVE_STEP_BYTES = 1 << 18,
  LIFT_HIGHEST = 512,
  LIFT_LOWEST = 16,
};

static int segment_file_open_new(struct segment_file *file, bool anonymous)
{
  if (anonymous) return openat(file->directory_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  uint64_t random;
  process_random(&random, sizeof random);
  snprintf(file->temporary, sizeof file->temporary, ".rperf-top.%016" PRIx64, random);
  return openat(file->directory_fd, file->temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
}

static bool segment_file_no_space(int cause)
{
  return cause == ENOSPC || cause == EDQUOT;
}

int segment_file_make(struct segment_file *file, const char *directory, bool anonymous, struct rtop_error *error)
{
  file->fd = -1;
  file->temporary[0] = '\0';
  file->directory_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (file->directory_fd < 0)
    return rtop_error_set(error, RTOP_ERROR_SYSTEM, errno,
                          "cannot use the directory %.128s: %s; set RPERF_TOP_DIR to another one", directory,
                          strerror(errno));
  file->fd = segment_file_open_new(file, anonymous);
  if (file->fd >= 0) file->fd = segment_file_lift(file->fd);
  /* the umask may have removed the owner's rights */
  if (file->fd >= 0 && fchmod(file->fd, 0600) == 0) return 0;
  int cause = errno;
  segment_file_finish(file, false);
  return rtop_error_set(error, segment_file_no_space(cause) ? RTOP_ERROR_NO_SPACE : RTOP_ERROR_SYSTEM, cause,
                        "cannot make a file in %.128s: %s; set RPERF_TOP_DIR to another directory", directory,
                        strerror(cause));
}

int segment_file_lift(int fd)
{
  int room = process_descriptors_room() / 4 * 3, first = room < LIFT_HIGHEST ? room : LIFT_HIGHEST;
  for (int lowest = first; lowest >= LIFT_LOWEST; lowest /= 2) {
    int high = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    if (high < 0) continue;
    close(fd);
    return high;
  }
  return fd;
}

void segment_file_close(int fd, dev_t device, ino_t inode)
{
  struct stat status;
  if (fd >= 0 && fstat(fd, &status) == 0 && status.st_dev == device && status.st_ino == inode) close(fd);
}

bool segment_file_size_allowed(uint64_t bytes)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes;
}

int segment_file_size(int fd, uint64_t bytes, struct rtop_error *error)
{
  if (!segment_file_size_allowed(bytes))
    return rtop_error_set(error, RTOP_ERROR_NO_SPACE, EFBIG,
                          "the file size limit (ulimit -f) is below the %" PRIu64 " bytes of a segment", bytes);
  if (ftruncate(fd, (off_t)bytes) == 0) return 0;
  return rtop_error_set(error, errno == EFBIG || errno == ENOSPC ? RTOP_ERROR_NO_SPACE : RTOP_ERROR_SYSTEM, errno,
                        "cannot make a file of %" PRIu64 " bytes: %s", bytes, strerror(errno));
}

/* Allocates in steps, because a signal that interrupts the call undoes its work. */
int segment_file_reserve(int fd, uint64_t offset, uint64_t bytes, struct rtop_error *error)
{
  for (uint64_t done = 0; done < bytes;) {
    uint64_t step = bytes - done < RESERVE_STEP_BYTES ? bytes - done : RESERVE_STEP_BYTES;
    int cause = posix_fallocate(fd, (off_t)(offset + done), (off_t)step);
    if (cause == EINTR) continue;
    if (cause != 0)
      return rtop_error_set(error, RTOP_ERROR_NO_SPACE, cause, "cannot reserve %" PRIu64 " bytes: %s", bytes,
                            strerror(cause));
    done += step;
  }
  return 0;
}

int segment_file_write(int fd, const void *bytes, size_t count, uint64_t offset, struct rtop_error *error)
{
  for (size_t done = 0; done < count;) {
    ssize_t written = pwrite(fd, (const char *)bytes + done, count - done, (off_t)(offset + done));
    if (written > 0) {
      done += (size_t)written;
    } else if (written == 0 || errno != EINTR) {
      int cause = written == 0 ? ENOSPC : errno;
      return rtop_error_set(error, segment_file_no_space(cause) ? RTOP_ERROR_NO_SPACE : RTOP_ERROR_SYSTEM, cause,
                            "cannot write the segment: %s", strerror(cause));
    }
  }
  return 0;
}

static int segment_file_link_anonymous(const struct segment_file *file, const char *name)
{
  char link_path[64];
  snprintf(link_path, sizeof link_path, "/proc/self/fd/%d", file->fd);
  if (linkat(AT_FDCWD, link_path, file->directory_fd, name, AT_SYMLINK_FOLLOW) == 0) return 0;
  if (errno == ENOENT || errno == EACCES || errno == EPERM) errno = EOPNOTSUPP;
  return -1;
}

/* Renames without replacing an existing file. musl has this function only since 1.2.4. */
static int segment_file_move(int directory, const char *from, const char *to)
{
#ifdef RENAME_NOREPLACE
  return renameat2(directory, from, directory, to, RENAME_NOREPLACE);
#else
  enum { RENAME_NOREPLACE = 1 }; /* from linux/fs.h */
  return (int)syscall(SYS_renameat2, directory, from, directory, to, RENAME_NOREPLACE);
#endif
}

static int segment_file_rename(const struct segment_file *file, const char *name)
{
  int directory = file->directory_fd;
  if (segment_file_move(directory, file->temporary, name) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (linkat(directory, file->temporary, directory, name, 0) != 0) return -1;
  return unlinkat(directory, file->temporary, 0);
}

int segment_file_name(struct segment_file *file, const char *name, struct rtop_error *error)
{
  bool anonymous = file->temporary[0] == '\0';
  if ((anonymous ? segment_file_link_anonymous(file, name) : segment_file_rename(file, name)) == 0) return 0;
  return rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot name the segment %.96s: %s", name, strerror(errno));
}

void segment_file_finish(struct segment_file *file, bool named)
{
  if (!named && file->fd >= 0) {
    if (file->temporary[0]) unlinkat(file->directory_fd, file->temporary, 0);
    close(file->fd);
    file->fd = -1;
  }
  if (file->directory_fd >= 0) close(file->directory_fd);
  file->directory_fd = -1;
}

static int segment_file_refuse(struct rtop_error *error, const char *path, const char *why)
{
  return rtop_error_set(error, RTOP_ERROR_UNSAFE, 0, "refusing %.160s: %s", path, why);
}

/* Tells whether the file system can be trusted. Rejects file systems of containers that a program serves (FUSE), since
 * they may never answer. */
static bool segment_file_system_trusted(int fd, const char *path)
{
  struct statfs system;
  if (strncmp(path, "/proc/", 6) != 0) return true;
  return fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

static int segment_file_check(int fd, const char *path, uid_t expected_uid, struct stat *status,
                              struct rtop_error *error)
{
  if (fstat(fd, status) != 0)
    return rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot look at %.160s: %s", path, strerror(errno));
  if (S_ISLNK(status->st_mode)) return segment_file_refuse(error, path, "it is a symbolic link");
  if (!S_ISREG(status->st_mode)) return segment_file_refuse(error, path, "it is not a regular file");
  if (status->st_uid != expected_uid)
    return segment_file_refuse(error, path, "it belongs to another user than its process");
  if (status->st_nlink == 0)
    return rtop_error_set(error, RTOP_ERROR_NOT_FOUND, ENOENT, "%.160s has just been removed", path);
  if (status->st_nlink != 1) return segment_file_refuse(error, path, "it has more than one name");
  if (status->st_mode & (S_IWGRP | S_IWOTH)) return segment_file_refuse(error, path, "other users may write to it");
  if (!segment_file_system_trusted(fd, path))
    return segment_file_refuse(error, path, "it is not on a memory file system");
  return 0;
}

/* Opens the file that was checked, by its descriptor, and not by its name again; by name only when /proc is missing. */
static int segment_file_reopen(int fd, const char *path, int flags)
{
  char link_path[64];
  int open_flags = flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  snprintf(link_path, sizeof link_path, "/proc/self/fd/%d", fd);
  int reopened = open(link_path, open_flags);
  return reopened >= 0 || errno != ENOENT ? reopened : open(path, open_flags | O_NOFOLLOW);
}

static int segment_file_open_error(const char *path, int cause, struct rtop_error *error)
{
  enum rtop_error_code code = cause == ENOENT || cause == ENOTDIR ? RTOP_ERROR_NOT_FOUND
                              : cause == EACCES || cause == EPERM ? RTOP_ERROR_PERMISSION
                                                                  : RTOP_ERROR_SYSTEM;
  return rtop_error_set(error, code, cause, "cannot open %.160s: %s", path, strerror(cause));
}

int segment_file_open(const char *path, uid_t expected_uid, int flags, struct stat *status, struct rtop_error *error)
{
  uid_t owner = expected_uid == (uid_t)-1 ? geteuid() : expected_uid;
  int handle = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (handle < 0) return segment_file_open_error(path, errno, error);
  if (segment_file_check(handle, path, owner, status, error) != 0) {
    close(handle);
    return -1;
  }
  struct stat again;
  int fd = segment_file_reopen(handle, path, flags);
  int cause = errno;
  close(handle);
  if (fd < 0) return segment_file_open_error(path, cause, error);
  if (fstat(fd, &again) == 0 && again.st_dev == status->st_dev && again.st_ino == status->st_ino) return fd;
  close(fd);
  return segment_file_refuse(error, path, "it was replaced while it was opened");
}
