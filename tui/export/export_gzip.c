/* SPDX-License-Identifier: MIT */
/* A stream that compresses into another one. */
#include "export_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

enum {
  GZIP_BUFFER_BYTES = 1 << 16,
  GZIP_WINDOW_BITS = 15 + 16, /* with the header and trailer of gzip */
  GZIP_LEVEL = 3,             /* names repeat, so a higher level compresses little better and takes long */
};

struct gzip {
  z_stream stream;
  FILE *out;
  unsigned char buffer[GZIP_BUFFER_BYTES];
};

/* Compresses the input; with Z_FINISH until all output is written. */
static bool gzip_push(struct gzip *gzip, int flush)
{
  int status;
  do {
    gzip->stream.next_out = gzip->buffer;
    gzip->stream.avail_out = GZIP_BUFFER_BYTES;
    status = deflate(&gzip->stream, flush);
    size_t bytes = GZIP_BUFFER_BYTES - gzip->stream.avail_out;
    if (status == Z_STREAM_ERROR || fwrite(gzip->buffer, 1, bytes, gzip->out) != bytes) return false;
  } while (gzip->stream.avail_out == 0);
  return flush != Z_FINISH || status == Z_STREAM_END;
}

static ssize_t gzip_write(void *cookie, const char *bytes, size_t count)
{
  struct gzip *gzip = cookie;
  gzip->stream.next_in = (Bytef *)(uintptr_t)bytes;
  gzip->stream.avail_in = (uInt)count; /* stdio passes its buffer, or the data of one call, so `count` fits an int */
  return gzip_push(gzip, Z_NO_FLUSH) ? (ssize_t)count : 0;
}

static int gzip_close(void *cookie)
{
  struct gzip *gzip = cookie;
  gzip->stream.avail_in = 0;
  bool fine = gzip_push(gzip, Z_FINISH);
  deflateEnd(&gzip->stream);
  free(gzip);
  return fine ? 0 : -1;
}

FILE *export_gzip_open(FILE *out)
{
  static const cookie_io_functions_t functions = { .write = gzip_write, .close = gzip_close };
  struct gzip *gzip = calloc(1, sizeof *gzip);
  if (!gzip || deflateInit2(&gzip->stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    free(gzip);
    errno = ENOMEM;
    return NULL;
  }
  gzip->out = out;
  FILE *stream = fopencookie(gzip, "w", functions);
  if (stream) {
    setvbuf(stream, NULL, _IOFBF, GZIP_BUFFER_BYTES);
    return stream;
  }
  deflateEnd(&gzip->stream);
  free(gzip);
  errno = ENOMEM;
  return NULL;
}
