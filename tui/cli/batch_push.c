/* SPDX-License-Identifier: MIT */
/* Profiles for a profile server, one interval after the other (--push). */
#include "batch.h"

#include "batch_watch.h"
#include "options_session.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "tui/push/push.h"
#include "tui/push/push_send.h"
#include "tui/text/interrupt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  PUSH_LOOK_MS = 1000,
  PUSH_LOOK_SOON_MS = 100, /* ms between searches while a command that this
                              program started is young, since it may end soon */
};

struct push_run {
  const struct rtop_options *options;
  struct batch_watch watch; /* without a session: nobody is there yet */
  struct push push;
  struct push_sender *sender;
  struct push_source sources[RTOP_SESSION_FEEDS_MAX];
  int64_t due_ms;
  uint64_t told_dropped, told_failed;
};

static size_t run_sources(struct push_run *run)
{
  const struct rtop_session *session = run->watch.session;
  int count = rtop_session_count(session);
  for (int i = 0; i < count; i++) {
    enum rtop_feed_state state = rtop_session_feed_state(session, i);
    const struct rtop_feed_info *info = rtop_session_info(session, i);
    run->sources[i] = (struct push_source){
      .opened = rtop_session_opened(session, i),
      .live = state == RTOP_FEED_LIVE || state == RTOP_FEED_STALLED,
      .process = { .name = run->push.name,
                   .host = run->push.host,
                   .command = info->command,
                   .ruby = info->ruby,
                   .pid = info->pid,
                   .started_real_ns = info->started_real_ns,
                   .clock_offset_ns = rtop_session_clock_offset_ns(session) },
    };
  }
  return (size_t)count;
}

static void run_interval(struct push_run *run, bool last)
{
  if (!run->watch.session) return;
  size_t count = run_sources(run);
  push_interval(&run->push, rtop_session_profile(run->watch.session), run->sources, count, last);
}

/* Reports a problem once, when it begins; totals are reported at the end. */
static void run_say(struct push_run *run)
{
  const char *said = push_sender_said(run->sender);
  if (said) fprintf(stderr, "rperf-top: %s\n", said);
  if (run->push.queue.dropped && !run->told_dropped)
    fprintf(stderr, "rperf-top: %d MB wait to be sent: from now on the oldest profiles are dropped\n",
            PUSH_QUEUE_BYTES >> 20);
  if (run->push.failed && !run->told_failed) fputs("rperf-top: a profile could not be made: out of memory\n", stderr);
  run->told_dropped = run->push.queue.dropped;
  run->told_failed = run->push.failed;
}

/* False: it is over. */
static bool run_step(struct push_run *run, int *status)
{
  bool goes_on = true;
  push_sender_wait(run->sender, &run->push.queue, run->options->command ? PUSH_LOOK_SOON_MS : PUSH_LOOK_MS);
  if (interrupt_signal()) return false;
  if (!run->watch.session && !batch_watch_open_later(&run->watch, run->options, status)) return false;
  if (run->watch.session) goes_on = batch_watch_look(&run->watch) && !rtop_session_over(run->watch.session);
  int64_t now_ms = clock_now_ms();
  if (goes_on && now_ms >= run->due_ms) {
    run_interval(run, false);
    run->due_ms = now_ms + (int64_t)(run->options->interval_seconds * 1000);
  }
  run_say(run);
  return goes_on;
}

/* Sends the remaining profiles and reports the result. Returns whether everything was sent. */
static bool run_end(struct push_run *run)
{
  const struct push_queue *queue = &run->push.queue;
  if (run->watch.session) rtop_session_poll(run->watch.session);
  run_interval(run, true);
  if (run->watch.session) batch_watch_saves(&run->watch); /* another signal ends it at once */
  else interrupt_at_once(true);
  push_sender_last(run->sender, &run->push.queue, PUSH_LAST_MS);
  run_say(run);
  const struct push_counts *counts = push_sender_counts(run->sender);
  uint64_t dropped = queue->dropped + queue->count, failed = run->push.failed;
  fprintf(stderr, "rperf-top: %llu of %llu profiles were sent", (unsigned long long)counts->sent,
          (unsigned long long)run->push.profiles);
  if (counts->refused) fprintf(stderr, ", %llu refused", (unsigned long long)counts->refused);
  if (dropped) fprintf(stderr, ", %llu dropped", (unsigned long long)dropped);
  if (failed) fprintf(stderr, ", %llu not made", (unsigned long long)failed);
  if (run->push.gaps) fprintf(stderr, "; %llu windows were lost", (unsigned long long)run->push.gaps);
  if (run->push.lost_ns) fprintf(stderr, "; %.1f s were not held in memory", (double)run->push.lost_ns / 1e9);
  putc('\n', stderr);
  return !counts->refused && !dropped && !failed && !run->push.lost_ns;
}

static int run_all(struct push_run *run)
{
  int status = 1;
  if (!batch_watch_open_later(&run->watch, run->options, &status)) return status;
  status = 0;
  if (run->watch.session) batch_watch_look(&run->watch); /* who ends soon was seen alive */
  run->due_ms = clock_now_ms() + (int64_t)(run->options->interval_seconds * 1000);
  while (run_step(run, &status))
    ;
  bool all = run_end(run);
  if (run->watch.session) status = batch_watch_close(&run->watch, status);
  else if (interrupt_signal()) status = 128 + interrupt_signal();
  return !all && status == 0 ? 1 : status;
}

int rtop_push_run(const struct rtop_options *options)
{
  struct rtop_error error = { 0 };
  struct push_run *run = calloc(1, sizeof *run);
  int status = 1;
  interrupt_open();
  if (!run) rtop_error_set(&error, RTOP_ERROR_SYSTEM, 0, "out of memory");
  else {
    run->options = options;
    run->push.kind = options->push_kind;
    run->push.name = options->push_name;
    if (gethostname(run->push.host, sizeof run->push.host - 1) != 0 || !*run->push.host)
      strcpy(run->push.host, "localhost");
    run->sender = push_sender_open(options->push, options->push_kind, options->push_headers, &error);
  }
  if (run && run->sender) status = run_all(run);
  else fprintf(stderr, "rperf-top: %s\n", error.text);
  if (run) {
    push_sender_close(&run->sender);
    push_queue_clear(&run->push.queue);
  }
  free(run);
  return status;
}
