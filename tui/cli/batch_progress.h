/* SPDX-License-Identifier: MIT */
/* A progress bar on standard error while a long recording is read: only on a terminal, only if it takes long, and
 * erased afterwards.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_BATCH_PROGRESS_H
#define RTOP_TUI_BATCH_PROGRESS_H

#include "tui/feed/session.h"
#include <stdio.h>

struct batch_progress {
  FILE *out;        /* NULL: nothing is shown */
  const char *what; /* "reading x.rpt" */
  int columns;
  int64_t started_ns, drawn_ns; /* drawn 0: not yet */
};

/* Shows progress while the session is read, if standard error is a terminal and the reports do not go to one. */
void batch_progress_start(struct batch_progress *progress, struct rtop_session *session, const char *what,
                          bool reports);
void batch_progress_end(struct batch_progress *progress, struct rtop_session *session);

/* Shows the share read so far (0 to 1); now_ns is the caller's clock. */
void batch_progress_show(struct batch_progress *progress, double share, int64_t now_ns);

#endif
