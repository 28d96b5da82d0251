/* SPDX-License-Identifier: MIT */
/* Copies the state of the watched processes from the session to the screen. */
#include "app_source.h"
#include "tui/cli/options.h"
#include "tui/feed/session.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include "tui/views/viewer.h"
#include <stddef.h>
#include <string.h>

static const int64_t STREAM_SILENT_NS = 2500000000;

/* Does another source continue the process after exec? Recordings do not say so. */
static bool is_replaced(const struct rtop_session *session, int index)
{
  bool replaced = rtop_session_feed_replaced(session, index);
  if (rtop_session_feed_state(session, index) != RTOP_FEED_REPLAY) return replaced;
  for (int i = index + 1; i < rtop_session_count(session); i++)
    replaced = replaced || rtop_session_process(session, i) == rtop_session_process(session, index);
  return replaced;
}

/* Is the process alive, or was it when the recording ended? */
static bool goes_on(const struct rtop_session *session, int index)
{
  struct rtop_feed_end end;
  enum rtop_feed_state state = rtop_session_feed_state(session, index);
  if (state != RTOP_FEED_REPLAY) return ui_lives(state);
  return !is_replaced(session, index) && !rtop_session_feed_end(session, index, &end);
}

/* Number of living processes; for a recording without known ends, all of them. */
static int processes_alive(const struct rtop_session *session)
{
  int alive = 0, all = 0, count = rtop_session_count(session);
  for (int i = 0; i < count; i++) {
    alive += goes_on(session, i);
    all += rtop_session_feed_state(session, i) == RTOP_FEED_REPLAY && !is_replaced(session, i);
  }
  if (alive == 0) alive = all;
  return alive > 0 ? alive : 1;
}

/* Returns the index of the first living process; if none lives, of the one that ended last, whose ending is shown,
 * since a command may have become another program. */
static int main_index(const struct rtop_session *session)
{
  struct rtop_feed_end end, last = { 0 };
  int count = rtop_session_count(session), ended = count - 1;
  for (int i = 0; i < count; i++)
    if (goes_on(session, i)) return i;
  for (int i = 0; i < count; i++) {
    if (is_replaced(session, i) || !rtop_session_feed_end(session, i, &end) || end.real_ns <= last.real_ns) continue;
    last = end;
    ended = i;
  }
  return ended;
}

static void name_command(char *out, size_t bytes, char *const *command)
{
  char raw[512];
  size_t used = 0;
  raw[0] = '\0';
  for (; *command != NULL && used + 1 < sizeof raw; command++) {
    int count = snprintf(raw + used, sizeof raw - used, "%s%s", used > 0 ? " " : "", *command);
    used += count > 0 ? (size_t)count : 0;
  }
  rtop_text_sanitize(out, bytes, raw, strnlen(raw, sizeof raw));
}

static void name_file(char *out, size_t bytes, const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  rtop_text_sanitize(out, bytes, name, strlen(name));
}

static void fill_process(struct ui_process *process, const struct rtop_session *session, int index)
{
  const struct rtop_feed_info *info = rtop_session_info(session, index);
  struct rtop_feed_end end;
  process->pid = info->pid;
  process->parent = rtop_session_feed_parent(session, index);
  process->owner = info->owner;
  snprintf(process->command, sizeof process->command, "%s", info->command);
  snprintf(process->ruby, sizeof process->ruby, "%s", info->ruby);
  if (info->host != NULL) snprintf(process->host, sizeof process->host, "%s", *info->host ? info->host : "?");
  process->host_place = rtop_session_feed_host(session, index);
  process->state = rtop_session_feed_state(session, index);
  process->replaced = is_replaced(session, index);
  process->started_real_ns = info->started_real_ns;
  process->code_real_ns = ui_lives(process->state) || info->sees_our_files ? info->code_real_ns : 0;
  memcpy(process->losses, info->losses, sizeof process->losses);
  if (rtop_session_feed_end(session, index, &end)) {
    snprintf(process->end, sizeof process->end, "%s", end.text);
    process->by_exec = strcmp(end.cause, "exec") == 0;
    process->ended_real_ns = end.real_ns;
    process->lived_ns = end.lived_ns;
  }
}

/* Fills in the data for all processes together: if none lives, the ending is that of the process that ended last. */
static void fill_main(struct ui_source *source, const struct rtop_session *session)
{
  struct rtop_feed_end end;
  int index = main_index(session);
  if (index >= 0) fill_process(&source->main, session, index); /* the process may have no index any more */
  source->main.state = rtop_session_state(session);
  memset(source->main.losses, 0, sizeof source->main.losses);
  for (int i = 0; i < source->count && i < UI_SOURCES_MAX; i++)
    for (int loss = 0; loss < RTOP_LOSSES; loss++) source->main.losses[loss] += source->at[i].losses[loss];
  source->main.end[0] = '\0';
  source->main.lived_ns = source->main.ended_real_ns = 0;
  if (rtop_session_end(session, &end)) {
    snprintf(source->main.end, sizeof source->main.end, "%s", end.text);
    source->main.by_exec = strcmp(end.cause, "exec") == 0;
    source->main.ended_real_ns = end.real_ns;
    source->main.lived_ns = end.lived_ns;
  }
}

/* Another one may have its place. */
static bool same_process(const struct ui_process *one, const struct ui_process *other)
{
  return one->pid == other->pid && one->started_real_ns == other->started_real_ns;
}

static void show_all(struct ui *ui)
{
  ui->apart = 0;
  ui->lens.processes = false;
  ui->stale = true;
}

/* The first view says who is there. */
static void say_who_came(struct ui *ui, const struct ui_source *now)
{
  for (int i = 0; ui->source.count > 0 && i < now->count && i < UI_SOURCES_MAX; i++) {
    const struct ui_process *process = &now->at[i];
    if (i < ui->source.count && same_process(process, &ui->source.at[i])) continue;
    if (i + 2 == ui->apart) show_all(ui); /* another process got the index of the one shown alone */
    if (process->parent != 0 && ui_lives(process->state))
      ui_say(ui, "process %d joined: %s", (int)process->pid, ui_short_command(process->command));
  }
}

/* Shows a message when a process ends; from then on the title says so. */
static void say_who_went(struct ui *ui, const struct ui_source *now)
{
  const struct ui_source *before = &ui->source;
  for (int i = 0; i < before->count && i < now->count && i < UI_SOURCES_MAX; i++) {
    const struct ui_process *process = &now->at[i];
    if (same_process(process, &before->at[i]) && ui_lives(before->at[i].state) && !ui_lives(process->state) &&
        !process->replaced && now->count > 1)
      ui_say(ui, "process %d: %s", (int)process->pid, process->end[0] != '\0' ? process->end : "gone");
  }
}

/* Opens the output of a command if there is nothing else to show, and closes it when the command can be
 * watched after all. */
static void show_output(struct ui *ui, bool said)
{
  bool says = ui->source.launch != NULL && (ui->source.problem != NULL || ui->source.waits != NULL);
  if (says && !said && ui->view->id != VIEW_OUTPUT) {
    ui_open_view(ui, VIEW_OUTPUT);
    ui->source_opened_output = true;
  } else if (!says && said && ui->source_opened_output && ui->view->id == VIEW_OUTPUT) {
    ui_open_view(ui, ui->first_view);
  }
}

/* Fills in the state of a stream. A stream reports every second; a delay shorter than the transmission takes
   is not shown. */
static void fill_stream(struct ui_stream *stream, const struct rtop_session *session)
{
  struct rtop_stream_look look;
  if (!rtop_session_stream_look(session, &look)) return;
  stream->there = true;
  stream->ended = look.ended;
  stream->broken = look.broken;
  stream->left_out = look.left_out;
  stream->clock_ns = look.clock_ns;
  stream->silent_seconds = look.silent_ns > STREAM_SILENT_NS ? (int)(look.silent_ns / 1000000000 % 1000000) : 0;
  stream->behind_tenths = (int)(look.behind_ns / 100000000 % 100000000);
}

static void fill_hosts(struct ui_source *source, const struct rtop_session *session)
{
  source->hosts = rtop_session_hosts(session);
  for (int i = 0; i < source->hosts; i++) {
    struct rtop_host_look look;
    struct ui_host *host = &source->host[i];
    rtop_session_host(session, i, &look);
    snprintf(host->name, sizeof host->name, "%s", look.name);
    snprintf(host->reason, sizeof host->reason, "%s", look.reason);
    host->state = look.state;
    host->retry_seconds = look.retry_seconds;
    host->silent_seconds = look.silent_seconds;
    host->skew_seconds = look.skew_known ? (int)(look.skew_ns / 1000000000 % 1000000000) : 0;
    host->processes = look.processes;
  }
}

/* Says who is watched before any of it is known. */
static void name_hosts(struct ui_source *source)
{
  struct phrase words = { .out = source->main.command, .bytes = sizeof source->main.command };
  for (int i = 0; i < source->hosts; i++) phrase_add(&words, "%s%s", i > 0 ? ", " : "", source->host[i].name);
}

void app_source_update(struct ui *ui, const struct rtop_session *session, const struct rtop_options *options)
{
  static struct ui_source source; /* large; one loop */
  int count = rtop_session_count(session);
  size_t bytes =
      offsetof(struct ui_source, at) + (size_t)(count < UI_SOURCES_MAX ? count : UI_SOURCES_MAX) * sizeof source.at[0];
  memset(&source, 0, bytes);
  source.ready = rtop_session_ready(session);
  source.clock_offset_ns = rtop_session_clock_offset_ns(session);
  source.launch = rtop_session_launch(session);
  source.problem = rtop_session_problem(session);
  source.waits = rtop_session_waits(session);
  source.processes = processes_alive(session);
  source.count = count;
  for (int i = 0; i < count && i < UI_SOURCES_MAX; i++) fill_process(&source.at[i], session, i);
  fill_main(&source, session);
  source.recording = rtop_session_recorder(session) != NULL;
  fill_stream(&source.stream, session);
  fill_hosts(&source, session);
  if (count == 0 && source.hosts > 0) name_hosts(&source);
  if (source.main.state == RTOP_FEED_REPLAY && options->replay_count > 0)
    name_file(source.file, sizeof source.file, options->replays[options->replay_count - 1]);
  if (count == 0 && options->command != NULL)
    name_command(source.main.command, sizeof source.main.command, options->command);
  /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): both were zeroed, gaps included */
  if (memcmp(&source, &ui->source, bytes) != 0) {
    bool said = ui->source.problem != NULL || ui->source.waits != NULL;
    say_who_went(ui, &source);
    say_who_came(ui, &source);
    memcpy(&ui->source, &source, bytes);
    show_output(ui, said);
    ui->dirty = true;
  }
}
