/* SPDX-License-Identifier: MIT */
/* Explains in one sanitised sentence why a command that we started shows nothing. Its output is examined first, because
 * there the extension says why it does not load.
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

/* For a command that runs without a channel: explains at once if it cannot get one, else after a few seconds. False
 * when there is nothing to say yet. */
bool rtop_launch_waits(const struct rtop_launch *launch, char *out, size_t bytes);
/* For a command that ended without a channel, or soon with an error. False when nothing is wrong. */
bool rtop_launch_failed(struct rtop_launch *launch, bool had_channel, char *out, size_t bytes);
/* Does the process run Ruby, judging by its executable file? */
bool rtop_launch_is_ruby(pid_t pid);
/* Writes the last lines of its output, each indented by two blanks. */
void rtop_launch_write_tail(const struct rtop_launch *launch, FILE *out);

#endif
