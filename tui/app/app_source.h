/* SPDX-License-Identifier: MIT */
/* Copies the state of a session to the screen's description of its target. For app.c and app_dump.c. */
#ifndef RTOP_TUI_APP_SOURCE_H
#define RTOP_TUI_APP_SOURCE_H

#include <stdint.h>

struct rtop_options;
struct rtop_session;
struct ui;

/* Updates ui->source; marks the screen dirty when something visible changed. */
void app_source_update(struct ui *ui, const struct rtop_session *session, const struct rtop_options *options);

#endif
