/* SPDX-License-Identifier: MIT */
/* Judges all processes that have a channel without watching them: they are not informed, and none of them is sampled
 * more often. For lists.
 *
 * Threads: one; opening channels and the first reading may take some milliseconds a process.
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
/* Reads new windows, and judges all processes again. */
void doctor_watch_look(struct doctor_watch *watch);
/* Returns the condition of a living process; NULL: nothing is known of it. Valid until the next doctor_watch_look(), as
   are the symbols that its verdict names. */
const struct doctor_process *doctor_watch_of(const struct doctor_watch *watch, pid_t pid);
const struct rtop_symbols *doctor_watch_symbols(const struct doctor_watch *watch);

#endif
