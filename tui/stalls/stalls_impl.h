/* SPDX-License-Identifier: MIT */
/* Shared by the stalls*.c files only. */
#ifndef RTOP_TUI_STALLS_IMPL_H
#define RTOP_TUI_STALLS_IMPL_H

#include "off_gvl.h"
#include "stalls.h"
#include "wait_holder.h"
#include "tui/history/profile_each.h"

/* By default uthash ends the program when memory runs out. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

enum {
  STALLS_SITES = 4,
  STALLS_PARTS = 32,
  STALLS_STOPS = 8,
  STALLS_RING = 20,
  STALLS_HALF = STALLS_RING / 2, /* windows: a second */
  STALLS_RISE = 40,              /* maximum number of windows of a rise, including
                                    the second in which it becomes a stall */
  STALLS_CALM = 2,               /* factor by which the time below the threshold must exceed the rise */
  STALLS_SOURCES_MAX = RTOP_SOURCES_MAX
};

/* A place where a thread waited; only a few are kept per thread. */
struct stalls_site {
  uint32_t node; /* 0: free */
  uint32_t depth;
  bool library;    /* no method of the application is on the stack (off_gvl.h) */
  uint32_t visits; /* stretches of its own */
  uint32_t again;  /* visits since the thread last waited nearer to the root */
  uint64_t stall;  /* the last stall found here; 0: none */
};

struct stalls_thread {
  struct stalls_key {
    uint32_t source, unused;
    uint64_t serial;
  } key;
  uint32_t id;        /* of the profile */
  uint64_t open;      /* id of its stall; 0: none */
  uint64_t told;      /* id of the last stall without a safepoint, which late records correct */
  int64_t judged_ns;  /* start of the last stretch off the GVL with a known stack */
  int64_t born_ns;    /* start of the first window that has the thread */
  uint32_t last_node; /* node where the thread was blocked at the end of the last window; 0: it was not */
  int64_t seen_ns;
  struct stalls_site site[STALLS_SITES];
  bool lost; /* memory ran out */
  UT_hash_handle hh;
};

/* A frame's time with the GVL in a window, at any place on the stack. */
struct stalls_share {
  uint32_t frame, depth;
  uint64_t held_ns;
};

/* Short waits of threads within work, in one place (off_gvl.h). */
struct stalls_waits {
  uint32_t place, node; /* place: a frame; node: the call tree node with the largest part of wait_ns */
  uint64_t wait_ns, most_ns;
  uint64_t stay_ns; /* part of wait_ns of threads that were within one piece of work for the whole window */
};

/* What a window tells of a thread. */
struct stalls_stay {
  uint32_t long_look, left_look; /* long_look: the last look in which the thread's wait was
                                    long; left_look: in which the thread was outside work */
};

/* A rise: a method that recently had a tenth of a second, or a waiting place with a fifth of a stall's limit, and the
 * start of the rise, because a slow rise counts as new, too. Windows are identified by turn. A method or place without
 * an entry is calm. */
struct stalls_rise {
  uint32_t frame;
  uint32_t rose, loud; /* the first and the last window whose second was above the threshold; 0: none */
  uint32_t calm;       /* number of windows below the threshold before the first one */
  uint32_t held;       /* the last window of which the method had half; 0: none */
  int64_t rose_ns;     /* start of the window `rose`, or slightly before */
  int64_t took_ns;     /* start of the first window of which the method had half, if
                          it had half of at least one window in each second since */
  uint64_t stay_ns;    /* for places: sum of stay_ns over the newest half of the ring */
  bool lost;           /* memory ran out */
  UT_hash_handle hh;
};

/* A window during part of which the process did not run. */
struct stalls_stop {
  int64_t start_ns, end_ns, stopped_ns;
};

struct stalls_source {
  int64_t seen_ns;                        /* end of the last window looked at */
  struct stalls_stop stops[STALLS_STOPS]; /* the last ones, in turn */
  unsigned stop_count;
  struct stalls_window {
    int64_t start_ns;
    uint64_t length_ns, waiting_ns;
    struct stalls_share *shares;
    size_t share_count, share_capacity;
    uint64_t work_ns; /* of threads at work, in any state */
    struct stalls_waits *waits;
    size_t wait_count, wait_capacity;
  } ring[STALLS_RING];
  unsigned next, filled; /* of the ring */
  uint32_t turn;         /* windows since it was empty */
  uint32_t hole_turn;    /* that of the last hole, */
  int64_t hole_ns;       /* missing time since the last two seconds without missing windows (ns) */
  struct stalls_rise *rises, *waits_rises;
  uint64_t *recent, *before; /* by frame: sums over the newer and the older half of the ring */
  size_t recent_capacity, before_capacity;
  uint32_t *place; /* scratch by frame: share of the window being added */
  size_t place_capacity;
  uint64_t gc_run_ns, gc_last_ns; /* time of the current collection; collection time of the last window (ns) */
  bool gc_full;                   /* nearly all of the last window was collection */
  uint64_t open_waiting, open_gc, open_method, open_waits;
  uint32_t method, method_depth;    /* of open_method */
  uint32_t waits_place;             /* of open_waits */
  uint32_t method_turn, waits_turn; /* turn of the window in which the last stall of this kind
                                       was found; 0: none */
};

/* The way up from a node to the methods that count: of a recursive method the outermost call. */
struct stalls_climb {
  uint32_t frame;
  uint32_t up; /* the next node above this one that counts; 0: none */
  uint32_t depth;
  uint32_t first; /* the nearest node that counts, at or above this one; 0: none */
};

/* The methods that caused the waiting of a stall, as far as they are known. */
struct stalls_behind {
  uint64_t stall;
  enum stall_cause cause;
  uint32_t source, place;    /* frame: of many-waits */
  int64_t told_ns, until_ns; /* windows up to told_ns are included; those up to until_ns come next */
  double all_ns;
  size_t count;
  struct stalls_part {
    uint32_t frame, took; /* struct wait_holder */
    uint64_t serial;
    double wait_ns; /* a double, since lengths from untrusted sources could overflow an integer */
  } parts[STALLS_PARTS];
};

struct stalls_state {
  int64_t until_ns, marks_ns; /* history looked at; marks taken */
  uint64_t retired_seen;      /* of the sources that got another number */
  struct stalls_thread *threads;
  struct stalls_source source[STALLS_SOURCES_MAX];
  struct stalls_climb *climbs; /* by node */
  size_t climb_capacity;
  uint32_t climb_count, reuses;
  struct off_ways ways;
  struct stalls_stay *stays; /* by thread */
  size_t stay_capacity;
  uint32_t looks;
  struct stalls_behind *behind; /* for stalls that have not ended, or have just ended */
  size_t behind_count, behind_capacity;
};

struct stalls_look {
  struct stalls *stalls;
  struct stalls_state *state;
  const struct rtop_profile *profile;
  const struct rtop_symbols *symbols;
  const struct stall_limits *limits;
};

/* Adds a stall to the list, which is in order of start; NULL when memory ran out. Pointers into the
   list become invalid. */
struct stall *stalls_add(struct stalls *stalls, enum stall_cause cause, int64_t start_ns, int64_t end_ns);
/* stalls_extend(): the stall lasts at least until end_ns. stalls_close(), stalls_withdraw(): the stall has ended, or
 * was wrong; both set *id to 0. */
void stalls_extend(struct stalls *stalls, uint64_t id, int64_t end_ns);
void stalls_close(struct stalls *stalls, uint64_t *id);
void stalls_withdraw(struct stalls *stalls, uint64_t *id);
void stalls_remove(struct stalls *stalls, struct stall *stall);
/* Is at least half of [start, end) within the stall? */
bool stalls_covers(const struct stall *stall, int64_t start_ns, int64_t end_ns);
/* Changes the times of a stall and moves it to its new position in the list. */
struct stall *stalls_set(struct stalls *stalls, struct stall *stall, int64_t start_ns, int64_t end_ns);
/* Avoids two stalls for one event. stalls_explained(): do stalls of these causes (bits) cover half of this stretch
 * already? stalls_explains(): removes stalls of these causes of which this one covers half. */
bool stalls_explained(const struct stalls *stalls, uint32_t source, unsigned causes, int64_t start_ns, int64_t end_ns);
void stalls_explains(struct stalls *stalls, uint64_t id, unsigned causes);
void stalls_blame(struct stall *stall, const struct stalls_look *look, uint32_t node);

/* stalls_threads.c: blocked and without a safepoint. */
void stalls_look_at_threads(struct stalls_look *look, const struct rtop_look *window);
/* Ends the stalls of threads that were last reported before that time. */
void stalls_end_threads(struct stalls *stalls, struct stalls_state *state, int64_t before_ns);
void stalls_forget_threads(struct stalls_state *state, int64_t before_ns);
/* stalls_waits.c: many short waits. stalls_take_waits() adds a window to the ring, stalls_many_waits() applies the
 * rule. False: memory ran out. */
bool stalls_take_waits(struct stalls_look *look, const struct rtop_look *window, struct stalls_source *source,
                       struct stalls_window *into);
void stalls_many_waits(struct stalls_look *look, const struct rtop_look *window, struct stalls_source *source);
/* stalls_rises.c: updates the methods and places that rise over some seconds; to be called when the newest window is in
 * the ring. False: memory ran out. */
bool stalls_note_rises(struct stalls_source *source);
bool stalls_note_waits(struct stalls_source *source, double many_waits);
void stalls_forget_rises(struct stalls_source *source);
/* Has it half of the newest window? */
bool stalls_holds(const struct stalls_source *source, struct stalls_rise *rises, uint32_t frame);
/* Has the frame risen slowly to its present share, after a longer calm, and after the window with turn `told`, whose
 * stall covers all earlier rises? *start_ns: start of the rise. */
bool stalls_rose(const struct stalls_source *source, struct stalls_rise *rises, uint32_t frame, uint32_t told,
                 int64_t *start_ns);
/* stalls_behind.c: finds the methods that caused the waiting of a stall. Requests are handled while no windows are
 * being visited; each window of such a stall is examined once. */
void stalls_ask_behind(struct stalls_look *look, const struct stall *stall, uint32_t place);
void stalls_look_behind(struct stalls_look *look);
void stalls_keep_behind(const struct stalls_state *state, struct rtop_symbols *symbols);
/* stalls_requests.c: slow requests. stalls_look_into_requests() finds where their time went, while no windows are being
 * visited. */
void stalls_look_at_requests(struct stalls_look *look, const struct rtop_look *window);
void stalls_look_into_requests(struct stalls_look *look, int64_t now_ns);
/* stalls_process.c: stops, waiting, collections, methods. stalls_note_stop() must be the first to see a window. */
void stalls_note_stop(struct stalls_look *look, const struct rtop_look *window);
/* Returns the time (ns) that the process did not run within a stretch, according to the last windows. */
int64_t stalls_stopped_ns(const struct stalls_look *look, uint32_t source, int64_t start_ns, int64_t end_ns);
void stalls_look_at_process(struct stalls_look *look, const struct rtop_look *window);
/* stalls_back(): a window of the ring, counted back from the newest; stalls_since(): start of the
   newest `count` windows. */
static inline const struct stalls_window *stalls_back(const struct stalls_source *source, unsigned back)
{
  return &source->ring[(source->next + STALLS_RING - 1 - back) % STALLS_RING];
}
static inline int64_t stalls_since(const struct stalls_source *source, unsigned count)
{
  return stalls_back(source, count - 1)->start_ns;
}
void stalls_end_source(struct stalls *stalls, struct stalls_source *source);
void stalls_forget_source(struct stalls_source *source);
/* Blames methods for long collections that ended after since_ns or slightly before, since late records may have added
 * data. Not while windows are being visited, because it may fetch others. */
void stalls_blame_collections(struct stalls_look *look, int64_t since_ns);

#endif
