/* SPDX-License-Identifier: MIT */
/* Counts all calls of a process or command for a limited time (--trace-all), or samples where objects are made
 * (--allocations), then reports. */
#include "batch.h"

#include "batch_whole.h"
#include "shm/base/clock.h"
#include "tui/report/json.h"
#include "tui/report/report.h"
#include "tui/report/sites_out.h"
#include "tui/report/whole_out.h"
#include "tui/text/interrupt.h"
#include "tui/text/output_status.h"
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Maximum wait (ns) after the time is up: counts are still being published, or an idle process notices the end late. */
#define WHOLE_PATIENCE_NS (10 * CLOCK_NS_PER_SECOND)
enum { WHOLE_COLUMNS = 120, WHOLE_LEAST_PERCENT = 1 };

struct rtop_span whole_watch_span(const struct whole_watch *watch)
{
  struct rtop_span span = rtop_profile_bounds(rtop_session_profile(watch->batch.session));
  int64_t earlier_ns = watch->options.sites ? 0 : WHOLE_EARLIER_NS;
  if (span.end_ns > watch->held.end_ns && watch->held.end_ns > watch->held.start_ns)
    span.start_ns = watch->held.end_ns - earlier_ns;
  return span;
}

/* Has the counting ended in all processes? Checks states only; figures are added up once, at the end. */
static bool whole_is_over(struct whole_watch *watch)
{
  const struct rtop_options *options = &watch->options;
  struct rtop_session *session = watch->batch.session;
  struct rtop_span span = whole_watch_span(watch);
  bool final = options->sites ? sites_state_final(rtop_session_sites(session, span))
                              : whole_state_final(rtop_session_whole(session, span, &watch->before));
  int64_t now = clock_now_ns(), gc_ns = options->sites ? RTOP_SITES_GC_SECONDS * CLOCK_NS_PER_SECOND : 0;
  if (!watch->end_ns && rtop_session_ready(session))
    watch->end_ns = now + (int64_t)(options->whole_seconds * 1e9) + WHOLE_PATIENCE_NS + gc_ns;
  return final || (watch->end_ns && now >= watch->end_ns);
}

/* Why there is nothing; NULL: there is. */
static const char *whole_nothing(const struct rtop_options *options, const struct rtop_report *report,
                                 const char **state)
{
  *state = options->sites ? sites_state_text(report->sites.state) : whole_state_text(report->whole.numbers.head.state);
  if (options->sites) return report->sites.count ? NULL : "no object was sampled";
  return report->whole.tree_count ? NULL : "no call was traced";
}

static void whole_write_report(const struct rtop_options *options, const struct rtop_report *report)
{
  struct winsize size = { .ws_col = WHOLE_COLUMNS };
  double least = options->methods.min_percent > 0 ? options->methods.min_percent : WHOLE_LEAST_PERCENT;
  if (isatty(STDOUT_FILENO)) ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  if (options->sites) sites_write_text(&report->sites, report->symbols, stdout, size.ws_col);
  else whole_write_text(&report->whole, report->symbols, least / 100, stdout, size.ws_col);
}

static int whole_write(struct whole_watch *watch, struct rtop_report *report)
{
  const struct rtop_options *options = &watch->options;
  report->whole.numbers.before = watch->before;
  report->sites_order = options->sites_by_bytes ? SITES_BY_BYTES : SITES_BY_OBJECTS;
  if (!rtop_report_take_span(report, watch->batch.session, &options->methods, whole_watch_span(watch))) {
    fprintf(stderr, "rperf-top: out of memory\n");
    return 1;
  }
  const char *state, *nothing = whole_nothing(options, report, &state);
  if (nothing) fprintf(stderr, "rperf-top: %s%s%s\n", nothing, *state ? ": " : "", state);
  if (options->json) rtop_json_write(report, stdout);
  else if (!nothing) whole_write_report(options, report);
  int status = rtop_output_status(stdout);
  return status ? status : nothing ? 1 : 0;
}

bool whole_watch_run(struct whole_watch *watch, const struct rtop_options *options, int *status)
{
  *watch = (struct whole_watch){ .options = *options }; /* the process ends it */
  watch->options.time_seconds = 0;
  int64_t asked_ns = clock_now_ns(); /* opening asks; on a busy machine, windows with the answer may be there already */
  if (!batch_watch_open(&watch->batch, &watch->options, status)) return false;
  rtop_session_poll(watch->batch.session);
  if (options->action == RTOP_ACTION_WATCH)
    watch->held = rtop_profile_bounds(rtop_session_profile(watch->batch.session));
  if (watch->held.end_ns > asked_ns) watch->held.end_ns = asked_ns;
  watch->before = whole_before(rtop_session_profile(watch->batch.session), watch->held);
  while (!whole_is_over(watch) && batch_watch_next(&watch->batch))
    ;
  rtop_session_poll(watch->batch.session);
  return true;
}

int rtop_whole_run(const struct rtop_options *options)
{
  struct whole_watch watch;
  struct rtop_report report = { 0 };
  int status = 1;
  if (!whole_watch_run(&watch, options, &status)) return status;
  bool ready = rtop_session_ready(watch.batch.session);
  if (ready) status = whole_write(&watch, &report);
  rtop_report_destroy(&report);
  return batch_watch_close(&watch.batch, status);
}
