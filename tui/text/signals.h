/* SPDX-License-Identifier: MIT */
/* Signals as events: handlers write a byte into a pipe, and the main loop reads the byte. Only a crash does more: the
 * terminal is restored within a second, then the signal takes its default action.
 *
 * After SIGTERM, SIGINT, SIGQUIT or SIGHUP the process ends within a second, even if the loop hangs in a write to a
 * terminal that does not read: SIGALRM is armed until signals_close().
 *
 * Threads: one. signals_open() must be called before curses, which then leaves these signals alone, and before channels
 * are opened, whose SIGBUS guard calls the previous handler.
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

/* Installs the handlers. Returns the descriptor to poll for reading, or -1. */
int signals_open(void);
/* Everything that came since the last call. */
unsigned signals_take(void);
/* Puts the former handlers back. */
void signals_close(void);

/* Is this process in the foreground of the terminal? If not, using the terminal would stop it. */
bool signals_in_foreground(int fd);
/* Stops this process like the default action of SIGTSTP; returns when it is continued and has the terminal `fd`. False:
 * it does not have the terminal, and should end. */
bool signals_stop_self(int fd);

/* Sets what a crash does: writes these bytes (at most 256, may be set later) to the terminal `output_fd`, and restores
 * the present modes of `fd`. signals_save_terminal() must be called before curses changes the modes. A terminal with
 * another foreground process is left alone. */
void signals_save_terminal(int fd, int output_fd);
void signals_crash_bytes(const char *bytes, size_t count);
/* Process group to which a crash sends SIGTERM first, so that commands started by this program do not stay
   behind. 0: none. */
void signals_crash_group(pid_t group);

#endif
