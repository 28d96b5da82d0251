/* SPDX-License-Identifier: MIT */
/* What the user hides and puts together: its keys, its prompt, its menu. The lens itself is lens.h.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_UI_LENS_H
#define RTOP_TUI_UI_LENS_H

#include "ui.h"

/* A and K, the prompt for patterns, the menu of what is merged. False: no key of ours. */
bool ui_lens_request(struct ui *ui, enum request request);
/* The answers of prompt and menu. */
void ui_lens_exclude(struct ui *ui, const char *patterns);
void ui_lens_merge(struct ui *ui, enum rtop_merge merge);
/* Esc takes patterns back. False: there are none. */
bool ui_lens_back(struct ui *ui);
/* The profile that is watched shows what the user wants; before it is summed. */
void ui_lens_apply(struct ui *ui);

#endif
