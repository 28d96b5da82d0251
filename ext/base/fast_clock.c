/* SPDX-License-Identifier: MIT */
/* Tests whether the kernel uses the processor's counter as its clock source, and converts ticks of the counter to
 * ns. */
#include "fast_clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { READ_TRIES = 5 };

bool fast_clock_is_counter;

/* The kernel chooses the counter as its clock source only if the counter never stops and has the same value on all
 * cores. */
void fast_clock_learn(void)
{
#if defined __x86_64__
  char name[8] = "";
  int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t count = read(fd, name, sizeof name);
  close(fd);
  fast_clock_is_counter = count >= 4 && memcmp(name, "tsc\n", 4) == 0;
#endif
}

/* Reads the counter and the clock together. Uses the one of several tries whose two counter readings are closest
 * together. */
struct fast_clock_start fast_clock_start(void)
{
  struct fast_clock_start best = { 0 };
  int64_t least = INT64_MAX;
  for (int i = 0; i < READ_TRIES; i++) {
    int64_t before = fast_clock_ticks(), ns = clock_now_ns(), after = fast_clock_ticks();
    if (after - before >= least) continue;
    least = after - before;
    best = (struct fast_clock_start){ before + (after - before) / 2, ns };
  }
  return best;
}

double fast_clock_ns_per_tick(const struct fast_clock_start *start)
{
  struct fast_clock_start now = fast_clock_start();
  if (!fast_clock_is_counter || now.ticks <= start->ticks || now.ns <= start->ns) return 1;
  return (double)(now.ns - start->ns) / (double)(now.ticks - start->ticks);
}
