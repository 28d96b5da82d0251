/* SPDX-License-Identifier: MIT */
/* Commands that continue in the background: the first process ends, and another one that it left behind
   does the work. */
#include "session_impl.h"

#include "shm/base/process.h"
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Notes that a process has ended, whose pid may be reused from now on. */
static void daemon_reaped(void *context, pid_t pid, uint64_t start_ticks, int status)
{
  struct rtop_session *session = context;
  for (int i = 0; i < session->count; i++) {
    struct session_feed *feed = &session->feeds[i];
    if (rtop_feed_info(feed->feed)->pid != pid || feed->start_ticks != start_ticks) continue;
    feed->reaped = true;
    feed->status = status;
  }
}

void session_adopt(struct rtop_session *session)
{
  if (!session->follows || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return;
  session->family.adopts = true;
  session->family.reaped = daemon_reaped;
  session->family.context = session;
}

void session_waited(struct rtop_session *session)
{
  for (int i = 0; i < session->count; i++) {
    const struct session_feed *feed = &session->feeds[i];
    bool signalled = feed->reaped && WIFSIGNALED(feed->status);
    if (session->ended_ms && rtop_feed_info(feed->feed)->pid == rtop_launch_pid(session->launch))
      rtop_feed_waited(feed->feed, rtop_launch_status(session->launch), rtop_launch_killed(session->launch));
    else if (feed->reaped)
      rtop_feed_waited(feed->feed, signalled ? 128 + WTERMSIG(feed->status) : WEXITSTATUS(feed->status), signalled);
  }
}

/* Returns the feed of the process that this program started; NULL: no channel of it was seen. */
static const struct session_feed *daemon_first(const struct rtop_session *session)
{
  for (int i = 0; i < session->count; i++)
    if (rtop_feed_info(session->feeds[i].feed)->pid == rtop_launch_pid(session->launch)) return &session->feeds[i];
  return NULL;
}

/* Did the first process end by `exit!` without an argument? Its status is then 1, even if it left its work
   to a child. */
static bool daemon_by_exit(const struct rtop_session *session, const struct session_feed *first)
{
  return rtop_launch_status(session->launch) == 1 && first && first->state == RTOP_FEED_DEAD;
}

/* Does the command continue in the background as this process? Other programs that a command leaves running must not
 * delay users who wait for its end. The process counts if it has a session of its own, or if the first process did not
 * end in order, or was only a shell. */
bool session_is_daemon(const struct rtop_session *session, pid_t pid)
{
  const struct session_feed *first = daemon_first(session);
  pid_t its = getsid(pid); /* -1: it is gone */
  bool own = its >= 0 && its != getsid(0);
  if (!first) return true;
  if (rtop_launch_status(session->launch) != 0) return own && daemon_by_exit(session, first);
  return first->state == RTOP_FEED_DEAD || own;
}

static bool daemon_has_feed(const struct rtop_session *session, const struct rtop_kin *kin)
{
  for (int i = 0; i < session->count; i++)
    if (rtop_feed_info(session->feeds[i].feed)->pid == kin->pid && session->feeds[i].start_ticks == kin->start_ticks)
      return true;
  return false;
}

/* Has the process no channel yet, and is it young enough to get one? */
static bool daemon_may_come(const struct rtop_session *session, const struct rtop_kin *kin, int64_t since_ms)
{
  if (since_ms > SESSION_DAEMON_MS || daemon_has_feed(session, kin) || !rtop_launch_is_ruby(kin->pid)) return false;
  return since_ms <= SESSION_FORK_MS || session_is_daemon(session, kin->pid);
}

static bool daemon_any_comes(const struct rtop_session *session, int64_t since_ms)
{
  for (size_t i = 0; i < session->family.count; i++)
    if (daemon_may_come(session, &session->family.kin[i], since_ms)) return true;
  return false;
}

/* Returns the time when the last process ended, including those between the command and the process that may still
   make a channel. */
static int64_t daemon_last_ms(const struct rtop_session *session)
{
  int64_t last_ms = session->ended_ms;
  for (int i = 0; i < session->count; i++)
    if (session->feeds[i].over_since_ms > last_ms) last_ms = session->feeds[i].over_since_ms;
  return last_ms;
}

/* Will the exit status of a child of this program be known in a moment? Its channel ended without a reason, and the
 * kernel releases the lock before it reports the end. */
static bool daemon_status_comes(const struct session_feed *feed, int64_t now_ms)
{
  struct process_stat stat;
  if (feed->state != RTOP_FEED_DEAD || feed->reaped || now_ms - feed->over_since_ms > SESSION_FORK_MS) return false;
  return process_stat_read(rtop_feed_info(feed->feed)->pid, &stat) && stat.start_ticks == feed->start_ticks &&
         stat.ending && stat.parent == getpid();
}

static bool daemon_any_status_comes(const struct rtop_session *session, int64_t now_ms)
{
  for (int i = 0; i < session->count; i++)
    if (daemon_status_comes(&session->feeds[i], now_ms)) return true;
  return false;
}

void session_await(struct rtop_session *session, int64_t now_ms)
{
  session->awaits = false;
  if (!session->ended_ms || !session->family.adopts) return;
  if (daemon_any_status_comes(session, now_ms)) {
    session_tree_look(session);
    session->awaits = daemon_any_status_comes(session, now_ms);
  }
  const struct session_feed *first = daemon_first(session);
  if (session->awaits || (rtop_launch_status(session->launch) != 0 && !daemon_by_exit(session, first))) return;
  int64_t since_ms = now_ms - daemon_last_ms(session);
  session->awaits = !session_all_over(session) && since_ms <= SESSION_FORK_MS;
  if (!session_all_over(session)) return;
  /* Scans repeatedly for a moment: a process may be listed, fork, and be gone when it is read, so that its
     child is missed. */
  if (!rtop_family_may_be_left(&session->family) && first && first->state != RTOP_FEED_DEAD) return;
  session_tree_look(session);
  session->awaits = daemon_any_comes(session, since_ms) || !session_all_over(session) || since_ms <= SESSION_LOOKS_MS;
}
