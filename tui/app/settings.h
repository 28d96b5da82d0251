/* SPDX-License-Identifier: MIT */
/* The settings file: read when the screen opens, written only when the user asks for it.
 *
 * Lines are "name = value"; '#' begins a comment. Writing changes the values of existing settings, adds missing ones,
 * and keeps comments and unknown names, so that different versions can share a file. The file is not trusted: only a
 * plain file of at most 64 kB is read, invalid lines are skipped, and the first of them is reported.
 *
 * Threads: one, while a screen is open.
 */
#ifndef RTOP_TUI_SETTINGS_H
#define RTOP_TUI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

struct ui;
struct rtop_options;

/* Writes the path of the settings file: --config, $RPERF_TOP_CONFIG, $XDG_CONFIG_HOME/rperf-top/config or
 * ~/.config/rperf-top/config. False: there is none ("none", or no home directory). */
bool settings_path(const struct rtop_options *options, char *out, size_t out_bytes);

/* Reads the file early, because opening a target may drop the rights to read it. The next settings_load()
 * uses the content. */
void settings_read(const struct rtop_options *options);
/* Applies the settings of the file, or of /etc/rperf-top.conf if there is none; settings that were given on the command
 * line stay unchanged. A missing file is not an error; errors are shown in the row of tabs. */
void settings_load(struct ui *ui, const struct rtop_options *options);

/* Writes all settings, mode 0600, completely or not at all, making directories as needed. Shows a message
   about the result. */
void settings_save(struct ui *ui, const struct rtop_options *options);

#endif
