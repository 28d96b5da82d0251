/* SPDX-License-Identifier: MIT */
/* Repeats reads and writes until all bytes are transferred. */
#include "whole_io.h"
#include "shm/base/clock.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

size_t io_receive(int fd, void *to, size_t bytes, int64_t until_ms)
{
  size_t done = 0;
  while (done < bytes) {
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    int64_t left_ms = until_ms ? until_ms - clock_now_ms() : 0;
    int ready = !until_ms ? 1 : left_ms > 0 ? poll(&wait, 1, (int)left_ms) : 0;
    if (ready < 0 && errno == EINTR) continue;
    ssize_t got = ready > 0 ? read(fd, (char *)to + done, bytes - done) : 0;
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += (size_t)got;
  }
  return done;
}

bool io_send(int fd, const void *from, size_t bytes)
{
  for (size_t done = 0; done < bytes;) {
    ssize_t put = write(fd, (const char *)from + done, bytes - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += (size_t)put;
  }
  return true;
}
