/* What reports and files are compared with: the recording before the last one of the command line.
 *
 * Threads: one. Opening reads the whole recording.
 */
#ifndef RTOP_TUI_BATCH_BASELINE_H
#define RTOP_TUI_BATCH_BASELINE_H

#include "options.h"
#include "tui/feed/session.h"

/* Opened as the last one is; *session is NULL when there is only one. False: said why. */
bool batch_baseline_open(const struct rtop_options *options, struct rtop_session **session);

#endif
