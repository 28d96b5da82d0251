/* SPDX-License-Identifier: MIT */
/* Opens sessions for the options of the command line. Threads: no shared state. */
#ifndef RTOP_TUI_OPTIONS_SESSION_H
#define RTOP_TUI_OPTIONS_SESSION_H

#include "options.h"
#include "tui/feed/session.h"

/* Opens the session that the options describe: options->pids (RTOP_ACTION_WATCH; those of them that can be watched),
 * the last of options->replays (RTOP_ACTION_REPLAY), or a new process of options->command (RTOP_ACTION_RUN), whose
 * output goes to a log file. NULL: see rtop_session_begin().
 *
 * With options->output and a time, but no frame, the history of live processes is skipped. With options->output,
 * options->stat or a frame of `all`, the profile keeps the sum of windows that no longer fit into its memory. */
struct rtop_session *rtop_session_open(const struct rtop_options *options, int *exit_status, struct rtop_error *error);
/* Opens the recording to compare with, the one before the last, and reads it completely. NULL without a text in
 * `error`: there is none. */
struct rtop_session *rtop_session_open_before(const struct rtop_options *options, struct rtop_error *error);
/* Returns the memory for the session's history (bytes): a batch with short frames that saves no past
   data needs little. */
size_t rtop_session_memory(const struct rtop_options *options);
/* Seconds between writes of the metrics file (options->metrics). */
double rtop_metrics_seconds(const struct rtop_options *options);

#endif
