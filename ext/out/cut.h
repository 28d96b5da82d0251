/* SPDX-License-Identifier: MIT */
/* Cuts a window: takes the cells collected since the last cut, charges threads that stay off the GVL, notes which
 * stretches are still open, and passes everything on as one struct rtop_window.
 *
 * Threads: the publisher. It affects application threads only by holding the lock for the moment in which it swaps the
 * cells. Allocates only until the window's arrays have grown to their final size.
 */
#ifndef RTOP_EXT_CUT_H
#define RTOP_EXT_CUT_H

#include "cut_rests.h"
#include "ext/names/names_out.h"
#include "ext/sampling/sampler.h"
#include "shm/channel/writer.h"
#include "shm/window/window.h"

/* Values of the counters at the last cut; a window reports the differences from them. */
struct cut_baseline {
  uint64_t samples, dropped, cost_ns, gc_minor, gc_major, allocations, exceptions;
  uint64_t nodes_overflowed, frames_overflowed, threads_untracked, labels_overflowed;
  int64_t cpu_ns, publisher_cpu_ns;
};

/* The locks that threads wait for, by address, in a hash table with open addressing (cut_locks.h). */
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
  int64_t full_ns; /* end of the last window at which old entries were removed */
};

/* A label with open work, or with work that was open recently. */
enum { CUT_OPEN_MAX = 128 };
struct cut_open {
  uint32_t label;      /* (set << 4 | position of the label in the set) + 1; 0: free */
  uint32_t count, age; /* count: number of open pieces; age: number of windows since the last of them ended */
  int64_t oldest_ns;
};

/* Figures to compare the CPU time of the process with that of the threads known to use CPU time. */
struct cut_cpu {
  int64_t process_ns;              /* value of the process's CPU clock at the last reading */
  int64_t used_ns;                 /* CPU time of the process between the last two readings */
  uint32_t unread;                 /* number of windows since the last reading, this one included; see add_cpu() */
  int64_t length_ns, publisher_ns; /* time, and CPU time of the publisher, since the last reading */
  /* sum over all readings of CPU time that neither the publisher nor waits are known to have used */
  int64_t unknown_ns;
  /* since the last reading: time that threads had a GVL, and CPU time found off the GVL */
  int64_t on_gvl_ns, off_gvl_ns;
  bool look_at_all; /* whether the window being built reads the CPU clock of every thread off the GVL */
  /* number of windows until the next reading of all clocks, and between two readings that find nothing */
  uint32_t rest, distance;
};

struct cut {
  struct sampler *sampler;
  struct rtop_writer *writer;
  struct names_out *names;
  struct rtop_window window;
  struct cut_baseline baseline;
  uint32_t starts;  /* sampler->starts that the baseline belongs to */
  int64_t start_ns; /* start of the open window */
  /* whether the window was meant to be longer than usual; false for one that became long because the process was
   * stopped */
  bool meant_long;
  uint32_t windows;                   /* number of usual windows that the last cut window counts as */
  uint64_t releases, coarse_releases; /* numbers of releases of the GVL in the window, of all threads */
  uint64_t rest_cost_ns;              /* profiler cost, in ns, on threads that ended before they could report it */
  uint64_t rss_bytes;                 /* value at the last reading */
  int64_t rss_read_ns;                /* end of the window that last read it */
  uint64_t lock_waits;                /* number of waits for Mutexes and Monitors in the window */
  struct cut_cpu cpu;
  uint64_t ends;  /* value of threads.ends when the publisher last searched for ended threads */
  bool ends_open; /* a thread ended, and the window that will report this has not been cut yet */
  struct cut_locks locks;
  struct cut_open open[CUT_OPEN_MAX];
  struct work_buffer *ended;  /* pieces of work that ended in the window being cut; NULL: none */
  struct pairs_buffer *pairs; /* waits that ended in the window being cut; NULL: none */
  struct cut_rests rests;
};

/* Initialises `cut`; everything counted from now on belongs to the first window. */
void cut_init(struct cut *cut, struct sampler *sampler);

/* Starts cutting when the segment exists; the first window begins at start_ns. */
void cut_open(struct cut *cut, struct rtop_writer *writer, struct names_out *names, int64_t start_ns);
void cut_destroy(struct cut *cut);

/* Announces when the open window will end: at end_ns, or step_ns from now if end_ns has passed. Threads split their
 * time at the end of a window, so they must know that end in advance. Returns the announced end. */
int64_t cut_announce(struct cut *cut, int64_t end_ns, int64_t step_ns);

/* Makes the open window end at off_ns, the time at which the hooks were removed; no thread needs to know this end. */
void cut_end_at(struct cut *cut, int64_t off_ns);

/* Cuts the open window at end_ns, which was announced and has passed. Until the next end is announced, all time that
 * threads charge belongs to the next window. The caller adds ticks and rates. `last`: no window follows, so all
 * remaining time is reported now. Returns false when memory ran out; the window is then lost and counts as a gap. */
bool cut_window(struct cut *cut, int64_t end_ns, bool last);

/* Tells whether the window that was cut last was quiet: no thread had a GVL, wanted it, used CPU time or waited for a
 * lock that another thread owns, and the window has nothing to report except threads. */
bool cut_is_quiet(const struct cut *cut);

#endif
