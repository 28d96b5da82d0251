/* SPDX-License-Identifier: MIT */
/* The view of allocation sites: the places where the program makes objects, during sampling and after it.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_VIEW_SITES_H
#define RTOP_TUI_VIEW_SITES_H

#include "tui/ui/ui.h"

extern const struct view_ops view_sites;
void sites_draw(struct ui *ui);

#endif
