/* SPDX-License-Identifier: MIT */
/* Sends a recording through a pipe or socket while it is made. */
#include "recording_impl.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maximum size of the queue before windows are dropped: more than a minute of a busy server. */
enum { STREAM_QUEUE_MAX = 1 << 20 };

struct rtop_recorder *rtop_recorder_stream(int fd, struct rtop_profile *profile, struct rtop_error *error)
{
  struct stat status;
  struct rtop_recorder *recorder = recorder_make("the stream", profile, 0, error);
  if (!recorder) return NULL;
  recorder->fd = fd;
  recorder->outlet.streams = true;
  recorder->outlet.socket = fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
  recorder->flushed_ns = 0; /* who is there is told at once */
  if (recorder_write_head(recorder)) {
    recorder_tap(recorder);
    return recorder;
  }
  rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "out of memory");
  recorder_free(recorder);
  return NULL;
}

bool rtop_recorder_streams(const struct rtop_recorder *recorder)
{
  return recorder->outlet.streams;
}

size_t rtop_recorder_queued(const struct rtop_recorder *recorder)
{
  return recorder->outlet.queue.count - recorder->outlet.sent;
}

bool recorder_queue(struct rtop_recorder *recorder, const void *data, size_t bytes)
{
  struct recorder_outlet *outlet = &recorder->outlet;
  recording_put(&outlet->queue, data, bytes);
  errno = ENOMEM;
  return !outlet->queue.failed;
}

bool recorder_is_behind(const struct rtop_recorder *recorder)
{
  return recorder->outlet.begun && rtop_recorder_queued(recorder) > STREAM_QUEUE_MAX;
}

bool recorder_leaves_out(struct rtop_recorder *recorder, uint32_t source)
{
  if (!recorder_is_behind(recorder)) return false;
  recorder->outlet.left_out[source]++;
  return true;
}

/* Writes at most PIPE_BUF bytes to a pipe that polls as writable, which never blocks. The pipe's mode is not changed,
 * because other processes share it. */
static ssize_t stream_put(const struct rtop_recorder *recorder, const void *data, size_t bytes)
{
  struct pollfd room = { .fd = recorder->fd, .events = POLLOUT };
  if (recorder->outlet.socket) return send(recorder->fd, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
  int ready = poll(&room, 1, 0);
  errno = ready < 0 ? errno : EAGAIN;
  if (ready <= 0) return -1;
  return write(recorder->fd, data, bytes < PIPE_BUF ? bytes : PIPE_BUF);
}

static void stream_keep_rest(struct recorder_outlet *outlet)
{
  size_t rest = outlet->queue.count - outlet->sent;
  if (rest > 0 && outlet->sent < outlet->queue.count / 2) return;
  if (rest > 0) memmove(outlet->queue.data, outlet->queue.data + outlet->sent, rest);
  outlet->queue.count = rest;
  outlet->sent = 0;
}

static bool stream_is_gone(const struct rtop_recorder *recorder)
{
  struct pollfd end = { .fd = recorder->fd };
  return poll(&end, 1, 0) > 0 && (end.revents & (POLLERR | POLLHUP | POLLNVAL));
}

bool rtop_recorder_send(struct rtop_recorder *recorder)
{
  struct recorder_outlet *outlet = &recorder->outlet;
  outlet->gone = outlet->gone || stream_is_gone(recorder);
  outlet->begun = true;
  while (outlet->sent < outlet->queue.count && !outlet->gone) {
    ssize_t put = stream_put(recorder, outlet->queue.data + outlet->sent, outlet->queue.count - outlet->sent);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) break;
    if (put > 0) outlet->sent += (size_t)put;
    else if (errno == EPIPE || errno == ECONNRESET) outlet->gone = true;
    else recorder_fail(recorder, errno);
    if (recorder_failed(recorder)) break;
  }
  stream_keep_rest(outlet);
  return !outlet->gone && !recorder_failed(recorder);
}

void rtop_recorder_pulse(struct rtop_recorder *recorder, uint32_t source, const struct rtop_pulse *pulse)
{
  uint32_t number = recorder_number(recorder, source);
  struct rtop_pulse told = *pulse;
  if (number >= RECORDING_SOURCES_MAX || recorder_failed(recorder) || recorder_is_behind(recorder)) return;
  told.left_out = recorder->outlet.left_out[number];
  recording_names_pulse(&recorder->names, number, &told);
}
