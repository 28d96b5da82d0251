/* Asks the processes, and says what comes of it. */
#include "app_trace.h"

#include <string.h>

static bool is_traced(const struct rtop_session *session, const char *name)
{
  const char *traced;
  for (int i = 0; (traced = rtop_session_traced(session, i)) != NULL; i++)
    if (strcmp(traced, name) == 0) return true;
  return false;
}

static void trace_toggle(struct ui *ui, struct rtop_session *session, const char *name)
{
  bool on = !is_traced(session, name);
  if (rtop_session_state(session) == RTOP_FEED_REPLAY) ui_say(ui, "this is a recording: nothing in it can be traced");
  else if (!rtop_session_ready(session) || rtop_session_over(session)) ui_say(ui, "there is nothing to trace");
  else if (!rtop_session_trace(session, name, on))
    ui_say(ui, "cannot trace %s: %d methods at most", name, RTOP_SESSION_TRACES_MAX);
  else if (on) ui_say(ui, "tracing %s: D shows its calls, c ends it", name);
  else ui_say(ui, "%s is traced no more", name);
}

static void trace_calls(struct ui *ui, struct rtop_session *session, const struct ui_calls_wish *wish)
{
  if (wish->end) rtop_session_trace_whole(session, 0, NULL);
  if (wish->begin && !rtop_session_trace_whole(session, wish->seconds, wish->how))
    ui_calls_failed(ui, "too much is traced already: c ends it, on a method that is");
}

void app_trace(struct ui *ui, struct rtop_session *session)
{
  struct ui_calls_wish calls = ui->wish.calls;
  ui->wish.calls = (struct ui_calls_wish){ 0 };
  if (session != NULL) trace_calls(ui, session, &calls);
  if (session != NULL && ui->wish.trace[0] != '\0') trace_toggle(ui, session, ui->wish.trace);
  ui->wish.trace[0] = '\0';
}
