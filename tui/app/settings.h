/* SPDX-License-Identifier: MIT */
/* The file of settings: read when the screen opens, written only when the user asks for it.
 *
 * Lines are "name = value"; what starts with '#' is a comment. Writing changes the values of settings
 * that are there, adds those that are not, and leaves comments and names that it does not know alone, so
 * that an older and a newer version can share a file. The file is never trusted: it is read when it is a
 * plain file of at most 64 kB, a line that makes no sense is skipped, and the first of them is told.
 *
 * Threads: one, while a screen is open.
 */
#ifndef RTOP_TUI_SETTINGS_H
#define RTOP_TUI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

struct ui;
struct rtop_options;

/* Where settings are kept: --config, $RPERF_TOP_CONFIG, $XDG_CONFIG_HOME/rperf-top/config or
 * ~/.config/rperf-top/config. False: nowhere ("none", or there is no home). */
bool settings_path(const struct rtop_options *options, char *out, size_t out_bytes);

/* Reads the file now: what is opened next may take the rights to read it later. The next settings_load() takes that. */
void settings_read(const struct rtop_options *options);
/* Takes the settings of the file, or of /etc/rperf-top.conf when there is none; those that stand on the
 * command line stay. A file that is not there is no problem; others are said in the row of tabs. */
void settings_load(struct ui *ui, const struct rtop_options *options);

/* Writes all settings, mode 0600, complete or not at all; folders are made. What came of it is said. */
void settings_save(struct ui *ui, const struct rtop_options *options);

#endif
