/* SPDX-License-Identifier: MIT */
/* Signals for the parts without a screen: SIGINT, SIGTERM and SIGHUP end the loop instead of the program, so that a
 * command that was started is ended and a profile is saved; SIGPIPE becomes an error of write(). Where there is nothing
 * to save, these signals end the program at once.
 *
 * They are blocked only between the check and the sleep in interrupt_wait(), so that none is missed. Threads: one.
 */
#ifndef RTOP_TUI_INTERRUPT_H
#define RTOP_TUI_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

void interrupt_open(void);
/* Returns the signal that came, 0 when none came. */
int interrupt_signal(void);
/* true: from now on a signal removes unfinished files (temporary.h) and ends the program with status 128 + its number;
 * false: a signal is only noted. */
void interrupt_at_once(bool at_once);
/* Sets a limit: after this many seconds of CPU time from now, the program prints the line, removes unfinished files and
 * exits with status 1. To be called once. */
void interrupt_limit_time(uint64_t seconds, const char *line);
/* Sleeps; a signal or the end of a child ends the sleep. */
void interrupt_wait(int milliseconds);
/* Like interrupt_wait(), and also ends when the descriptor (-1: none) has one of the `events` of poll(), or its other
 * end is closed. */
void interrupt_wait_for(int fd, short events, int milliseconds);

#endif
