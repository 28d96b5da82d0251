/* SPDX-License-Identifier: MIT */
/* A recording that arrives through a pipe as a source; its windows enter the profile like those of a ring. */
#include "feed_impl.h"
#include "feed_pipe.h"

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
  STREAM_BYTES_PER_TURN = 1 << 20, /* then other hosts have theirs */
  STREAM_DRIFT = 5000,             /* clocks may drift apart by one part in this many */
  STREAM_NOBODY = 65534,           /* uid under which root reads a stream and opens the source files it names */
};
/* A stream says something every second. */
#define STREAM_SILENT_NS INT64_C(2500000000)
/* Clocks of hosts that differ by less are taken to agree: the way takes some of that. */
static const int64_t pipe_agrees_ns = INT64_C(1000000000);
/* The correction is changed when it is wrong by more: too small, then windows come from the future; or too large,
 * after a time in which a window will have come fast. */
static const int64_t pipe_ahead_ns = INT64_C(500000000), pipe_behind_ns = INT64_C(1500000000);
static const int64_t pipe_settled_ns = INT64_C(10000000000), pipe_better_ns = INT64_C(50000000);
/* A host that comes back keeps its correction when it seems to be as wrong. */
static const int64_t pipe_same_ns = INT64_C(2000000000);

/* A pipe with one feed per process. The first feed reads for all, or its host; the last user closes the pipe. */
struct feed_pipe {
  struct rtop_recording_stream *stream;
  struct rtop_profile *profile;
  int fd;
  int users;
  bool ended, broken;
  char problem[sizeof((struct rtop_error *)NULL)->text];
  int64_t arrived_ns; /* the last bytes, by our clock */
  /* number of sources that are open: 0 to known - 1; higher ones are not accepted before these */
  uint32_t known;
  int64_t last_ns[RECORDING_SOURCES_MAX]; /* by source: end of its last window */
  int64_t newest_ns;                      /* end of the newest window, by the sender's clock */
  int64_t clock_ns;                       /* sender's clock minus ours when windows came fastest */
  int64_t compared_ns;                    /* time of the last comparison; 0: never */
  struct rtop_window window;
  uint32_t *threads;
  size_t thread_capacity;
  /* of a host: */
  bool hosted;
  struct feed_pipe_host host;
  uint32_t place[RECORDING_SOURCES_MAX];  /* by number in the stream; FEED_PIPE_NOWHERE: none yet */
  bool dropped[RECORDING_SOURCES_MAX];    /* its feed was closed to make room; it gets no place again */
  int64_t seen_ns[RECORDING_SOURCES_MAX]; /* what is before is in the profile already */
  int64_t begun_ns, own_offset_ns;        /* when its head came; real - mono of our clock then */
  int64_t there_offset_ns;                /* real - mono of the sender; 0: not known yet */
  int64_t skew_ns, used_ns;               /* the sender's wall clock minus ours: as measured, and as corrected */
  int64_t fastest_ns, fastest_since_ns;   /* clock_ns when it last grew by much, and when that was; 0: never */
  bool came_back;
  int64_t before_ns; /* shift of the connection before */
};

struct feed_stream {
  struct rtop_feed base;
  struct feed_pipe *pipe;
  uint32_t number;       /* in the stream */
  bool lost;             /* it ended while the host was away */
  int64_t began_real_ns; /* as the stream says */
  char host[256];
};

static const struct feed_ops stream_ops;

/* Estimates the offset of the sender's clock, which cannot be measured without a reply: the windows with the shortest
 * delay give the offset, and windows with a longer delay are behind. */
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

/* ---- the clock of a host --------------------------------------------------------------------------------------- */

static void pipe_correct(struct feed_pipe *pipe, int64_t skew_ns)
{
  pipe->used_ns = skew_ns > -pipe_agrees_ns && skew_ns < pipe_agrees_ns ? 0 : skew_ns;
}

/* The head tells when it was written. */
static void pipe_note_head(struct feed_pipe *pipe)
{
  const struct rtop_recording *content = rtop_recording_stream_content(pipe->stream);
  int64_t skew_ns, real_ns = clock_real_ns();
  if (!pipe->hosted || pipe->begun_ns || !rtop_recording_stream_headed(pipe->stream)) return;
  pipe->begun_ns = clock_now_ns();
  pipe->own_offset_ns = real_ns - pipe->begun_ns;
  if (__builtin_sub_overflow(rtop_recording_created_real_ns(content), real_ns, &skew_ns)) skew_ns = 0;
  pipe->skew_ns = skew_ns;
  pipe_correct(pipe, skew_ns);
}

static int64_t pipe_shift_ns(const struct feed_pipe *pipe)
{
  return rtop_clock_shifted(rtop_clock_shifted(pipe->there_offset_ns, -pipe->own_offset_ns), -pipe->used_ns);
}

/* Measures the skew by the window that came fastest, and corrects times if the correction in use is too wrong. */
static void pipe_measure(struct feed_pipe *pipe)
{
  int64_t skew_ns, ahead_ns;
  if (!pipe->hosted || __builtin_add_overflow(pipe->clock_ns, pipe->there_offset_ns, &skew_ns) ||
      __builtin_sub_overflow(skew_ns, pipe->own_offset_ns, &skew_ns) ||
      __builtin_sub_overflow(skew_ns, pipe->used_ns, &ahead_ns))
    return;
  int64_t now_ns = clock_now_ns();
  if (!pipe->fastest_since_ns || pipe->clock_ns > rtop_clock_shifted(pipe->fastest_ns, pipe_better_ns)) {
    pipe->fastest_ns = pipe->clock_ns;
    pipe->fastest_since_ns = now_ns;
  }
  bool settled = now_ns - pipe->fastest_since_ns > pipe_settled_ns; /* it no longer catches up */
  if (settled || skew_ns > pipe->skew_ns) pipe->skew_ns = skew_ns;
  if (ahead_ns <= pipe_ahead_ns && !(settled && ahead_ns < -pipe_behind_ns)) return;
  pipe_correct(pipe, skew_ns);
  for (uint32_t i = 0; i < RECORDING_SOURCES_MAX; i++)
    if (pipe->last_ns[i] > pipe->seen_ns[i]) pipe->seen_ns[i] = pipe->last_ns[i];
}

/* The sender's clock is known with its first process. Times of its other processes are in that clock. */
static void pipe_know_clock(struct feed_pipe *pipe, uint32_t number)
{
  const struct rtop_recording *content = rtop_recording_stream_content(pipe->stream);
  const struct rtop_recording_source *about = rtop_recording_source(content, number);
  int64_t more_ns;
  if (!about || pipe->there_offset_ns) return;
  pipe->there_offset_ns = rtop_clock_shifted(about->clock_offset_ns, -rtop_recording_shift_ns(content, number));
  bool same = pipe->came_back && !__builtin_sub_overflow(pipe_shift_ns(pipe), pipe->before_ns, &more_ns) &&
              more_ns > -pipe_same_ns && more_ns < pipe_same_ns;
  if (same) pipe->used_ns = rtop_clock_shifted(pipe->used_ns, more_ns);
}

/* The profile's source for one of the stream, a new one if need be. */
static uint32_t pipe_place(struct feed_pipe *pipe, uint32_t number)
{
  if (!pipe->hosted) return number;
  if (number >= RECORDING_SOURCES_MAX || !rtop_recording_source(rtop_recording_stream_content(pipe->stream), number))
    return FEED_PIPE_NOWHERE;
  if (pipe->place[number] == FEED_PIPE_NOWHERE && !pipe->dropped[number]) {
    pipe_know_clock(pipe, number);
    pipe->place[number] = pipe->host.place(pipe->host.context, number);
  }
  return pipe->place[number];
}

/* Does a host claim that it is ahead of time, for all that its clock is corrected? Its windows would be the latest of all
 * hosts for ever. */
static bool pipe_is_ahead(const struct feed_pipe *pipe, int64_t time_ns)
{
  return pipe->hosted && time_ns > rtop_clock_shifted(clock_now_ns(), pipe_ahead_ns);
}

/* Moves the time of a mark to our clock, and finds the mark's place. */
static uint32_t pipe_place_mark(void *context, uint32_t number, int64_t *time_ns)
{
  struct feed_pipe *pipe = context;
  uint32_t place = pipe_place(pipe, number);
  if (place == FEED_PIPE_NOWHERE) return place;
  *time_ns = rtop_clock_shifted(*time_ns, pipe_shift_ns(pipe));
  return *time_ns < pipe->seen_ns[number] || pipe_is_ahead(pipe, *time_ns) ? FEED_PIPE_NOWHERE : place;
}

/* ---- windows --------------------------------------------------------------------------------------------------- */

static bool pipe_threads(struct feed_pipe *pipe, uint32_t source, uint32_t place)
{
  const struct rtop_recording *content = rtop_recording_stream_content(pipe->stream);
  const struct rtop_window *window = &pipe->window;
  if (!rtop_reserve(&pipe->threads, &pipe->thread_capacity, window->thread_count + 1, sizeof *pipe->threads))
    return false;
  for (size_t i = 0; i < window->thread_count; i++) {
    struct rtop_source_thread thread = { .serial = window->threads[i].serial };
    feed_recorded_thread(content, source, &thread);
    pipe->threads[i] = rtop_profile_thread(pipe->profile, place, &thread);
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
  uint32_t place = pipe_place(pipe, source);
  rtop_clock_shift_window(window, rtop_recording_shift_ns(content, source));
  pipe_compare_clocks(pipe, window->end_mono_ns);
  pipe_measure(pipe);
  if (pipe->hosted) rtop_clock_shift_window(window, pipe_shift_ns(pipe));
  if (pipe_is_ahead(pipe, window->end_mono_ns)) return 0;
  if (place == FEED_PIPE_NOWHERE || (pipe->hosted && window->start_mono_ns < pipe->seen_ns[source])) return 0;
  if (!gap && pipe_threads(pipe, source, place))
    moved = rtop_profile_add(pipe->profile, place, window, nodes, node_count, pipe->threads);
  else rtop_profile_add_gap(pipe->profile, place, window->start_mono_ns, window->end_mono_ns);
  if (!gap) pipe_drop_threads(pipe, source);
  if (!gap && window->end_mono_ns > pipe->last_ns[source]) pipe->last_ns[source] = window->end_mono_ns;
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

static const char *pipe_refusal(const struct feed_pipe *pipe, const struct rtop_error *error)
{
  if (!pipe->hosted || rtop_recording_stream_headed(pipe->stream)) return error->text;
  return error->code == RTOP_ERROR_VERSION
             ? "its rperf-top is of another version: it writes streams that this one cannot read"
             : "it sent something other than a stream of rperf-top";
}

/* A whole chunk. False: there is none. */
static bool pipe_take_one(struct feed_pipe *pipe, size_t *moved)
{
  struct rtop_error error = { 0 };
  enum rtop_recording_step step = rtop_recording_stream_next(pipe->stream, pipe->profile, &error);
  pipe_note_head(pipe);
  if (step == RTOP_RECORDING_CHUNK) *moved += pipe_take_rows(pipe);
  if (step == RTOP_RECORDING_ENDED) pipe_end(pipe, false, NULL);
  if (step == RTOP_RECORDING_REFUSED) pipe_end(pipe, true, pipe_refusal(pipe, &error));
  return step == RTOP_RECORDING_CHUNK;
}

/* Reads some bytes if available. False when there are none now, or no more will come. */
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
  uint64_t most =
      rtop_recording_stream_bytes(pipe->stream) + (pipe->hosted ? STREAM_BYTES_PER_TURN : STREAM_BYTES_PER_POLL);
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
  if (!feed->pipe->hosted) snprintf(feed->host, sizeof feed->host, "%s", about->host);
  base->info.parent = (pid_t)about->parent;
  memcpy(base->info.losses, about->pulse.losses, sizeof base->info.losses);
  base->info.tells_losses = about->pulse.tells_losses;
}

static void stream_set_end(struct feed_stream *feed, const char *cause, const char *text)
{
  feed_set_end(&feed->base, cause, text, feed->pipe->last_ns[feed->number]);
  feed->base.has_end = true;
}

/* Returns the state of the process according to the stream, or the end of the stream itself. */
static enum rtop_feed_state stream_state(struct rtop_feed *base)
{
  struct feed_stream *feed = (struct feed_stream *)base;
  const struct feed_pipe *pipe = feed->pipe;
  const struct rtop_recording_source *about =
      rtop_recording_source(rtop_recording_stream_content(pipe->stream), feed->number);
  const struct rtop_pulse *pulse = about && about->pulses ? &about->pulse : NULL;
  bool over = pulse && (pulse->state == RTOP_FEED_ENDED || pulse->state == RTOP_FEED_DEAD);
  if (over || (about && about->end_state)) {
    bool closed = over ? pulse->state == RTOP_FEED_ENDED : about->end_state == 1;
    bool words = pulse && *pulse->text;
    stream_set_end(feed, words ? pulse->cause : closed ? "closed" : "vanished", words ? pulse->text : "ended");
    return closed ? RTOP_FEED_ENDED : RTOP_FEED_DEAD;
  }
  if (feed->lost) {
    stream_set_end(feed, "vanished", "ended while its host was away");
    return RTOP_FEED_DEAD;
  }
  base->has_end = false;
  if (pipe->hosted && pipe->ended) return RTOP_FEED_STALLED; /* what became of it cannot be known */
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
  bool first = base->source == 0 && !feed->pipe->hosted;
  size_t moved = first ? pipe_poll(feed->pipe) : 0;
  const struct rtop_recording_source *about =
      rtop_recording_source(rtop_recording_stream_content(feed->pipe->stream), feed->number);
  (void)profile; /* the one that it was opened for */
  if (about) stream_tell(feed, about);
  if (*feed->pipe->problem && !*base->problem && first)
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

int64_t feed_pipe_behind_ns(const struct feed_pipe *pipe)
{
  int64_t there_ns, behind_ns;
  bool known = pipe->compared_ns && !__builtin_add_overflow(clock_now_ns(), pipe->clock_ns, &there_ns) &&
               !__builtin_sub_overflow(there_ns, pipe->newest_ns, &behind_ns);
  return known && behind_ns > 0 ? behind_ns : 0;
}

bool rtop_feed_stream_look(const struct rtop_feed *base, struct rtop_stream_look *look)
{
  if (base->ops != &stream_ops) return false;
  const struct feed_pipe *pipe = ((const struct feed_stream *)base)->pipe;
  const struct rtop_recording *content = rtop_recording_stream_content(pipe->stream);
  *look = (struct rtop_stream_look){
    .ended = pipe->ended,
    .broken = pipe->broken,
    .silent_ns = clock_now_ns() - pipe->arrived_ns,
    .behind_ns = feed_pipe_behind_ns(pipe),
    .clock_ns = pipe->clock_ns,
    .damages = rtop_recording_stream_damages(pipe->stream),
    .bytes = rtop_recording_stream_bytes(pipe->stream),
  };
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
  if (feed->pipe->hosted && feed->number < RECORDING_SOURCES_MAX && feed->pipe->place[feed->number] == base->source) {
    feed->pipe->place[feed->number] = FEED_PIPE_NOWHERE;
    feed->pipe->dropped[feed->number] = true;
  }
  pipe_release(feed->pipe);
  free(feed);
}

static const struct feed_ops stream_ops = { stream_state, stream_read, stream_wait_ms, NULL, stream_close };

static struct rtop_feed *stream_make_feed(struct feed_pipe *pipe, uint32_t number, uint32_t source)
{
  const struct rtop_recording *content = rtop_recording_stream_content(pipe->stream);
  const struct rtop_recording_source *about = rtop_recording_source(content, number);
  struct feed_stream *feed = about ? calloc(1, sizeof *feed) : NULL;
  if (!feed) return NULL;
  feed->pipe = pipe;
  pipe->users++;
  feed->base.ops = &stream_ops;
  feed->base.source = source;
  feed->number = number;
  feed->began_real_ns = about->started_real_ns;
  snprintf(feed->host, sizeof feed->host, "%s", pipe->hosted ? pipe->host.name : "");
  feed->base.info = (struct rtop_feed_info){
    .pid = (pid_t)about->pid,
    .command = feed->base.command,
    .ruby = feed->base.ruby,
    .folder = feed->base.folder,
    .host = feed->host,
    .window_ns = about->window_ns,
    .clock_offset_ns =
        pipe->hosted ? pipe->own_offset_ns : about->clock_offset_ns - rtop_recording_shift_ns(content, number),
    .started_real_ns =
        pipe->hosted ? rtop_clock_shifted(about->started_real_ns, -pipe->used_ns) : about->started_real_ns,
    .owner = rtop_recording_owner(content),
  };
  stream_tell(feed, about);
  feed->base.state = stream_state(&feed->base);
  return &feed->base;
}

struct rtop_feed *rtop_feed_stream_next(struct rtop_feed *first, uint32_t source)
{
  return first->ops == &stream_ops ? stream_make_feed(((struct feed_stream *)first)->pipe, source, source) : NULL;
}

/* Reads until a process is known. Earlier data belong to no process; a caller may want all subsequent data to pass
 * one by one. */
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

/* Waits until the stream has named a process or ended. */
static struct rtop_feed *stream_await(struct feed_pipe *pipe, struct rtop_error *error)
{
  struct rtop_feed *feed = NULL;
  struct pollfd ready = { .fd = pipe->fd, .events = POLLIN };
  while (!feed && !pipe->ended) {
    if (poll(&ready, 1, -1) < 0 && errno != EINTR) break;
    if (pipe_read(pipe)) pipe_meet(pipe);
    feed = stream_make_feed(pipe, 0, 0);
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

/* Returns the user whose files may be opened for this stream: for root, nobody or the user that root was before. */
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

/* ---- hosts ----------------------------------------------------------------------------------------------------- */

bool feed_pipe_shift(const struct feed_pipe *pipe, int64_t *shift_ns)
{
  *shift_ns = pipe_shift_ns(pipe);
  return pipe->there_offset_ns != 0;
}

void feed_pipe_came_back(struct feed_pipe *pipe, int64_t shift_ns)
{
  pipe->came_back = true;
  pipe->before_ns = shift_ns;
}

struct feed_pipe *feed_pipe_open(int fd, struct rtop_profile *profile, const struct feed_pipe_host *host)
{
  struct feed_pipe *pipe = calloc(1, sizeof *pipe);
  if (pipe) pipe->stream = rtop_recording_stream_open(stream_owner(geteuid()));
  if (!pipe || !pipe->stream) {
    free(pipe);
    return NULL;
  }
  const struct rtop_recording_placing placing = { .context = pipe, .place = pipe_place_mark };
  rtop_recording_stream_place(pipe->stream, &placing);
  rtop_recording_stream_name(pipe->stream, "what came");
  pipe->users = 1;
  pipe->fd = fd;
  pipe->profile = profile;
  pipe->arrived_ns = clock_now_ns();
  pipe->hosted = true;
  pipe->host = *host;
  for (uint32_t i = 0; i < RECORDING_SOURCES_MAX; i++) {
    pipe->place[i] = FEED_PIPE_NOWHERE;
    pipe->seen_ns[i] = host->from_ns;
  }
  return pipe;
}

void feed_pipe_close(struct feed_pipe **handle)
{
  struct feed_pipe *pipe = *handle;
  *handle = NULL;
  if (!pipe) return;
  pipe->ended = true; /* the descriptor is another's from now on */
  rtop_recording_stream_settle(pipe->stream);
  pipe_release(pipe);
}

/* Processes that have no windows yet have their places, too. */
static void pipe_place_all(struct feed_pipe *pipe)
{
  uint32_t count = rtop_recording_source_count(rtop_recording_stream_content(pipe->stream));
  for (uint32_t i = 0; i < count; i++) pipe_place(pipe, i);
}

size_t feed_pipe_poll(struct feed_pipe *pipe)
{
  size_t moved = pipe_poll(pipe);
  pipe_place_all(pipe);
  return moved;
}

enum feed_pipe_state feed_pipe_state(const struct feed_pipe *pipe)
{
  if (pipe->ended) return pipe->broken ? FEED_PIPE_BROKEN : FEED_PIPE_COMPLETE;
  return rtop_recording_source_count(rtop_recording_stream_content(pipe->stream)) ? FEED_PIPE_FLOWS : FEED_PIPE_BEGINS;
}

const char *feed_pipe_problem(const struct feed_pipe *pipe)
{
  return strncmp(pipe->problem, "the stream", 10) == 0 || !*pipe->problem ? NULL : pipe->problem;
}

bool feed_pipe_skew(const struct feed_pipe *pipe, int64_t *skew_ns)
{
  *skew_ns = pipe->skew_ns;
  return pipe->begun_ns && pipe->compared_ns;
}

bool feed_pipe_all_over(const struct feed_pipe *pipe)
{
  const struct rtop_recording *content = rtop_recording_stream_content(pipe->stream);
  if (rtop_recording_source_count(content) == 0) return false;
  for (uint32_t i = 0; i < rtop_recording_source_count(content); i++) {
    const struct rtop_recording_source *about = rtop_recording_source(content, i);
    bool over =
        about && (about->end_state ||
                  (about->pulses && (about->pulse.state == RTOP_FEED_ENDED || about->pulse.state == RTOP_FEED_DEAD)));
    if (about && !over) return false;
  }
  return true;
}

int64_t feed_pipe_silent_ns(const struct feed_pipe *pipe)
{
  return clock_now_ns() - pipe->arrived_ns;
}

struct rtop_feed *feed_pipe_feed(struct feed_pipe *pipe, uint32_t number, uint32_t source)
{
  return stream_make_feed(pipe, number, source);
}

bool feed_pipe_continues(const struct feed_pipe *pipe, uint32_t number, const struct rtop_feed *feed)
{
  const struct rtop_recording_source *about =
      rtop_recording_source(rtop_recording_stream_content(pipe->stream), number);
  const struct feed_stream *before = (const struct feed_stream *)feed;
  if (!about || feed->ops != &stream_ops || before->pipe == pipe) return false;
  return feed->info.pid == (pid_t)about->pid && before->pipe->host.context == pipe->host.context &&
         before->began_real_ns == about->started_real_ns;
}

void feed_pipe_rejoin(struct feed_pipe *pipe, uint32_t number, struct rtop_feed *base)
{
  struct feed_stream *feed = (struct feed_stream *)base;
  struct feed_pipe *before = feed->pipe;
  pipe->last_ns[number] = before->last_ns[feed->number];
  if (pipe->last_ns[number] > pipe->seen_ns[number]) pipe->seen_ns[number] = pipe->last_ns[number];
  pipe->users++;
  feed->pipe = pipe;
  feed->number = number;
  feed->lost = false;
  pipe_release(before);
}

bool feed_pipe_has(const struct feed_pipe *pipe, const struct rtop_feed *feed)
{
  return feed->ops == &stream_ops && ((const struct feed_stream *)feed)->pipe == pipe;
}

void feed_pipe_lost(struct rtop_feed *feed)
{
  ((struct feed_stream *)feed)->lost = true;
}
