/* SPDX-License-Identifier: MIT */
/* From a session to what the screen says about its target. For app.c and app_dump.c. */
#ifndef RTOP_TUI_APP_SOURCE_H
#define RTOP_TUI_APP_SOURCE_H

#include <stdint.h>

struct rtop_options;
struct rtop_session;
struct ui;

/* Refreshes ui->source; marks the screen dirty when something that is shown changed. */
void app_source_update(struct ui *ui, const struct rtop_session *session, const struct rtop_options *options);

#endif
