/* SPDX-License-Identifier: MIT */
/* Finds processes by their command lines, also after a restart. */
#include "session_impl.h"

#include "target.h"
#include "shm/base/clock.h"
#include "shm/segment/registry.h"
#include "tui/text/text.h"
#include <stdlib.h>
#include <string.h>

enum {
  NAMES_ENTRIES_MAX = 1024,
  NAMES_LOOK_MS = 5000,      /* for others of that name */
  NAMES_LOOK_SOON_MS = 1000, /* while none lives */
};

static void names_title(const struct rtop_registry_entry *entry, char *title, size_t bytes)
{
  const char *command = entry->geometry.command;
  rtop_text_sanitize(title, bytes, command, strnlen(command, sizeof entry->geometry.command));
  rtop_target_command(entry->pid, title, bytes);
}

static bool names_fit(const struct rtop_session *session, const struct rtop_registry_entry *entry)
{
  char title[256];
  if (!entry->alive) return false;
  names_title(entry, title, sizeof title);
  if (*session->again && entry->uid == session->again_owner && strcmp(title, session->again) == 0) return true;
  for (int i = 0; i < session->name_count; i++)
    if (strcmp(session->names[i], "all") == 0 || strstr(title, session->names[i])) return true;
  return false;
}

/* Sorts processes oldest first, so that descendants are found as children. */
static int names_by_age(const void *left, const void *right)
{
  const struct rtop_registry_entry *a = left, *b = right;
  if (a->geometry.start_ticks != b->geometry.start_ticks)
    return a->geometry.start_ticks < b->geometry.start_ticks ? -1 : 1;
  return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static bool names_watched(const struct rtop_session *session, pid_t pid)
{
  for (int i = 0; i < session->count; i++)
    if (!session_is_over(session->feeds[i].state) && rtop_feed_info(session->feeds[i].feed)->pid == pid) return true;
  return false;
}

void session_names_look(struct rtop_session *session)
{
  struct rtop_registry_entry *entries = calloc(NAMES_ENTRIES_MAX, sizeof *entries);
  size_t count = entries ? rtop_registry_list(entries, NAMES_ENTRIES_MAX) : 0;
  if (count) qsort(entries, count, sizeof *entries, names_by_age);
  session->without_place = 0;
  bool looked = false; /* Processes that appeared a moment ago are not read again. */
  for (size_t i = 0; i < count; i++) {
    if (!names_fit(session, &entries[i]) || names_watched(session, entries[i].pid)) continue;
    if (session_place(session) < 0) session->without_place++;
    else if (session_add_tree(session, entries[i].pid, NULL)) {
      if (looked) session_tree_look_quickly(session);
      else session_tree_look(session);
      looked = true;
    }
  }
  if (session->without_place) session_say_crowded(session);
  free(entries);
}

static void names_remember(struct rtop_session *session)
{
  const struct rtop_feed_info *info = rtop_session_info(session, 0);
  if (!session->finds_again || !info || session_is_over(session->feeds[0].state)) return;
  snprintf(session->again, sizeof session->again, "%s", info->command);
  session->again_owner = info->owner;
}

void session_names_tick(struct rtop_session *session, int64_t now_ms)
{
  if ((session->name_count == 0 && !session->finds_again) || now_ms < session->next_names_ms) return;
  bool lives = !session_all_over(session);
  int64_t before_ns = clock_own_cpu_ns();
  if (!lives || session->name_count) session_names_look(session);
  int64_t spare_ms = (clock_own_cpu_ns() - before_ns) * SESSION_SPARE / 1000000;
  int64_t pause_ms = lives ? NAMES_LOOK_MS : NAMES_LOOK_SOON_MS;
  if (lives && !session->name_count) pause_ms = NAMES_LOOK_SOON_MS;
  session->next_names_ms = now_ms + (spare_ms > pause_ms ? spare_ms : pause_ms);
  names_remember(session);
}
