/* SPDX-License-Identifier: MIT */
/* Saves the last data of a watched process that dies: --save-on-death.
 *
 * It saves the last half minute of all watched processes, as a page (.html), whose title says how the process died and
 * what it suffered from, and as a recording (.rpt). Nothing is saved for a process that ended by itself, with an exit
 * status, by exec, or whose profiling was stopped. At most a hundred deaths are saved, in new files (0600): their names
 * consist of the pid, the time and the cause alone, and no file is ever replaced.
 *
 * Threads: one. Saving takes some tens of milliseconds.
 */
#ifndef RTOP_TUI_DEATH_ACTION_H
#define RTOP_TUI_DEATH_ACTION_H

#include "tui/feed/session.h"
#include <stdbool.h>
#include <stdint.h>

struct rtop_options;

enum {
  DEATH_FILES_MAX = 100,
  DEATH_SECONDS = 30, /* that are saved */
};

struct death_action {
  const char *folder; /* NULL: nothing is saved */
  int saved;
  struct death_seen {
    uint64_t opened;       /* which feed that is; 0: none */
    bool lived, done;      /* lived: alive at the last check; done: its end was handled */
    int64_t over_since_ns; /* 0: it lives */
  } seen[RTOP_SESSION_FEEDS_MAX];
  char said[512]; /* message about the last action, for people; "": nothing new */
};

void death_action_open(struct death_action *action, const struct rtop_options *options);
/* To be called after each poll of the session, which may be NULL. */
void death_action_poll(struct death_action *action, struct rtop_session *session);
/* To be called before the session is closed: saves deaths that are pending. */
void death_action_close(struct death_action *action, struct rtop_session *session);

#endif
