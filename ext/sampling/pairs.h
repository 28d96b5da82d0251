/* SPDX-License-Identifier: MIT */
/* Who waits behind whom: the time that threads wait for the GVL, for collections of other threads and for locks, by the
 * party that waits and the party that holds.
 *
 * A party is a set of labels. Threads without labels form one party per pool, that is, per block that they began with.
 *
 * The GVL: while threads wait, each holder appends its stretch to a log when it releases the GVL or changes its labels.
 * A thread that gets the GVL walks the log back to the begin of its wait, and divides the wait among the holders. The
 * VM serves threads in turn, so a wait contains about as many stretches as there were threads in line. The walk is
 * limited to PAIRS_WALK_MAX stretches; older time goes to an unknown party. Time in which no thread had the GVL has a
 * cause of its own. Collections have one, too; the log records them for each holder. So the causes of a wait add up to
 * its length, to the nanosecond.
 *
 * Locks: a thread that goes off the GVL while it owns a lock is recorded as the owner, so a thread that waits for the
 * lock finds the owner there. An owner that passes the lock to the next thread in line has the GVL when that thread
 * becomes ready; that thread is then recorded as the owner. An owner is unknown when it found no entry, or was never
 * recorded.
 *
 * Waits are counted at their end, in the open one of two buffers, which the publisher swaps. Memory is bounded and part
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
  PAIRS_LOG_MAX = 256, /* a power of two, like the next four */
  PAIRS_WALK_MAX = 64,
  PAIRS_ROWS_MAX = 512,
  PAIRS_LOCKS_MAX = 256,
  PAIRS_TURNS_MAX = 128,
};

/* Values of a party that is not a set of labels: PAIRS_POOL + the index of a pool, or PAIRS_UNKNOWN. */
enum { PAIRS_POOL = LABEL_SETS_MAX, PAIRS_UNKNOWN = LABEL_SETS_MAX + POOLS_MAX };

/* A stretch with the GVL and one set of labels. gc_begin_ns, gc_end_ns: total time of collections (work_gc_until()) at
 * its begin and end. */
struct pairs_held {
  int64_t begin_ns, end_ns, gc_begin_ns, gc_end_ns;
  uint32_t party;
};

/* The last known owner of a lock, or an earlier one. */
struct pairs_owner {
  uint64_t lock; /* 0: free */
  uint64_t serial;
  int64_t from_ns, until_ns; /* when this owner got the lock, and, for an earlier owner, when it lost the lock */
  uint32_t party;
};

struct pairs_row {
  _Atomic uint64_t key; /* the key, see pairs.c; 0: the row is free */
  _Atomic uint64_t count, wait_ns;
};

struct pairs_buffer {
  _Atomic bool used;
  struct pairs_row rest[RTOP_PAIR_CAUSES];
  struct pairs_row rows[PAIRS_ROWS_MAX];
};

struct pairs {
  int64_t begin_ns, gc_begin_ns; /* begin of the open stretch with the GVL, and total time of collections then */
  uint64_t held_count, turn_count;
  struct pairs_held log[PAIRS_LOG_MAX];
  struct pairs_owner owners[PAIRS_LOCKS_MAX], turns[PAIRS_TURNS_MAX];
  _Atomic uint32_t open, writers; /* as in struct work */
  struct pairs_buffer buffers[2];
};

/* Forgets stretches and owners. Call while no hook runs. */
void pairs_forget(struct pairs *pairs);
/* Forgets stretches, owners and counted waits. For the child of a fork. */
void pairs_clear(struct pairs *pairs);

/* Waits of a thread before it got the GVL. */
struct pairs_wait {
  int64_t off_since_ns, off_ns; /* blocked time before the thread was ready; off_ns 0: none */
  int64_t wait_ns;              /* time waiting for the GVL, right before now */
  uint32_t node;                /* node of the stack that the thread waited with; 0: unknown */
};

/* [hook] Call when the thread is ready to run. Any thread. */
static inline void pairs_ready(struct thread_data *data, uint32_t last_runner)
{
  data->pair_runner = last_runner;
}
/* [hook] Call when the thread got the GVL. Any Ractor. */
void pairs_resumed(struct sampler *sampler, struct thread_data *data, const struct pairs_wait *wait, int64_t now_ns);
/* [hook] Call when the thread releases the GVL. Any Ractor. */
void pairs_go_off(struct sampler *sampler, struct thread_data *data, int64_t now_ns);
/* [hook] Call when a wait for the GVL ended without getting it. Any thread. */
void pairs_gave_up(struct sampler *sampler, int64_t wait_ns);
/* Call before the calling thread changes its labels. Any Ractor. */
void pairs_relabel(struct sampler *sampler, VALUE thread);
/* Call when the thread, of the main Ractor, runs a fiber with this set of labels. */
void pairs_switch(struct sampler *sampler, struct thread_data *data, uint32_t set);

/* The waiting and the holding party of a row, its cause, and as `place` the node of the wait (RTOP_NODE_ROOT: unknown,
 * or not a wait for a lock). */
struct pairs_key {
  uint32_t waiter, holder, cause, place;
};
struct pairs_key pairs_key_of(uint64_t key);

/* Like work_take() and work_drop(). */
struct pairs_buffer *pairs_take(struct pairs *pairs);
void pairs_drop(struct pairs *pairs);

#endif
