/* SPDX-License-Identifier: MIT */
/* The user's editor, for as long as it runs in front of us: $VISUAL, $EDITOR, else vi.
 *
 * No shell: the variable is split at blanks, the line and the path are arguments of their own, and a path
 * cannot be taken for an option. The caller has given the terminal back and takes it again afterwards.
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

/* What is executed: words of `editor` (cut apart in place), "+LINE" when line > 0, the path ("./" before it
 * when it does not start with '/'), NULL. `path_space` holds the path. Returns the number of words. */
size_t editor_words(char **words, char *editor, uint32_t line, const char *path, char *path_space, size_t path_bytes);

/* With whose rights? An editor does what a file tells it to (modelines, plugins), and the file was named by the owner of
 * the channel: root edits what root named; for another's it is who called sudo. False: there is nobody. *user
 * (uid_t)-1: with the rights that we have. */
bool editor_user(uid_t owner, uid_t *user);

/* Starts it with the rights of editor_user(); -1: it could not be forked. While it runs, keys that interrupt are its own. */
pid_t editor_start(uint32_t line, const char *path, uid_t user);
/* Has it ended? Then *status is its exit status (127: there is no such program, or the rights cannot be had), our signals are back. */
int editor_ended(pid_t pid, int *status);

#endif
