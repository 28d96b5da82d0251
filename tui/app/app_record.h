/* SPDX-License-Identifier: MIT */
/* Recording from the screen: the key that starts and stops it, and saving the data of a span.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_APP_RECORD_H
#define RTOP_TUI_APP_RECORD_H

#include "tui/feed/session.h"
#include "tui/ui/ui.h"

/* Carries out ui->record and shows the result in the row of tabs; ends a recording that failed. session NULL: nothing
 * is watched. */
void app_record(struct ui *ui, struct rtop_session *session);

/* Writes a file name such as "rperf-top-4711-20261120-143152.rpt", without a directory, so that the file is in the
   viewer's working directory. */
void app_record_name(char *out, size_t bytes, pid_t pid, int64_t real_ns);

#endif
