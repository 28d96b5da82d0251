/* SPDX-License-Identifier: MIT */
/* A stream that fails after a maximum number of bytes. */
#include "export_impl.h"

#include <errno.h>
#include <stdlib.h>

enum { LIMIT_BUFFER_BYTES = 1 << 16 };

struct limit {
  FILE *out;
  uint64_t left;
  int *problem;
};

static ssize_t limit_write(void *cookie, const char *bytes, size_t count)
{
  struct limit *limit = cookie;
  bool fits = count <= limit->left;
  limit->left = fits ? limit->left - count : 0;
  if (fits && fwrite(bytes, 1, count, limit->out) == count) return (ssize_t)count;
  if (!*limit->problem) *limit->problem = fits ? errno : EOVERFLOW;
  return 0;
}

static int limit_close(void *cookie)
{
  free(cookie);
  return 0;
}

FILE *export_limit_open(FILE *out, uint64_t bytes_max, int *problem)
{
  static const cookie_io_functions_t functions = { .write = limit_write, .close = limit_close };
  struct limit *limit = calloc(1, sizeof *limit);
  FILE *stream = NULL;
  if (limit) {
    *limit = (struct limit){ out, bytes_max, problem };
    stream = fopencookie(limit, "w", functions);
  }
  if (stream) {
    setvbuf(stream, NULL, _IOFBF, LIMIT_BUFFER_BYTES);
    return stream;
  }
  free(limit);
  errno = ENOMEM;
  return NULL;
}
