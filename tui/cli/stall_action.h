/* SPDX-License-Identifier: MIT */
/* What is done when a stall is found: --on-stall and --save-on-stall.
 *
 * The command runs by /bin/sh when a stall begins to be one, with RPERF_TOP_STALL_CAUSE, _CULPRIT,
 * _THREAD, _SECONDS (so far), _START (Unix time), _PID and _WORDS in its environment. There is never
 * more than one at a time: what is found meanwhile runs nothing. Its output goes to a private log
 * file, its input is empty; when the viewer ends it is left alone. A recording is saved when the stall
 * is over, or has lasted half a minute: from five seconds before it to a second after it, at most a
 * hundred files.
 *
 * Nothing is done for stalls in the history that was there at the start. Threads: one; nothing here
 * waits.
 */
#ifndef RTOP_TUI_STALL_ACTION_H
#define RTOP_TUI_STALL_ACTION_H

#include "tui/stalls/stalls.h"
#include <limits.h>
#include <sys/types.h>

struct rtop_options;
struct rtop_session;

enum { STALL_ACTION_PENDING = 16 };

struct stall_action {
  const char *command, *folder;           /* NULL: none */
  bool armed;                             /* the history of the start was looked at */
  uint64_t seen;                          /* stalls up to this id are done with */
  pid_t running;                          /* 0: none */
  uint64_t pending[STALL_ACTION_PENDING]; /* to be saved; 0: free */
  int saved;
  int log_fd; /* -1: not opened */
  char log_path[PATH_MAX];
  char said[256]; /* what was done last, for people; "": nothing new */
};

void stall_action_open(struct stall_action *action, const struct rtop_options *options);
/* After stalls were looked for; `more`: there is history that was not looked at yet. */
void stall_action_poll(struct stall_action *action, struct rtop_session *session, const struct stalls *stalls,
                       bool more);
/* Saves what is pending, lets go of the command, removes an empty log. session may be NULL. */
void stall_action_close(struct stall_action *action, struct rtop_session *session, const struct stalls *stalls);

#endif
