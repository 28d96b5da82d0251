/* SPDX-License-Identifier: MIT */
/* Cuts a window: takes the cells that were collected, charges the threads that stay off the GVL, notes what
 * is still open, and hands everything over as one struct rtop_window.
 *
 * Threads: the publisher. Application threads notice nothing but that the lock is taken for the moment of
 * the swap. Allocates only while the window's arrays grow to their size.
 */
#ifndef RTOP_EXT_CUT_H
#define RTOP_EXT_CUT_H

#include "cut_rests.h"
#include "ext/names/names_out.h"
#include "ext/sampling/sampler.h"
#include "shm/channel/writer.h"
#include "shm/window/window.h"

/* Counter values at the last cut: a window carries the change. */
struct cut_baseline {
  uint64_t samples, dropped, cost_ns, gc_minor, gc_major, allocations, exceptions;
  uint64_t nodes_overflowed, frames_overflowed, threads_untracked, labels_overflowed;
  int64_t cpu_ns, publisher_cpu_ns;
};

/* Locks that somebody waits for, by address; open addressing, see cut_locks.h. */
enum { CUT_LOCKS_PLACES = 1024, CUT_LOCKS_MAX = CUT_LOCKS_PLACES / 4 * 3 };
struct cut_locks {
  struct cut_lock {
    uint64_t lock; /* 0: free */
    uint64_t holder;
    int64_t seen_ns;
    uint32_t number;
    bool queue;
  } of[CUT_LOCKS_PLACES];
  uint32_t count, numbers;
  int64_t full_ns; /* the end of the last window for which room was made */
};

/* Labels of which work is open, or was a moment ago. */
enum { CUT_OPEN_MAX = 128 };
struct cut_open {
  uint32_t label;      /* set << 4 | which one, + 1; 0: free */
  uint32_t count, age; /* windows since the last one ended */
  int64_t oldest_ns;
};

/* Is the CPU of the process that of threads which are known to use it? */
struct cut_cpu {
  int64_t process_ns;              /* its clock, when it was read last */
  int64_t used_ns;                 /* between the last two readings */
  uint32_t unread;                 /* windows since then, this one too; see add_cpu() */
  int64_t length_ns, publisher_ns; /* since then, */
  int64_t on_gvl_ns, off_gvl_ns;   /* and time on a GVL, and CPU that was found off it */
  bool look_at_all;                /* at the clocks of all threads that are off the GVL, in the window being built */
  uint32_t rest, distance;         /* windows until then, and between two such looks, which found nothing */
};

struct cut {
  struct sampler *sampler;
  struct rtop_writer *writer;
  struct names_out *names;
  struct rtop_window window;
  struct cut_baseline baseline;
  uint32_t starts;                    /* sampler->starts that the baseline belongs to */
  int64_t start_ns;                   /* of the open window */
  uint64_t releases, coarse_releases; /* in the window, of all threads */
  uint64_t rest_cost_ns;              /* of threads that ended before they could hand it in */
  uint64_t rss_bytes;                 /* as last read */
  uint32_t rss_age;                   /* windows since then */
  uint64_t lock_waits;                /* in the window, for Mutexes and Monitors */
  struct cut_cpu cpu;
  uint64_t ends;  /* threads.ends, when it was looked who ended */
  bool ends_open; /* somebody ended in a window that is not told yet */
  struct cut_locks locks;
  struct cut_open open[CUT_OPEN_MAX];
  struct work_buffer *ended; /* work that ended in the window that is cut; NULL: none */
  struct cut_rests rests;
};

/* What is counted from now on belongs to the first window. */
void cut_init(struct cut *cut, struct sampler *sampler);

/* Once there is a segment; the first window begins at start_ns. */
void cut_open(struct cut *cut, struct rtop_writer *writer, struct names_out *names, int64_t start_ns);
void cut_destroy(struct cut *cut);

/* Says when the open window will end: at end_ns, or step_ns from now if that has passed by then, for threads tell their
 * time apart there and must know before. Returns the end. */
int64_t cut_announce(struct cut *cut, int64_t end_ns, int64_t step_ns);

/* The hooks went off at off_ns: the open window ends there, with nobody left to tell. */
void cut_end_at(struct cut *cut, int64_t off_ns);

/* The window from the start of the open one to end_ns, which was announced and has passed. Until the next end is
 * announced all that is charged belongs to the next window. Ticks and rates are the caller's to add. `last`: no window
 * follows, so nothing is left for later. False when memory ran out: the window is lost and counts as a gap. */
bool cut_window(struct cut *cut, int64_t end_ns, bool last);

#endif
