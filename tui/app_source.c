#include "app_source.h"
#include "options.h"
#include "session.h"
#include "text.h"
#include "ui.h"
#include <string.h>
#include <time.h>

static int64_t now_of(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t app_now_ns(void)
{
  return now_of(CLOCK_MONOTONIC);
}

int64_t app_now_real_ns(void)
{
  return now_of(CLOCK_REALTIME);
}

static int processes_alive(const struct rtop_session *session)
{
  int alive = 0, count = rtop_session_count(session);
  for (int i = 0; i < count; i++) {
    enum rtop_feed_state state = rtop_session_feed_state(session, i);
    alive += state == RTOP_FEED_LIVE || state == RTOP_FEED_STALLED;
  }
  return alive > 0 ? alive : 1;
}

/* The newest process that is alive: a command may have turned into another one. */
static const struct rtop_feed_info *main_info(const struct rtop_session *session)
{
  int count = rtop_session_count(session);
  for (int i = 0; i < count; i++) {
    enum rtop_feed_state state = rtop_session_feed_state(session, i);
    if (state == RTOP_FEED_LIVE || state == RTOP_FEED_STALLED) {
      return rtop_session_info(session, i);
    }
  }
  return count > 0 ? rtop_session_info(session, count - 1) : NULL;
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

static bool same_source(const struct ui_source *a, const struct ui_source *b)
{
  return a->ready == b->ready && a->processes == b->processes && a->count == b->count &&
         memcmp(a->pids, b->pids, sizeof a->pids) == 0 && a->pid == b->pid && a->owner == b->owner && a->state == b->state &&
         a->clock_offset_ns == b->clock_offset_ns && a->started_real_ns == b->started_real_ns &&
         a->recording == b->recording && strcmp(a->file, b->file) == 0 && a->lived_ns == b->lived_ns &&
         strcmp(a->end, b->end) == 0 && a->launch == b->launch && a->problem == b->problem &&
         strcmp(a->command, b->command) == 0 &&
         strcmp(a->ruby, b->ruby) == 0;
}

void app_source_update(struct ui *ui, const struct rtop_session *session,
                       const struct rtop_options *options)
{
  struct ui_source source;
  memset(&source, 0, sizeof source);
  source.ready = rtop_session_ready(session);
  source.state = rtop_session_state(session);
  source.clock_offset_ns = rtop_session_clock_offset_ns(session);
  source.launch = rtop_session_launch(session);
  source.problem = rtop_session_problem(session);
  source.processes = processes_alive(session);
  source.count = rtop_session_count(session);
  for (int i = 0; i < source.count && i < UI_SOURCES_MAX; i++) {
    source.pids[i] = rtop_session_info(session, i)->pid;
  }
  source.recording = rtop_session_recorder(session) != NULL;
  if (source.state == RTOP_FEED_REPLAY && options->replay_count > 0) {
    name_file(source.file, sizeof source.file, options->replays[options->replay_count - 1]);
  }
  struct rtop_feed_end end;
  if (rtop_session_end(session, &end)) {
    snprintf(source.end, sizeof source.end, "%s", end.text);
    source.lived_ns = end.lived_ns;
  }
  const struct rtop_feed_info *info = main_info(session);
  if (info != NULL) {
    source.pid = info->pid;
    source.owner = info->owner;
    source.started_real_ns = info->started_real_ns;
    snprintf(source.command, sizeof source.command, "%s", info->command);
    snprintf(source.ruby, sizeof source.ruby, "%s", info->ruby);
  } else if (options->command != NULL) {
    name_command(source.command, sizeof source.command, options->command);
  }
  if (!same_source(&source, &ui->source)) {
    ui->source = source;
    ui->dirty = true;
  }
}
