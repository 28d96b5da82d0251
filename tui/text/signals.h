/* SPDX-License-Identifier: MIT */
/* Signals as events: handlers write one byte into a pipe, the loop reads what happened. Nothing else is
 * done in a handler, except for a crash: then the terminal is put right, within a second, and the signal takes its
 * default course.
 *
 * After SIGTERM, SIGINT, SIGQUIT or SIGHUP the process ends within a second even when the loop is stuck in a write to a
 * terminal that does not read: SIGALRM is armed, and signals_close() disarms it.
 *
 * Threads: one. Open before curses (which then leaves these signals alone) and before channels are
 * opened (their SIGBUS guard chains to ours).
 */
#ifndef RTOP_TUI_SIGNALS_H
#define RTOP_TUI_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum signal_event {
  SIGNAL_QUIT = 1u << 0, /* SIGINT, SIGTERM */
  SIGNAL_HANGUP = 1u << 1,
  SIGNAL_RESIZE = 1u << 2,
  SIGNAL_SUSPEND = 1u << 3,
  SIGNAL_CONTINUE = 1u << 4,
  SIGNAL_CHILD = 1u << 5,
};

/* Returns the descriptor to poll for reading, or -1. */
int signals_open(void);
/* Everything that came since the last call. */
unsigned signals_take(void);
/* Puts the former handlers back. */
void signals_close(void);

/* False: the terminal is somebody else's now, and whoever touches it is stopped. */
bool signals_in_foreground(int fd);
/* Stops this process as SIGTSTP by default does; returns when it is continued and has the terminal `fd`
 * again. False: it has not, and is to end. */
bool signals_stop_self(int fd);

/* What a crash writes to the terminal `output_fd`, while its modes are set back to those of `fd` now. Call
 * before curses changes them; the bytes (at most 256) may come later. Nothing happens to a terminal that is
 * somebody else's. */
void signals_save_terminal(int fd, int output_fd);
void signals_crash_bytes(const char *bytes, size_t count);
/* The process group that a crash ends (SIGTERM) before us: what was started from here must not stay
 * behind. 0: none. */
void signals_crash_group(pid_t group);

#endif
