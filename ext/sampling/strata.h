/* Stretches of running time of one kind, of the threads of one pool.
 *
 * Instants are not fair to short stretches: the job comes some ten microseconds after its instant, and the timer's thread
 * gets a core where a long stretch is preempted. How long each stretch was is known all the same. So the running time of
 * a pool is divided by the stacks that stretches waited with before and after. A kind has an axis of its own
 * (pools.h), and its time goes to what instants meet in it: they need not be fair between kinds, only within each.
 *
 * A kind has an axis only while it comes many times a second, and runs long enough for instants to meet it several times;
 * all others share place 0. By its time, which is exact, never by how often it was met: else rare kinds would lose what
 * nobody met. What comes once is like what runs next, more than like what comes much later.
 *
 * Time never goes to an instant that was before it, with two exceptions: what could not be moved because the lock was
 * taken, and a kind that no instant meets for some windows, place 0 for two seconds. That kind is given what was met in it in
 * the two seconds before, and place 0 what was met in it in ten, since it may be met but once in some seconds: what the pool
 * meets next is of another kind and cannot have run there. (Of five threads at 100 Hz work that took 0.8 % of a core lost 45 % of this to
 * what took 2.5 %.) Where nothing was met, the pool's next instant has its time, whatever it meets, as if there were no
 * kinds. What waits when its thread ends is given to those it was kept back from lately, else the same way
 * (cut_threads.c).
 *
 * What takes a few microseconds between two waits is over before a job comes: instants would show all other kinds too often,
 * and what they meet in it is where the job was late. All such stretches lie on one axis, as waits do (pools.h), with points
 * at random distances: the stretch that is met by one is given to the call that made both its waits. (When their time went to
 * what the pool met next, work of 0.3 ms on thirty threads had 3 % too much at 100 Hz.)
 *
 * What threads that had the GVL but no core took waits in a place of its own (running.h).
 *
 * What tells kinds apart must not depend on whether an instant met the stretch: else each kind shows the instants that
 * made it.
 *
 * Threads: any, in hooks, except where noted; no lock, no allocation. Of two concurrent writes one is kept.
 */
#ifndef RTOP_EXT_STRATA_H
#define RTOP_EXT_STRATA_H

#include "axis.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  STRATA_COUNT = 16,
  STRATA_RESTS = STRATA_COUNT, /* the places of time without a core, which is of no kind: rests, */
  STRATA_WAITS,                /* and waits for a core */
  STRATA_SHORT,                /* and of what is over before a job comes */
  STRATA_PLACES,
  STRATA_UNMET_WINDOWS = 6,
  STRATA_UNMET_REST_WINDOWS = 20, /* in place 0, where something always waits */
  STRATA_LATELY_WINDOWS = 20,
  STRATA_LATELY_REST_WINDOWS = 100,
  STRATA_MET_PER_S = 2,
  STRATA_ENDS_PER_S = 30,
  STRATA_KEPT_FROM = 16
};

/* Less than this is over before a job comes. */
#define STRATA_SHORT_NS INT64_C(16000)
#define STRATA_SHORT_APART_NS INT64_C(1000000) /* points on the axis of these */

/* What is longer has instants of its own, and may have ended anywhere. */
#define STRATA_LONG_NS INT64_C(32000000)

struct stratum {
  _Atomic bool own;        /* its time is divided by itself */
  _Atomic int64_t wall_ns; /* of its stretches that ended in the open window, and their number */
  _Atomic int64_t ends;
  _Atomic int64_t waiting_ns; /* on the axis since its last point */
  _Atomic uint64_t met;       /* what an instant met in it last, and when (strata_met); 0: nothing */
  /* First instants of stretches that did not have all that waited, and what the last of them met, and when, at
   * keeps % STRATA_KEPT_FROM. */
  _Atomic uint64_t keeps;
  _Atomic uint64_t kept_from[STRATA_KEPT_FROM];
  struct axis axis;

  /* publisher's */
  double ns_per_s, ends_per_s; /* running means */
  uint64_t epoch_seen;
  uint32_t windows, unmet_windows; /* since it was claimed; and that ended since its last point while time waited */
};

struct strata {
  _Atomic uint64_t keys[STRATA_COUNT];   /* of the kinds, together, since all are looked at; 0: free */
  struct stratum entries[STRATA_PLACES]; /* 0: of all kinds that have none */
  _Atomic uint32_t windows;              /* that ended */
  _Atomic uint32_t overdue;              /* bit of each that the next instant of the pool has */
  _Atomic bool divided;                  /* not all time waits in place 0 */
};

/* The kind of a stretch between these nodes; a node of 0 is not known. When neither is, those of different length are
 * different ones. */
uint64_t strata_key(uint32_t begin_node, uint32_t end_node, int64_t length_ns);

/* A stretch of this kind ended: the entry of its kind; 0: there are too many kinds. */
uint32_t strata_end(struct strata *strata, uint64_t key, int64_t length_ns);

/* The place where the time of a kind waits. */
static inline uint32_t strata_place(const struct strata *strata, uint32_t kind)
{
  bool own = kind == STRATA_SHORT || atomic_load_explicit(&strata->entries[kind].own, memory_order_relaxed);
  return own ? kind : 0;
}

/* So much has waited when the first instant of a stretch comes, which had run so long before. What of both that instant does
 * not have, but waits on. It has about a period, which is what an instant stands for: neither more because it came late in its
 * stretch nor less because it came early. Three periods wait, so that there is one whatever chance brings, but no more than
 * 5 ms unless a period and a quarter is more; of what is above or below that, 15 % is made up each time. All of a head is
 * its own but two periods: instants were late or too late to tell. (Source: simulated, tests/ext/sampling/test_strata.c.) */
int64_t strata_waits_on(int64_t waits_ns, int64_t head_ns, int64_t period_ns);

/* The first instant of a stretch met this node, and did not have all that waited there. Under the sampler's lock. */
void strata_keep(struct strata *strata, uint32_t place, uint32_t node);

/* What the last of these met, as lately as strata_met_lately tells. Returns how many. */
uint32_t strata_kept_from(const struct strata *strata, uint32_t place, uint32_t nodes[STRATA_KEPT_FROM]);

/* An instant met this node in a stretch of that kind. */
void strata_met(struct strata *strata, uint32_t kind, uint32_t node);

/* What an instant met in it in the last two seconds, in place 0 ten; 0: nothing. */
uint32_t strata_met_lately(const struct strata *strata, uint32_t kind);

/* So much of it waits for its point. */
static inline void stratum_wait(struct stratum *stratum, int64_t wall_ns)
{
  atomic_fetch_add_explicit(&stratum->waiting_ns, wall_ns, memory_order_relaxed);
}

/* An instant met this node in a stretch of that place. Under the sampler's lock. */
void stratum_set(struct stratum *stratum, uint32_t node);

/* An instant met this node, of a kind that is known when the stretch ends: what is overdue has it now. `is_rest`: the
 * kind is known, it is place 0. Under the sampler's lock. */
void strata_point(struct strata *strata, uint32_t node, bool is_rest);

/* A window of this length ended, with an instant per period: which kinds have an axis of their own from now on, and what
 * has waited too long. Publisher. */
void strata_window_ends(struct strata *strata, int64_t length_ns, int64_t period_ns);

#endif
