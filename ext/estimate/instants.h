/* SPDX-License-Identifier: MIT */
/* The instants at which the publisher's timer samples the thread that has the GVL.
 *
 * Instants are 3/4 to 5/4 of a period apart. The distance is drawn anew every 16 instants, so that the instants drift
 * through the cycle of a program whose own timers run at the same rate; with a constant distance they would hit the
 * same part of each cycle.
 *
 * The timer thread wakes up late. When it wakes up later than usual, the program has often just taken its core for new
 * work, so the instant is set back to the time of a usual wake-up. A wake-up that is much too late counts as missed,
 * since the program runs other work by then. Delays of a few microseconds are usual and are not corrected.
 *
 * Through struct ticks, threads learn which instants found a thread with a GVL.
 *
 * Threads: instants_...() and ticks_set() only on the publisher's thread; ticks_serve() only on a thread that has a
 * GVL; all other functions from any thread.
 */
#ifndef RTOP_EXT_INSTANTS_H
#define RTOP_EXT_INSTANTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { INSTANTS_DELAYS = 32 };

struct instants {
  int64_t next_ns;        /* the next instant */
  int64_t usual_delay_ns; /* third quartile of recent wake-up delays, plus 4 us; known after the first wake-ups */
  int64_t delays_ns[INSTANTS_DELAYS]; /* delays of the last wake-ups */
  /* number of wake-ups; wraps back so that it stays below twice INSTANTS_DELAYS */
  uint32_t wake_ups;
  /* number of instants that passed, and of those among them that gave no sample; the caller adds both to its own sums
   * and resets them to 0 */
  uint64_t passed, missed;
  int64_t share;       /* distance to the next instant, in 1/65,536 of a period */
  uint32_t alike_left; /* number of further instants at this distance */
  uint32_t random;
};

/* Starts the instants. The first one falls within one period after now_ns. */
void instants_begin(struct instants *instants, int64_t now_ns, int64_t period_ns);

/* Handles the instant that is due at now_ns, where now_ns >= next_ns. Returns the instant to sample for, at most
 * now_ns, or 0 when the wake-up came too late to know what ran at the instant. `woken`: the timer woke up the caller.
 * If false, the caller came from other work of its own, and is never too late, since the program did not cause the
 * delay. */
int64_t instants_pass(struct instants *instants, int64_t now_ns, int64_t period_ns, bool woken);

/* Skips all instants up to now_ns without counting them: for a time in which no wake-up was due. */
void instants_skip(struct instants *instants, int64_t now_ns, int64_t period_ns);

/* The latest instants that found a thread with a GVL. A time of 0 means that there was no such instant yet. */
struct ticks {
  _Atomic int64_t last_ns;
  /* latest instant that led to a sample; that sample also counts for all earlier instants */
  _Atomic int64_t served_ns;
  _Atomic int64_t before_ns; /* the instant before last_ns */
  _Atomic int64_t first_ns;  /* earliest instant after the last one that led to a sample */
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

/* Returns the latest instant that is not after now_ns. The publisher may have added a newer instant since the caller
 * read its clock; then the instant before that one is returned, so that it is not hidden. */
static inline int64_t ticks_until(const struct ticks *ticks, int64_t now_ns)
{
  int64_t last = atomic_load_explicit(&ticks->last_ns, memory_order_acquire);
  return last > now_ns ? atomic_load_explicit(&ticks->before_ns, memory_order_relaxed) : last;
}

/* Returns the latest instant up to now_ns, if it is after since_ns and has not led to a sample yet; else 0. */
static inline int64_t ticks_due(const struct ticks *ticks, int64_t since_ns, int64_t now_ns)
{
  int64_t tick = ticks_until(ticks, now_ns);
  bool served = tick == atomic_load_explicit(&ticks->served_ns, memory_order_relaxed);
  return tick <= since_ns || tick > now_ns || served ? 0 : tick;
}

#endif
