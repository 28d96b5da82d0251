/* SPDX-License-Identifier: MIT */
/* The command line of the screen: what has no key, or wants a name or a value.
 *
 *   export FORMAT FILE   svg: this screen as a picture, screen: as text; else what the views show, in a
 *                        format of file_formats.h, compressed when the name ends in .gz
 *   goto TIME            freezes there; see time_text.h
 *   save-display FILE    this screen as text
 *   set NAME [VALUE]     a setting; without a value what it is and what it takes
 *   write-settings       keeps them in the file of settings
 *   view NAME            another view
 *
 * Commands may be cut short while they stay unlike each other ("sa x.txt"). A file name is the rest of
 * the line; ~/ in front is the home folder.
 *
 * Threads: one, while a screen is open.
 */
#ifndef RTOP_TUI_COMMAND_H
#define RTOP_TUI_COMMAND_H

struct ui;

/* Runs one line. Results and errors are shown in the row of tabs. Files appear only when they are complete. */
void command_run(struct ui *ui, const char *line);

#endif
