/* SPDX-License-Identifier: MIT */
/* Threads that sleep on: what a window says of them is what the one before said, so that it costs a look at one line of memory
 * of each, where a thread that does something costs a dozen.
 *
 * At rest is a thread that was blocked at the end of a window, in a stack that is known, with nothing that waits for a point, is
 * owed, or is to be handed in; without fibers and without a lock. It stays so while its word is the one that the publisher put
 * there. As soon as anything of it is another, it is looked at as a whole (cut_threads.c), and in any case when its CPU clock is due.
 * The sums of its time by state need nothing of this: what the publisher moved and what it told of grow alike.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_RESTS_H
#define RTOP_EXT_CUT_RESTS_H

#include "ext/sampling/threads.h"
#include "shm/window/window.h"

struct cut;

struct cut_rest {
  uint64_t word; /* as the publisher left it; 0: not at rest */
  uint64_t serial, name_version;
  int64_t since_ns, node_seen_ns; /* state_since_ns, node_seen_ns */
  int64_t look_ns;                /* its CPU clock is due then */
  int64_t wall_ns;                /* of the window being built */
  uint32_t node, slot;
  uint32_t row; /* in the window being built */
  struct lock_wait wait;
};

struct cut_rests {
  struct cut_rest *of; /* by index of the thread; owned */
  uint32_t capacity;
  uint64_t renamed; /* threads.renamed, when names were looked at last */
  bool names;       /* in the window being built they are */
};

/* The thread with this index, when it is at rest; else NULL. */
static inline struct cut_rest *cut_rest_of(const struct cut_rests *rests, uint32_t index)
{
  return index < rests->capacity && rests->of[index].word ? &rests->of[index] : NULL;
}

/* A window begins to be built. */
void cut_rests_begin(struct cut *cut);

/* Does it sleep on up to the end of the window? Then that is the publisher's time, and wall_ns tells how much it is. */
bool cut_rest_goes_on(const struct cut *cut, struct thread_data *data, struct cut_rest *rest);
/* Its row, and the cell of its time. False: memory ran out. */
bool cut_rest_list(struct cut *cut, struct cut_rest *rest);
/* NULL: it is not in this window, which is lost. */
struct rtop_window_thread *cut_rest_row(struct cut *cut, const struct cut_rest *rest);
bool cut_rest_add_cell(struct cut *cut, const struct cut_rest *rest);

/* Ends it: the thread is looked at as a whole again. */
void cut_rest_end(struct cut_rests *rests, struct thread_data *data);
void cut_rests_end_all(struct cut *cut);

/* After all of its window is told: is it at rest from now on? */
void cut_rest_consider(struct cut *cut, struct thread_data *data);

void cut_rests_destroy(struct cut_rests *rests);

#endif
