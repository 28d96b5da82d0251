/* SPDX-License-Identifier: MIT */
/* A screen drawn without a terminal, as text or as a picture (--dump-screen). */
#include "app_dump.h"
#include "app_source.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "tui/cli/options.h"
#include "tui/cli/options_session.h"
#include "tui/feed/session.h"
#include "tui/term/screen.h"
#include "tui/ui/ui.h"
#include "tui/views/viewer.h"
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t patience_ns = INT64_C(10000000000);

bool app_dump_parse(struct app_dump_target *target, const char *text)
{
  int used = 0;
  target->file = "";
  target->svg = target->light = false;
  if (sscanf(text, "%dx%d%n", &target->columns, &target->rows, &used) != 2 || target->columns < 1 ||
      target->columns > 500 || target->rows < 1 || target->rows > 200)
    return false;
  if (text[used] == ':' && text[used + 1] != '\0') {
    target->file = text + used + 1;
    const char *extension = strrchr(target->file, '.');
    target->svg = extension != NULL && strcmp(extension, ".svg") == 0;
    target->light = screen_svg_is_light(target->file);
    return true;
  }
  return text[used] == '\0';
}

static void dump_collect(struct rtop_session *session, const struct rtop_options *options)
{
  int64_t length_ns = (int64_t)(options->frame_seconds * 1e9);
  if (options->time_seconds > 0) length_ns = (int64_t)(options->time_seconds * 1e9);
  int64_t deadline_ns = clock_now_ns() + length_ns + patience_ns;
  while (clock_now_ns() < deadline_ns) {
    rtop_session_poll(session);
    struct rtop_span held = rtop_profile_bounds(rtop_session_profile(session));
    bool enough = held.end_ns > held.start_ns && held.end_ns - held.start_ns >= length_ns;
    if (enough || rtop_session_over(session)) return;
    poll(NULL, 0, rtop_session_wait_ms(session));
  }
}

static FILE *file_for_us_alone(const char *path)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  return fd >= 0 ? fdopen(fd, "w") : NULL;
}

static int write_to(const struct app_dump_target *target)
{
  FILE *out = target->file[0] == '\0' ? stdout : file_for_us_alone(target->file);
  if (out == NULL) {
    fprintf(stderr, "rperf-top: cannot write ");
    perror(target->file);
    return 1;
  }
  if (target->svg) screen_write_svg(out, !target->light);
  else screen_write_text(out);
  bool failed = ferror(out) != 0;
  failed = (out == stdout ? fflush(out) : fclose(out)) != 0 || failed;
  if (failed) fprintf(stderr, "rperf-top: cannot write %s\n", target->file[0] == '\0' ? "the screen" : target->file);
  return failed;
}

/* `before`: what is compared with; NULL: nothing. */
static int dump_draw(struct ui *ui, struct rtop_session *session, struct rtop_session *before,
                     const struct rtop_options *options)
{
  ui->now_ns = clock_now_ns();
  ui->now_real_ns = clock_real_ns();
  ui_watch(ui, session != NULL ? rtop_session_profile(session) : NULL);
  if (session != NULL) {
    app_source_update(ui, session, options);
    if (before != NULL) ui_baseline_give(ui, rtop_session_profile(before));
    ui_open_view(ui, options->view);
  } else {
    ui_list_read(ui);
    ui_open_view(ui, VIEW_CHOOSER);
  }
  do {
    ui_stalls_poll(ui);
  } while (ui->stalls.more);
  do { /* drawing tells which slow parts are wanted */
    ui_draw(ui);
    if (!ui_update(ui)) {
      fprintf(stderr, "rperf-top: out of memory\n");
      return 1;
    }
  } while (ui->more);
  ui_draw(ui);
  return 0;
}

int app_dump(const struct rtop_options *options)
{
  static struct ui ui;
  struct app_dump_target target;
  struct rtop_session *session = NULL, *before = NULL;
  int status = 0;
  if (!app_dump_parse(&target, options->dump_screen)) {
    fprintf(stderr, "rperf-top: --dump-screen takes WIDTHxHEIGHT[:FILE.svg|FILE.txt]\n");
    return 2;
  }
  if (options->action != RTOP_ACTION_CHOOSE) {
    struct rtop_error error = { 0 };
    session = rtop_session_open(options, &status, &error);
    before = session != NULL ? rtop_session_open_before(options, &error) : NULL;
    if (session == NULL || error.text[0] != '\0') {
      rtop_session_close(&session);
      fprintf(stderr, "rperf-top: %s\n", error.text);
      return status;
    }
    for (int i = 0; rtop_session_left_out(session, i) != NULL; i++)
      fprintf(stderr, "rperf-top: %s\n", rtop_session_left_out(session, i));
    dump_collect(session, options);
  }
  struct screen_options look = { options->color == RTOP_COLOR_NEVER ? -1 : 0, options->ascii, options->theme };
  if (screen_open_headless(&look, target.rows, target.columns) != 0) {
    fprintf(stderr, "rperf-top: no description of an xterm-256color terminal is installed\n");
    status = 1;
  } else {
    status = ui_init(&ui, options) ? dump_draw(&ui, session, before, options) : 1;
    status = status == 0 ? write_to(&target) : status;
    screen_close();
    ui_destroy(&ui);
  }
  rtop_session_close(&before);
  rtop_session_close(&session);
  return status;
}
