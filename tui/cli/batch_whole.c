/* All calls of a process or a command for a moment (--trace-all): watches until that is over, then tells. */
#include "batch.h"

#include "batch_whole.h"
#include "shm/base/clock.h"
#include "tui/report/json.h"
#include "tui/report/report.h"
#include "tui/report/whole_out.h"
#include "tui/text/interrupt.h"
#include "tui/text/output_status.h"
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* After its time: as long as numbers are still told, or a process that does nothing may take to notice. */
#define WHOLE_PATIENCE_NS (10 * CLOCK_NS_PER_SECOND)
enum { WHOLE_COLUMNS = 120, WHOLE_LEAST_PERCENT = 1 };

struct rtop_span whole_watch_span(const struct whole_watch *watch)
{
  struct rtop_span span = rtop_profile_bounds(rtop_session_profile(watch->batch.session));
  if (span.end_ns > watch->held.end_ns && watch->held.end_ns > watch->held.start_ns) span.start_ns = watch->held.end_ns;
  return span;
}

/* Only states: the rest is added up once. */
static bool whole_is_over(struct whole_watch *watch)
{
  enum rtop_whole_state state = rtop_session_whole(watch->batch.session, whole_watch_span(watch));
  int64_t now = clock_now_ns();
  if (!watch->end_ns && rtop_session_ready(watch->batch.session))
    watch->end_ns = now + (int64_t)(watch->options.whole_seconds * 1e9) + WHOLE_PATIENCE_NS;
  return whole_state_final(state) || (watch->end_ns && now >= watch->end_ns);
}

static int whole_write(struct whole_watch *watch, struct rtop_report *report)
{
  const struct rtop_options *options = &watch->options;
  struct winsize size = { .ws_col = WHOLE_COLUMNS };
  if (!rtop_report_take_span(report, watch->batch.session, &options->methods, whole_watch_span(watch))) {
    fprintf(stderr, "rperf-top: out of memory\n");
    return 1;
  }
  bool done = report->whole.tree_count > 0;
  const char *why = whole_state_text(report->whole.numbers.head.state);
  if (!done) fprintf(stderr, "rperf-top: no call was traced%s%s\n", *why ? ": " : "", why);
  double least = options->methods.min_percent > 0 ? options->methods.min_percent : WHOLE_LEAST_PERCENT;
  if (options->json) rtop_json_write(report, stdout);
  else if (done) {
    if (isatty(STDOUT_FILENO)) ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    whole_write_text(&report->whole, report->symbols, least / 100, stdout, size.ws_col);
  }
  int status = rtop_output_status(stdout);
  return status ? status : done ? 0 : 1;
}

bool whole_watch_run(struct whole_watch *watch, const struct rtop_options *options, int *status)
{
  *watch = (struct whole_watch){ .options = *options }; /* the process ends it */
  watch->options.time_seconds = 0;
  if (!batch_watch_open(&watch->batch, &watch->options, status)) return false;
  rtop_session_poll(watch->batch.session);
  if (options->action == RTOP_ACTION_WATCH)
    watch->held = rtop_profile_bounds(rtop_session_profile(watch->batch.session));
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
