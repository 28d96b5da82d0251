/* SPDX-License-Identifier: MIT */
/* Signals for the parts without a screen: SIGINT, SIGTERM and SIGHUP end the loop instead of the
 * program, so that a command that we started is ended and a profile is saved; SIGPIPE becomes an error
 * of write. Where there is nothing to save they end the program at once, whatever it is doing.
 *
 * They are blocked only from the look to the sleep in interrupt_wait, so that none falls between the two.
 * Threads: one.
 */
#ifndef RTOP_TUI_INTERRUPT_H
#define RTOP_TUI_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

void interrupt_open(void);
/* The signal that came, 0 when none did. */
int interrupt_signal(void);
/* From now on a signal removes what is being made (temporary.h) and ends the program with status 128 + its
 * number, or again only notes it. */
void interrupt_at_once(bool at_once);
/* After so many seconds of computing from now on the program says the line, removes what is being made and ends
 * with status 1. Once. */
void interrupt_limit_time(uint64_t seconds, const char *line);
/* Sleeps; shorter when a signal comes or a child ends. */
void interrupt_wait(int milliseconds);
/* The same, and until the descriptor (-1: none) is as poll() is asked for, or its other end is gone. */
void interrupt_wait_for(int fd, short events, int milliseconds);

#endif
