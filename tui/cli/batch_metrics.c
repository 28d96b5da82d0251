/* SPDX-License-Identifier: MIT */
/* For options->push: sends profiles until the end. */
#include "batch.h"

#include "batch_watch.h"
#include "options_session.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "tui/metrics/metrics.h"
#include "tui/metrics/metrics_budget.h"
#include "tui/metrics/metrics_file.h"
#include "tui/metrics/metrics_serve.h"
#include "tui/metrics/metrics_text.h"
#include "tui/text/interrupt.h"
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  METRICS_LOOK_MS = 2000, /* rings hold much more */
  /* memory (bytes) that stays allocated between updates, because returning it and getting it zeroed again
     costs CPU time */
  METRICS_SPARE_BYTES = 64 << 20,
};

struct metrics_run {
  const struct rtop_options *options;
  struct batch_watch watch; /* without a session: nobody is there yet */
  struct metrics *metrics;
  struct metrics_server *server; /* NULL: a file */
  int64_t write_ms;              /* when the file is due */
  struct metrics_budget budget;
  int write_errno; /* the last time; 0: it was written */
};

static void run_wait(const struct metrics_run *run, int milliseconds)
{
  if (run->server) metrics_server_wait(run->server, milliseconds);
  else interrupt_wait(milliseconds);
}

static void run_write(struct metrics_run *run)
{
  const char *path = run->options->metrics;
  int problem = metrics_file_write(run->metrics, path) ? 0 : errno ? errno : EIO;
  if (problem && problem != run->write_errno)
    fprintf(stderr, "rperf-top: cannot write %s: %s\n", path, strerror(problem));
  run->write_errno = problem;
}

static void run_sources(struct metrics_run *run)
{
  const struct rtop_session *session = run->watch.session;
  for (int i = 0; i < rtop_session_count(session); i++) {
    enum rtop_feed_state state = rtop_session_feed_state(session, i);
    struct metrics_source about = {
      .opened = rtop_session_opened(session, i),
      .info = rtop_session_info(session, i),
      .live = state == RTOP_FEED_LIVE,
      .over = state != RTOP_FEED_LIVE && state != RTOP_FEED_STALLED,
    };
    metrics_source(run->metrics, (uint32_t)i, &about);
  }
  run->metrics->without_place = (uint64_t)rtop_session_without_place(session);
}

static void run_look(struct metrics_run *run)
{
  if (run->watch.session) run_sources(run);
  if (run->watch.session) metrics_stalls(run->metrics, &run->watch.stalls);
  metrics_look(run->metrics, run->watch.session ? rtop_session_profile(run->watch.session) : NULL);
}

/* Applies the CPU limit: sums are needed for all processes, stalls are searched in as many as the limit allows. */
static void run_save(struct metrics_run *run)
{
  if (!run->watch.session || !metrics_budget_look(&run->budget, clock_now_ns(), clock_own_cpu_ns())) return;
  rtop_session_by_seconds(run->watch.session, run->budget.saves);
  run->metrics->saves = run->budget.saves;
}

static void run_write_when_due(struct metrics_run *run)
{
  int64_t now_ms = clock_now_ms();
  if (run->server || now_ms < run->write_ms) return;
  run_write(run);
  run->write_ms = now_ms + (int64_t)(rtop_metrics_seconds(run->options) * 1000);
}

/* False: it is over. */
static bool run_step(struct metrics_run *run, int *status)
{
  bool goes_on = true;
  run_wait(run, METRICS_LOOK_MS);
  if (interrupt_signal()) return false;
  if (!run->watch.session && !batch_watch_open_later(&run->watch, run->options, status)) return false;
  if (run->watch.session) goes_on = batch_watch_look(&run->watch) && !rtop_session_over(run->watch.session);
  run_look(run);
  run_save(run);
  if (goes_on) run_write_when_due(run);
  return goes_on;
}

static int run_all(struct metrics_run *run)
{
  int status = 1;
  if (!batch_watch_open_later(&run->watch, run->options, &status)) return status;
  if (run->server) fprintf(stderr, "rperf-top: serving %s\n", metrics_server_url(run->server));
  status = 0;
  if (run->watch.session) batch_watch_look(&run->watch); /* who ends soon was seen alive */
  run_look(run);
  while (run_step(run, &status))
    ;
  if (!run->server) run_write(run);
  if (run->watch.session) status = batch_watch_close(&run->watch, status);
  else if (interrupt_signal()) status = 128 + interrupt_signal();
  return run->write_errno && status == 0 ? 1 : status;
}

int rtop_metrics_run(const struct rtop_options *options)
{
  struct rtop_error error = { 0 };
  struct metrics_run run = { .options = options, .metrics = metrics_create((size_t)options->metrics_top) };
  int status = 1;
  interrupt_open();
#ifdef M_TRIM_THRESHOLD /* only glibc's allocator keeps freed memory in this way */
  mallopt(M_TRIM_THRESHOLD, METRICS_SPARE_BYTES);
#endif
  if (!run.metrics) rtop_error_set(&error, RTOP_ERROR_SYSTEM, ENOMEM, "out of memory");
  else if (!options->metrics_file) run.server = metrics_server_open(options->metrics, run.metrics, &error);
  if (run.metrics && (run.server || options->metrics_file)) status = run_all(&run);
  else fprintf(stderr, "rperf-top: %s\n", error.text);
  metrics_server_close(&run.server);
  metrics_destroy(&run.metrics);
  return status;
}
