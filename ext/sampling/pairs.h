/* SPDX-License-Identifier: MIT */
/* Who waits behind whom: the time that threads wait for the GVL, for collections of others and for locks, by the party
 * that waits and the party that holds.
 *
 * A party is a set of labels; threads without labels are one party per pool, that is, per block that they began with.
 *
 * The GVL: while threads wait, each holder appends its stretch to a log when it lets go of the GVL or changes its labels.
 * A thread that gets the GVL walks the log back to the begin of its wait, and divides the wait among the holders. The VM
 * serves threads in turn, so a wait contains about as many stretches as threads stood in line; the walk is limited to
 * PAIRS_WALK_MAX, and older time is behind an unknown party. Time in which nobody had the GVL is a cause of its own, as
 * are collections, which the holder's log tells apart from its running time. So the causes of a wait add up to its
 * length, to the nanosecond.
 *
 * Locks: a thread that goes off the GVL with a lock is noted as its owner, and whoever waits for a lock finds an owner
 * that went off with it. An owner that gives the lock to the next in line has the GVL when that thread becomes ready; the
 * next one is its owner from then on. Owners that found no place, and such of which the notes say nothing, are unknown.
 *
 * Waits are counted when they end, in the open one of two buffers, which the publisher swaps. Memory is bounded and part
 * of the sampler; pairs without a row are only in the sums by cause (`rest`).
 *
 * Threads: all functions with the GVL of the main Ractor, which serialises them, except where noted. Waits in other
 * Ractors are only in `rest`.
 */
#ifndef RTOP_EXT_PAIRS_H
#define RTOP_EXT_PAIRS_H

#include "shm/base/format.h"
#include "ext/estimate/pools.h"
#include "ext/names/label_sets.h"
#include "threads.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sampler;

enum {
  PAIRS_LOG_MAX = 256, /* a power of two, as the others */
  PAIRS_WALK_MAX = 64,
  PAIRS_ROWS_MAX = 512,
  PAIRS_LOCKS_MAX = 256,
  PAIRS_TURNS_MAX = 128,
};

/* A party is a set of labels, or one of these. */
enum { PAIRS_POOL = LABEL_SETS_MAX, PAIRS_UNKNOWN = LABEL_SETS_MAX + POOLS_MAX };

/* A stretch with the GVL and one set of labels. gc: total time of collections so far (work_gc_until()). */
struct pairs_held {
  int64_t begin_ns, end_ns, gc_begin_ns, gc_end_ns;
  uint32_t party;
};

/* The last known owner of a lock, or an earlier one. */
struct pairs_owner {
  uint64_t lock; /* 0: free */
  uint64_t serial;
  int64_t from_ns, until_ns; /* until_ns: of an earlier one */
  uint32_t party;
};

struct pairs_row {
  _Atomic uint64_t key; /* see pairs.c; 0: free */
  _Atomic uint64_t count, wait_ns;
};

struct pairs_buffer {
  _Atomic bool used;
  struct pairs_row rest[RTOP_PAIR_CAUSES];
  struct pairs_row rows[PAIRS_ROWS_MAX];
};

struct pairs {
  int64_t begin_ns, gc_begin_ns; /* of the open stretch with the GVL */
  uint64_t held_count, turn_count;
  struct pairs_held log[PAIRS_LOG_MAX];
  struct pairs_owner owners[PAIRS_LOCKS_MAX], turns[PAIRS_TURNS_MAX];
  _Atomic uint32_t open, writers; /* as in struct work */
  struct pairs_buffer buffers[2];
};

/* Forgets stretches and owners, while no hook runs. */
void pairs_forget(struct pairs *pairs);
/* For the child of a fork: also forgets what was counted. */
void pairs_clear(struct pairs *pairs);

/* What a thread waited for before it got the GVL. */
struct pairs_wait {
  int64_t off_since_ns, off_ns; /* off the GVL until ready; off_ns 0: not */
  int64_t wait_ns;              /* for the GVL, right before now */
  uint32_t node;                /* of the stack that it waited with; 0: unknown */
};

/* [hook] The thread is ready to run. Any thread. */
static inline void pairs_ready(struct thread_data *data, uint32_t last_runner)
{
  data->pair_runner = last_runner;
}
/* [hook] The thread got the GVL. Any Ractor. */
void pairs_resumed(struct sampler *sampler, struct thread_data *data, const struct pairs_wait *wait, int64_t now_ns);
/* [hook] The thread releases the GVL. Any Ractor. */
void pairs_go_off(struct sampler *sampler, struct thread_data *data, int64_t now_ns);
/* [hook] A wait for the GVL ended without it. Any thread. */
void pairs_gave_up(struct sampler *sampler, int64_t wait_ns);
/* The calling thread is about to change its labels. Any Ractor. */
void pairs_relabel(struct sampler *sampler, VALUE thread);
/* The thread, of the main Ractor, now runs a fiber with this set of labels. */
void pairs_switch(struct sampler *sampler, struct thread_data *data, uint32_t set);

/* The parties of a row, its cause and where it waited (RTOP_NODE_ROOT: unknown, or not for a lock). */
struct pairs_key {
  uint32_t waiter, holder, cause, place;
};
struct pairs_key pairs_key_of(uint64_t key);

/* As work_take() and work_drop(). */
struct pairs_buffer *pairs_take(struct pairs *pairs);
void pairs_drop(struct pairs *pairs);

#endif
