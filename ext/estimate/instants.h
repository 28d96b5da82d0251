/* SPDX-License-Identifier: MIT */
/* The instants at which the clock looks who runs.
 *
 * From one to the next it is three quarters of a period to five quarters, the same for 16 of them, then another. A program
 * whose own timers keep step with ours, or with the ends of windows, would be met at the same place of its own period again and
 * again were they a period apart: so they pass through all of it, about as evenly as if each distance were drawn anew between
 * half a period and one and a half (by simulation: what takes a tenth of a loop of one period is seen with a standard deviation
 * of 1.4 % in 500 instants, and with 29 % a period apart). But the place of a boundary between two instants varies by 0.31 of
 * a period instead of 0.35 (a period apart: 0.29). One that wakes after a rest is not met at once.
 *
 * The timer's thread comes late, by some tens of microseconds mostly. When it comes later than usual, something of the
 * program took its core, often work that has just begun. Therefore the instant of a late wake-up is that of a usual one:
 * work that began later was not met. One that comes later by more tells nothing: the program has gone on by then, mostly up to a
 * system call, where the timer's thread is let in. (Beside two busy processes 1 to 4 % of the instants in work of 0.6 ms told of
 * the clock that was read behind it.) Not so where it is later by the few microseconds that a core takes to wake: what lies
 * before the work would be met too seldom (bursts of 50 us had 2.0 % too much at 1000 Hz, and 0.7 without that). What is
 * usual is learnt within a few wake-ups: where all come late, nothing short would be met at instants that have passed
 * by then.
 *
 * Threads learn from struct ticks of the instants at which one of them had a GVL.
 *
 * Threads: instants_...() and ticks_set() the publisher; ticks_serve() a thread with a GVL; the rest any.
 */
#ifndef RTOP_EXT_INSTANTS_H
#define RTOP_EXT_INSTANTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { INSTANTS_DELAYS = 32 };

struct instants {
  int64_t next_ns;        /* the next one */
  int64_t usual_delay_ns; /* three of four wake-ups come at least 4 us before it; known from the first few on */
  int64_t delays_ns[INSTANTS_DELAYS]; /* of the last wake-ups */
  uint32_t wake_ups;                  /* as far as they matter: less than twice as many */
  uint64_t passed, missed; /* instants, and those that told nothing; the caller counts its own and sets them to 0 */
  int64_t share;           /* of a period, in 1 / 65,536: the distance to the next one */
  uint32_t alike_left;     /* how many more are as far apart */
  uint32_t random;
};

/* The first one comes within a period of now_ns. */
void instants_begin(struct instants *instants, int64_t now_ns, int64_t period_ns);

/* Woken at now_ns, which is next_ns or later. Returns the instant that was met, now_ns at the latest; 0: none, it is too late to
 * tell. Who was not woken, but looked between other work of its own, is never too late: the program had no part in that. */
int64_t instants_pass(struct instants *instants, int64_t now_ns, int64_t period_ns, bool woken);

/* Nobody was to wake up until now_ns: the instants before it are left out, and not counted. */
void instants_skip(struct instants *instants, int64_t now_ns, int64_t period_ns);

/* The last instants that were at somebody. 0: none yet. */
struct ticks {
  _Atomic int64_t last_ns;
  _Atomic int64_t served_ns; /* the last one that led to a sample, those before it together with it */
  _Atomic int64_t before_ns; /* the one before the last */
  _Atomic int64_t first_ns;  /* the first one since one led to a sample */
};

static inline bool ticks_all_served(const struct ticks *ticks)
{
  return atomic_load_explicit(&ticks->last_ns, memory_order_relaxed) ==
         atomic_load_explicit(&ticks->served_ns, memory_order_relaxed);
}

static inline void ticks_set(struct ticks *ticks, int64_t instant_ns)
{
  int64_t before = atomic_load_explicit(&ticks->last_ns, memory_order_relaxed);
  if (ticks_all_served(ticks)) atomic_store_explicit(&ticks->first_ns, instant_ns, memory_order_relaxed);
  atomic_store_explicit(&ticks->before_ns, before, memory_order_relaxed);
  atomic_store_explicit(&ticks->last_ns, instant_ns, memory_order_release);
}

static inline void ticks_serve(struct ticks *ticks)
{
  int64_t last = atomic_load_explicit(&ticks->last_ns, memory_order_relaxed);
  atomic_store_explicit(&ticks->served_ns, last, memory_order_relaxed);
}

/* The last one until now_ns. Another may have come since that clock was read, in our own work: those before it are still to be
 * told. (Where it hid them, 7 of 3,400 long calls in C lost all of their time to what followed, at 1000 Hz.) */
static inline int64_t ticks_until(const struct ticks *ticks, int64_t now_ns)
{
  int64_t last = atomic_load_explicit(&ticks->last_ns, memory_order_acquire);
  return last > now_ns ? atomic_load_explicit(&ticks->before_ns, memory_order_relaxed) : last;
}

/* The last one until now_ns when it came after since_ns and led to no sample yet, else 0. */
static inline int64_t ticks_due(const struct ticks *ticks, int64_t since_ns, int64_t now_ns)
{
  int64_t tick = ticks_until(ticks, now_ns);
  bool served = tick == atomic_load_explicit(&ticks->served_ns, memory_order_relaxed);
  return tick <= since_ns || tick > now_ns || served ? 0 : tick;
}

#endif
