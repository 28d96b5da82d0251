/* SPDX-License-Identifier: MIT */
/* Passes trace requests to the processes, and shows the results. */
#include "app_trace.h"

#include <string.h>

static bool is_traced(const struct rtop_session *session, const char *name)
{
  const char *traced;
  for (int i = 0; (traced = rtop_session_traced(session, i)) != NULL; i++)
    if (strcmp(traced, name) == 0) return true;
  return false;
}

/* Starts or ends tracing; text as for rtop_session_trace(). A method that is already traced and is now to be forced
 * is started again. */
static void trace_toggle(struct ui *ui, struct rtop_session *session, const char *text)
{
  char name[sizeof ui->wish.trace];
  bool forced;
  snprintf(name, sizeof name, "%.*s", (int)rtop_session_trace_name(text, &forced), text);
  bool before = is_traced(session, name), on = !before || forced;
  if (rtop_session_state(session) == RTOP_FEED_REPLAY) ui_say(ui, "this is a recording: nothing in it can be traced");
  else if (!rtop_session_ready(session) || rtop_session_over(session)) ui_say(ui, "there is nothing to trace");
  else if ((before && !rtop_session_trace(session, name, false)) || (on && !rtop_session_trace(session, text, true)))
    ui_say(ui, "cannot trace %s: %d methods at most", name, RTOP_SESSION_TRACES_MAX);
  else if (on) ui_say(ui, "tracing %s: D shows its calls, c ends it", name);
  else ui_say(ui, "%s is traced no more", name);
}

static void trace_calls(struct ui *ui, struct rtop_session *session, const struct ui_calls_wish *wish)
{
  if (wish->end) rtop_session_trace_whole(session, 0, NULL);
  if (wish->begin && !rtop_session_trace_whole(session, wish->seconds, wish->how))
    ui_calls_failed(ui, "too many methods are traced: press c on a traced one to end its tracing");
}

static const char sites_name[] = { RTOP_TRACE_SITES, '\0' };

static void sites_toggle(struct ui *ui, struct rtop_session *session)
{
  bool on = !is_traced(session, sites_name);
  if (rtop_session_state(session) == RTOP_FEED_REPLAY) ui_say(ui, "this is a recording: nothing in it can be sampled");
  else if (!rtop_session_ready(session) || rtop_session_over(session)) ui_say(ui, "there is nothing to sample");
  else if (!rtop_session_trace_sites(session, on ? RTOP_SITES_SECONDS : 0)) ui_say(ui, "too many methods are traced: no objects can be sampled");
  else if (on) {
    ui->sites_begin_ns = rtop_profile_bounds(rtop_session_profile(session)).end_ns;
    ui_say(ui, "sampling new objects for %d s: M ends it", RTOP_SITES_SECONDS);
  } else ui_say(ui, "objects are sampled no more");
  ui->stale = true;
}

/* Withdraws a finished request, so that the next one starts anew. */
static void sites_over(const struct ui *ui, struct rtop_session *session)
{
  struct rtop_span span = rtop_profile_bounds(rtop_session_profile(session));
  int64_t second_ago_ns = span.end_ns - 1000000000;
  if (!is_traced(session, sites_name)) return;
  if (ui->sites_begin_ns > span.start_ns) span.start_ns = ui->sites_begin_ns;
  if (second_ago_ns > span.start_ns) span.start_ns = second_ago_ns;
  if (rtop_session_sites(session, span) >= RTOP_SITES_DONE) rtop_session_trace_sites(session, 0);
}

void app_trace(struct ui *ui, struct rtop_session *session)
{
  struct ui_calls_wish calls = ui->wish.calls;
  ui->wish.calls = (struct ui_calls_wish){ 0 };
  if (session != NULL) trace_calls(ui, session, &calls);
  if (session != NULL && ui->wish.trace[0] != '\0') trace_toggle(ui, session, ui->wish.trace);
  ui->wish.trace[0] = '\0';
  if (session != NULL) sites_over(ui, session);
  if (session != NULL && ui->wish.sites) sites_toggle(ui, session);
  ui->wish.sites = false;
}
