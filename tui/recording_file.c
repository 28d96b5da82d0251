#include "recording_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int recording_file_create(const char *path, char **temporary)
{
  struct stat status;
  *temporary = NULL;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
    errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;   /* a rename would replace a device or a pipe */
    return -1;
  }
  if (asprintf(temporary, "%s.XXXXXX", path) < 0) {
    *temporary = NULL;
    errno = ENOMEM;
    return -1;
  }
  int fd = mkostemp(*temporary, O_CLOEXEC);
  if (fd < 0) {
    free(*temporary);
    *temporary = NULL;
    return -1;
  }
  mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
  return fd;
}

bool recording_file_keep(char **temporary, const char *path)
{
  if (rename(*temporary, path) != 0)
    return false;
  free(*temporary);
  *temporary = NULL;
  return true;
}

void recording_file_drop(char **temporary)
{
  int problem = errno;
  if (*temporary)
    unlink(*temporary);
  free(*temporary);
  *temporary = NULL;
  errno = problem;
}

bool recording_file_write(int fd, const void *data, size_t bytes, uint64_t position)
{
  const char *next = data;
  while (bytes > 0) {
    ssize_t written = pwrite(fd, next, bytes, (off_t)position);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      errno = written == 0 ? ENOSPC : errno;
      return false;
    }
    next += written;
    position += (uint64_t)written;
    bytes -= (size_t)written;
  }
  return true;
}

/* For file systems that cannot copy by themselves. */
static bool file_copy_slowly(int from, uint64_t from_position, int to, uint64_t to_position, uint64_t bytes)
{
  enum { PIECE = 1 << 18 };
  char *piece = malloc(PIECE);
  bool fine = piece != NULL;
  while (bytes > 0 && fine) {
    ssize_t got = pread(from, piece, bytes < PIECE ? (size_t)bytes : PIECE, (off_t)from_position);
    if (got < 0 && errno == EINTR)
      continue;
    if (got == 0)
      errno = EIO;                     /* somebody cut the file */
    fine = got > 0 && recording_file_write(to, piece, (size_t)got, to_position);
    from_position += (uint64_t)got;
    to_position += (uint64_t)got;
    bytes -= (uint64_t)got;
  }
  free(piece);
  return fine;
}

bool recording_file_copy(int from, uint64_t from_position, int to, uint64_t to_position, uint64_t bytes)
{
  off_t in = (off_t)from_position, out = (off_t)to_position;
  uint64_t left = bytes;
  while (left > 0) {
    ssize_t copied = copy_file_range(from, &in, to, &out, (size_t)left, 0);
    if (copied <= 0)
      break;
    left -= (uint64_t)copied;
  }
  return left == 0 || file_copy_slowly(from, from_position, to, to_position, bytes);
}
