/* SPDX-License-Identifier: MIT */
/* What the user hides and merges: keys, prompt, menu. lens.h has the lens itself.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_UI_LENS_H
#define RTOP_TUI_UI_LENS_H

#include "ui.h"

/* Handles A and K, the prompt for patterns, and the menu of merges. False: the request is another one. */
bool ui_lens_request(struct ui *ui, enum request request);
/* The answers of prompt and menu. */
void ui_lens_exclude(struct ui *ui, const char *patterns);
void ui_lens_merge(struct ui *ui, enum rtop_merge merge);
/* Shows only time in these states, named as for --state; "all" or "": in every state. */
void ui_lens_states(struct ui *ui, const char *names);
/* Handles Esc: removes the patterns, then labels, then states. False: there are none. */
bool ui_lens_back(struct ui *ui);
/* Applies the user's settings to the watched profile, before it is summed. */
void ui_lens_apply(struct ui *ui);

#endif
