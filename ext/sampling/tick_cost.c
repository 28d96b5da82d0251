/* SPDX-License-Identifier: MIT */
/* Measures once what a timer interrupt costs on this machine. */
#include "tick_cost.h"
#include "shm/base/clock.h"

#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { PAIRS = 5, WORK_NS = 50000, INTERRUPT_EVERY_NS = 12500, TIMES_INTERRUPT = 7 };
#define TICK_LEAST_NS INT64_C(2000)
#define TICK_MOST_NS INT64_C(40000)
#define TICK_UNKNOWN_NS INT64_C(8000)

static int64_t work(int rounds)
{
  int64_t begin = clock_now_ns();
  volatile uint64_t number = 1;
  for (int i = 0; i < rounds; i++) number = number * UINT64_C(2862933555777941757) + 3037000493u;
  return clock_now_ns() - begin;
}

/* Returns how much longer the work takes per interrupt, in ns; negative when that cannot be determined. */
static int64_t compare(int timer, int rounds)
{
  struct itimerspec every = { .it_interval.tv_nsec = INTERRUPT_EVERY_NS, .it_value.tv_nsec = INTERRUPT_EVERY_NS };
  static const struct itimerspec never;
  uint64_t fired = 0;
  int64_t quiet = work(rounds);
  if (timerfd_settime(timer, 0, &every, NULL) != 0) return -1;
  int64_t disturbed = work(rounds);
  ssize_t got = read(timer, &fired, sizeof fired);
  timerfd_settime(timer, 0, &never, NULL);
  if (got != (ssize_t)sizeof fired || fired == 0) return -1;
  return (disturbed - quiet) / (int64_t)fired;
}

static int by_size(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int64_t measure(void)
{
  int64_t costs[PAIRS];
  int rounds = 1000;
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (timer < 0) return TICK_UNKNOWN_NS;
  rounds = (int)(rounds * WORK_NS / (work(rounds) + 1)) + 1;
  for (int i = 0; i < PAIRS; i++) costs[i] = compare(timer, rounds);
  close(timer);
  qsort(costs, PAIRS, sizeof *costs, by_size);
  int64_t interrupt = costs[PAIRS / 2];
  if (interrupt <= 0) return TICK_UNKNOWN_NS;
  int64_t cost = TIMES_INTERRUPT * interrupt;
  if (cost < TICK_LEAST_NS) return TICK_LEAST_NS;
  return cost < TICK_MOST_NS ? cost : TICK_MOST_NS;
}

int64_t tick_cost_ns(void)
{
  static int64_t measured;
  if (!measured) measured = measure();
  return measured;
}
