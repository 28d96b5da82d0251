/* SPDX-License-Identifier: MIT */
/* Writes which threads wait for which locks, and which threads own these, as text and as JSON.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_LOCKS_OUT_H
#define RTOP_TUI_LOCKS_OUT_H

#include "report.h"
#include <jansson.h>

/* Writes a line for each lock that threads wait for, up to a limit; a deadlock with all its stacks comes first. Writes
 * nothing when no thread waits for a lock. */
void locks_write_text(const struct rtop_report *report, FILE *out, int columns);

/* Returns the "lock" object of a thread, given as a row of the sum; null: it waits for none. */
json_t *locks_json(const struct rtop_report *report, const struct rtop_thread_row *thread);
/* Returns the "deadlock" array of the verdict: its threads, each waiting for the next, the last for the first. */
json_t *locks_json_deadlock(const struct rtop_report *report);

#endif
