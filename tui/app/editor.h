/* SPDX-License-Identifier: MIT */
/* Runs the user's editor in the foreground: $VISUAL, $EDITOR, else vi.
 *
 * No shell is used: the variable is split at blanks, line and path are separate arguments, and the path cannot be taken
 * for an option. The caller must have released the terminal, and takes it back afterwards.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_EDITOR_H
#define RTOP_TUI_EDITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { EDITOR_WORDS_MAX = 16 };

/* Builds the arguments: words of `editor` (split in place), "+LINE" if line > 0, the path (with "./" unless it begins
 * with '/'), NULL. `path_space` holds the path. Returns the number of words. */
size_t editor_words(char **words, char *editor, uint32_t line, const char *path, char *path_space, size_t path_bytes);

/* Chooses the user whose rights the editor gets. Editors obey instructions in files (modelines, plugins), and the
 * channel's owner named the file: root edits files that root named; for files named by other users, the editor gets the
 * rights of the user who called sudo. False: there is none. *user is (uid_t)-1 for the present rights. */
bool editor_user(uid_t owner, uid_t *user);

/* Starts the editor with the rights of editor_user(); -1: fork failed. While the editor runs, interrupting keys apply
   to it only. */
pid_t editor_start(uint32_t line, const char *path, uid_t user);
/* Has the editor ended? If so, *status is its exit status (127: program not found, or rights not available), and this
 * program's signal handlers are restored. */
int editor_ended(pid_t pid, int *status);

#endif
