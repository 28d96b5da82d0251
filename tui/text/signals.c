/* SPDX-License-Identifier: MIT */
/* Signal handlers, and the pipe to which they write. */
#include "signals.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const struct {
  int number;
  unsigned event;
} watched[] = {
  { SIGINT, SIGNAL_QUIT },     { SIGTERM, SIGNAL_QUIT },    { SIGQUIT, SIGNAL_QUIT },     { SIGHUP, SIGNAL_HANGUP },
  { SIGWINCH, SIGNAL_RESIZE }, { SIGTSTP, SIGNAL_SUSPEND }, { SIGCONT, SIGNAL_CONTINUE }, { SIGCHLD, SIGNAL_CHILD },
};
/* Limits. A process that no shell can continue is not stopped: each stop would return at once. */
enum { STOPS_MAX = 100, WRITE_TRIES = 20, WRITE_WAIT_MS = 50 };
static const int crashes[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM };
enum { WATCHED = sizeof watched / sizeof watched[0], CRASHES = sizeof crashes / sizeof crashes[0] };

static struct {
  int pipe_read, pipe_write;
  bool open;
  struct sigaction before[WATCHED], before_crash[CRASHES], before_pipe;
  volatile sig_atomic_t ending;
  int terminal, output;
  bool terminal_saved;
  struct termios modes;
  char bytes[256];
  size_t byte_count;
  pid_t group;
  char stack[16384];
} state = { .pipe_read = -1, .pipe_write = -1 };

bool signals_in_foreground(int fd)
{
  pid_t group = tcgetpgrp(fd);
  return group < 0 || group == getpgrp();
}

static void note(int number)
{
  int saved_errno = errno;
  char byte = (char)number;
  if (number == SIGTERM || number == SIGHUP || number == SIGINT || number == SIGQUIT) {
    state.ending = 1;
    alarm(1);
  }
  ssize_t ignored = write(state.pipe_write, &byte, 1); /* full: the loop has enough to read */
  (void)ignored;
  errno = saved_errno;
}

/* Ignores a signal by an empty handler instead of SIG_IGN, which started commands would inherit. */
static void ignore(int number)
{
  (void)number;
}

/* Prevents a terminal that does not read from blocking this process: discards pending output, and turns off IXON so
 * that output continues. */
static void unblock(void)
{
  struct termios modes = state.modes;
  modes.c_iflag &= ~(tcflag_t)IXON;
  tcsetattr(state.terminal, TCSANOW, &modes);
  tcflush(state.terminal, TCOFLUSH);
}

/* Writes the bytes to the terminal. Waits a little for a slow one; one that does not read loses the remaining bytes. */
static void write_bytes(void)
{
  int flags = fcntl(state.output, F_GETFL);
  size_t at = 0;
  fcntl(state.output, F_SETFL, flags | O_NONBLOCK);
  for (int tries = 0; at < state.byte_count && tries < WRITE_TRIES; tries++) {
    if (tries == WRITE_TRIES / 2) unblock();
    ssize_t count = write(state.output, state.bytes + at, state.byte_count - at);
    if (count > 0) at += (size_t)count;
    if (count < 0 && errno == EAGAIN) poll(&(struct pollfd){ state.output, POLLOUT, 0 }, 1, WRITE_WAIT_MS);
  }
  fcntl(state.output, F_SETFL, flags);
}

/* Handles a crash with async-signal-safe calls only, so endwin() is not called. */
static void crash(int number)
{
  if (state.terminal_saved && signals_in_foreground(state.terminal)) {
    if (number == SIGALRM) unblock();
    write_bytes();
    tcsetattr(state.terminal, TCSANOW, &state.modes);
    state.terminal_saved = false;
  }
  if (state.group > 0) kill(-state.group, SIGTERM);
  signal(number, SIG_DFL);
  raise(number);
}

static void install(int number, void (*handler)(int), int flags, struct sigaction *before)
{
  struct sigaction action = { .sa_flags = flags };
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, before);
}

int signals_open(void)
{
  int ends[2];
  if (state.open) return state.pipe_read;
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  state.pipe_read = ends[0];
  state.pipe_write = ends[1];
  stack_t stack = { .ss_sp = state.stack, .ss_size = sizeof state.stack };
  sigaltstack(&stack, NULL);
  for (int i = 0; i < WATCHED; i++) install(watched[i].number, note, 0, &state.before[i]);
  for (int i = 0; i < CRASHES; i++) install(crashes[i], crash, SA_ONSTACK, &state.before_crash[i]);
  install(SIGPIPE, ignore, 0, &state.before_pipe);
  state.ending = 0;
  state.open = true;
  return state.pipe_read;
}

unsigned signals_take(void)
{
  char bytes[64];
  unsigned events = 0;
  ssize_t count;
  while ((count = read(state.pipe_read, bytes, sizeof bytes)) > 0) {
    for (ssize_t i = 0; i < count; i++)
      for (int k = 0; k < WATCHED; k++) events |= watched[k].number == bytes[i] ? watched[k].event : 0;
  }
  return events;
}

void signals_close(void)
{
  if (!state.open) return;
  alarm(0);
  for (int i = 0; i < WATCHED; i++) sigaction(watched[i].number, &state.before[i], NULL);
  for (int i = 0; i < CRASHES; i++) sigaction(crashes[i], &state.before_crash[i], NULL);
  sigaction(SIGPIPE, &state.before_pipe, NULL);
  close(state.pipe_read);
  close(state.pipe_write);
  state.pipe_read = state.pipe_write = -1;
  state.terminal_saved = false;
  state.open = false;
}

bool signals_stop_self(int fd)
{
  struct sigaction ours;
  install(SIGTSTP, SIG_DFL, 0, &ours);
  for (int stops = 0; stops < STOPS_MAX; stops++) {
    raise(SIGTSTP);
    if (signals_in_foreground(fd) || state.ending) break;
  }
  sigaction(SIGTSTP, &ours, NULL);
  return signals_in_foreground(fd);
}

void signals_save_terminal(int fd, int output_fd)
{
  state.terminal = fd;
  state.output = output_fd;
  state.byte_count = 0;
  state.terminal_saved = tcgetattr(fd, &state.modes) == 0;
}

void signals_crash_group(pid_t group)
{
  state.group = group;
}

void signals_crash_bytes(const char *bytes, size_t count)
{
  if (state.byte_count + count <= sizeof state.bytes) {
    memcpy(state.bytes + state.byte_count, bytes, count);
    state.byte_count += count;
  }
}
