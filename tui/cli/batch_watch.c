/* SPDX-License-Identifier: MIT */
/* Watching without a screen: decides when a report is due, and when watching is over. */
#include "batch_watch.h"

#include "options_session.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "tui/feed/launch_words.h"
#include "tui/text/budget.h"
#include "tui/text/interrupt.h"
#include "tui/text/text.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Limits computing time for files, which are complete when opened; live processes may be watched without limit. */
static void batch_limit_time(const struct rtop_options *options)
{
  char why[128], name[160], line[320];
  struct stat status;
  const char *path = options->replays[options->replay_count - 1];
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return;
  uint64_t bytes = (uint64_t)status.st_size;
  rtop_text_sanitize(name, sizeof name, path, strlen(path));
  rtop_budget_say(RTOP_BUDGET_TIME, bytes, why, sizeof why);
  snprintf(line, sizeof line, "rperf-top: %s %s", name, why);
  interrupt_limit_time(rtop_budget_max(RTOP_BUDGET_TIME, bytes), line);
}

void batch_watch_saves(const struct batch_watch *watch)
{
  const struct rtop_launch *launch = rtop_session_launch(watch->session);
  interrupt_at_once(!launch || rtop_launch_ended(rtop_session_launch(watch->session)));
}

static void batch_watch_keep(void *context, struct rtop_symbols *symbols)
{
  stalls_keep(&((const struct batch_watch *)context)->stalls, symbols);
}

static void batch_watch_left_out(struct batch_watch *watch)
{
  for (; rtop_session_left_out(watch->session, watch->left_out); watch->left_out++)
    fprintf(stderr, "rperf-top: %s\n", rtop_session_left_out(watch->session, watch->left_out));
}

bool batch_watch_try(struct batch_watch *watch, const struct rtop_options *options, int *exit_status,
                     struct rtop_error *error)
{
  interrupt_open();
  /* Files are only read, and a partly printed table is no loss, so signals end the program at once. */
  if (options->action == RTOP_ACTION_REPLAY) batch_limit_time(options);
  interrupt_at_once(options->action == RTOP_ACTION_REPLAY ||
                    (options->action == RTOP_ACTION_WATCH && options->batch && !options->on_stall &&
                     !options->save_on_death && options->host_count == 0)); /* clients of ssh are ended */
  *watch = (struct batch_watch){ .options = options };
  stall_action_open(&watch->action, options);
  death_action_open(&watch->death, options);
  watch->session = rtop_session_open(options, exit_status, error);
  if (!watch->session) return false;
  rtop_profile_add_keeper(rtop_session_profile(watch->session),
                          &(struct rtop_profile_keeper){ watch, batch_watch_keep });
  batch_watch_left_out(watch);
  struct rtop_stream_look look;
  if (rtop_session_stream_look(watch->session, &look) && !options->batch) interrupt_at_once(false);
  const struct rtop_launch *launch = rtop_session_launch(watch->session);
  if (launch && *rtop_launch_note(launch)) fprintf(stderr, "rperf-top: %s\n", rtop_launch_note(launch));
  if (launch && *rtop_launch_log_path(launch))
    fprintf(stderr, "rperf-top: output of the command goes to %s\n", rtop_launch_log_path(launch));
  return true;
}

bool batch_watch_open(struct batch_watch *watch, const struct rtop_options *options, int *exit_status)
{
  struct rtop_error error = { 0 };
  if (batch_watch_try(watch, options, exit_status, &error)) return true;
  fprintf(stderr, "rperf-top: %s\n", error.text);
  return false;
}

bool batch_watch_open_later(struct batch_watch *watch, const struct rtop_options *options, int *exit_status)
{
  struct rtop_error error = { 0 };
  if (batch_watch_try(watch, options, exit_status, &error)) return true;
  if (options->name_count && options->pid_count == 0) return true;
  fprintf(stderr, "rperf-top: %s\n", error.text);
  return false;
}

/* Searches for stalls only if they trigger an action or are counted. */
static void batch_watch_stalls(struct batch_watch *watch)
{
  const struct rtop_options *options = watch->options;
  if (!options->on_stall && !options->save_on_stall && !options->metrics) return;
  struct rtop_profile *profile = rtop_session_profile(watch->session);
  struct stall_limits limits = options->stall;
  limits.request_ns = 0; /* neither actions nor metrics are about requests */
  bool more = stalls_update(&watch->stalls, profile, rtop_profile_symbols(profile), &limits);
  stall_action_poll(&watch->action, watch->session, &watch->stalls, more);
  if (watch->action.said[0]) fprintf(stderr, "rperf-top: %s\n", watch->action.said);
  watch->action.said[0] = '\0';
}

static void batch_watch_deaths(struct batch_watch *watch)
{
  if (watch->death.said[0]) fprintf(stderr, "rperf-top: %s\n", watch->death.said);
  watch->death.said[0] = '\0';
}

/* Begins the time of -t when there is something to watch. Saved data are measured in the process's windows, the last of
 * which comes slightly after the time is up. */
static void batch_watch_begin(struct batch_watch *watch)
{
  int64_t now_ns = clock_now_ns(), time_ns = (int64_t)(watch->options->time_seconds * 1e9);
  const struct rtop_feed_info *info = rtop_session_info(watch->session, 0);
  if (watch->deadline_ns || time_ns == 0 || !info) return;
  watch->deadline_ns = now_ns + time_ns;
  if (!watch->options->output) return;
  watch->deadline_ns += BATCH_PATIENCE_NS;
  watch->wanted_end_ns = now_ns + time_ns - info->window_ns / 2;
}

static bool batch_watch_has_all(const struct batch_watch *watch)
{
  if (!watch->deadline_ns) return false;
  return clock_now_ns() >= watch->deadline_ns ||
         (watch->wanted_end_ns &&
          rtop_profile_bounds(rtop_session_profile(watch->session)).end_ns >= watch->wanted_end_ns);
}

bool batch_watch_goes_on(struct batch_watch *watch)
{
  if (interrupt_signal() || rtop_session_over(watch->session)) return false;
  batch_watch_begin(watch);
  return true;
}

bool batch_watch_look(struct batch_watch *watch)
{
  struct rtop_session *session = watch->session;
  rtop_session_poll(session);
  if (rtop_session_waits(session) && !watch->told) {
    fprintf(stderr, "rperf-top: %s\n", rtop_session_waits(session));
    watch->told = true;
  }
  batch_watch_left_out(watch);
  batch_watch_stalls(watch);
  death_action_poll(&watch->death, session);
  batch_watch_deaths(watch);
  batch_watch_begin(watch);
  return !batch_watch_has_all(watch);
}

bool batch_watch_next(struct batch_watch *watch)
{
  if (!batch_watch_goes_on(watch)) return false;
  interrupt_wait_for(rtop_session_input_fd(watch->session), POLLIN, rtop_session_wait_ms(watch->session));
  return batch_watch_look(watch);
}

double batch_watch_seconds(const struct batch_watch *watch)
{
  const struct rtop_options *options = watch->options;
  if (options->given & RTOP_GIVEN_FRAME) return options->frame_seconds;
  return options->action == RTOP_ACTION_WATCH ? options->time_seconds : 0;
}

int64_t batch_watch_from(int64_t held_end_ns, int64_t now_ns, int64_t window_ns)
{
  if (window_ns < 0 || window_ns > CLOCK_NS_PER_SECOND) return held_end_ns;
  int64_t from_ns = now_ns - window_ns;
  return held_end_ns < from_ns && held_end_ns >= from_ns - CLOCK_NS_PER_SECOND ? from_ns : held_end_ns;
}

int batch_watch_nothing(const struct batch_watch *watch)
{
  if (rtop_session_problem(watch->session)) return 0; /* closing says more */
  fprintf(stderr, "rperf-top: nothing was recorded: %s is not written\n", watch->options->output);
  return 1;
}

int batch_watch_close(struct batch_watch *watch, int status)
{
  const char *problem = rtop_session_problem(watch->session);
  struct rtop_launch *launch = rtop_session_launch(watch->session);
  if (problem) fprintf(stderr, "rperf-top: %s\n", problem);
  if (problem && launch && *rtop_launch_log_path(launch)) rtop_launch_write_tail(launch, stderr);
  if (problem && status == 0 && !launch) status = 1;
  if (launch && status == 0 && rtop_launch_ended(launch)) status = rtop_launch_status(launch);
  else if (status == 0 && interrupt_signal() && !watch->options->output) status = 128 + interrupt_signal();
  if (problem && status == 0) status = 1;
  death_action_close(&watch->death, watch->session);
  batch_watch_deaths(watch);
  stall_action_close(&watch->action, watch->session, &watch->stalls);
  stalls_destroy(&watch->stalls);
  rtop_session_close(&watch->session);
  return status;
}

bool batch_watch_before(const struct rtop_options *options, struct rtop_session **before)
{
  struct rtop_error error = { 0 };
  *before = rtop_session_open_before(options, &error);
  if (error.text[0] != '\0') fprintf(stderr, "rperf-top: %s\n", error.text);
  return error.text[0] == '\0';
}
