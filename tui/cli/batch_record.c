/* SPDX-License-Identifier: MIT */
/* Recording without a screen (-o FILE.rpt). */
#include "batch.h"

#include "batch_progress.h"
#include "batch_watch.h"
#include "shm/base/error.h"
#include "tui/text/text.h"
#include <stdio.h>
#include <unistd.h>

static int record_problem(const struct rtop_error *error)
{
  fprintf(stderr, "rperf-top: %s\n", error->text);
  return 1;
}

static int record_done(const struct rtop_options *options, uint64_t bytes)
{
  char size[16];
  rtop_text_bytes(size, sizeof size, bytes);
  fprintf(stderr, "rperf-top: wrote %s (%s)\n", options->output, size);
  return 0;
}

/* Saves the requested part of the held data. */
static int record_span(const struct batch_watch *watch)
{
  const struct rtop_options *options = watch->options;
  struct rtop_profile *profile = rtop_session_profile(watch->session);
  struct rtop_span span = rtop_profile_last(profile, (int64_t)(batch_watch_seconds(watch) * 1e9));
  struct rtop_error error = { 0 };
  struct batch_progress progress;
  const char *what = options->replay_count ? options->replays[options->replay_count - 1] : "";
  if (span.end_ns <= span.start_ns) return batch_watch_nothing(watch);
  batch_progress_start(&progress, watch->session, what, false);
  bool fine = rtop_session_save_span(watch->session, span, options->output, &error);
  batch_progress_end(&progress, watch->session);
  if (!fine) return record_problem(&error);
  fprintf(stderr, "rperf-top: wrote %s\n", options->output);
  return 0;
}

static int record_watch(struct batch_watch *watch)
{
  const struct rtop_options *options = watch->options;
  struct rtop_error error = { 0 };
  if (!rtop_session_record(watch->session, options->output, options->size_max_bytes, &error))
    return record_problem(&error);
  const struct rtop_recorder *recorder = rtop_session_recorder(watch->session);
  rtop_session_poll(watch->session);
  while (!rtop_recorder_problem(recorder) && batch_watch_next(watch))
    ;
  rtop_session_poll(watch->session);
  bool empty = rtop_recorder_windows(recorder) == 0;
  uint64_t bytes = rtop_recorder_bytes(recorder);
  bool fine = rtop_session_end_recording(watch->session, &error);
  if (empty) unlink(options->output);
  if (!fine) return record_problem(&error);
  return empty ? batch_watch_nothing(watch) : record_done(options, bytes);
}

/* Is the span to save known only when watching ends? If so, the newest earlier data must be kept to the end. */
static bool record_at_the_end(const struct batch_watch *watch)
{
  bool over = rtop_session_ready(watch->session) && rtop_session_over(watch->session);
  return batch_watch_seconds(watch) > 0 && (over || watch->options->given & RTOP_GIVEN_FRAME);
}

int rtop_record_run(const struct rtop_options *options)
{
  struct batch_watch watch;
  int status = 1;
  if (!batch_watch_open(&watch, options, &status)) return status;
  bool replay = rtop_session_state(watch.session) == RTOP_FEED_REPLAY && rtop_session_ready(watch.session);
  if (replay || record_at_the_end(&watch)) {
    rtop_session_poll(watch.session);
    while (!replay && batch_watch_next(&watch))
      ;
    status = record_span(&watch);
  } else {
    status = record_watch(&watch);
  }
  return batch_watch_close(&watch, status);
}
