/* SPDX-License-Identifier: MIT */
/* Why a command that we started shows nothing: one sentence, sanitised. What it printed is asked first, for there the
 * extension says why it does not load.
 *
 * Threads: one. Nothing here blocks.
 */
#ifndef RTOP_TUI_LAUNCH_WORDS_H
#define RTOP_TUI_LAUNCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct rtop_launch;

enum { RTOP_LAUNCH_WORDS_BYTES = 512 };

/* Of one that runs and has no channel: at once when it cannot have one, else after a few seconds. False: nothing to
 * say yet. */
bool rtop_launch_waits(const struct rtop_launch *launch, char *out, size_t bytes);
/* Of one that ended: without a channel, or soon and badly. False: there is nothing wrong with that. */
bool rtop_launch_failed(struct rtop_launch *launch, bool had_channel, char *out, size_t bytes);
/* Does that process run Ruby, as far as its file tells? */
bool rtop_launch_is_ruby(pid_t pid);
/* The last lines of its output, each behind two blanks. */
void rtop_launch_write_tail(const struct rtop_launch *launch, FILE *out);

#endif
