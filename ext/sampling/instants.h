/* The instants at which the clock looks who runs.
 *
 * One stands in each period, anywhere in it: a program whose own timers keep step with ours, or with the ends of windows,
 * is met no differently from any other (stratified sampling), and one that wakes after a rest is not met at once.
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
 * Threads: the publisher's.
 */
#ifndef RTOP_EXT_INSTANTS_H
#define RTOP_EXT_INSTANTS_H

#include <stdbool.h>
#include <stdint.h>

enum { INSTANTS_DELAYS = 32 };

struct instants {
  int64_t next_ns;        /* the next one */
  int64_t slot_end_ns;    /* the period it stands in ends here */
  int64_t usual_delay_ns; /* three of four wake-ups come at least 4 us before it; known from the first few on */
  int64_t delays_ns[INSTANTS_DELAYS]; /* of the last wake-ups */
  uint32_t wake_ups;                  /* as far as they matter: less than twice as many */
  uint64_t passed, missed; /* instants, and those that told nothing; the caller counts its own and sets them to 0 */
  uint32_t random;
};

/* A period begins at now_ns. */
void instants_begin(struct instants *instants, int64_t now_ns, int64_t period_ns);

/* Woken at now_ns, which is next_ns or later. Returns the instant that was met, now_ns at the latest; 0: none, it is too late to
 * tell. Who was not woken, but looked between other work of its own, is never too late: the program had no part in that. */
int64_t instants_pass(struct instants *instants, int64_t now_ns, int64_t period_ns, bool woken);

/* Nobody was to wake up until now_ns: the instants before it are left out, and not counted. */
void instants_skip(struct instants *instants, int64_t now_ns, int64_t period_ns);

#endif
