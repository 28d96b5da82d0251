/* SPDX-License-Identifier: MIT */
/* The verdict: what a program does, who is to blame, from the sum of a span. Facts only; verdict_words.h says them.
 *
 * Shares are of the span; "threads" are averages over it (thread time by its length). What a thread does off the
 * GVL is judged from its stack (off_gvl.h): unknown, rest (others, library, event), pause, lock or work.
 * At work is what runs, waits for the GVL, or is off it in `work` or `lock`.
 *
 * The first of these that is so gives the kind; the one of the verdict before needs only 0.7 of it to stay:
 *   no-cpu   the GVL is held without a core for half of the time: what runs does not go on, whatever it is. Calls without a
 *            safepoint count when they are over: their CPU is not known before
 *   gc       collection takes a fifth of the time
 *   lock     half a thread is in locks, more than wait for the GVL; and one place has half of that
 *   gvl      half a thread waits for the GVL, which is held half of the time
 *   running  the GVL is held 0.4 of the time, or 0.1 and longer than all of `work` and `lock` is off it
 *   blocked  a fifth of a thread is off the GVL at work
 *   idle     anything else
 *
 * A culprit is named by its leaf and the application's nearest method on its stack (else the nearest in Ruby): the
 * method that most of the time in question was spent under; its leaf only if it has half of that. The culprit of the
 * verdict before stays while it has 0.7 of what another one has. Of gc it is who asked for half of it (GC.start and
 * its like); else it is named only if it made half of the objects, with what is "(shared)" below it, and is none of the
 * profiler's own; of blocked and lock if it has a quarter, of gvl a fifth, of running a tenth. Of time that is not known
 * yet, in a call without a safepoint for 0.25 s, it is where the thread was seen last. A thread is named if it has more
 * than half of what is told, and twice as much as the next one (1.4 times, if the verdict before named it): two alike are
 * two. The owner of a lock is the thread that has the one that most wait for there at the end of the span, if the process
 * tells (locks.h); else it is named if just one
 * thread has that call on its stack below something else than a wait that lets go of it. If none has, but just one
 * is inside a lock that was taken elsewhere, that one is named as being inside a lock, no more. What most of the
 * waiting of the span in that place was behind (wait_sums.h) is told if it had half of it.
 * Threads that wait for one another in a circle at the end of the span make it lock, whatever else goes on.
 * A method that calls the place in a loop (verdict_around.h) is named if nine tenths of the place were in that. Blocked in
 * a pool of connections is what was so for half of the place; the method that has most of the time in which the pool's
 * connections were lent is named with that.
 *
 * Of several processes gc, gvl and running are those of the one process whose GVL is wanted most; the one of before has
 * to be wanted only 0.7 of that.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_VERDICT_H
#define RTOP_TUI_VERDICT_H

#include "tui/stalls/locks.h"
#include "tui/stalls/off_gvl.h"
#include "tui/stalls/wait_sums.h"

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
  const char *name; /* "": it has none. Valid as long as the profile */
  uint32_t source, native_id;
  uint64_t serial;
};

/* Who holds the GVL, and who waits for it. Of several processes, or of several Ractors, there are several GVLs. */
struct verdict_gvl {
  double held;                  /* 0 to 1: running, marking and sweeping; on the average of `count` */
  unsigned count;               /* of processes that are summed */
  bool ractors;                 /* one process held more than one of them at a time: `held` may be above 1 */
  struct verdict_thread holder; /* has it alone, as a thread is named below; only where there is one GVL */
  unsigned waiters;             /* threads that waited a hundredth of the span */
  uint64_t wait_ns;             /* each of them, on the average: in the span, or since before it */
};

/* 0: none. */
struct verdict_place {
  uint32_t leaf, caller; /* frames; caller: 0 when the leaf is the application's own */
};

/* Threads that wait for one another in a circle: each for the next, the last one for the first. */
enum { VERDICT_DEADLOCK_MAX = 4 };
struct verdict_deadlock {
  unsigned count; /* 0: there is none; of more than the first VERDICT_DEADLOCK_MAX nothing else is told */
  struct verdict_waits {
    struct verdict_thread thread, owner;
    struct verdict_place place;
    struct rtop_lock lock;
  } of[VERDICT_DEADLOCK_MAX];
};

/* What the holders of locks did while threads waited for these: a method that had half of it at least. */
struct verdict_behind {
  struct verdict_place place; /* leaf: the application's own method; caller: the one that took the lock. 0: not known */
  double share;
  struct verdict_thread thread; /* that had that alone */
};

/* Why the GVL was held without a core: what had half of that time. */
enum verdict_why {
  VERDICT_WHY_UNKNOWN,
  VERDICT_WHY_QUOTA,  /* a CPU quota of its control group */
  VERDICT_WHY_OTHERS, /* other tasks ran: those of other processes, or of its own */
  VERDICT_WHY_SLEEPS, /* neither has a quarter of it: a method slept, or waited for I/O, and kept the GVL */
};

struct verdict {
  enum verdict_kind kind;
  struct verdict_gvl gvl;
  uint32_t source; /* gc, gvl, running, a deadlock: whose, of several; else VERDICT_ALL_SOURCES */
  double held, gc; /* of that one */
  double without;  /* held, and the holder had no core: 0 where the process's CPU is not known */
  enum verdict_why why;
  bool computes;  /* blocked: the place has a core for half of that time and more */
  double objects; /* allocated per second */
  struct verdict_place place;
  double share; /* that the place has: of the span (running), of what is held, waited for, made */
  uint32_t
      loop;   /* frame: the application's method that calls the place in a loop, maybe its own; 0: none, or not known */
  bool pool;  /* blocked: for a connection of a pool; owner_place: where most of these are used */
  bool asked; /* gc: the place asked for it, and has that share of its time */
  bool last_seen;                      /* the place is only where it was seen last */
  struct verdict_thread thread, owner; /* of the place (gvl: who holds it); of the lock */
  struct verdict_place owner_place;
  bool owner_elsewhere;       /* it is inside a lock: nobody knows whether it is this one */
  struct rtop_lock lock;      /* as the process told it; of nothing: it did not */
  struct verdict_thread root; /* the owner waits for a lock itself: who has that, or what that one waits for, at last */
  struct verdict_place root_place;
  struct verdict_behind behind; /* lock: of the waiting in the place, where all sources are judged */
  struct verdict_deadlock deadlock;
  uint32_t loads;    /* frame: code of the file that the owner loads, and the others wait for; 0: not known */
  uint64_t since_ns; /* how long the thread has been in it at the end of the span; 0: not known, or shorter */
  double blocked;    /* threads in the place */
  double thread_has; /* of these, the one that is named: 0 to 1 */
  unsigned alike;    /* threads that have half as much of the place as the one that has most, or more */
  double threads;    /* at work, in the same words */
  unsigned at_work, resting, pausing, unknown; /* threads that did that most of the time */
  struct verdict_place pause;                  /* where most of the pausing ones are */
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

/* `source`: the one that is shown alone, or VERDICT_ALL_SOURCES. Cheap: looks at threads only. */
struct verdict_gvl verdict_gvl_of(const struct rtop_sum *sum, struct rtop_profile *profile, uint32_t source);

/* Judges from stacks as they are: where the lens hides or merges frames another sum of the span is made. `before`: the
 * verdict that stood there, NULL: none. False: memory ran out. */
bool verdict_make(struct verdict_maker *maker, const struct rtop_sum *sum, struct rtop_profile *profile,
                  uint32_t source, const struct verdict *before, struct verdict *verdict);
void verdict_maker_destroy(struct verdict_maker *maker);

/* For a keeper (rtop_profile_add_keeper): what the verdict names. */
void verdict_keep(const struct verdict *verdict, struct rtop_symbols *symbols);

/* Do both say the same, but for figures? */
bool verdict_is_like(const struct verdict *one, const struct verdict *other);

#endif
