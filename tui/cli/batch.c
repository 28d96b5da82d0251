/* SPDX-License-Identifier: MIT */
/* Reports without a screen: text or JSON, one per update. */
#include "batch.h"

#include "batch_progress.h"
#include "batch_watch.h"
#include "shm/base/clock.h"
#include "tui/report/fail_if.h"
#include "tui/report/json.h"
#include "tui/report/report.h"
#include "tui/text/interrupt.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct batch {
  struct batch_watch watch;
  struct rtop_report report;
  struct rtop_session *baseline; /* session to compare with; NULL: no comparison, or with the previous frame */
  bool compares;
  bool started;           /* the first frame has begun */
  int64_t judged_from_ns; /* by --fail-if: what ended since; 0: all */
  int64_t due_end_ns;     /* end of the data for which the next report is due, and */
  int64_t due_clock_ns;   /* and by our clock it comes anyhow */
  long written;
  int write_errno;
};

static int batch_columns(void)
{
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col < 40 ? 40 : size.ws_col;
  return 80;
}

static struct rtop_profile *batch_before(const struct batch *batch)
{
  return batch->baseline ? rtop_session_profile(batch->baseline) : NULL;
}

/* Writes a report. False when writing failed; a reader that closes the pipe (head) causes no message. */
static bool batch_write(struct batch *batch, struct rtop_span span)
{
  const struct rtop_options *options = batch->watch.options;
  struct rtop_report *report = &batch->report;
  struct rtop_session *session = batch->watch.session;
  report->slower_requests_ns = (uint64_t)options->stall.request_ns;
  if (!rtop_report_take_span(report, session, &options->methods, span) ||
      (batch->compares && !rtop_report_compare(report, rtop_session_profile(session), batch_before(batch)))) {
    fprintf(stderr, "rperf-top: out of memory\n");
    return false;
  }
  bool fine = true;
  errno = 0;
  if (options->json) {
    fine = rtop_json_write(report, stdout);
  } else {
    rtop_report_write_text(report, stdout, batch_columns());
    fine = fflush(stdout) == 0 && !ferror(stdout);
  }
  batch->write_errno = errno;
  if (!fine && errno != EPIPE) fprintf(stderr, "rperf-top: cannot write: %s\n", strerror(errno));
  batch->written++;
  return fine;
}

static struct rtop_span batch_last(const struct batch *batch)
{
  const struct rtop_options *options = batch->watch.options;
  return rtop_profile_last(rtop_session_profile(batch->watch.session), (int64_t)(options->frame_seconds * 1e9));
}

/* Starts the first frame, which excludes time before this program came, since that was sampled at a lower rate. */
static void batch_start(struct batch *batch, const struct rtop_span *held)
{
  const struct rtop_options *options = batch->watch.options;
  bool past = options->action == RTOP_ACTION_WATCH && held->end_ns > held->start_ns;
  double first = options->frame_seconds > 0 ? options->frame_seconds : options->delay_seconds;
  int64_t now_ns = clock_now_ns();
  if (!rtop_session_ready(batch->watch.session)) return;
  if (held->end_ns == held->start_ns) { /* the process was stopped before its first window */
    if (!batch->due_clock_ns) batch->due_clock_ns = now_ns + (int64_t)(first * 1e9) + BATCH_PATIENCE_NS;
    batch->started = now_ns >= batch->due_clock_ns;
    return;
  }
  const struct rtop_feed_info *info = rtop_session_info(batch->watch.session, 0);
  int64_t from_ns = batch_watch_from(held->end_ns, now_ns, info ? (int64_t)info->window_ns : 0);
  batch->started = true;
  batch->judged_from_ns = past ? from_ns : 0;
  batch->due_end_ns = (past ? from_ns : held->start_ns) + (int64_t)(first * 1e9);
  batch->due_clock_ns = now_ns + batch->due_end_ns - held->end_ns + BATCH_PATIENCE_NS;
}

static bool batch_is_due(struct batch *batch, const struct rtop_span *held)
{
  const struct rtop_feed_info *info = rtop_session_info(batch->watch.session, 0);
  int64_t slack_ns = info ? (int64_t)info->window_ns / 2 : 0;
  return held->end_ns >= batch->due_end_ns - slack_ns || clock_now_ns() >= batch->due_clock_ns;
}

static void batch_next_due(struct batch *batch, const struct rtop_span *held)
{
  int64_t delay_ns = (int64_t)(batch->watch.options->delay_seconds * 1e9);
  batch->due_end_ns += delay_ns;
  batch->due_clock_ns += delay_ns;
  if (held->end_ns > batch->due_end_ns) batch->due_end_ns = held->end_ns + delay_ns;
  if (clock_now_ns() > batch->due_clock_ns) batch->due_clock_ns = clock_now_ns() + delay_ns;
}

/* Handles new data. False: enough was written, or writing failed (*status). */
static bool batch_step(struct batch *batch, int *status)
{
  long wanted = batch->watch.options->refreshes;
  struct rtop_span held = rtop_profile_bounds(rtop_session_profile(batch->watch.session));
  if (!batch->started) batch_start(batch, &held);
  if (!batch->started || rtop_session_over(batch->watch.session) || !batch_is_due(batch, &held)) return true;
  if (!batch_write(batch, batch_last(batch))) {
    *status = batch->write_errno == EPIPE ? 0 : 1;
    return false;
  }
  batch_next_due(batch, &held);
  return wanted == 0 || batch->written < wanted;
}

/* Prints the reports of a recording at the intervals of a live process, without waiting. The last report covers the
 * remaining time, which may be shorter. Returns the exit status. */
static int batch_replay(struct batch *batch)
{
  const struct rtop_options *options = batch->watch.options;
  struct rtop_span held = rtop_profile_bounds(rtop_session_profile(batch->watch.session));
  const struct rtop_feed_info *info = rtop_session_info(batch->watch.session, 0);
  int64_t frame_ns = (int64_t)(options->frame_seconds * 1e9), delay_ns = (int64_t)(options->delay_seconds * 1e9);
  int64_t slack_ns = info ? (int64_t)info->window_ns / 2 : 0;
  int64_t end_ns = frame_ns > 0 && !options->last_only ? held.start_ns + frame_ns : held.end_ns;
  struct batch_progress progress;
  bool fine = true;
  batch_progress_start(&progress, batch->watch.session, options->replays[options->replay_count - 1], true);
  for (bool last = held.end_ns <= held.start_ns; fine && !last && !interrupt_signal(); end_ns += delay_ns) {
    last = end_ns >= held.end_ns - slack_ns;
    struct rtop_span span = { .end_ns = last ? held.end_ns : end_ns };
    span.start_ns = frame_ns > 0 && span.end_ns - frame_ns > held.start_ns ? span.end_ns - frame_ns : held.start_ns;
    fine = batch_write(batch, span);
    last = last || (options->refreshes && batch->written >= options->refreshes);
  }
  batch_progress_end(&progress, batch->watch.session);
  return fine || batch->write_errno == EPIPE ? 0 : 1;
}

/* Marks frames of the comparison, which may be an old sum, as used. */
static void batch_keep(void *context, struct rtop_symbols *symbols)
{
  const struct batch *batch = context;
  rtop_sum_keep(&batch->report.sum, symbols);
  rtop_sum_keep(&batch->report.before_sum, symbols);
  verdict_keep(&batch->report.verdict, symbols);
  verdict_past_keep(&batch->report.past, symbols);
}

/* Returns the exit status of --fail-if; 0: no condition holds, or none was given. */
static int batch_judge(const struct batch *batch)
{
  const struct rtop_options *options = batch->watch.options;
  struct rtop_profile *profile = rtop_session_profile(batch->watch.session);
  struct rtop_span span = rtop_profile_bounds(profile);
  if (batch->judged_from_ns > span.start_ns) span.start_ns = batch->judged_from_ns;
  if (!options->fail_if_count) return 0;
  return fail_if_run(options->fail_if, options->fail_if_count, profile, span, batch_before(batch), stderr);
}

int rtop_batch_run(const struct rtop_options *options, const char *note)
{
  struct batch batch = { 0 };
  int status = 1;
  if (!batch_watch_before(options, &batch.baseline)) return status;
  if (!batch_watch_open(&batch.watch, options, &status)) {
    rtop_session_close(&batch.baseline);
    return status;
  }
  rtop_profile_add_keeper(rtop_session_profile(batch.watch.session),
                          &(struct rtop_profile_keeper){ &batch, batch_keep });
  batch.compares = batch.baseline || options->methods.sort == RTOP_SORT_DELTA;
  if (note)
    fprintf(stderr, "rperf-top: %s: %s\n", note,
            options->last_only ? "the last span (-b reports all of them)" : "one plain report (-b continues)");
  status = 0;
  bool more = true;
  rtop_session_poll(batch.watch.session);
  bool replay = rtop_session_state(batch.watch.session) == RTOP_FEED_REPLAY;
  if (replay) status = batch_replay(&batch);
  while (!replay && (more = batch_step(&batch, &status)) && batch_watch_next(&batch.watch))
    ;
  bool over = rtop_session_over(batch.watch.session) && rtop_session_ready(batch.watch.session);
  if (!replay && more && over && !batch_write(&batch, batch_last(&batch))) status = batch.write_errno == EPIPE ? 0 : 1;
  int judged = status == 0 ? batch_judge(&batch) : 0;
  rtop_report_destroy(&batch.report);
  rtop_session_close(&batch.baseline);
  status = batch_watch_close(&batch.watch, status);
  return judged ? judged : status;
}
