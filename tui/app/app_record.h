/* SPDX-License-Identifier: MIT */
/* Recording while one looks: the key that starts and stops it, and saving what is held of a span.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_APP_RECORD_H
#define RTOP_TUI_APP_RECORD_H

#include "tui/feed/session.h"
#include "tui/ui/ui.h"

/* Does what ui->record asks for, and says how it went in the row of tabs; ends a recording that cannot go
 * on. session NULL: nothing is watched. */
void app_record(struct ui *ui, struct rtop_session *session);

/* "rperf-top-4711-20261120-143152.rpt": in the folder where the viewer was started. */
void app_record_name(char *out, size_t bytes, pid_t pid, int64_t real_ns);

#endif
