/* SPDX-License-Identifier: MIT */
/* All processes that have a channel, looked at without being watched: they do not know of it, and none of them is sampled more
 * often. For lists.
 *
 * Threads: one; opening channels and the first look may take some milliseconds a process.
 */
#ifndef RTOP_TUI_DOCTOR_WATCH_H
#define RTOP_TUI_DOCTOR_WATCH_H

#include "doctor.h"
#include <sys/types.h>

struct doctor_watch;

enum { DOCTOR_WATCH_SECONDS = 5 }; /* that figures are of */

/* NULL: memory ran out. */
struct doctor_watch *doctor_watch_create(void);
void doctor_watch_destroy(struct doctor_watch **watch);
/* Takes in what came since, and judges anew. */
void doctor_watch_look(struct doctor_watch *watch);
/* A living process; NULL: nothing is known of it. Valid until the next look, as are the symbols that its verdict names. */
const struct doctor_process *doctor_watch_of(const struct doctor_watch *watch, pid_t pid);
const struct rtop_symbols *doctor_watch_symbols(const struct doctor_watch *watch);

#endif
