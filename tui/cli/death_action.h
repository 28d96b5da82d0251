/* SPDX-License-Identifier: MIT */
/* What is kept of a watched process that dies: --save-on-death.
 *
 * Saved are the last half minute of all that is watched, as a page (.html), whose title is how the process died and what it
 * suffered from then, and as a recording (.rpt). Nothing is saved of a process that ended by itself, with an exit status, by
 * exec, or whose profiling was stopped. At most a hundred deaths, in files of our own (0600) that are new: their names are
 * made of the process's number, the time and the cause alone, and nothing is ever replaced.
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
    bool lived, done;      /* when it was looked at; all is done about its end */
    int64_t over_since_ns; /* 0: it lives */
  } seen[RTOP_SESSION_FEEDS_MAX];
  char said[512]; /* what was done last, for people; "": nothing new */
};

void death_action_open(struct death_action *action, const struct rtop_options *options);
/* After each poll of the session, which may be NULL. */
void death_action_poll(struct death_action *action, struct rtop_session *session);
/* Before the session is closed: saves what waits. */
void death_action_close(struct death_action *action, struct rtop_session *session);

#endif
