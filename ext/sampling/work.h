/* SPDX-License-Identifier: MIT */
/* Exact duration of pieces of work with labels, divided by cause: what the thread did or waited for meanwhile.
 *
 * A piece of work begins and ends with a block of labels. Hooks sum up off-GVL time and GC of each thread by cause
 * (data->work_ns). The time of a piece by cause is the difference of these sums between its end and its begin, and its
 * running time is the remainder, so the causes add up to the duration. Time in which a fiber scheduler runs other
 * fibers counts as RTOP_WORK_FIBER.
 *
 * Durations are counted in buckets: buckets for the whole duration are 1.6 % wide (error 0.8 %), buckets for causes
 * 12.5 % (error 6.2 %; shm/base/latency.h). Sums and maxima are exact.
 *
 * Memory is bounded. An open piece has an entry in `pieces`; pieces that found no entry are only counted (`untimed`).
 * An ended piece is added to the row of each of its labels and to buckets. There are two buffers of rows and buckets;
 * one of them is open, and the publisher swaps the two. The longest pieces of a window are kept one by one. Labels that
 * found no row share one (`rest`); durations that found no bucket are only in the sums.
 *
 * Threads: see each function. A piece is identified by a number, not by a pointer into a stack. A block that is left
 * without notice (Kernel#callcc, a fiber never resumed) keeps its entry occupied.
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
  WORK_PIECES_MAX = 4096, /* a power of two, like the next two */
  WORK_ROWS_MAX = 1024,
  WORK_BUCKETS_MAX = 8192,
  WORK_SLOW_MAX = 64,
  WORK_SHORT_MAX = 4, /* maximum number of slow pieces in a window without pieces longer than WORK_SHORT_NS */
  WORK_SHORT_NS = 1000000,
};

struct work_piece {
  _Atomic int64_t begin_ns; /* 0: the entry is free */
  /* set << 32 | bits of labels that may become the piece's own << 16 | bits of its own labels */
  _Atomic uint64_t labels;
  _Atomic uint32_t ticket; /* distinguishes successive pieces in one entry */
  uint32_t outermost;      /* entry of the outermost piece of its fiber */
  uint64_t serial;         /* serial of the thread */
  int64_t before_ns[RTOP_WORK_CAUSES];
  /* Used only in the outermost piece. away_ns: what the thread did while the fiber was not running. left_at_ns and
   * left_ns: time and sums when the fiber was last left; valid while the fiber is not running. */
  int64_t away_ns[RTOP_WORK_CAUSES];
  int64_t left_at_ns, left_ns[RTOP_WORK_CAUSES];
};

struct work_row {
  _Atomic uint32_t label; /* (set << 4 | position of the label in the set) + 1; 0: free */
  /* Figures by cause. `ended`: number of pieces that have time of the cause. */
  _Atomic uint64_t ended[RTOP_WORK_CAUSES], sum_ns[RTOP_WORK_CAUSES], longest_ns[RTOP_WORK_CAUSES];
};

struct work_bucket {
  _Atomic uint64_t key; /* (label as in work_row) << 20 | cause << 12 | bucket; 0: free */
  _Atomic uint64_t count;
};

/* A piece that ended. */
struct work_slow {
  uint64_t labels; /* as in struct work_piece */
  uint64_t serial; /* serial of the thread */
  int64_t end_ns;
  int64_t took_ns[RTOP_WORK_CAUSES];
};

/* The longest pieces of a window. Written under the lock; without it, threads of several Ractors could write at the
 * same time. */
struct work_longest {
  struct trylock lock;
  _Atomic uint32_t count;
  _Atomic int64_t shortest_ns; /* length of the shortest of these pieces */
  struct work_slow all[WORK_SLOW_MAX];
};

struct work_buffer {
  struct work_longest longest;
  struct work_row rest; /* pieces of labels that found no row or no set */
  struct work_row rows[WORK_ROWS_MAX];
  struct work_bucket buckets[WORK_BUCKETS_MAX];
  _Atomic bool used;
};

struct work {
  _Atomic uint32_t open;    /* index of the open buffer */
  _Atomic uint32_t writers; /* number of threads that are writing into a buffer */
  _Atomic uint32_t hint;    /* index of an entry that may be free */
  _Atomic uint32_t high;    /* entries from this index on were never used */
  _Atomic uint32_t ticket;
  _Atomic uint64_t untimed; /* number of pieces that found no entry since the publisher last read this number */
  /* total time of collections << 1; during a collection: (its begin - total time of earlier ones) << 1 | 1 */
  _Atomic int64_t gc_word;
  struct work_piece pieces[WORK_PIECES_MAX];
  struct work_buffer buffers[2];
};

/* Closes all pieces without counting them. Under the GVL, while no hook runs. */
void work_forget(struct work *work);
/* Forgets all pieces, open and ended. For the child of a fork. */
void work_clear(struct work *work);

/* Begins a piece of the calling thread, inside the piece `outer` of its fiber (0: none). Returns 0 when the piece is
 * not timed. */
uint64_t work_begin(struct sampler *sampler, uint64_t outer);
/* Sets the labels of a piece: the label set `set`, the bits `own` of labels that are the piece's own, and the bits
 * `ahead` of labels that may become its own. While the piece is open, both are shown. */
void work_tell(struct work *work, uint64_t piece, uint32_t set, uint32_t own, uint32_t ahead);
/* Returns the bits `own` of a piece; 0 when none were set or the piece has ended. */
uint32_t work_own(struct work *work, uint64_t piece);
/* Ends a piece of the calling thread; the thread is then in the piece `outer` again. Has no effect when the piece has
 * already ended. */
void work_end(struct sampler *sampler, uint64_t piece, uint64_t outer);
/* Call when the thread switches to a fiber that is in this piece. */
void work_switch(struct sampler *sampler, struct thread_data *data, uint64_t piece);

/* [hook] Call when the thread releases the GVL. */
void work_go_off(struct sampler *sampler, struct thread_data *data);
/* [hook] Call when the thread is ready to run again; another thread may call it. */
void work_ready(struct sampler *sampler, struct thread_data *data, int64_t now_ns);
/* [hook] Call when the thread got the GVL, after off_ns off the GVL and then wait_ns of waiting for the GVL. */
void work_resumed(struct sampler *sampler, struct thread_data *data, int64_t off_ns, int64_t wait_ns, int64_t now_ns);
/* [hook] Call at the begin and at the end of a collection, which took `ns`. */
void work_gc_enter(struct work *work, int64_t now_ns);
void work_gc_leave(struct work *work, struct thread_data *data, int64_t ns, int64_t now_ns);
/* [hook] Returns the total time in ns of collections up to now_ns. */
int64_t work_gc_until(const struct work *work, int64_t now_ns);

/* Opens the other buffer and returns the one that was open, once no thread writes into it any more. NULL when a thread
 * still writes: call again later. Publisher. */
struct work_buffer *work_take(struct work *work);

/* Adds a piece that ended after the window being cut to the open buffer. Publisher. */
void work_put_off(struct work *work, const struct work_slow *slow);

/* Drops all ended pieces. Called by the publisher while hooks are disabled. */
void work_drop(struct work *work);

#endif
