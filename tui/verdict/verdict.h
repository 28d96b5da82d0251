/* SPDX-License-Identifier: MIT */
/* The verdict: what a program does and who is to blame, judged from the sum of a span. Facts only; verdict_words.h puts
 * them into words.
 *
 * Kinds, in the order in which they are tested: no-cpu, gc, lock, gvl, running, blocked, idle. Thresholds are shares of
 * the span, and "threads" are averages over it; the kind and the culprit of the previous verdict need only 0.7 of a
 * threshold to stay (hysteresis). The activity of a thread off the GVL is judged from its stack (off_gvl.h). A culprit
 * is the application's method under which most of the time in question was spent, with its innermost frame if that has
 * half of it. Among several processes, gc, gvl and running are judged for the one whose GVL is wanted most.
 *
 * All rules and thresholds: tests/tui/verdict/README.md.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_VERDICT_H
#define RTOP_TUI_VERDICT_H

#include "tui/stalls/locks.h"
#include "tui/stalls/off_gvl.h"
#include "tui/stalls/wait_sums.h"
#include "verdict_advice.h"

enum verdict_kind {
  VERDICT_NONE, /* nothing is known */
  VERDICT_IDLE,
  VERDICT_RUNNING,
  VERDICT_BLOCKED,
  VERDICT_LOCK,
  VERDICT_GVL,
  VERDICT_GC,
  VERDICT_NO_CPU,
  VERDICT_KINDS
};
const char *verdict_kind_name(enum verdict_kind kind); /* "idle", ...; "" for none */

#define VERDICT_ALL_SOURCES UINT32_MAX

struct verdict_thread {
  bool known, is_main;
  const char *name; /* name of the thread, "" for none; valid as long as the profile */
  uint32_t source, native_id;
  uint64_t serial;
};

/* Who has the GVL, and who waits for it. Several processes or Ractors have several GVLs. */
struct verdict_gvl {
  double held;    /* share of time that the GVL was held (running, marking
                     and sweeping), 0 to 1, averaged over `count` */
  unsigned count; /* of processes that are summed */
  bool ractors;   /* one process had several GVLs at a time, so `held` may exceed 1 */
  /* thread that has the GVL alone, by the rule by which verdicts name threads; only with a single GVL */
  struct verdict_thread holder;
  unsigned waiters; /* number of threads that waited for at least a hundredth of the span */
  uint64_t wait_ns; /* average wait of each waiter (ns), including time before the span */
};

/* 0: none. */
struct verdict_place {
  uint32_t leaf, caller; /* frames: the innermost one, and its caller; caller:
                            0 when the leaf belongs to the application */
};

/* A deadlock: threads that wait for each other in a circle, each for the next one and the last for the first. */
enum { VERDICT_DEADLOCK_MAX = 4 };
struct verdict_deadlock {
  unsigned count; /* number of threads; 0: no deadlock; if more than
                     VERDICT_DEADLOCK_MAX, only the first are described */
  struct verdict_waits {
    struct verdict_thread thread, owner;
    struct verdict_place place;
    struct rtop_lock lock;
  } of[VERDICT_DEADLOCK_MAX];
};

/* What the owners of locks did while threads waited for these: a method with at least half of that time. */
struct verdict_behind {
  struct verdict_place place; /* leaf: the application's method of the owner; caller:
                                 the method that took the lock. 0: unknown */
  double share;
  struct verdict_thread thread; /* that had that alone */
};

/* Reason why threads with the GVL had no core: the cause of at least half of that time. */
enum verdict_why {
  VERDICT_WHY_UNKNOWN,
  VERDICT_WHY_QUOTA,   /* a CPU quota of its control group */
  VERDICT_WHY_OTHERS,  /* other tasks ran, of other processes or its own */
  VERDICT_WHY_STOPPED, /* the process was stopped by a signal, or with its machine */
  VERDICT_WHY_SLEEPS,  /* no cause has a quarter of it: a method slept or waited for I/O with the GVL */
};

struct verdict {
  enum verdict_kind kind;
  struct verdict_gvl gvl;
  uint32_t source; /* the judged process for gc, gvl, running or a deadlock; else VERDICT_ALL_SOURCES */
  double held, gc; /* of that one */
  double without;  /* least share of time with the GVL but without a core; 0 if the CPU time is unknown */
  enum verdict_why why;
  bool computes;  /* blocked: threads in the place have a core for at least half of the time */
  double objects; /* allocated per second */
  struct verdict_place place;
  double share;    /* share of the place: in the span (running), in time with the GVL, in waiting, or in objects */
  unsigned spread; /* running: number of methods over which the time is spread, of which
                      the place has most (or is 0); 0: the place explains the time */
  uint32_t
      /* frame of the application's method that calls the place in a loop, possibly the place's own; 0:
         none or unknown */
      loop;
  bool pool;                           /* blocked: the place waits for a connection of a pool;
                     owner_place: where most of the pool's connections are used */
  bool asked;                          /* gc: the place requested collections, and `share` is its share in their time */
  bool last_seen;                      /* the place is only the method where the thread was last seen */
  struct verdict_thread thread, owner; /* thread: in the place (gvl: the thread that has the GVL); owner: of the lock */
  struct verdict_place owner_place;
  bool owner_elsewhere;       /* the owner is inside some lock, which may be another one */
  struct rtop_lock lock;      /* the lock as reported by the process; RTOP_WANTS_NOTHING if none is */
  struct verdict_thread root; /* if the owner waits for a lock itself: the thread at the end of the chain of owners */
  struct verdict_place root_place;
  struct verdict_behind behind; /* lock: cause of the waiting in the place, if all sources are judged */
  struct verdict_deadlock deadlock;
  uint32_t loads;    /* frame: code of the file that the owner is loading and for which others wait; 0: unknown */
  uint64_t since_ns; /* time that the thread has been in the place at the
                        end of the span (ns); 0: unknown, or shorter */
  double blocked;    /* threads in the place */
  double thread_has; /* share of the named thread in the time of the place, 0 to 1 */
  unsigned alike;    /* number of threads with at least half as much time in the place as the thread with most */
  double threads;    /* at work, in the same words */
  unsigned at_work, resting, pausing, unknown; /* number of threads that mostly did that */
  unsigned joining;                            /* number of idle threads that wait for another thread to end */
  struct verdict_place pause;                  /* where most of the pausing ones are */
  struct verdict_advice advice;                /* none for several processes or Ractors */
};

struct verdict_maker {
  struct off_ways ways;
  struct verdict_sums *sums; /* private: by frame */
  size_t sum_capacity;
  struct verdict_lives *lives; /* private: by thread of the sum */
  size_t life_capacity;
  struct rtop_sum whole;  /* private: with what the lens hides */
  struct wait_sums waits; /* private */
};

/* Judges the GVL. `source`: the only one shown, or VERDICT_ALL_SOURCES. Cheap: reads only thread rows. */
struct verdict_gvl verdict_gvl_of(const struct rtop_sum *sum, struct rtop_profile *profile, uint32_t source);

/* Makes the verdict from stacks unchanged by the lens; if the lens hides or merges frames, another sum is made.
 * `before`: the previous verdict, or NULL. False: memory ran out. */
bool verdict_make(struct verdict_maker *maker, const struct rtop_sum *sum, struct rtop_profile *profile,
                  uint32_t source, const struct verdict *before, struct verdict *verdict);
void verdict_maker_destroy(struct verdict_maker *maker);

/* For a keeper (rtop_profile_add_keeper()): marks the frames in the verdict as used. */
void verdict_keep(const struct verdict *verdict, struct rtop_symbols *symbols);

/* Are both verdicts the same except for figures? */
bool verdict_is_like(const struct verdict *one, const struct verdict *other);

#endif
