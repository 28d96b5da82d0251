/* SPDX-License-Identifier: MIT */
/* How long work with labels takes, and what its thread does or waits for meanwhile: exactly, for each piece.
 *
 * A piece begins with a block of labels and ends with it. Each thread sums up, by cause, what it waits for and collects
 * (data->work_ns) as the hooks tell; running time is what is left. So a piece is the difference of these sums between its
 * end and its begin, and what it did adds up to how long it took, to the nanosecond. While a fiber is away from its thread
 * (under a fiber scheduler) what the thread does is not the fiber's: that is taken off, and the time is RTOP_WORK_FIBER.
 *
 * Times of pieces are counted in buckets: those of the whole are 1.6 % wide, so that the middle is within 0.8 % of each;
 * those by cause 12.5 %, within 6.2 % (shm/base/latency.h). Sums and the longest are exact.
 *
 * All memory is bounded. Pieces that are open have a place each; those that find none are not timed, and counted
 * (`untimed`). What ends is added to a row of its label, and to buckets, of the open one of two buffers; the publisher takes
 * them in turns. Of labels without room for a row the sums are in one row of all; times without room for a bucket are only
 * in the sums.
 *
 * Threads: see each function. A place is not a pointer into somebody's stack: a block may be left by ways that tell nobody
 * (Kernel#callcc, a fiber that is never resumed). Then its place stays taken.
 */
#ifndef RTOP_EXT_WORK_H
#define RTOP_EXT_WORK_H

#include "shm/base/format.h"
#include "threads.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sampler;

enum {
  WORK_PIECES_MAX = 4096, /* a power of two, as the others */
  WORK_ROWS_MAX = 1024,
  WORK_BUCKETS_MAX = 8192,
};

struct work_piece {
  _Atomic int64_t begin_ns; /* 0: the place is free */
  _Atomic uint64_t labels;  /* set << 32 | those that may turn out to be its own << 16 | its own */
  _Atomic uint32_t ticket;  /* tells pieces of one place apart */
  uint32_t outermost;       /* place of that of its fiber */
  uint64_t serial;          /* of the thread */
  int64_t before_ns[RTOP_WORK_CAUSES];
  /* of the outermost one: what the thread did while the fiber was away, and, when it is, since when and with which sums */
  int64_t away_ns[RTOP_WORK_CAUSES];
  int64_t left_at_ns, left_ns[RTOP_WORK_CAUSES];
};

struct work_row {
  _Atomic uint32_t label; /* set << 4 | which one, + 1; 0: free */
  /* by cause; `ended`: pieces that had some of it */
  _Atomic uint64_t ended[RTOP_WORK_CAUSES], sum_ns[RTOP_WORK_CAUSES], longest_ns[RTOP_WORK_CAUSES];
};

struct work_bucket {
  _Atomic uint64_t key; /* label as above << 20 | cause << 12 | bucket; 0: free */
  _Atomic uint64_t count;
};

struct work_buffer {
  struct work_row rest; /* of labels without a row, or without a set */
  struct work_row rows[WORK_ROWS_MAX];
  struct work_bucket buckets[WORK_BUCKETS_MAX];
  _Atomic bool used;
};

struct work {
  _Atomic uint32_t open;    /* which buffer */
  _Atomic uint32_t writers; /* threads that write into one now */
  _Atomic uint32_t hint;    /* a place that is perhaps free */
  _Atomic uint32_t high;    /* places from here on were never used */
  _Atomic uint32_t ticket;
  _Atomic uint64_t untimed; /* pieces that found no place, since the publisher took it */
  _Atomic int64_t gc_word;  /* all time of collections so far << 1, or, in one, when it began less that << 1 | 1 */
  struct work_piece pieces[WORK_PIECES_MAX];
  struct work_buffer buffers[2];
};

/* Under the GVL, while no hook runs: nothing is open. */
void work_forget(struct work *work);
/* In the child of a fork: nothing has ended, either. */
void work_clear(struct work *work);

/* The calling thread begins a piece within another one of its fiber, or none (0). 0: it is not timed. */
uint64_t work_begin(struct sampler *sampler, uint64_t outer);
/* The labels that it is about: of the set those of `own`; perhaps those of `ahead`, which are shown while it is open. */
void work_tell(struct work *work, uint64_t piece, uint32_t set, uint32_t own, uint32_t ahead);
/* What was told; 0: nothing, or it is none. */
uint32_t work_own(struct work *work, uint64_t piece);
/* The calling thread ends it, and is in `outer` again. Does nothing with one that has ended. */
void work_end(struct sampler *sampler, uint64_t piece, uint64_t outer);
/* The calling thread runs a fiber that is in this piece. */
void work_switch(struct sampler *sampler, struct thread_data *data, uint64_t piece);

/* [hook] The thread goes off the GVL now. */
void work_go_off(struct sampler *sampler, struct thread_data *data);
/* [hook] It may run again from now on: perhaps called by another thread. */
void work_ready(struct sampler *sampler, struct thread_data *data, int64_t now_ns);
/* [hook] It got the GVL after so long off it, and so long of waiting for it. */
void work_resumed(struct sampler *sampler, struct thread_data *data, int64_t off_ns, int64_t wait_ns, int64_t now_ns);
/* [hook] A collection begins and ends, which took so long. */
void work_gc_enter(struct work *work, int64_t now_ns);
void work_gc_leave(struct work *work, struct thread_data *data, int64_t ns, int64_t now_ns);

/* The publisher: the buffer that is full, into which nobody writes any more, while the other one is open. NULL: somebody
 * still does; again later. */
struct work_buffer *work_take(struct work *work);

/* The publisher, while hooks are off: what ended before is told of no more. */
void work_drop(struct work *work);

#endif
