/* SPDX-License-Identifier: MIT */
/* Resting threads: a thread that sleeps through a window gets the same row as in the previous window. Adding this row
 * touches one cache line per thread instead of a dozen.
 *
 * A thread is at rest if at the end of a window it was blocked in a known stack, had no own work left over, waited for
 * no lock and had no waiting fibers. Its lanes may still contain earlier time, reported as not sampled, that waits for
 * a point: it waits until the thread's pool gets a point. The thread stays at rest while its word is the one that the
 * publisher stored. When anything changes, or the thread's CPU clock is due, the thread is examined in full
 * (cut_threads.c). The clock is not due while the whole process used so little CPU time that no sleeping thread can
 * have used more. The thread's totals by state stay consistent, because the time that the publisher moved and the time
 * that it reported grow equally.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_RESTS_H
#define RTOP_EXT_CUT_RESTS_H

#include "ext/estimate/pools.h"
#include "ext/sampling/threads.h"
#include "shm/window/window.h"

struct cut;

struct cut_rest {
  uint64_t word; /* the thread's word as the publisher stored it; 0: not at rest */
  uint64_t serial, name_version;
  int64_t since_ns, node_seen_ns; /* copies of the thread's state_since_ns and node_seen_ns */
  int64_t look_ns;                /* time at which the thread's CPU clock is due */
  int64_t unknown_ns;             /* value of cut->cpu.unknown_ns when this clock was last read */
  int64_t wall_ns;                /* the thread's time in the window being built */
  uint32_t node, slot;
  uint32_t row; /* index of the row in the window being built */
  bool open;    /* whether time in the thread's lanes waits for a point */
  uint32_t pool;
  uint64_t epochs; /* cut_rest_epochs() of the pool when it was last checked; no point had come by then */
  struct lock_wait wait;
};

struct cut_rests {
  struct cut_rest *of; /* entries by index of the thread; owned */
  uint32_t capacity;
  uint64_t renamed; /* value of threads.renamed when names were last checked */
  bool names;       /* whether names are checked in the window being built */
  uint64_t divided; /* one bit per pool: points divide its running time in the window being built */
};

/* Returns the entry of the thread with this index if the thread is at rest, else NULL. */
static inline struct cut_rest *cut_rest_of(const struct cut_rests *rests, uint32_t index)
{
  return index < rests->capacity && rests->of[index].word ? &rests->of[index] : NULL;
}

/* Call when the publisher begins to build a window. */
void cut_rests_begin(struct cut *cut);

/* Tells whether the thread sleeps until the end of the window. If so, the publisher owns the thread's time in the
 * window and stores its length in rest->wall_ns. */
bool cut_rest_goes_on(const struct cut *cut, struct thread_data *data, struct cut_rest *rest);
/* Returns the number of points that the axes of a pool have got so far. */
uint64_t cut_rest_epochs(struct pool *pool);
/* Adds the thread's row and the cell of its time. Returns false when memory ran out. */
bool cut_rest_list(struct cut *cut, struct cut_rest *rest);
/* Returns the row of the thread in this window; NULL when it has none because the window was lost. */
struct rtop_window_thread *cut_rest_row(struct cut *cut, const struct cut_rest *rest);
bool cut_rest_add_cell(struct cut *cut, const struct cut_rest *rest);

/* Ends the thread's rest: from now on the thread is examined in full. */
void cut_rest_end(struct cut_rests *rests, struct thread_data *data);
void cut_rests_end_all(struct cut *cut);

/* Decides, when the thread's part of the window is complete, whether the thread is at rest from now on. */
void cut_rest_consider(struct cut *cut, struct thread_data *data);

void cut_rests_destroy(struct cut_rests *rests);

#endif
