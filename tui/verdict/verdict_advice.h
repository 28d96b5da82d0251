/* SPDX-License-Identifier: MIT */
/* Advice that follows from a verdict by arithmetic on exact figures; no advice is given where the figures do
 * not support it.
 *
 * Fewer threads: while the GVL is held nearly always, the work done is bounded by the GVL. A thread that is off the GVL
 * for `off` seconds of each second that it holds it needs the GVL for 1 / (1 + off) of its time, so 1 + off threads
 * keep it held (the bound of asymptotic operational analysis for one station with delays). The advice adds one thread
 * for chance, and is given only if that is at least two threads fewer than there are, and if the threads are alike: beside
 * one that holds the GVL most of the time by itself, fewer others would get less of it.
 *
 * A pool: threads wait for a connection while the GVL has room for more work.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_VERDICT_ADVICE_H
#define RTOP_TUI_VERDICT_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verdict_advice_kind { VERDICT_NO_ADVICE, VERDICT_FEWER_THREADS, VERDICT_LARGER_POOL };

/* The figures on which advice is based; all of one process with one GVL, averages over the span. */
struct verdict_figures {
  double held;      /* share of the time that the GVL is held, 0 to 1 */
  double off;       /* average number of threads at work that are off the GVL */
  bool one_holds;   /* one thread holds the GVL for most of that time: the threads are not alike */
  unsigned at_work; /* threads that mostly work */
  bool pool;        /* threads wait for a connection of a pool; then: */
  unsigned waiters; /* number of threads that waited for one for at least a hundredth of the span */
  double pool_blocked /* and so many at a time */;
};

struct verdict_advice {
  enum verdict_advice_kind kind;
  struct verdict_figures of;
  unsigned enough; /* fewer threads: number of threads that would do the same work */
};

struct verdict_advice verdict_advice_of(const struct verdict_figures *figures);

enum { VERDICT_ADVICE_TEXT = 400 };
/* Writes the advice with its reason, in full sentences; "" if there is none. */
void verdict_advice_words(char *out, size_t bytes, const struct verdict_advice *advice);

#endif
