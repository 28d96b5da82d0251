/* SPDX-License-Identifier: MIT */
/* Notes that a signal asked the program to end. */
#include "interrupt.h"

#include "temporary.h"
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int interrupt_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
enum { INTERRUPT_SIGNALS = sizeof interrupt_signals / sizeof interrupt_signals[0] };

static volatile sig_atomic_t interrupt_got;
static volatile sig_atomic_t interrupt_immediate;
static char interrupt_overtime[512]; /* message that is printed when the limit on computing time is reached */

static void interrupt_note(int signal_number)
{
  if (signal_number == SIGCHLD) return;
  if (interrupt_immediate) {
    rtop_temporary_remove_all();
    _exit(128 + signal_number);
  }
  interrupt_got = signal_number;
}

static void interrupt_end_overtime(int signal_number)
{
  (void)signal_number;
  rtop_temporary_remove_all();
  if (write(STDERR_FILENO, interrupt_overtime, strlen(interrupt_overtime)) < 0) _exit(1);
  _exit(1);
}

void interrupt_open(void)
{
  struct sigaction action = { .sa_handler = interrupt_note, .sa_flags = SA_RESTART };
  for (size_t i = 0; i < INTERRUPT_SIGNALS; i++) {
    struct sigaction before = { 0 };
    sigaction(interrupt_signals[i], NULL, &before);
    /* nohup stays nohup */
    if (before.sa_handler != SIG_IGN || interrupt_signals[i] == SIGCHLD) sigaction(interrupt_signals[i], &action, NULL);
  }
  signal(SIGPIPE, SIG_IGN);
}

int interrupt_signal(void)
{
  return interrupt_got;
}

void interrupt_at_once(bool at_once)
{
  interrupt_immediate = at_once;
}

void interrupt_limit_time(uint64_t seconds, const char *line)
{
  struct sigaction action = { .sa_handler = interrupt_end_overtime };
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU };
  struct itimerspec time = { .it_value = { .tv_sec = (time_t)seconds } };
  timer_t timer;
  snprintf(interrupt_overtime, sizeof interrupt_overtime, "%s\n", line);
  sigaction(SIGXCPU, &action, NULL);
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0) timer_settime(timer, 0, &time, NULL);
}

void interrupt_wait_for(int fd, short events, int milliseconds)
{
  struct pollfd other = { .fd = fd, .events = events };
  struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
  sigset_t blocked, before;
  sigemptyset(&blocked);
  for (size_t i = 0; i < INTERRUPT_SIGNALS; i++) sigaddset(&blocked, interrupt_signals[i]);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  if (!interrupt_got) ppoll(&other, 1, &time, &before);
  sigprocmask(SIG_SETMASK, &before, NULL);
}

void interrupt_wait(int milliseconds)
{
  interrupt_wait_for(-1, 0, milliseconds);
}
