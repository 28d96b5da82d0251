/* SPDX-License-Identifier: MIT */
/* Recording while the screen is open, and saving the shown span. */
#include "app_record.h"

#include "shm/base/error.h"
#include "tui/text/text.h"
#include <string.h>
#include <time.h>
#include <unistd.h>

void app_record_name(char *out, size_t bytes, pid_t pid, int64_t real_ns)
{
  char date[32] = "";
  time_t seconds = (time_t)(real_ns / 1000000000);
  struct tm local;
  if (localtime_r(&seconds, &local) != NULL) strftime(date, sizeof date, "%Y%m%d-%H%M%S", &local);
  snprintf(out, bytes, "rperf-top-%d-%s.rpt", (int)pid, date);
}

static void stop(struct ui *ui, struct rtop_session *session)
{
  struct rtop_error error = { 0 };
  char path[256], size[16];
  const struct rtop_recorder *recorder = rtop_session_recorder(session);
  bool empty = rtop_recorder_windows(recorder) == 0;
  snprintf(path, sizeof path, "%s", rtop_recorder_path(recorder));
  rtop_text_bytes(size, sizeof size, rtop_recorder_bytes(recorder));
  if (!rtop_session_end_recording(session, &error)) {
    ui_say(ui, "%s", error.text);
  } else if (empty) {
    unlink(path);
    ui_say(ui, "nothing was recorded");
  } else {
    ui_say(ui, "recorded %s (%s)", path, size);
  }
}

static void record_start(struct ui *ui, struct rtop_session *session)
{
  struct rtop_error error = { 0 };
  char path[256];
  app_record_name(path, sizeof path, ui->source.main.pid, ui->now_real_ns);
  if (access(path, F_OK) == 0) ui_say(ui, "%s already exists", path);
  else if (rtop_session_record(session, path, 0, &error)) ui_say(ui, "recording to %s; r stops", path);
  else ui_say(ui, "%s", error.text);
}

static void record_toggle(struct ui *ui, struct rtop_session *session)
{
  if (rtop_session_recorder(session) != NULL) stop(ui, session);
  else if (rtop_session_state(session) == RTOP_FEED_REPLAY)
    ui_say(ui, "this is a recording: :export FILE.rpt saves the span that is shown");
  else if (!rtop_session_ready(session) || rtop_session_over(session)) ui_say(ui, "there is nothing to record");
  else record_start(ui, session);
}

static void record_save(struct ui *ui, struct rtop_session *session)
{
  struct rtop_error error = { 0 };
  if (rtop_session_save_span(session, ui->span, ui->wish.record.path, &error))
    ui_say(ui, "wrote %s", ui->wish.record.path);
  else ui_say(ui, "%s", error.text);
}

void app_record(struct ui *ui, struct rtop_session *session)
{
  if (session != NULL && ui->wish.record.path[0] != '\0') record_save(ui, session);
  if (session != NULL && ui->wish.record.toggle) record_toggle(ui, session);
  ui->wish.record.path[0] = '\0';
  ui->wish.record.toggle = false;
  const struct rtop_recorder *recorder = session != NULL ? rtop_session_recorder(session) : NULL;
  if (recorder != NULL && rtop_recorder_problem(recorder) != NULL) stop(ui, session); /* says what went wrong */
}
