/* SPDX-License-Identifier: MIT */
/* What the stalls*.c files share and nobody else sees. */
#ifndef RTOP_TUI_STALLS_IMPL_H
#define RTOP_TUI_STALLS_IMPL_H

#include "off_gvl.h"
#include "stalls.h"
#include "wait_holder.h"
#include "tui/history/profile_each.h"

/* Without this uthash ends the program when memory runs out. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

enum {
  STALLS_SITES = 4,
  STALLS_PARTS = 32,
  STALLS_STOPS = 8,
  STALLS_RING = 20,
  STALLS_HALF = STALLS_RING / 2, /* windows: a second */
  STALLS_RISE = 40,              /* with the second in which it is a stall a rise has so many windows */
  STALLS_CALM = 2,               /* it had less for so many times as long */
  STALLS_SOURCES_MAX = RTOP_SOURCES_MAX
};

/* Where a thread waited: few are worth knowing. */
struct stalls_site {
  uint32_t node; /* 0: free */
  uint32_t depth;
  bool library;    /* no method of the application is on the stack: off_gvl.h */
  uint32_t visits; /* stretches of its own */
  uint32_t again;  /* of these, since it waited nearer to the root */
  uint64_t stall;  /* the last one that was found here; 0: none */
};

struct stalls_thread {
  struct stalls_key {
    uint32_t source, unused;
    uint64_t serial;
  } key;
  uint32_t id;        /* of the profile */
  uint64_t open;      /* id of its stall; 0: none */
  uint64_t told;      /* the last one without a safepoint: what becomes known corrects it */
  int64_t judged_ns;  /* start of the last stretch off the GVL whose stack was known */
  int64_t born_ns;    /* start of the first window that told of it */
  uint32_t last_node; /* where it was blocked at the end of the last window; 0: was not */
  int64_t seen_ns;
  struct stalls_site site[STALLS_SITES];
  bool lost; /* memory ran out */
  UT_hash_handle hh;
};

/* Own time of a frame in a window, wherever it stood on the stack. */
struct stalls_share {
  uint32_t frame, depth;
  uint64_t held_ns;
};

/* Short waits within work, of threads in one place (off_gvl.h). */
struct stalls_waits {
  uint32_t place, node; /* a frame; the call node that has most of it */
  uint64_t wait_ns, most_ns;
  uint64_t stay_ns; /* of these, of threads that were in one piece of work for all of the window */
};

/* What a window tells of a thread. */
struct stalls_stay {
  uint32_t long_look, left_look; /* the last look in which its wait was not short; in which it was out of its work */
};

/* A method that had a tenth of a second lately, or a place to wait that had a fifth of what it takes to be a stall, and
 * since when: what rises slowly is new as well. Windows are told by their turns. What has no entry is calm. */
struct stalls_rise {
  uint32_t frame;
  uint32_t rose, loud; /* the first and the last window with whose second it had so much; 0: none */
  uint32_t calm;       /* windows before the first one in which it had less */
  uint32_t held;       /* the last window of which it had half; 0: none */
  int64_t rose_ns;     /* start of the first one, or a little before */
  int64_t took_ns;     /* start of the first window of which it had half, and of one in each second since */
  uint64_t stay_ns;    /* places: of the newest half of the ring */
  bool lost;           /* memory ran out */
  UT_hash_handle hh;
};

/* A window for some of which the process did not run. */
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
  int64_t hole_ns;       /* and how much is missing since there were two seconds without */
  struct stalls_rise *rises, *waits_rises;
  uint64_t *recent, *before; /* by frame: the newer and the older half of the ring */
  size_t recent_capacity, before_capacity;
  uint32_t *place; /* scratch by frame: share of the window that is added */
  size_t place_capacity;
  uint64_t gc_run_ns, gc_last_ns; /* of the collection that goes on; of the last window */
  bool gc_full;                   /* nearly all of the last window was collection */
  uint64_t open_waiting, open_gc, open_method, open_waits;
  uint32_t method, method_depth;    /* of open_method */
  uint32_t waits_place;             /* of open_waits */
  uint32_t method_turn, waits_turn; /* when the last ones were found; 0: there was none since the ring was empty */
};

/* The way up from a call node: of methods that recur the outermost call. */
struct stalls_climb {
  uint32_t frame;
  uint32_t up; /* the next node above that counts; 0: none */
  uint32_t depth;
  uint32_t first; /* node that counts at or above this one; 0: none */
};

/* What the waiting of a stall was behind, so far. */
struct stalls_behind {
  uint64_t stall;
  enum stall_cause cause;
  uint32_t source, place;    /* frame: of many-waits */
  int64_t told_ns, until_ns; /* its windows before that are in here; are to be, next */
  double all_ns;
  size_t count;
  struct stalls_part {
    uint32_t frame, took; /* struct wait_holder */
    uint64_t serial;
    double wait_ns; /* lengths come from strangers: no sum of them runs over */
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
  struct stalls_behind *behind; /* of stalls that go on, or have just ended */
  size_t behind_count, behind_capacity;
};

struct stalls_look {
  struct stalls *stalls;
  struct stalls_state *state;
  const struct rtop_profile *profile;
  const struct rtop_symbols *symbols;
  const struct stall_limits *limits;
};

/* A new entry, in its place by start; NULL when memory ran out. Pointers into the list do not stay. */
struct stall *stalls_add(struct stalls *stalls, enum stall_cause cause, int64_t start_ns, int64_t end_ns);
/* It goes on until here, or has ended; sets *id to 0 then. */
void stalls_extend(struct stalls *stalls, uint64_t id, int64_t end_ns);
void stalls_close(struct stalls *stalls, uint64_t *id);
void stalls_withdraw(struct stalls *stalls, uint64_t *id);
void stalls_remove(struct stalls *stalls, struct stall *stall);
/* Half of [start, end) or more lies in the entry. */
bool stalls_covers(const struct stall *stall, int64_t start_ns, int64_t end_ns);
/* Its times become these: it moves to its place in the list. */
struct stall *stalls_set(struct stalls *stalls, struct stall *stall, int64_t start_ns, int64_t end_ns);
/* One cause, one entry: do entries of these causes (bits) tell half of this stretch already? The entry
 * makes those of these causes go that it tells half of. */
bool stalls_explained(const struct stalls *stalls, uint32_t source, unsigned causes, int64_t start_ns, int64_t end_ns);
void stalls_explains(struct stalls *stalls, uint64_t id, unsigned causes);
void stalls_blame(struct stall *stall, const struct stalls_look *look, uint32_t node);

/* stalls_threads.c: blocked and without a safepoint. */
void stalls_look_at_threads(struct stalls_look *look, const struct rtop_look *window);
/* Whatever was told last before that: its stalls have ended. */
void stalls_end_threads(struct stalls *stalls, struct stalls_state *state, int64_t before_ns);
void stalls_forget_threads(struct stalls_state *state, int64_t before_ns);
/* stalls_waits.c: many short waits. The first takes what a window tells into its place in the ring, the second judges.
 * False: memory ran out. */
bool stalls_take_waits(struct stalls_look *look, const struct rtop_look *window, struct stalls_source *source,
                       struct stalls_window *into);
void stalls_many_waits(struct stalls_look *look, const struct rtop_look *window, struct stalls_source *source);
/* stalls_rises.c: methods and places that rise over some seconds, when the newest window has its place in the ring. False:
 * memory ran out. */
bool stalls_note_rises(struct stalls_source *source);
bool stalls_note_waits(struct stalls_source *source, double many_waits);
void stalls_forget_rises(struct stalls_source *source);
/* Has it half of the newest window? */
bool stalls_holds(const struct stalls_source *source, struct stalls_rise *rises, uint32_t frame);
/* Did it rise to what it has in the newest second, slowly, after a calm that was longer, and after the window with the
 * turn `told`, whose stall has told of all that rose before? Then since when. */
bool stalls_rose(const struct stalls_source *source, struct stalls_rise *rises, uint32_t frame, uint32_t told,
                 int64_t *start_ns);
/* stalls_behind.c: whom it was behind. What is asked for is looked at not while windows are being visited, as below: each
 * window of such a stall once. */
void stalls_ask_behind(struct stalls_look *look, const struct stall *stall, uint32_t place);
void stalls_look_behind(struct stalls_look *look);
void stalls_keep_behind(const struct stalls_state *state, struct rtop_symbols *symbols);
/* stalls_process.c: stops, waiting, collection, methods. The first comes before all others look at the window. */
void stalls_note_stop(struct stalls_look *look, const struct rtop_look *window);
/* Of a stretch: how long the process did not run, as far as the last windows tell. */
int64_t stalls_stopped_ns(const struct stalls_look *look, uint32_t source, int64_t start_ns, int64_t end_ns);
void stalls_look_at_process(struct stalls_look *look, const struct rtop_look *window);
/* A window of the ring, so many before the newest one; start of the first of the newest ones. */
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
/* Of long collections that ended since then, or a little before: late records may have told who was to blame.
 * Not while windows are being visited: others may be fetched for it. */
void stalls_blame_collections(struct stalls_look *look, int64_t since_ns);

#endif
