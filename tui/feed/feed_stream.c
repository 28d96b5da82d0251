/* SPDX-License-Identifier: MIT */
/* A recording that arrives through a pipe as a source; its windows enter the profile like those of a ring. */
#include "feed_impl.h"

#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "tui/recording/recording_stream.h"
#include "tui/text/clock_shift.h"
#include "tui/text/reserve.h"
#include "tui/text/source_rights.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  STREAM_BYTES_PER_POLL = 8 << 20, /* then keys have their turn */
  STREAM_DRIFT = 5000,             /* clocks may drift apart by one part in this many */
  STREAM_NOBODY = 65534,           /* uid under which root reads a stream and opens the source files it names */
};
/* A stream says something every second. */
#define STREAM_SILENT_NS INT64_C(2500000000)

/* A pipe with one feed per process. The first feed reads for all; the last one to be closed closes the pipe. */
struct feed_pipe {
  struct rtop_recording_stream *stream;
  struct rtop_profile *profile;
  int fd;
  int users;
  bool ended, broken;
  char problem[sizeof((struct rtop_error *)NULL)->text];
  int64_t arrived_ns; /* the last bytes, by our clock */
  /* sources 0 to known - 1 are open; higher ones are not accepted before these */
  uint32_t known;
  int64_t last_ns[RECORDING_SOURCES_MAX]; /* by source: end of its last window */
  int64_t newest_ns;                      /* end of the newest window, by the sender's clock */
  int64_t clock_ns;                       /* sender's clock minus ours when windows came fastest */
  int64_t compared_ns;                    /* when that was looked at last; 0: never */
  struct rtop_window window;
  uint32_t *threads;
  size_t thread_capacity;
};

struct feed_stream {
  struct rtop_feed base;
  struct feed_pipe *pipe;
  char host[256];
};

static const struct feed_ops stream_ops;

/* Estimates the offset of the sender's clock. Without a reply it cannot be measured, but the fastest windows show the
 * shortest delay; windows with a longer delay are behind. */
static void pipe_compare_clocks(struct feed_pipe *pipe, int64_t end_ns)
{
  int64_t now_ns = clock_now_ns(), clock_ns;
  if (pipe->compared_ns && end_ns <= pipe->newest_ns) return;
  pipe->newest_ns = end_ns;
  if (__builtin_sub_overflow(end_ns, now_ns, &clock_ns)) return;
  int64_t drift_ns = pipe->compared_ns ? (now_ns - pipe->compared_ns) / STREAM_DRIFT : 0;
  int64_t least_ns = pipe->clock_ns > INT64_MIN + drift_ns ? pipe->clock_ns - drift_ns : INT64_MIN;
  pipe->clock_ns = !pipe->compared_ns || clock_ns > least_ns ? clock_ns : least_ns;
  pipe->compared_ns = now_ns;
}

static bool pipe_threads(struct feed_pipe *pipe, uint32_t source)
{
  const struct rtop_recording *content = rtop_recording_stream_content(pipe->stream);
  const struct rtop_window *window = &pipe->window;
  if (!rtop_reserve(&pipe->threads, &pipe->thread_capacity, window->thread_count + 1, sizeof *pipe->threads))
    return false;
  for (size_t i = 0; i < window->thread_count; i++) {
    struct rtop_source_thread thread = { .serial = window->threads[i].serial };
    feed_recorded_thread(content, source, &thread);
    pipe->threads[i] = rtop_profile_thread(pipe->profile, source, &thread);
  }
  return true;
}

/* Forgets threads that have ended. */
static void pipe_drop_threads(struct feed_pipe *pipe, uint32_t source)
{
  for (size_t i = 0; i < pipe->window.thread_count; i++)
    if (pipe->window.threads[i].flags & RTOP_WINDOW_THREAD_ENDED)
      rtop_recording_drop_thread(rtop_recording_stream_content(pipe->stream), source, pipe->window.threads[i].serial);
}

static size_t pipe_hand_in(struct feed_pipe *pipe, uint32_t source, bool gap)
{
  struct rtop_recording *content = rtop_recording_stream_content(pipe->stream);
  struct rtop_window *window = &pipe->window;
  size_t node_count, moved = 0;
  const uint32_t *nodes = rtop_recording_nodes(content, &node_count);
  while (pipe->known < RECORDING_SOURCES_MAX && rtop_recording_source(content, pipe->known)) pipe->known++;
  if (source >= pipe->known) return 0;
  rtop_clock_shift_window(window, rtop_recording_shift_ns(content, source));
  if (!gap && pipe_threads(pipe, source))
    moved = rtop_profile_add(pipe->profile, source, window, nodes, node_count, pipe->threads);
  else rtop_profile_add_gap(pipe->profile, source, window->start_mono_ns, window->end_mono_ns);
  if (!gap) pipe_drop_threads(pipe, source);
  if (!gap && window->end_mono_ns > pipe->last_ns[source]) pipe->last_ns[source] = window->end_mono_ns;
  pipe_compare_clocks(pipe, window->end_mono_ns);
  return moved;
}

static size_t pipe_take_rows(struct feed_pipe *pipe)
{
  size_t moved = 0;
  uint32_t source;
  enum rtop_recording_row row;
  while ((row = rtop_recording_next(rtop_recording_stream_content(pipe->stream), &source, &pipe->window)) !=
         RTOP_RECORDING_END)
    moved += pipe_hand_in(pipe, source, row == RTOP_RECORDING_GAP);
  return moved;
}

static void pipe_end(struct feed_pipe *pipe, bool broken, const char *problem)
{
  pipe->ended = true;
  pipe->broken = broken;
  if (problem && !*pipe->problem) snprintf(pipe->problem, sizeof pipe->problem, "%s", problem);
}

/* A whole chunk. False: there is none. */
static bool pipe_take_one(struct feed_pipe *pipe, size_t *moved)
{
  struct rtop_error error = { 0 };
  enum rtop_recording_step step = rtop_recording_stream_next(pipe->stream, pipe->profile, &error);
  if (step == RTOP_RECORDING_CHUNK) *moved += pipe_take_rows(pipe);
  if (step == RTOP_RECORDING_ENDED) pipe_end(pipe, false, NULL);
  if (step == RTOP_RECORDING_REFUSED) pipe_end(pipe, true, error.text);
  return step == RTOP_RECORDING_CHUNK;
}

/* Reads some bytes if available. False when there are none now, or none will come. */
static bool pipe_read(struct feed_pipe *pipe)
{
  struct pollfd ready = { .fd = pipe->fd, .events = POLLIN };
  size_t room_bytes;
  if (pipe->ended || poll(&ready, 1, 0) <= 0) return false;
  unsigned char *room = rtop_recording_stream_room(pipe->stream, &room_bytes);
  ssize_t got = room ? read(pipe->fd, room, room_bytes) : 0;
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (got > 0) {
    rtop_recording_stream_take(pipe->stream, (size_t)got);
    rtop_profile_add_source_bytes(pipe->profile, (uint64_t)got);
    pipe->arrived_ns = clock_now_ns();
  } else {
    pipe_end(pipe, true, room ? "the stream broke off: its end is missing" : "out of memory");
  }
  return got > 0;
}

static size_t pipe_poll(struct feed_pipe *pipe)
{
  uint64_t most = rtop_recording_stream_bytes(pipe->stream) + STREAM_BYTES_PER_POLL;
  size_t moved = 0;
  do {
    while (!pipe->ended && pipe_take_one(pipe, &moved))
      ;
  } while (rtop_recording_stream_bytes(pipe->stream) < most && pipe_read(pipe));
  return moved;
}

/* What it calls itself may change. */
static void stream_tell(struct feed_stream *feed, const struct rtop_recording_source *about)
{
  struct rtop_feed *base = &feed->base;
  memcpy(base->command, about->command, sizeof base->command);
  memcpy(base->ruby, about->ruby, sizeof base->ruby);
  memcpy(base->folder, about->folder, sizeof base->folder);
  snprintf(feed->host, sizeof feed->host, "%s", *about->host ? about->host : "");
  base->info.parent = (pid_t)about->parent;
  memcpy(base->info.losses, about->pulse.losses, sizeof base->info.losses);
  base->info.tells_losses = about->pulse.tells_losses;
}

static void stream_set_end(struct feed_stream *feed, const char *cause, const char *text)
{
  feed_set_end(&feed->base, cause, text, feed->pipe->last_ns[feed->base.source]);
  feed->base.has_end = true;
}

/* The state that the stream gives for the process, or that the stream itself has ended. */
static enum rtop_feed_state stream_state(struct rtop_feed *base)
{
  struct feed_stream *feed = (struct feed_stream *)base;
  const struct feed_pipe *pipe = feed->pipe;
  const struct rtop_recording_source *about =
      rtop_recording_source(rtop_recording_stream_content(pipe->stream), base->source);
  const struct rtop_pulse *pulse = about && about->pulses ? &about->pulse : NULL;
  bool over = pulse && (pulse->state == RTOP_FEED_ENDED || pulse->state == RTOP_FEED_DEAD);
  if (over || (about && about->end_state)) {
    bool closed = over ? pulse->state == RTOP_FEED_ENDED : about->end_state == 1;
    bool words = pulse && *pulse->text;
    stream_set_end(feed, words ? pulse->cause : closed ? "closed" : "vanished", words ? pulse->text : "ended");
    return closed ? RTOP_FEED_ENDED : RTOP_FEED_DEAD;
  }
  base->has_end = false;
  if (pipe->ended) {
    stream_set_end(feed, "stream", pipe->broken ? "the stream broke off" : "the stream ended");
    return RTOP_FEED_ENDED;
  }
  bool stalls = pulse && pulse->state == RTOP_FEED_STALLED;
  return stalls || clock_now_ns() - pipe->arrived_ns > STREAM_SILENT_NS ? RTOP_FEED_STALLED : RTOP_FEED_LIVE;
}

static size_t stream_read(struct rtop_feed *base, struct rtop_profile *profile)
{
  struct feed_stream *feed = (struct feed_stream *)base;
  size_t moved = base->source == 0 ? pipe_poll(feed->pipe) : 0;
  const struct rtop_recording_source *about =
      rtop_recording_source(rtop_recording_stream_content(feed->pipe->stream), base->source);
  (void)profile; /* the one that it was opened for */
  if (about) stream_tell(feed, about);
  if (*feed->pipe->problem && !*base->problem && base->source == 0)
    snprintf(base->problem, sizeof base->problem, "%.255s", feed->pipe->problem);
  base->state = stream_state(base); /* nothing else tells of it */
  return moved;
}

static int stream_wait_ms(const struct rtop_feed *base)
{
  const struct feed_pipe *pipe = ((const struct feed_stream *)base)->pipe;
  return pipe->ended ? 1000 : 100;
}

int rtop_feed_stream_fd(const struct rtop_feed *first)
{
  const struct feed_pipe *pipe = ((const struct feed_stream *)first)->pipe;
  return pipe->ended ? -1 : pipe->fd;
}

bool rtop_feed_stream_look(const struct rtop_feed *base, struct rtop_stream_look *look)
{
  if (base->ops != &stream_ops) return false;
  const struct feed_pipe *pipe = ((const struct feed_stream *)base)->pipe;
  const struct rtop_recording *content = rtop_recording_stream_content(pipe->stream);
  int64_t now_ns = clock_now_ns(), there_ns;
  *look = (struct rtop_stream_look){
    .ended = pipe->ended,
    .broken = pipe->broken,
    .silent_ns = now_ns - pipe->arrived_ns,
    .clock_ns = pipe->clock_ns,
    .damages = rtop_recording_stream_damages(pipe->stream),
    .bytes = rtop_recording_stream_bytes(pipe->stream),
  };
  bool known = pipe->compared_ns && !__builtin_add_overflow(now_ns, pipe->clock_ns, &there_ns);
  if (known && !__builtin_sub_overflow(there_ns, pipe->newest_ns, &look->behind_ns) && look->behind_ns < 0)
    look->behind_ns = 0;
  for (uint32_t i = 0; i < rtop_recording_source_count(content); i++) {
    const struct rtop_recording_source *about = rtop_recording_source(content, i);
    look->left_out += about ? about->pulse.left_out : 0;
  }
  return true;
}

static void pipe_release(struct feed_pipe *pipe)
{
  if (--pipe->users > 0) return;
  rtop_recording_stream_close(&pipe->stream);
  rtop_window_destroy(&pipe->window);
  free(pipe->threads);
  free(pipe);
}

static void stream_close(struct rtop_feed *base)
{
  struct feed_stream *feed = (struct feed_stream *)base;
  pipe_release(feed->pipe);
  free(feed);
}

static const struct feed_ops stream_ops = { stream_state, stream_read, stream_wait_ms, NULL, stream_close };

static struct rtop_feed *stream_make_feed(struct feed_pipe *pipe, uint32_t source)
{
  const struct rtop_recording *content = rtop_recording_stream_content(pipe->stream);
  const struct rtop_recording_source *about = rtop_recording_source(content, source);
  struct feed_stream *feed = about ? calloc(1, sizeof *feed) : NULL;
  if (!feed) return NULL;
  feed->pipe = pipe;
  pipe->users++;
  feed->base.ops = &stream_ops;
  feed->base.source = source;
  feed->base.info = (struct rtop_feed_info){
    .pid = (pid_t)about->pid,
    .command = feed->base.command,
    .ruby = feed->base.ruby,
    .folder = feed->base.folder,
    .host = feed->host,
    .window_ns = about->window_ns,
    .clock_offset_ns = about->clock_offset_ns - rtop_recording_shift_ns(content, source),
    .started_real_ns = about->started_real_ns,
    .owner = rtop_recording_owner(content),
  };
  stream_tell(feed, about);
  feed->base.state = stream_state(&feed->base);
  return &feed->base;
}

struct rtop_feed *rtop_feed_stream_next(struct rtop_feed *first, uint32_t source)
{
  return first->ops == &stream_ops ? stream_make_feed(((struct feed_stream *)first)->pipe, source) : NULL;
}

/* Reads until a process is known. Data before that belong to no process; a caller may want all later data to pass one
 * by one. */
static void pipe_meet(struct feed_pipe *pipe)
{
  const struct rtop_recording *content = rtop_recording_stream_content(pipe->stream);
  size_t moved = 0;
  while (!rtop_recording_source(content, 0) && !pipe->ended) {
    enum rtop_recording_step step = rtop_recording_stream_next(pipe->stream, NULL, NULL);
    if (step == RTOP_RECORDING_CHUNK && rtop_recording_source(content, 0)) return;
    if (step == RTOP_RECORDING_MORE || !pipe_take_one(pipe, &moved)) return;
  }
}

/* Waits until the stream has named a process, or has ended. */
static struct rtop_feed *stream_await(struct feed_pipe *pipe, struct rtop_error *error)
{
  struct rtop_feed *feed = NULL;
  struct pollfd ready = { .fd = pipe->fd, .events = POLLIN };
  while (!feed && !pipe->ended) {
    if (poll(&ready, 1, -1) < 0 && errno != EINTR) break;
    if (pipe_read(pipe)) pipe_meet(pipe);
    feed = stream_make_feed(pipe, 0);
  }
  bool none = rtop_recording_stream_bytes(pipe->stream) == 0;
  if (feed) return feed;
  if (none) rtop_error_set(error, RTOP_ERROR_NOT_FOUND, 0, "nothing came on standard input: there is no stream");
  else if (!pipe->broken || strncmp(pipe->problem, "the stream", 10) == 0)
    rtop_error_set(error, RTOP_ERROR_CORRUPT, 0, "standard input holds no process that can be read");
  else rtop_error_set(error, RTOP_ERROR_CORRUPT, 0, "%s", pipe->problem);
  return NULL;
}

bool rtop_feed_stream_as_nobody(struct rtop_error *error)
{
  struct source_rights rights;
  if (geteuid() != 0) return true;
  if (!source_rights_of(&rights, 0, STREAM_NOBODY))
    rights = (struct source_rights){ .user = STREAM_NOBODY, .group = STREAM_NOBODY };
  if (source_rights_become(&rights)) return true;
  rtop_error_set(error, RTOP_ERROR_SYSTEM, 0,
                 "the stream is not read: the rights of nobody (user %d) cannot be taken here; saved as a file of "
                 "your own it is read",
                 STREAM_NOBODY);
  return false;
}

/* The user whose files may be opened for this stream: for root, nobody or the user that root was before. */
static uid_t stream_owner(uid_t owner)
{
  uid_t user = geteuid();
  return user == 0 ? STREAM_NOBODY : owner == 0 ? user : owner;
}

struct rtop_feed *rtop_feed_open_stream(int fd, struct rtop_profile *profile, struct rtop_error *error)
{
  struct feed_pipe *pipe = calloc(1, sizeof *pipe);
  struct stat status;
  bool there = fstat(fd, &status) == 0;
  if (isatty(fd)) {
    free(pipe);
    rtop_error_set(error, RTOP_ERROR_NOT_FOUND, 0,
                   "standard input is a terminal: pipe a recording or a stream into it");
    return NULL;
  }
  if (pipe && there) pipe->stream = rtop_recording_stream_open(stream_owner(status.st_uid));
  if (!pipe || !pipe->stream) {
    free(pipe);
    rtop_error_set(error, RTOP_ERROR_SYSTEM, 0, there ? "out of memory" : "standard input is closed");
    return NULL;
  }
  pipe->users = 1;
  pipe->fd = fd;
  pipe->profile = profile;
  pipe->arrived_ns = clock_now_ns();
  struct rtop_feed *feed = stream_await(pipe, error);
  pipe_release(pipe);
  return feed;
}
