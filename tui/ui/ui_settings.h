/* SPDX-License-Identifier: MIT */
/* Settings that the user can change on the screen and save in a file: one table for the setup menu, `:set` and the
 * settings file. They take effect at once.
 *
 * Threads: one, while a screen is open. Nothing allocates or accesses files.
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
/* Writes the possible values: "percent, time, samples"; "seconds" for a free one. */
void ui_setting_values(int index, char *out, size_t out_bytes);
/* -1: there is none of this name. */
int ui_setting_find(const char *name);
/* Was the setting given on the command line (bits of enum rtop_given), so that a file must not change it? */
bool ui_setting_given(int index, unsigned given);

/* As ui_setting_set takes it. */
void ui_setting_get(const struct ui *ui, int index, char *out, size_t out_bytes);
/* Changes a setting. False: it is unchanged, and *problem (static) names the possible values. */
bool ui_setting_set(struct ui *ui, int index, const char *value, const char **problem);

/* The setup menu: opens it; handles a key in it, false if the key has no meaning in the menu. */
void ui_settings_open(struct ui *ui);
bool ui_settings_key(struct ui *ui, int key);

#endif
