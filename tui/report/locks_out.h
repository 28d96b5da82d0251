/* SPDX-License-Identifier: MIT */
/* Who waits for which lock, and who has it, as text and as JSON.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_LOCKS_OUT_H
#define RTOP_TUI_LOCKS_OUT_H

#include "report.h"
#include <jansson.h>

/* A line for each lock that threads wait for, of very many the first ones; a deadlock first, with all its stacks. Nothing
 * when no thread waits for one. */
void locks_write_text(const struct rtop_report *report, FILE *out, int columns);

/* "lock" of a thread, which is a row of the sum; null: it waits for none. */
json_t *locks_json(const struct rtop_report *report, const struct rtop_thread_row *thread);
/* "deadlock" of the verdict: its threads, each waits for the next, the last one for the first. */
json_t *locks_json_deadlock(const struct rtop_report *report);

#endif
