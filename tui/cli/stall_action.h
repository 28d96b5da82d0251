/* SPDX-License-Identifier: MIT */
/* Actions on stalls: --on-stall and --save-on-stall.
 *
 * The command is run by /bin/sh when a stall is recognised, with RPERF_TOP_STALL_CAUSE, _CULPRIT, _THREAD, _SECONDS (so
 * far), _START (Unix time), _PID and _WORDS in its environment. Only one runs at a time; stalls found meanwhile run
 * none. Its output goes to a private log file, its input is empty, and it is left alone when the viewer ends. A
 * recording is saved when the stall is over or has lasted half a minute: from five seconds before it to one second
 * after it; at most a hundred files.
 *
 * Stalls in the history at the start are ignored. Threads: one; nothing waits.
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
  bool armed;                             /* the history at the start was examined */
  uint64_t seen;                          /* stalls up to this id are done */
  pid_t running;                          /* 0: none */
  uint64_t pending[STALL_ACTION_PENDING]; /* to be saved; 0: free */
  int saved;
  int log_fd; /* -1: not opened */
  char log_path[PATH_MAX];
  char said[256]; /* the last action, for people; "": nothing new */
};

void stall_action_open(struct stall_action *action, const struct rtop_options *options);
/* To be called after searching for stalls; `more`: not all history was examined yet. */
void stall_action_poll(struct stall_action *action, struct rtop_session *session, const struct stalls *stalls,
                       bool more);
/* Saves pending recordings, releases the command, and removes an empty log. session may be NULL. */
void stall_action_close(struct stall_action *action, struct rtop_session *session, const struct stalls *stalls);

#endif
