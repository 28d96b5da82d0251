/* SPDX-License-Identifier: MIT */
/* What the user can set on the screen and keep in a file: one table for the setup menu, `:set` and the
 * settings' file. A setting takes effect at once.
 *
 * Threads: one, while a screen is open. Nothing here allocates or knows files.
 */
#ifndef RTOP_TUI_UI_SETTINGS_H
#define RTOP_TUI_UI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

struct ui;

enum { UI_SETTING_BYTES = 400 }; /* of any value */

int ui_settings_count(void);
const char *ui_setting_name(int index);
const char *ui_setting_help(int index);
/* "percent, time, samples"; "seconds" for a free one. */
void ui_setting_values(int index, char *out, size_t out_bytes);
/* -1: there is none of this name. */
int ui_setting_find(const char *name);
/* Was it given on the command line (bits of enum rtop_given), so that a file must not change it? */
bool ui_setting_given(int index, unsigned given);

/* As ui_setting_set takes it. */
void ui_setting_get(const struct ui *ui, int index, char *out, size_t out_bytes);
/* False: nothing was changed, and *problem says what it takes (static). */
bool ui_setting_set(struct ui *ui, int index, const char *value, const char **problem);

/* The setup menu; a key in it, false: not one of its own. */
void ui_settings_open(struct ui *ui);
bool ui_settings_key(struct ui *ui, int key);

#endif
