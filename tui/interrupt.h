/* Signals for the parts without a screen: SIGINT, SIGTERM and SIGHUP end the loop instead of the
 * program, so that a command that we started is ended and a profile is saved; SIGPIPE becomes an error
 * of write.
 *
 * The signals are blocked except while interrupt_wait sleeps, so that none falls between a look and the
 * sleep. Threads: one.
 */
#ifndef RTOP_TUI_INTERRUPT_H
#define RTOP_TUI_INTERRUPT_H

void interrupt_open(void);
/* The signal that came, 0 when none did. */
int interrupt_signal(void);
/* Sleeps; shorter when a signal comes or a child ends. */
void interrupt_wait(int milliseconds);

#endif
