/* SPDX-License-Identifier: MIT */
/* Writing a stream for another rperf-top (--stream). */
#include "batch.h"

#include "batch_watch.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "tui/text/interrupt.h"
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* STREAM_REST_MS: time (ms) in which a reader that still reads gets the remaining data */
enum { STREAM_REST_MS = 3000, STREAM_LOOK_MS = 500 };

static int stream_problem(const char *text)
{
  fprintf(stderr, "rperf-top: %s\n", text);
  return 1;
}

/* Waits for space in the pipe, for the reader to close, for a signal, or for another window. */
static void stream_wait(struct rtop_session *session, int wait_ms)
{
  bool waits = rtop_recorder_queued(rtop_session_recorder(session)) > 0;
  interrupt_wait_for(STDOUT_FILENO, waits ? POLLOUT : 0, wait_ms);
}

/* Pause between readings (ms). Windows are read only when they are sent, since every reading costs CPU on this machine;
   but a command may be short. */
static int stream_pause_ms(const struct rtop_session *session)
{
  int wait_ms = rtop_session_wait_ms(session);
  bool calm = rtop_session_ready(session) && !rtop_session_launch(session);
  return calm && wait_ms < STREAM_LOOK_MS ? STREAM_LOOK_MS : wait_ms;
}

static bool stream_go_on(struct batch_watch *watch)
{
  struct rtop_session *session = watch->session;
  if (!rtop_session_send(session) || !batch_watch_goes_on(watch)) return false;
  stream_wait(session, stream_pause_ms(session));
  return batch_watch_look(watch);
}

/* Sends the remaining data. A second signal ends the wait for the reader. */
static void stream_rest(struct rtop_session *session)
{
  int64_t until_ms = clock_now_ms() + STREAM_REST_MS;
  rtop_session_poll(session); /* what came meanwhile, and who ended */
  rtop_session_finish_stream(session);
  interrupt_at_once(true);
  while (rtop_session_send(session) && rtop_recorder_queued(rtop_session_recorder(session)) > 0 &&
         clock_now_ms() < until_ms)
    stream_wait(session, 100);
}

static int stream_run(struct batch_watch *watch)
{
  struct rtop_session *session = watch->session;
  struct rtop_error error = { 0 };
  if (!rtop_session_stream(session, STDOUT_FILENO, &error)) return stream_problem(error.text);
  rtop_session_poll(session);
  while (stream_go_on(watch))
    ;
  stream_rest(session);
  return rtop_session_end_recording(session, &error) ? 0 : stream_problem(error.text);
}

int rtop_stream_run(const struct rtop_options *options)
{
  struct batch_watch watch;
  int status = 1;
  if (isatty(STDOUT_FILENO))
    return stream_problem("a stream is not for a terminal: pipe it into rperf-top -r -, or into a file");
  if (!batch_watch_open(&watch, options, &status)) return status;
  return batch_watch_close(&watch, stream_run(&watch));
}
