/* SPDX-License-Identifier: MIT */
/* Explains in one sanitised sentence why a command that this program started shows no data. The command's output is
 * examined first, because the extension writes there why it does not load.
 *
 * Threads: one. Nothing blocks.
 */
#ifndef RTOP_TUI_LAUNCH_WORDS_H
#define RTOP_TUI_LAUNCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct rtop_launch;

enum { RTOP_LAUNCH_WORDS_BYTES = 512 };

/* Explains why a running command has no channel: at once if it cannot get one, else after a few seconds. False when
 * there is nothing to explain yet. */
bool rtop_launch_waits(const struct rtop_launch *launch, char *out, size_t bytes);
/* Writes why a command failed, if it ended without ever having a channel, or with an error soon after its start. False,
 * and nothing is written, if it did not fail. */
bool rtop_launch_failed(struct rtop_launch *launch, bool had_channel, char *out, size_t bytes);
/* Does the process run Ruby, judging by its executable file? */
bool rtop_launch_is_ruby(pid_t pid);
/* Writes the last lines of the command's output, each indented by two blanks. */
void rtop_launch_write_tail(const struct rtop_launch *launch, FILE *out);

#endif
