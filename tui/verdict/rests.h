/* SPDX-License-Identifier: MIT */
/* Threads that were blocked throughout what is shown: which of them rest, and which are to blame.
 *
 * Blamed is who has a stall there (blocked), or is where others of that stall are; who is where the verdict says that threads
 * are blocked, or is named by it; who waits for a lock, or has one that others wait for. Of the others off_gvl.h tells from
 * the stack who rests.
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
  REST_QUIET,  /* waits for work, as far as its stack tells */
  REST_PARKED, /* nobody knows that it rests, nobody blames it */
  REST_BLAMED,
  REST_STUCK, /* blamed, and in it for a second at least */
};

struct rests {
  struct rest_row {
    enum thread_rest rest;
    uint64_t serial;
    uint32_t source;
    uint32_t own; /* frame: the nearest method of the application, of none the nearest one in Ruby; 0: not known */
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
  struct rtop_sum *sum;         /* what is shown, with its locks noted (thread_locks_note) */
  const struct rtop_sum *whole; /* where the lens hides frames: a sum with these, of now or half a second before */
  struct rtop_span span;
  const struct stalls *stalls;
  const struct verdict *verdict; /* NULL: there is none */
};

/* Notes in the rows of the sum who is blamed. */
void rests_update(struct rests *rests, const struct rests_look *look);
void rests_destroy(struct rests *rests);

/* Was it off the GVL throughout a sum of this length, and is? */
bool rest_is_all(const struct rtop_thread_row *thread, uint64_t length_ns);
/* Of a thread of that sum. */
enum thread_rest rests_of(const struct rests *rests, const struct rtop_sum *sum, const struct rtop_thread_row *thread);
/* It is neither to blame nor known to do anything. */
static inline bool rest_is_idle(enum thread_rest rest)
{
  return rest == REST_QUIET || rest == REST_PARKED;
}
/* How long it has been stuck, and in which method of the application, else of Ruby. False: it is not. */
bool rests_stuck(const struct rests *rests, const struct rtop_sum *sum, const struct rtop_thread_row *thread,
                 uint64_t *since_ns, uint32_t *own);
/* Notes the same of the threads of another sum of about the same time. */
void rests_note(const struct rtop_sum *from, struct rtop_sum *sum);

#endif
