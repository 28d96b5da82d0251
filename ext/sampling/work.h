/* SPDX-License-Identifier: MIT */
/* Exact duration of work with labels, and by cause what its thread did or waited for meanwhile.
 *
 * A piece of work begins and ends with a block of labels. Hooks sum up off-GVL time and GC of each thread by cause
 * (data->work_ns); a piece is the difference of these sums between its end and its begin, and its running time is the
 * remainder, so the causes add up to the duration. While a fiber scheduler runs another fiber, the piece counts
 * RTOP_WORK_FIBER instead.
 *
 * Durations are counted in buckets: those of whole pieces are 1.6 % wide (error 0.8 %), those by cause 12.5 % (6.2 %;
 * shm/base/latency.h). Sums and maxima are exact.
 *
 * Memory is bounded: an open piece has a place; pieces without a place are only counted (`untimed`). Ended pieces are
 * added to a row of their label and to buckets, in the open one of two buffers, which the publisher swaps. The longest
 * pieces of a window are kept one by one. Labels without a row share one (`rest`); durations without a bucket are only in
 * the sums.
 *
 * Threads: see each function. A piece is a number, not a pointer into a stack: a block that is left without notice
 * (Kernel#callcc, a fiber never resumed) keeps its place taken.
 */
#ifndef RTOP_EXT_WORK_H
#define RTOP_EXT_WORK_H

#include "shm/base/format.h"
#include "ext/base/trylock.h"
#include "threads.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sampler;

enum {
  WORK_PIECES_MAX = 4096, /* a power of two, as the others */
  WORK_ROWS_MAX = 1024,
  WORK_BUCKETS_MAX = 8192,
  WORK_SLOW_MAX = 64,
  WORK_SHORT_MAX = 4, /* of a window without longer ones than WORK_SHORT_NS */
  WORK_SHORT_NS = 1000000,
};

struct work_piece {
  _Atomic int64_t begin_ns; /* 0: the place is free */
  _Atomic uint64_t labels;  /* set << 32 | labels that may become the piece's own << 16 | its own labels */
  _Atomic uint32_t ticket;  /* tells pieces of one place apart */
  uint32_t outermost;       /* place of that of its fiber */
  uint64_t serial;          /* of the thread */
  int64_t before_ns[RTOP_WORK_CAUSES];
  /* Only in the outermost piece: what the thread did while the fiber was away; time and sums at which the fiber left,
   * while it is away. */
  int64_t away_ns[RTOP_WORK_CAUSES];
  int64_t left_at_ns, left_ns[RTOP_WORK_CAUSES];
};

struct work_row {
  _Atomic uint32_t label; /* set << 4 | which one, + 1; 0: free */
  /* By cause. `ended`: number of pieces with time of the cause. */
  _Atomic uint64_t ended[RTOP_WORK_CAUSES], sum_ns[RTOP_WORK_CAUSES], longest_ns[RTOP_WORK_CAUSES];
};

struct work_bucket {
  _Atomic uint64_t key; /* label as above << 20 | cause << 12 | bucket; 0: free */
  _Atomic uint64_t count;
};

/* A piece that ended. */
struct work_slow {
  uint64_t labels; /* as in a piece */
  uint64_t serial; /* of the thread */
  int64_t end_ns;
  int64_t took_ns[RTOP_WORK_CAUSES];
};

/* The longest pieces of a window. Written under the lock, for which only threads of several Ractors compete. */
struct work_longest {
  struct trylock lock;
  _Atomic uint32_t count;
  _Atomic int64_t shortest_ns; /* of these */
  struct work_slow all[WORK_SLOW_MAX];
};

struct work_buffer {
  struct work_longest longest;
  struct work_row rest; /* pieces of labels without a row, or without a set */
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
  _Atomic uint64_t untimed; /* pieces without a place since the publisher last read the number */
  _Atomic int64_t gc_word;  /* total time of collections << 1; during one: its begin less that total, << 1 | 1 */
  struct work_piece pieces[WORK_PIECES_MAX];
  struct work_buffer buffers[2];
};

/* Closes all pieces without counting them. Under the GVL, while no hook runs. */
void work_forget(struct work *work);
/* For the child of a fork: also forgets the ended pieces. */
void work_clear(struct work *work);

/* Begins a piece of the calling thread within piece `outer` of its fiber (0: none). Returns 0 when the piece is not
 * timed. */
uint64_t work_begin(struct sampler *sampler, uint64_t outer);
/* Sets the labels of a piece: label set `set`, in which the bits `own` are its own labels, and the bits `ahead` may
 * become its own; while the piece is open, both are shown. */
void work_tell(struct work *work, uint64_t piece, uint32_t set, uint32_t own, uint32_t ahead);
/* The bits `own` of a piece; 0 when none were set or the piece has ended. */
uint32_t work_own(struct work *work, uint64_t piece);
/* Ends a piece of the calling thread, which is in piece `outer` again. Does nothing when the piece has ended. */
void work_end(struct sampler *sampler, uint64_t piece, uint64_t outer);
/* The calling thread now runs a fiber that is in this piece. */
void work_switch(struct sampler *sampler, struct thread_data *data, uint64_t piece);

/* [hook] The thread releases the GVL now. */
void work_go_off(struct sampler *sampler, struct thread_data *data);
/* [hook] The thread is ready to run again; perhaps called by another thread. */
void work_ready(struct sampler *sampler, struct thread_data *data, int64_t now_ns);
/* [hook] The thread got the GVL after off_ns off it and then wait_ns of waiting for it. */
void work_resumed(struct sampler *sampler, struct thread_data *data, int64_t off_ns, int64_t wait_ns, int64_t now_ns);
/* [hook] A collection begins and ends; it took `ns`. */
void work_gc_enter(struct work *work, int64_t now_ns);
void work_gc_leave(struct work *work, struct thread_data *data, int64_t ns, int64_t now_ns);
/* [hook] Total time of collections so far. */
int64_t work_gc_until(const struct work *work, int64_t now_ns);

/* The publisher takes the buffer of ended pieces, into which no thread writes any more, and opens the other one.
 * NULL: a thread still writes; call again later. */
struct work_buffer *work_take(struct work *work);

/* The publisher puts a piece, which ended after the window that is cut, into the open buffer. */
void work_put_off(struct work *work, const struct work_slow *slow);

/* The publisher drops all ended pieces, while hooks are disabled. */
void work_drop(struct work *work);

#endif
