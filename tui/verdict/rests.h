/* SPDX-License-Identifier: MIT */
/* Judges threads that were blocked throughout the span: which of them are idle, and which are to blame.
 *
 * A thread is blamed if it has a stall of its own (blocked) or is in the same place as others of that stall, if it is
 * in the place where the verdict says that threads are blocked, if the verdict names it, or if it waits for a lock or
 * owns one that others wait for. For other threads off_gvl.h judges from the stack whether they are idle.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_RESTS_H
#define RTOP_TUI_RESTS_H

#include "tui/stalls/off_gvl.h"
#include "tui/stalls/stalls.h"
#include "verdict.h"
#include <stdbool.h>

enum { RESTS_STALLS_MAX = 64 };

enum thread_rest {
  REST_NOT,    /* it was not blocked throughout */
  REST_QUIET,  /* waits for work, judging by its stack */
  REST_PARKED, /* not known to be idle, but not blamed either */
  REST_BLAMED,
  REST_STUCK, /* blamed, and blocked for at least a second */
};

struct rests {
  struct rest_row {
    enum thread_rest rest;
    uint64_t serial;
    uint32_t source;
    /* frame of the nearest application method on its stack, else of the nearest Ruby method; 0: unknown */
    uint32_t own;
    uint64_t since_ns;
  } * rows; /* as the rows of the sum */
  size_t count, capacity;
  struct off_ways ways;                         /* private */
  const struct stall *stalls[RESTS_STALLS_MAX]; /* private: of the update */
  unsigned stall_count;
};

/* What they are judged by. */
struct rests_look {
  struct rtop_profile *profile;
  struct rtop_sum *sum;         /* the sum of the span, after thread_locks_note() */
  const struct rtop_sum *whole; /* where the lens hides frames: a sum that has
                                   all frames, of now or half a second ago */
  struct rtop_span span;
  const struct stalls *stalls;
  const struct verdict *verdict; /* NULL: there is none */
};

/* Marks the rows of the sum whose threads are to blame. */
void rests_update(struct rests *rests, const struct rests_look *look);
void rests_destroy(struct rests *rests);

/* Was the thread off the GVL throughout a sum of this length, and is it still off? */
bool rest_is_all(const struct rtop_thread_row *thread, uint64_t length_ns);
/* Of a thread of that sum. */
enum thread_rest rests_of(const struct rests *rests, const struct rtop_sum *sum, const struct rtop_thread_row *thread);
/* Neither blamed nor known to do anything. */
static inline bool rest_is_idle(enum thread_rest rest)
{
  return rest == REST_QUIET || rest == REST_PARKED;
}
/* Returns how long the thread has been stuck, and in which method of the application, else of Ruby. False: it
   is not stuck. */
bool rests_stuck(const struct rests *rests, const struct rtop_sum *sum, const struct rtop_thread_row *thread,
                 uint64_t *since_ns, uint32_t *own);
/* Copies the marks to the threads of another sum of about the same time. */
void rests_note(const struct rtop_sum *from, struct rtop_sum *sum);

#endif
