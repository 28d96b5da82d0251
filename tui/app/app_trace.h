/* SPDX-License-Identifier: MIT */
/* Tracing methods while the screen is open. */
#ifndef RTOP_TUI_APP_TRACE_H
#define RTOP_TUI_APP_TRACE_H

#include "tui/feed/session.h"
#include "tui/ui/ui.h"

/* Starts or ends tracing as the user requested. session NULL: nothing is watched. */
void app_trace(struct ui *ui, struct rtop_session *session);

#endif
