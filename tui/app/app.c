/* SPDX-License-Identifier: MIT */
/* The main loop with a screen: keys, new data, signals, requests of views, and leaving. */
#include "app.h"
#include "app_dump.h"
#include "app_record.h"
#include "app_source.h"
#include "app_trace.h"
#include "command.h"
#include "editor.h"
#include "settings.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "tui/cli/death_action.h"
#include "tui/cli/options.h"
#include "tui/cli/options_session.h"
#include "tui/cli/stall_action.h"
#include "tui/feed/launch.h"
#include "tui/feed/session.h"
#include "tui/term/draw.h"
#include "tui/term/keys.h"
#include "tui/term/mouse.h"
#include "tui/term/screen.h"
#include "tui/text/signals.h"
#include "tui/ui/ui.h"
#include "tui/views/viewer.h"
#include <errno.h>
#include <ncurses.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { LIST_NS = 1000000000, SOON_NS = 30000000, MS_NS = 1000000, EDITOR_MS = 50 };

struct app {
  const struct rtop_options *options;
  struct rtop_session *session; /* NULL while choosing */
  struct rtop_session *before;  /* what it is compared with; NULL: nothing */
  struct stall_action action;
  struct death_action death;
  struct ui ui;
  int signal_fd;
  enum screen_width width; /* as the screen shows it */
  int64_t refresh_at_ns;
  bool fresh; /* windows came since the last update */
};

bool rtop_app_screen_possible(const char **reason)
{
  return screen_possible(reason);
}

static void read_clocks(struct app *app)
{
  app->ui.now_ns = clock_now_ns();
  app->ui.now_real_ns = clock_real_ns();
}

static void handle_signals(struct app *app)
{
  unsigned events = signals_take();
  struct ui *ui = &app->ui;
  if ((events & (SIGNAL_QUIT | SIGNAL_HANGUP)) != 0) {
    ui->wish.quit = true;
    return;
  }
  ui->wish.suspend = ui->wish.suspend || (events & SIGNAL_SUSPEND) != 0;
  if ((events & (SIGNAL_RESIZE | SIGNAL_CONTINUE)) != 0) {
    if ((events & SIGNAL_CONTINUE) != 0 && !screen_continued()) {
      ui->wish.quit = true;
      return;
    }
    screen_resize();
    screen_repaint();
    ui->stale = ui->dirty = true; /* another size may show other columns */
  }
}

static void read_keys(struct app *app)
{
  for (int key = screen_key(); key != SCREEN_KEY_NONE; key = screen_key()) {
    if (key == SCREEN_KEY_GONE) {
      app->ui.wish.quit = true;
      return;
    }
    if (key == (KEY_MOUSE | KEY_FUNCTION)) {
      struct mouse_event event = mouse_take();
      ui_mouse(&app->ui, &event);
    } else if (key != (KEY_RESIZE | KEY_FUNCTION)) {
      ui_key(&app->ui, key);
    }
    if (app->ui.wish.quit || app->ui.wish.suspend || app->ui.wish.command[0] != '\0' || app->ui.wish.chosen != 0 ||
        app->ui.wish.leave_target)
      return; /* what was typed ahead comes after it */
  }
}

/* Handles a change of the character width that the terminal reported. */
static void take_width(struct app *app)
{
  struct ui *ui = &app->ui;
  if (screen_width() == app->width) return;
  app->width = screen_width();
  if (app->width == SCREEN_WIDTH_NOT_UTF8) {
    draw_charset(true, false);
    ui_say(ui, "this terminal takes no UTF-8: plain ASCII");
  }
  ui->look.wide = app->width == SCREEN_WIDTH_WIDE;
  if (ui->look.wide && ui->look.ascii == UI_ASCII_AUTO) ui_say(ui, "blocks are two columns wide here: ASCII (~)");
  if (app->width != SCREEN_WIDTH_NARROW) {
    screen_repaint();
    ui->dirty = true;
  }
}

/* Does the program begin with the list? Yes, if all processes are watched and no view was requested, since the list is
   then most informative. */
static bool begins_with_list(const struct app *app)
{
  const struct rtop_options *options = app->options;
  bool everybody = false;
  for (int i = 0; i < options->name_count; i++) everybody = everybody || strcmp(options->names[i], "all") == 0;
  return everybody && (options->given & RTOP_GIVEN_VIEW) == 0 && app->ui.source.count > 1;
}

static void watch(struct app *app, struct rtop_session *session)
{
  app->session = session;
  ui_watch(&app->ui, session != NULL ? rtop_session_profile(session) : NULL);
  ui_open_view(&app->ui, session != NULL ? app->ui.first_view : VIEW_CHOOSER);
  app->refresh_at_ns = 0;
  if (session == NULL) return;
  app_source_update(&app->ui, session, app->options);
  if (begins_with_list(app)) ui_open_view(&app->ui, VIEW_CHOOSER);
}

/* Switches from the list to a target, or back. */
static void change_target(struct app *app)
{
  struct ui *ui = &app->ui;
  if (ui->wish.chosen != 0) {
    struct rtop_error error = { 0 };
    struct rtop_session *session =
        rtop_session_open_pid(ui->wish.chosen, app->options->rate_hz, app->options->alone, &error);
    ui->wish.chosen = 0;
    if (session != NULL) watch(app, session);
    else ui_say(ui, "%s", error.text);
  }
  if (ui->wish.leave_target) {
    ui->wish.leave_target = false;
    death_action_close(&app->death, app->session);
    ui_watch(ui, NULL); /* the viewer releases the profile before the session frees it */
    rtop_session_close(&app->session);
    watch(app, NULL);
  }
}

static void take_windows(struct app *app)
{
  struct ui *ui = &app->ui;
  if (app->session != NULL) {
    app->fresh = rtop_session_poll(app->session) > 0 || app->fresh;
    app_source_update(ui, app->session, app->options);
    death_action_poll(&app->death, app->session);
    if (app->death.said[0] != '\0') ui_say(ui, "%s", app->death.said);
    app->death.said[0] = '\0';
  }
  ui_time_tick(ui);
  if (app->fresh || ui->stalls.more) {
    ui_stalls_poll(ui);
    core_limits_update(&ui->cores, ui_source_pid(ui), ui->now_ns);
    stall_action_poll(&app->action, app->session, &ui->stalls.stalls, ui->stalls.more);
    if (app->action.said[0] != '\0') {
      ui_say(ui, "%s", app->action.said);
      app->action.said[0] = '\0';
    }
  }
  if (ui->now_ns < app->refresh_at_ns && !ui->stale) return;
  bool due = ui->now_ns >= app->refresh_at_ns;
  if (app->session == NULL && due) {
    ui_list_read(ui);
    ui->stale = true;
  }
  if (due) {
    ui->dirty = ui->dirty || ui->frozen; /* its age is shown */
    bool news = app->fresh && (!ui->frozen || ui_time_changed(ui));
    ui->stale = ui->stale || news || ui->view->id == VIEW_OUTPUT || ui->more;
    app->fresh = false;
  }
  if (ui->stale && !ui_update(ui)) ui_say(ui, "out of memory: the figures are old");
  if (due) {
    int64_t step_ns = app->session == NULL ? LIST_NS : (int64_t)(ui->delay_seconds * 1e9);
    app->refresh_at_ns = ui->now_ns + (ui->more || ui->stalls.more ? SOON_NS : step_ns);
  }
}

static int wait_ms(const struct app *app)
{
  const struct ui *ui = &app->ui;
  int64_t until_ns = app->refresh_at_ns;
  if (ui_has_message(ui) && ui->message_until_ns < until_ns) until_ns = ui->message_until_ns;
  if (ui_time_due_ns(ui) < until_ns) until_ns = ui_time_due_ns(ui);
  int64_t ms = (until_ns - clock_now_ns()) / MS_NS + 1;
  return ms < 0 ? 0 : ms > 3600000 ? 3600000 : (int)ms;
}

/* Time until the next poll (ms). Windows are read just before the screen is updated, and often enough not to be
 * overtaken by the ring if the delay is long; until there is a first window, as soon as one comes. */
static int poll_ms(const struct app *app)
{
  int ms = wait_ms(app);
  if (app->session == NULL) return ms;
  bool waiting = app->ui.sum.length_ns == 0 && !rtop_session_over(app->session);
  int bound = waiting ? rtop_session_wait_ms(app->session) : 1000;
  return ms < bound ? ms : bound < 10 ? 10 : bound;
}

static void app_draw(struct app *app)
{
  struct ui *ui = &app->ui;
  if (ui->wish.repaint) {
    screen_repaint();
    ui->wish.repaint = false;
    ui->dirty = true;
  }
  if (ui->message[0] != '\0' && !ui_has_message(ui)) {
    ui->message[0] = '\0';
    ui->dirty = true;
  }
  if (ui->dirty) {
    ui_draw(ui);
    screen_refresh(ui->look.sync);
  }
}

/* Runs the editor, which has the terminal meanwhile; windows are still collected, so that no data are lost. */
static void run_editor(struct app *app)
{
  int status = 0;
  uid_t user;
  if (!editor_user(app->ui.wish.edit.owner, &user)) {
    ui_say(&app->ui, "root does not edit a file that another user named (use sudo)");
    return;
  }
  screen_leave();
  pid_t pid = editor_start(app->ui.wish.edit.line, app->ui.wish.edit.path, user);
  if (app->session != NULL) rtop_session_spare(app->session, pid > 0 ? pid : 0);
  while (pid > 0 && !editor_ended(pid, &status)) {
    poll(NULL, 0, EDITOR_MS);
    if (app->session != NULL) app->fresh = rtop_session_poll(app->session) > 0 || app->fresh;
  }
  screen_return();
  read_clocks(app);
  if (pid < 0 || status == 127) ui_say(&app->ui, "the editor cannot be started: set EDITOR");
  app->ui.stale = true;
}

static void loop(struct app *app)
{
  struct ui *ui = &app->ui;
  while (!ui->wish.quit) {
    struct pollfd wait[3] = { { screen_input_fd(), POLLIN, 0 }, { app->signal_fd, POLLIN, 0 } };
    if (ui->wish.suspend) {
      ui->wish.suspend = false;
      ui->wish.quit = !screen_suspend();
      if (ui->wish.quit) break;
      read_clocks(app);
      ui->stale = true;
    }
    if (ui->wish.edit.wanted) {
      ui->wish.edit.wanted = false;
      run_editor(app);
    }
    if (ui->wish.command[0] != '\0') {
      command_run(ui, ui->wish.command);
      ui->wish.command[0] = '\0';
    }
    app_record(ui, app->session);
    app_trace(ui, app->session);
    /* The first window of a target is shown as soon as it comes, not at the next update. */
    if (app->session != NULL && ui->sum.length_ns == 0 && app->fresh) app->refresh_at_ns = 0;
    take_windows(app);
    app_draw(app);
    wait[2] = (struct pollfd){ app->session != NULL ? rtop_session_input_fd(app->session) : -1, POLLIN, 0 };
    if (poll(wait, 3, poll_ms(app)) < 0 && errno != EINTR) break;
    read_clocks(app);
    handle_signals(app);
    if (!ui->wish.quit && (wait[0].revents != 0 || screen_has_key())) {
      read_keys(app);
      take_width(app);
    }
    change_target(app);
  }
}

/* Shows notes on how the processes, or the command, were found. */
static void say_what_began(struct ui *ui, const struct rtop_session *session)
{
  const struct rtop_launch *launch = rtop_session_launch(session);
  if (launch != NULL && rtop_launch_note(launch)[0] != '\0') ui_say(ui, "%s", rtop_launch_note(launch));
  if (rtop_session_left_out(session, 0) == NULL) return;
  bool more = rtop_session_left_out(session, 1) != NULL;
  ui_say(ui, "%s%s", more ? "some are not watched: " : "", rtop_session_left_out(session, 0));
}

static int app_run(struct app *app)
{
  const struct rtop_options *options = app->options;
  struct screen_options look = { .ascii = options->ascii, .theme = options->theme };
  look.color = options->color == RTOP_COLOR_NEVER ? -1 : options->color == RTOP_COLOR_ALWAYS;
  if (screen_open(&look) != 0) {
    fprintf(stderr, "rperf-top: the terminal cannot be opened: use -b for a report without a screen\n");
    return 1;
  }
  int status = 1;
  if (ui_init(&app->ui, options)) {
    app->ui.list.choosing = app->session == NULL;
    mouse_use(app->ui.look.mouse);
    read_clocks(app);
    settings_load(&app->ui, options);
    take_width(app);
    watch(app, app->session);
    if (app->session != NULL) say_what_began(&app->ui, app->session);
    if (app->before != NULL) ui_baseline_give(&app->ui, rtop_session_profile(app->before));
    loop(app);
    stall_action_close(&app->action, app->session, &app->ui.stalls.stalls);
    death_action_close(&app->death, app->session);
    status = 0;
  }
  screen_close();
  ui_destroy(&app->ui);
  return status;
}

/* Opens the target, if one was given. False: the reason was printed, and *status is the exit status. */
static bool app_open(struct app *app, int *status)
{
  struct rtop_error error = { 0 };
  if (app->options->action == RTOP_ACTION_CHOOSE) return true;
  if (app->options->action == RTOP_ACTION_REPLAY) settings_read(app->options);
  app->session = rtop_session_open(app->options, status, &error);
  app->before = app->session != NULL ? rtop_session_open_before(app->options, &error) : NULL;
  if (app->session != NULL && error.text[0] == '\0') return true;
  rtop_session_close(&app->session);
  fprintf(stderr, "rperf-top: %s\n", error.text);
  return false;
}

int rtop_app_run(const struct rtop_options *options)
{
  static struct app app; /* large: lists and buffers */
  if (options->dump_screen != NULL) return app_dump(options);
  if (!screen_possible(NULL)) return RTOP_APP_NO_SCREEN;
  int status = 0;
  app = (struct app){ .options = options, .signal_fd = -1 };
  /* A stream may take long to begin (for instance while a password is typed); until then signals end the program. */
  if (options->action == RTOP_ACTION_REPLAY && !app_open(&app, &status)) return status;
  app.signal_fd = signals_open();
  stall_action_open(&app.action, options);
  death_action_open(&app.death, options);
  if (app.signal_fd < 0) {
    perror("rperf-top: pipe");
    return 1;
  }
  if (options->action != RTOP_ACTION_REPLAY && !app_open(&app, &status)) {
    signals_close();
    return status;
  }
  status = app_run(&app);
  signals_close();
  rtop_session_close(&app.session);
  rtop_session_close(&app.before);
  return status;
}
