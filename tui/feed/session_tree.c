/* SPDX-License-Identifier: MIT */
/* Follows processes to those that they fork and spawn. */
#include "session_impl.h"

#include "shm/base/clock.h"
#include "shm/segment/registry.h"
#include "tui/text/reserve.h"

enum {
  TREE_LOOK_MS = 1000,
  /* ms between scans that also read known pids again, which takes some milliseconds on a full machine */
  TREE_THOROUGH_MS = 5000,
  TREE_YOUNG_MS = 10000,
  TREE_LOOK_SOON_MS = 100,  /* ms between searches while a command that this program started
                               is young, since its first seconds are watched, too */
  TREE_AGAIN_MS = 100,      /* ms until a member without a channel is checked again; the delay grows */
  TREE_AGAIN_MAX_MS = 5000, /* but so often at least */
  TREE_MISSES_MAX = 16,     /* maximum number of members checked in vain per
                               scan; the others are checked at the next one */
};

void session_tree_add(struct rtop_session *session, pid_t pid)
{
  if (session->follows) rtop_family_add(&session->family, pid);
}

/* Returns the feed that exactly this process has now, or had last. */
static struct session_feed *tree_feed(struct rtop_session *session, const struct rtop_kin *kin)
{
  struct session_feed *found = NULL;
  for (int i = 0; i < session->count; i++) {
    struct session_feed *feed = &session->feeds[i];
    if (rtop_feed_info(feed->feed)->pid == kin->pid && feed->start_ticks == kin->start_ticks &&
        (!found || feed->opened > found->opened))
      found = feed;
  }
  return found;
}

void session_say_crowded(struct rtop_session *session)
{
  char text[SESSION_WORDS_BYTES];
  if (session->crowded) return;
  session->crowded = true;
  snprintf(text, sizeof text, "more than %d processes at a time: not all of them are watched", RTOP_SESSION_FEEDS_MAX);
  session_leave_out(session, text);
}

/* Accepts a member's channel if the kernel confirms that this process holds it, and if it belongs to the user of its
 * parent; a master that is root may have changed its workers' user. */
static bool tree_find(const struct rtop_kin *kin, struct rtop_registry_entry *entry)
{
  return rtop_registry_find(kin->pid, entry, NULL) == 0 && entry->alive &&
         (entry->uid == kin->owner || kin->owner == 0) && rtop_family_start_ticks(kin->pid) == kin->start_ticks;
}

static bool tree_join(struct rtop_session *session, struct rtop_kin *kin)
{
  struct rtop_registry_entry entry;
  if (!tree_find(kin, &entry)) return false;
  /* Parents join first: a parent without a channel at its last check may have made one before it forked this child. Its
     pid may be reused by now, even for the child. */
  struct rtop_kin *parent = rtop_family_find(&session->family, kin->parent);
  bool same = parent && parent->start_ticks == kin->parent_start_ticks;
  if (same && !tree_feed(session, parent)) tree_join(session, parent);
  struct session_feed *before = tree_feed(session, kin);
  int place = session_place(session);
  if (place < 0) {
    session_say_crowded(session);
    return false;
  }
  entry.pid = kin->pid;
  struct rtop_feed *feed = rtop_feed_open_entry(&entry, (uint32_t)place, session->rate_hz, NULL);
  if (!feed) return false;
  if (session->skips_past && entry.geometry.created_mono_ns < session->started_mono_ns) rtop_feed_skip_past(feed, 0);
  session_take(session, feed, place);
  kin->owner = entry.uid;
  if (before && before->feed != feed) before->replaced = true;
  return true;
}

/* Updates the list of tries. Members keep their order and new ones come last, so entries move up when
   others are removed. */
static bool tree_renew_tries(struct rtop_session *session)
{
  const struct rtop_family *family = &session->family;
  struct session_try **tries = &session->tries;
  size_t next = 0, count = session->try_count;
  if (!rtop_reserve(tries, &session->try_capacity, family->count, sizeof **tries)) return false;
  for (size_t i = 0; i < family->count; i++) {
    const struct rtop_kin *kin = &family->kin[i];
    size_t at = next;
    while (at < count && ((*tries)[at].pid != kin->pid || (*tries)[at].start_ticks != kin->start_ticks)) at++;
    if (at < count) next = at + 1;
    (*tries)[i] = at < count ? (*tries)[at] : (struct session_try){ .pid = kin->pid, .start_ticks = kin->start_ticks };
  }
  session->try_count = family->count;
  return true;
}

/* False: it was asked in vain. */
static bool tree_try(struct rtop_session *session, struct rtop_kin *kin, struct session_try *try, int64_t now_ms)
{
  struct session_feed *feed = tree_feed(session, kin);
  if ((feed && !session_is_over(feed->state)) || now_ms < try->next_ms) return true;
  if (tree_join(session, kin)) {
    try->count = 0;
    return true;
  }
  if (session_place(session) < 0) return false; /* not its fault */
  int64_t wait_ms = try->count < 32 ? (int64_t)TREE_AGAIN_MS << try->count / 4 : TREE_AGAIN_MAX_MS;
  try->count++;
  try->next_ms = now_ms + (wait_ms < TREE_AGAIN_MAX_MS ? wait_ms : TREE_AGAIN_MAX_MS);
  return false;
}

static void tree_look(struct rtop_session *session, bool quickly)
{
  int64_t now_ms = clock_now_ns() / 1000000;
  struct rtop_family *family = &session->family;
  if ((family->count == 0 && !family->adopts) ||
      !(quickly ? rtop_family_look_quickly(family) : rtop_family_look(family)))
    return;
  if (family->crowded) session_say_crowded(session);
  if (!tree_renew_tries(session)) return;
  int misses = 0;
  for (size_t i = 0; i < family->count && misses < TREE_MISSES_MAX; i++)
    misses += !tree_try(session, &family->kin[i], &session->tries[i], now_ms);
}

void session_tree_look(struct rtop_session *session)
{
  tree_look(session, false);
}

void session_tree_look_quickly(struct rtop_session *session)
{
  tree_look(session, true);
}

void session_tree_tick(struct rtop_session *session, int64_t now_ms)
{
  if (!session->follows || (session->family.count == 0 && !session->family.adopts) || now_ms < session->next_family_ms)
    return;
  int64_t before_ns = clock_own_cpu_ns();
  bool quickly = now_ms < session->thorough_family_ms;
  tree_look(session, quickly);
  if (!quickly) session->thorough_family_ms = now_ms + TREE_THOROUGH_MS;
  int64_t spare_ms = (clock_own_cpu_ns() - before_ns) * SESSION_SPARE / 1000000;
  int64_t pause_ms = session->launch ? TREE_LOOK_SOON_MS : TREE_LOOK_MS;
  bool young = session->launch && now_ms - session->started_mono_ns / 1000000 < TREE_YOUNG_MS;
  if (young) spare_ms = 0; /* The first programs that a command runs may be short-lived. */
  session->next_family_ms = now_ms + (spare_ms > pause_ms ? spare_ms : pause_ms);
}
