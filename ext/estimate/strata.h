/* SPDX-License-Identifier: MIT */
/* Strata: running time of one pool, post-stratified by kind of stretch. A stretch is the time from getting the GVL to
 * releasing it; its kind is the pair of stacks that the thread waited with before and after.
 *
 * Why: a sampling job runs some ten microseconds after its instant, and the timer is scheduled where long work is
 * preempted, so instants hit short stretches too seldom. The length of each stretch is known exactly. At a window's end
 * the publisher divides the exact time of each stratum by the points found in it (points.h, divide.h), so instants need
 * to be fair only within a kind.
 *
 * A kind has its own stratum while its stretches end often and are long enough in sum to be sampled several times; all
 * other kinds share stratum 0. Whether a kind was sampled must not decide this, or rare kinds would lose their time.
 * Stretches too short for a job share one axis (pools.h) and belong to the call that caused both waits.
 *
 * Threads: any, also in hooks, except where noted. No lock, no allocation; of two concurrent writes one survives.
 */
#ifndef RTOP_EXT_STRATA_H
#define RTOP_EXT_STRATA_H

#include "axis.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  STRATA_KINDS = 16,
  STRATA_VOLUNTARY = STRATA_KINDS, /* time of any kind with the GVL but without a core: sleep */
  STRATA_PREEMPTED,                /* time of any kind with the GVL but without a core: waits for a core */
  STRATA_SHORT,                    /* stretches that end before a sampling job can run */
  STRATA_COUNT,
  /* number of windows for which the time of a stratum without samples waits; then all points of the pool divide this
   * time (collapsed strata) */
  STRATA_UNMET_WINDOWS = 20,
  STRATA_LATELY_WINDOWS = 100,
  STRATA_MET_PER_S = 2,
  STRATA_ENDS_PER_S = 30
};

/* Length of a usual window. A window that was meant to be longer counts as several. */
#define STRATA_WINDOW_NS INT64_C(100000000)

static inline uint32_t strata_windows_in(int64_t length_ns)
{
  int64_t windows = (length_ns + STRATA_WINDOW_NS / 2) / STRATA_WINDOW_NS;
  return windows < 1 ? 1 : windows > 2 * STRATA_LATELY_WINDOWS ? 2 * STRATA_LATELY_WINDOWS : (uint32_t)windows;
}

/* Stretches shorter than this end before a sampling job can run. */
#define STRATA_SHORT_NS INT64_C(16000)
/* Their axis has so many points in a usual window, but at these distances. */
#define STRATA_SHORT_POINTS 8
#define STRATA_SHORT_APART_MIN_NS INT64_C(64000)
#define STRATA_SHORT_APART_MAX_NS INT64_C(1000000)

/* Stretches longer than this are divided by their own instants, whatever stack they end with. */
#define STRATA_LONG_NS INT64_C(32000000)

struct stratum {
  _Atomic bool own; /* whether the time of this kind is divided by its own points */
  /* total time of the kind's stretches that ended in the open window; `ends` is their number */
  _Atomic int64_t wall_ns;
  _Atomic int64_t ends;
  _Atomic int64_t waiting_ns; /* time added to this stratum since the last window's end, not divided yet */
  /* node that was last sampled in this stratum, and the window of that sample (see strata_met); 0: none */
  _Atomic uint64_t met;

  /* fields of the publisher */
  double ns_per_s, ends_per_s; /* running means */
  int64_t carried_ns;          /* time that found no points at the last window's end */
  /* number of windows since this kind took the entry; number of the latest windows in a row that found no points */
  uint32_t windows, unmet_windows;
  uint32_t in_vain_windows; /* of time that was collapsed since the last point came, as far as that counts */
};

struct strata {
  /* keys of the kinds, side by side because every lookup scans them; 0: free entry */
  _Atomic uint64_t keys[STRATA_KINDS];
  struct stratum entries[STRATA_COUNT]; /* entry 0: all kinds without an entry of their own */
  struct axis short_axis;               /* axis of the stretches that are shorter than STRATA_SHORT_NS */
  _Atomic int64_t short_apart_ns;       /* mean distance of its points; 0: the least distance */
  int64_t short_seen_ns;                /* publisher's: time on this axis at the last window's end */
  _Atomic uint32_t windows;             /* number of windows that ended */
};

/* Returns the key of a stretch's kind: the nodes of the waits before and after the stretch, 0 for an unknown node. If
 * both are unknown, the key is the length class of the stretch. */
uint64_t strata_key(uint32_t begin_node, uint32_t end_node, int64_t length_ns);

/* Counts a stretch that ended, by its kind. Returns the kind's entry, or 0 when all entries are taken. */
uint32_t strata_end(struct strata *strata, uint64_t key, int64_t length_ns);

/* Returns the stratum in which the time of this kind waits to be divided: the kind's own, or 0. */
static inline uint32_t strata_of_kind(const struct strata *strata, uint32_t kind)
{
  bool own = kind == STRATA_SHORT || atomic_load_explicit(&strata->entries[kind].own, memory_order_relaxed);
  return own ? kind : 0;
}

/* Records that this node was sampled in a stretch of the given kind. */
void strata_met(struct strata *strata, uint32_t kind, uint32_t node);

/* Returns the node last sampled in this kind, within the last ten seconds; 0 when there is none. */
uint32_t strata_met_lately(const struct strata *strata, uint32_t kind);

/* Adds wall_ns to the undivided time of this stratum. */
static inline void stratum_wait(struct stratum *stratum, int64_t wall_ns)
{
  atomic_fetch_add_explicit(&stratum->waiting_ns, wall_ns, memory_order_relaxed);
}

static inline int64_t strata_short_apart_ns(const struct strata *strata)
{
  int64_t apart_ns = atomic_load_explicit(&strata->short_apart_ns, memory_order_relaxed);
  return apart_ns ? apart_ns : STRATA_SHORT_APART_MIN_NS;
}

/* Ends a window: decides which kinds have their own stratum from now on, and how far apart the points of short
 * stretches are. length_ns: length of the window; period_ns: distance of instants; windows: number of usual windows
 * that it counts as. Returns a bit for each entry that was freed and may go to another kind. Publisher only. */
uint32_t strata_window_ends(struct strata *strata, int64_t length_ns, int64_t period_ns, uint32_t windows);

/* Takes the waiting time of each stratum, together with the time carried over from earlier windows. Publisher only. */
void strata_take_waiting(struct strata *strata, int64_t waiting_ns[STRATA_COUNT]);

/* Records whether waiting_ns of a stratum was divided by points of its own; undivided time is carried over to the next
 * window. A long window counts as several, `windows`. Returns for how many windows in a row the time was not divided.
 * Publisher only. */
uint32_t strata_divided(struct strata *strata, uint32_t stratum, int64_t waiting_ns, bool divided, uint32_t windows);

/* Tells whether the carried time of a stratum waits for a point of its own. Where none came for ten seconds, less time
 * than a period, which an instant is not likely to meet, does not wait. Publisher only. */
bool strata_waits(const struct strata *strata, uint32_t stratum, int64_t period_ns);

/* Reports that the carried time was divided by other points. Publisher only. */
void strata_collapsed(struct strata *strata, uint32_t stratum);

#endif
