/* SPDX-License-Identifier: MIT */
/* Gathers what curses writes in a refresh. */
#include "screen_gather.h"
#include "screen_squeeze.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
  FILE *stream;
  int terminal, memory; /* the two files to which the stream's descriptor refers alternately */
  bool gathering, squeezes;
} gather = { .terminal = -1, .memory = -1 };

FILE *screen_gather_open(FILE *output)
{
  gather.terminal = fcntl(fileno(output), F_DUPFD_CLOEXEC, 10);
  int fd = fcntl(fileno(output), F_DUPFD_CLOEXEC, 10);
  gather.memory = memfd_create("rperf-top screen", MFD_CLOEXEC);
  gather.stream = fd >= 0 && gather.terminal >= 0 && gather.memory >= 0 ? fdopen(fd, "w") : NULL;
  if (gather.stream == NULL) {
    if (fd >= 0) close(fd);
    screen_gather_close();
  }
  return gather.stream;
}

bool screen_gather_begin(void)
{
  gather.gathering = gather.stream != NULL && lseek(gather.memory, 0, SEEK_SET) == 0 &&
                     dup3(gather.memory, fileno(gather.stream), O_CLOEXEC) >= 0;
  return gather.gathering;
}

static void write_all(const char *bytes, size_t count)
{
  while (count > 0) {
    ssize_t written = write(gather.terminal, bytes, count);
    if (written > 0) {
      bytes += written;
      count -= (size_t)written;
    } else if (written < 0 && errno == EAGAIN) {
      poll(&(struct pollfd){ gather.terminal, POLLOUT, 0 }, 1, -1);
    } else if (written == 0 || errno != EINTR) {
      return; /* The terminal is gone, which is handled where keys are read. */
    }
  }
}

void screen_gather_end(void)
{
  if (!gather.gathering) return;
  gather.gathering = false;
  static char bytes[1 << 16], fewer[sizeof bytes];
  off_t count = lseek(gather.memory, 0, SEEK_CUR), at = 0;
  dup3(gather.terminal, fileno(gather.stream), O_CLOEXEC);
  while (at < count) {
    size_t left = (size_t)(count - at);
    ssize_t got = pread(gather.memory, bytes, left < sizeof bytes ? left : sizeof bytes, at);
    if (got <= 0) return;
    size_t squeezed = gather.squeezes && got == count ? screen_squeeze(fewer, sizeof fewer, bytes, (size_t)got) : 0;
    write_all(squeezed > 0 ? fewer : bytes, squeezed > 0 ? squeezed : (size_t)got);
    at += got;
  }
}

void screen_gather_squeeze(void)
{
  gather.squeezes = true;
}

void screen_gather_close(void)
{
  if (gather.stream != NULL) fclose(gather.stream);
  if (gather.terminal >= 0) close(gather.terminal);
  if (gather.memory >= 0) close(gather.memory);
  memset(&gather, 0, sizeof gather);
  gather.terminal = gather.memory = -1;
}
