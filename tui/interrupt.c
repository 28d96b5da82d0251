#include "interrupt.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static volatile sig_atomic_t interrupt_got;
static sigset_t interrupt_mask;        /* in force while sleeping */

static void interrupt_note(int signal_number)
{
  if (signal_number != SIGCHLD)
    interrupt_got = signal_number;
}

void interrupt_open(void)
{
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
  struct sigaction action = {.sa_handler = interrupt_note};
  sigset_t blocked;
  sigemptyset(&blocked);
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
    sigaddset(&blocked, signals[i]);
  sigprocmask(SIG_BLOCK, &blocked, &interrupt_mask);
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
    struct sigaction before = {0};
    sigaction(signals[i], NULL, &before);
    /* nohup stays nohup */
    if (before.sa_handler != SIG_IGN || signals[i] == SIGCHLD)
      sigaction(signals[i], &action, NULL);
    sigdelset(&interrupt_mask, signals[i]);
  }
  signal(SIGPIPE, SIG_IGN);
}

int interrupt_signal(void)
{
  return interrupt_got;
}

void interrupt_wait(int milliseconds)
{
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  if (!interrupt_got)
    ppoll(NULL, 0, &time, &interrupt_mask);
}
