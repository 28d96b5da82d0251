/* SPDX-License-Identifier: MIT */
/* What the command line asks a session for. Threads: no shared state. */
#ifndef RTOP_TUI_OPTIONS_SESSION_H
#define RTOP_TUI_OPTIONS_SESSION_H

#include "options.h"
#include "tui/feed/session.h"

/* Opens options->pids (RTOP_ACTION_WATCH; of several those that can be watched), or the last of options->replays
 * (RTOP_ACTION_REPLAY; those before are for comparing), or starts options->command (RTOP_ACTION_RUN), whose
 * output goes to a log file. NULL as rtop_session_begin() says.
 *
 * With options->output and a time, but no frame, only what comes from now on is read of living processes.
 * With options->output, options->stat or a frame of `all`, the profile keeps the sum of windows that its
 * memory cannot hold any more. */
struct rtop_session *rtop_session_open(const struct rtop_options *options, int *exit_status, struct rtop_error *error);
/* What is compared with: the recording before the last one, opened as that is, all of it read. NULL without a text in
 * `error`: there is none. */
struct rtop_session *rtop_session_open_before(const struct rtop_options *options, struct rtop_error *error);
/* How much history they need: a batch with short frames that saves nothing of the past needs little. */
size_t rtop_session_memory(const struct rtop_options *options);
/* With options->metrics: how often a file of them is written. */
double rtop_metrics_seconds(const struct rtop_options *options);

#endif
