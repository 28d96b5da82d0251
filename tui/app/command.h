/* SPDX-License-Identifier: MIT */
/* The command line of the screen, for actions that have no key or need a name or a value:
 *
 *   export FORMAT FILE   svg: this screen as a picture; screen: this screen as text; else the data of the view in a format
 *                        of file_formats.h, compressed when the name ends in .gz
 *   goto TIME            freezes the screen at this time (time_text.h)
 *   save-display FILE    saves this screen as text
 *   set NAME [VALUE]     changes a setting; without VALUE shows its value and possible values
 *   write-settings       saves all settings in their file
 *   view NAME            changes to another view
 *
 * Names of commands may be abbreviated as far as they stay unique ("sa x.txt"). A file name is the rest of the line;
 * ~/ at its start is the home directory.
 *
 * Threads: one, while a screen is open.
 */
#ifndef RTOP_TUI_COMMAND_H
#define RTOP_TUI_COMMAND_H

struct ui;

/* Runs one line. Results and errors are shown in the row of tabs. Files appear only when they are complete. */
void command_run(struct ui *ui, const char *line);

#endif
