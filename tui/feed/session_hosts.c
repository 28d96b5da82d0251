/* SPDX-License-Identifier: MIT */
/* Processes of other hosts: an ssh client for each host brings a stream, and no host keeps the others waiting. */
#include "session_impl.h"

#include "feed_pipe.h"
#include "shm/base/clock.h"
#include "tui/ssh/ssh.h"
#include "tui/text/text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
  HOST_NAME_BYTES = RTOP_SSH_HOST_BYTES_MAX + 1,
  HOST_REASON_BYTES = 200,
  HOST_SETTLE_MS = 3000, /* after which a stream has told of all processes that there were */
  HOST_SILENT_NOTE_MS = 2500,
  HOST_SILENT_MAX_MS = 60000, /* an intact stream says something every second */
  HOST_NOTES_MAX = 16,
};

/* Each sends every half second, at a moment of its own. */
#define HOST_APART_NS INT64_C(1500000000)

struct session_host {
  struct rtop_session *session;
  int number; /* from 1 */
  char name[HOST_NAME_BYTES];
  struct rtop_ssh *ssh;
  struct feed_pipe *pipe; /* NULL: not connected */
  bool flows, settled;    /* of this connection */
  int64_t flows_ms;
  bool met; /* a connection has brought a process */
  bool skew_known, shift_known;
  int64_t skew_ns, shift_ns;
  char noted[HOST_REASON_BYTES];
  int notes;
};

struct session_hosts {
  int count, epoll_fd;
  struct session_host of[];
};

/* ---- its processes --------------------------------------------------------------------------------------------- */

/* The place of a process: the one that it had before the host was away, or a new one. */
static uint32_t host_place(void *context, uint32_t number)
{
  struct session_host *host = context;
  struct rtop_session *session = host->session;
  for (int i = 0; i < session->count; i++) {
    if (session->feeds[i].host != host->number) continue;
    if (!feed_pipe_continues(host->pipe, number, session->feeds[i].feed)) continue;
    feed_pipe_rejoin(host->pipe, number, session->feeds[i].feed);
    return (uint32_t)i;
  }
  int place = session_place(session);
  if (place < 0) {
    session_say_crowded(session);
    return FEED_PIPE_NOWHERE;
  }
  struct rtop_feed *feed = feed_pipe_feed(host->pipe, number, (uint32_t)place);
  if (!feed) return FEED_PIPE_NOWHERE;
  session_take_of(session, feed, place, host->number);
  return (uint32_t)place;
}

/* Processes that a host no longer tells of have ended while it was away. */
static void host_settle(struct session_host *host, int64_t now_ms)
{
  struct rtop_session *session = host->session;
  if (host->settled || now_ms - host->flows_ms < HOST_SETTLE_MS) return;
  host->settled = true;
  for (int i = 0; i < session->count; i++) {
    const struct session_feed *feed = &session->feeds[i];
    if (feed->host == host->number && !session_is_over(feed->state) && !feed_pipe_has(host->pipe, feed->feed))
      feed_pipe_lost(feed->feed);
  }
}

/* ---- its connection -------------------------------------------------------------------------------------------- */

static void host_connect(struct session_host *host)
{
  struct rtop_session *session = host->session;
  const struct feed_pipe_host about = {
    .name = host->name,
    .context = host,
    .place = host_place,
    .from_ns = session->skips_past ? session->started_mono_ns - session->but_ns : INT64_MIN,
  };
  struct epoll_event event = { .events = EPOLLIN };
  int fd = rtop_ssh_fd(host->ssh);
  host->flows = host->settled = false;
  host->pipe = feed_pipe_open(fd, session->profile, &about);
  if (!host->pipe) {
    rtop_ssh_give_up(host->ssh, "out of memory", clock_now_ms());
    return;
  }
  if (host->shift_known) feed_pipe_came_back(host->pipe, host->shift_ns);
  epoll_ctl(session->hosts->epoll_fd, EPOLL_CTL_ADD, fd, &event); /* without it, its data are read a little later */
}

static void host_remember(struct session_host *host)
{
  int64_t ns;
  if (feed_pipe_skew(host->pipe, &ns)) {
    host->skew_ns = ns;
    host->skew_known = true;
  }
  if (feed_pipe_shift(host->pipe, &ns)) {
    host->shift_ns = ns;
    host->shift_known = true;
  }
}

/* `reason` NULL: what ssh says. */
static void host_lose(struct session_host *host, const char *reason, int64_t now_ms)
{
  rtop_ssh_give_up(host->ssh, reason, now_ms);
  feed_pipe_close(&host->pipe);
  host->flows = false;
}

static void host_look(struct session_host *host, int64_t now_ms)
{
  enum feed_pipe_state state = feed_pipe_state(host->pipe);
  bool over = state == FEED_PIPE_COMPLETE && feed_pipe_all_over(host->pipe);
  host_remember(host);
  if (!host->flows && (state == FEED_PIPE_FLOWS || over)) {
    host->flows = host->met = true;
    host->flows_ms = now_ms;
    rtop_ssh_works(host->ssh);
  }
  if (host->flows) host_settle(host, now_ms);
  if (over) rtop_ssh_finish(host->ssh, now_ms);
  else if (state == FEED_PIPE_COMPLETE) host_lose(host, "its rperf-top was ended", now_ms);
  else if (state == FEED_PIPE_BROKEN) host_lose(host, feed_pipe_problem(host->pipe), now_ms);
  else if (feed_pipe_silent_ns(host->pipe) / 1000000 > HOST_SILENT_MAX_MS)
    host_lose(host, "nothing came for a minute", now_ms);
}

/* Says once why it is away, and that it is there again. A host that comes and goes all the time is soon no news. */
static void host_note(struct session_host *host)
{
  char words[SESSION_WORDS_BYTES];
  const char *reason = rtop_ssh_reason(host->ssh);
  if (strcmp(reason, host->noted) == 0 || host->notes >= HOST_NOTES_MAX) return;
  if (!*reason && !host->flows) return;
  snprintf(host->noted, sizeof host->noted, "%s", reason);
  if (rtop_ssh_finished(host->ssh)) return;
  host->notes++;
  if (*reason) snprintf(words, sizeof words, "%.64s is away: %.180s", host->name, reason);
  else snprintf(words, sizeof words, "%.64s is there again", host->name);
  session_leave_out(host->session, words);
}

static size_t host_poll(struct session_host *host, int64_t now_ms)
{
  size_t moved = 0;
  if (rtop_ssh_tick(host->ssh, now_ms)) host_connect(host);
  if (host->pipe && !rtop_ssh_finished(host->ssh)) {
    moved = feed_pipe_poll(host->pipe);
    host_look(host, now_ms);
  }
  host_note(host);
  return moved;
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

/* Why there is nothing to show yet. */
static void hosts_explain(struct rtop_session *session)
{
  const struct session_hosts *hosts = session->hosts;
  int away = 0;
  session->waits = false;
  struct phrase words = { .out = session->words, .bytes = sizeof session->words };
  for (int i = 0; session->count == 0 && i < hosts->count; i++) {
    const char *reason = rtop_ssh_reason(hosts->of[i].ssh);
    if (!*reason) continue;
    phrase_add(&words, "%s%.64s: %.120s", away++ > 0 ? "; " : "no process on any host yet: ", hosts->of[i].name,
               reason);
  }
  session->waits = away == hosts->count && session->count == 0;
}

size_t session_hosts_poll(struct rtop_session *session)
{
  size_t moved = 0;
  int64_t now_ms = clock_now_ms();
  for (int i = 0; i < session->hosts->count; i++) moved += host_poll(&session->hosts->of[i], now_ms);
  hosts_explain(session);
  return moved;
}

bool session_hosts_open(struct rtop_session *session, const struct rtop_session_wish *wish, struct rtop_error *error)
{
  struct session_hosts *hosts = calloc(1, sizeof *hosts + (size_t)wish->host_count * sizeof hosts->of[0]);
  if (hosts) hosts->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  session->hosts = hosts;
  bool missing = hosts && hosts->epoll_fd >= 0;
  for (int i = 0; missing && i < wish->host_count; i++) {
    struct session_host *host = &hosts->of[i];
    *host = (struct session_host){ .session = session, .number = i + 1 };
    rtop_text_sanitize(host->name, sizeof host->name, wish->hosts[i], strlen(wish->hosts[i]));
    host->ssh = rtop_ssh_create(wish->hosts[i], wish->host_command);
    if (!host->ssh) break;
    hosts->count++;
  }
  if (!hosts || hosts->count < wish->host_count) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "the hosts cannot be watched: %s", strerror(errno));
    return false;
  }
  rtop_profile_apart_ns(session->profile, HOST_APART_NS);
  session_hosts_poll(session);
  for (int i = 0; i < hosts->count; i++) missing = missing && rtop_ssh_missing(hosts->of[i].ssh);
  if (missing) rtop_error_set(error, RTOP_ERROR_NOT_FOUND, 0, "--ssh: %s", rtop_ssh_reason(hosts->of[0].ssh));
  return !missing;
}

void session_hosts_close(struct rtop_session *session)
{
  struct session_hosts *hosts = session->hosts;
  session->hosts = NULL;
  if (!hosts) return;
  for (int i = 0; i < hosts->count; i++) rtop_ssh_stop(hosts->of[i].ssh);
  int64_t until_ms = clock_now_ms() + RTOP_SSH_PATIENCE_MS;
  for (int i = 0; i < hosts->count; i++) {
    feed_pipe_close(&hosts->of[i].pipe);
    rtop_ssh_close(&hosts->of[i].ssh, until_ms);
  }
  if (hosts->epoll_fd >= 0) close(hosts->epoll_fd);
  free(hosts);
}

bool session_hosts_over(const struct rtop_session *session)
{
  for (int i = 0; i < session->hosts->count; i++)
    if (!rtop_ssh_finished(session->hosts->of[i].ssh)) return false;
  return true;
}

int session_hosts_fd(const struct rtop_session *session)
{
  return session->hosts->epoll_fd;
}

int rtop_session_hosts(const struct rtop_session *session)
{
  return session->hosts ? session->hosts->count : 0;
}

int rtop_session_feed_host(const struct rtop_session *session, int index)
{
  return index >= 0 && index < session->count ? session->feeds[index].host - 1 : -1;
}

const char *rtop_host_state_name(enum rtop_host_state state)
{
  switch (state) {
  case RTOP_HOST_CONNECTING: return "connecting";
  case RTOP_HOST_THERE: return "connected";
  case RTOP_HOST_SILENT: return "silent";
  case RTOP_HOST_AWAY: return "away";
  case RTOP_HOST_OVER: return "ended";
  }
  return "";
}

static enum rtop_host_state host_state(const struct session_host *host)
{
  if (rtop_ssh_finished(host->ssh)) return RTOP_HOST_OVER;
  if (host->pipe && host->flows)
    return feed_pipe_silent_ns(host->pipe) / 1000000 > HOST_SILENT_NOTE_MS ? RTOP_HOST_SILENT : RTOP_HOST_THERE;
  return host->met || *rtop_ssh_reason(host->ssh) ? RTOP_HOST_AWAY : RTOP_HOST_CONNECTING;
}

void rtop_session_host(const struct rtop_session *session, int index, struct rtop_host_look *look)
{
  const struct session_host *host = &session->hosts->of[index];
  *look = (struct rtop_host_look){
    .name = host->name,
    .state = host_state(host),
    .reason = rtop_ssh_reason(host->ssh),
    .retry_seconds = (int)((rtop_ssh_retry_ms(host->ssh, clock_now_ms()) + 999) / 1000),
    .skew_known = host->skew_known,
    .skew_ns = host->skew_ns,
    .behind_ns = host->pipe ? feed_pipe_behind_ns(host->pipe) : 0,
    .attempts = rtop_ssh_attempts(host->ssh),
  };
  if (look->state == RTOP_HOST_SILENT) look->silent_seconds = (int)(feed_pipe_silent_ns(host->pipe) / 1000000000);
  for (int i = 0; i < session->count; i++)
    look->processes += session->feeds[i].host == host->number && !session_is_over(session->feeds[i].state);
}
