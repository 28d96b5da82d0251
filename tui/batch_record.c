#include "batch.h"

#include "batch_progress.h"
#include "batch_watch.h"
#include "shm/error.h"
#include "text.h"
#include <stdio.h>
#include <unistd.h>

static int record_problem(const struct rtop_error *error)
{
  fprintf(stderr, "rperf-top: %s\n", error->text);
  return 1;
}

static void record_done(const struct rtop_options *options, uint64_t bytes)
{
  char size[16];
  rtop_text_bytes(size, sizeof size, bytes);
  fprintf(stderr, "rperf-top: wrote %s (%s)\n", options->output, size);
}

/* Of a recording that is there: all of it, once more. */
static int record_again(struct rtop_session *session, const struct rtop_options *options)
{
  struct rtop_profile *profile = rtop_session_profile(session);
  struct rtop_error error = {0};
  struct batch_progress progress;
  rtop_session_poll(session);
  batch_progress_start(&progress, session, options->replays[options->replay_count - 1], false);
  bool fine = rtop_session_save_span(session, rtop_profile_bounds(profile), options->output, &error);
  batch_progress_end(&progress, session);
  if (!fine)
    return record_problem(&error);
  fprintf(stderr, "rperf-top: wrote %s\n", options->output);
  return 0;
}

static int record_watch(struct batch_watch *watch)
{
  const struct rtop_options *options = watch->options;
  struct rtop_error error = {0};
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
  if (empty)
    unlink(options->output);
  if (!fine)
    return record_problem(&error);
  if (!empty)
    record_done(options, bytes);
  return 0;
}

int rtop_record_run(const struct rtop_options *options)
{
  struct batch_watch watch;
  int status = 1;
  if (!batch_watch_open(&watch, options, &status))
    return status;
  if (rtop_session_state(watch.session) == RTOP_FEED_REPLAY && rtop_session_ready(watch.session))
    status = record_again(watch.session, options);
  else
    status = record_watch(&watch);
  return batch_watch_close(&watch, status);
}
