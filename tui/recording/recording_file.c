/* SPDX-License-Identifier: MIT */
/* Writes and copies the file of a recording. */
#include "recording_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

bool recording_file_write(int fd, const void *data, size_t bytes, uint64_t position)
{
  const char *next = data;
  while (bytes > 0) {
    ssize_t written = pwrite(fd, next, bytes, (off_t)position);
    if (written < 0 && errno == EINTR) continue;
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

/* Copies by reading and writing, for file systems that cannot copy by themselves. */
static bool file_copy_slowly(int from, uint64_t from_position, int to, uint64_t to_position, uint64_t bytes)
{
  enum { PIECE = 1 << 18 };
  char *piece = malloc(PIECE);
  bool fine = piece != NULL;
  while (bytes > 0 && fine) {
    ssize_t got = pread(from, piece, bytes < PIECE ? (size_t)bytes : PIECE, (off_t)from_position);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO; /* somebody cut the file */
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
    if (copied <= 0) break;
    left -= (uint64_t)copied;
  }
  return left == 0 || file_copy_slowly(from, from_position, to, to_position, bytes);
}
