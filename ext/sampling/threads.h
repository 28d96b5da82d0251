/* SPDX-License-Identifier: MIT */
/* What is known about each Ruby thread, and who owns each nanosecond of it.
 *
 * The clockwork: `word` packs the thread's state with the time since which it is unattributed. Whoever
 * moves that time forward with a compare-and-swap (accounting_move) owns the stretch in between and must
 * charge it: the thread's own hooks and samples, or the publisher for a thread that stays off the GVL.
 * Nothing is charged twice and nothing is lost, without a lock.
 *
 * Everything else in the struct belongs to the thread itself (in hooks and in the job, where it holds
 * the GVL) unless marked atomic. READY may run on another thread, ordered by the VM's scheduler lock
 * between SUSPENDED and RESUMED.
 *
 * After `ended` is set the publisher owns the struct, charges what is left and gives it back. Structs are
 * never freed, only used again, and each says whose it is: a thread that still points to one of an
 * earlier session (threads_of) finds that it is not its own.
 */
#ifndef RTOP_EXT_THREADS_H
#define RTOP_EXT_THREADS_H

#include "ext/base/cpu_clock.h"
#include "ext/estimate/strata.h"
#include "ext/base/trylock.h"
#include "ext/names/lock_words.h"
#include "shm/base/format.h"
#include <ruby.h>
#include <ruby/thread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { THREADS_CAPACITY = 16384, THREADS_NAME_MAX = 80 };

/* Time of one state that no stack has been given to yet; see accounting.h. */
struct lane {
  _Atomic int64_t wall_ns, cpu_ns; /* whoever takes it charges it */
  _Atomic int64_t blame_ns;        /* of running time */
  _Atomic uint64_t epoch;          /* of its axis (pools.h), when the first of it came */
};

/* Unattributed time that a window told of: it lies right before the end of that window. */
struct owed {
  int64_t start_ns, wall_ns;
};
enum { THREADS_OWED_MAX = 12, THREADS_OWED_RUNNING_MAX = 64 };

/* What instants met in a stretch that is open, and how much time they stand for. */
struct met {
  uint32_t node;
  int64_t weight_ns;
};
enum { THREADS_MET_MAX = 4 };

/* The publisher's looks at the CPU clock of a thread that stays off the GVL: as long as it uses nothing, ever more seldom. */
struct clock_looks {
  int64_t stretch_ns; /* state_since_ns of the stretch that they are about */
  int64_t last_ns, next_ns;
};

struct fibers;

struct thread_data {
  /* What every release of the GVL reads and writes, some 450 bytes in a row: between two of them the application takes the
   * processor's caches, and all that is touched comes from far. */
  alignas(64) _Atomic VALUE thread; /* whose this is; kept alive by the VM until the thread ended */
  _Atomic uint64_t generation;      /* of the registry when this was given out */
  _Atomic uint64_t word;            /* since_ns << 3 | state */
  _Atomic int64_t state_since_ns;   /* for display: not moved by the publisher */
  _Atomic int64_t floor_ns;         /* the publisher has told of it up to here: nothing takes place before */
  _Atomic int64_t boundary_ns;      /* end of the window that it saw pass last */
  _Atomic uint32_t turn;            /* odd while the word and the totals change together */
  _Atomic uint32_t node;            /* leaf of the last known stack */
  _Atomic uint32_t pool;            /* see pools.h; 0 until its first stack */
  _Atomic bool stack_known;         /* `node` is the stack of the open off-GVL stretch */
  _Atomic bool ended;
  bool main_ractor;   /* known once native_id is set, and so is: */
  bool native_shared; /* its native thread serves other Ruby threads, too (M:N) */

  _Atomic int64_t total_ns[RTOP_STATE_COUNT]; /* exact time by state; the publisher's moves are not in it */
  /* The blocked part of a stretch whose thread is waiting by now: it ended at ready_ns. Whoever exchanges it for 0
   * charges it. */
  _Atomic int64_t off_blocked_ns;
  _Atomic int64_t ready_ns;
  int64_t off_waiting_ns; /* of the open off-GVL stretch, as the hooks saw it */

  /* the open stretch of running time */
  int64_t running_since_ns;        /* since RESUMED */
  uint32_t begin_node;             /* the stack it waited with before; 0: not known */
  uint32_t begin_pool;             /* its pool then: one that is chosen later may be so because an instant met it */
  uint32_t met_count;              /* of `met` */
  struct met met[THREADS_MET_MAX]; /* what instants met in it, until it ends or gets long (running.h) */
  int64_t met_until_ns;            /* of its time, what was told by the last of them */
  int64_t last_met_ns; /* how long it had been running at the last instant in it, time without a core left out */
  uint32_t long_node;  /* what that met, once it is long; 0: it is not yet */
  int64_t off_core_ns; /* of it, without a core (running.h) */
  int64_t
      breaks_seen_ns; /* that it was off its core, in what is left of it: too short to be told, or instants told of it */
  int64_t begin_not_own_ns; /* not_own_ns when it began */
  int64_t rests;            /* on_core_own_rests() at its begin, or the last instant since; -1: not known */
  bool newborn;             /* made, and has not had the GVL yet */
  bool own_work;            /* it is in the profiler's own job */
  bool collects_between;    /* the collection that goes on ended a stretch of running time */
  bool wait_read;           /* CPU was read before the open wait began */
  int64_t off_stack_ns;     /* when a stack was taken at SUSPENDED last */
  int64_t off_since_ns;     /* it let go of the GVL then */

  int64_t gone_off_ns,
      gone_wait_ns;    /* all its time off the GVL, waiting for it left out, and waiting; of whole stretches */
  int64_t not_own_ns;  /* GC, time off the GVL and own work: what own work around it leaves out */
  uint64_t blame_read; /* waiting.h integral when the GVL was taken */
  uint64_t allocations_read, allocations;
  _Atomic int64_t node_seen_ns; /* when `node` was seen */
  _Atomic uint64_t releases;    /* times that it got the GVL back */

  int64_t wall_since_cpu_read_ns[RTOP_STATE_COUNT];
  /* CPU time up to the sum of these two is charged. Each has one writer, so neither needs a lock; when both
   * charge the same stretch at once, the next reading finds the clock behind the sum and charges less. */
  _Atomic int64_t cpu_read_ns;   /* the thread's part */
  _Atomic int64_t cpu_taken_ns;  /* the publisher's, while the thread is off the GVL */
  _Atomic int64_t cpu_unread_ns; /* wall time on the GVL whose CPU is not in cpu_read_ns yet */

  struct cpu_clock_mark cpu_mark;
  /* CPU of waits, see accounting_begin_wait(). */
  int64_t waits_unread;              /* since the CPU clock itself was read */
  _Atomic int64_t waits_expected_ns; /* what these are taken for */
  int64_t waits_owed_ns;             /* what waits took and was not charged yet; negative: charged too much */
  int64_t wait_cpu_ns;               /* what one takes, a running mean */

  uint32_t index; /* in the registry */
  _Atomic uint32_t native_id;
  uint32_t random;
  _Atomic uint32_t held_count;      /* locks that it holds, see `held` */
  _Atomic uint64_t lock_wait;       /* that it waits for in the open off-GVL stretch, and how; 0: for none */
  int64_t own_wall_ns, own_cpu_ns;  /* the profiler's own work on this thread, not handed in yet */
  uint64_t own_window;              /* in which it was handed in last */
  int64_t own_begin_ns, own_end_ns; /* the last piece of it */
  _Atomic(struct fibers *) fibers;  /* fibers.h; NULL: it has had no fiber scheduler */

  struct lane lanes[RTOP_STATE_COUNT]; /* that of running time: of the stretch that is open, since its last instant */
  struct lane behind;                  /* of a long one: what waits for its next instant (running.h) */
  struct lane strata[STRATA_PLACES];   /* running time of stretches that ended, by kind; and without a core */

  /* What is seldom looked at. */
  _Atomic int64_t at_boundary_ns[RTOP_STATE_COUNT]; /* total_ns at boundary_ns */
  _Atomic VALUE fiber; /* the one that runs, where it has any: kept alive, so that it can be looked at when left */
  _Atomic uint64_t name_version;    /* bumped when `name` changed */
  _Atomic uint64_t coarse_releases; /* of `releases`, in storms */
  /* Locks, see lock_waits.h. */
  _Atomic uint64_t lock_waits; /* times that it waited for a Mutex or Monitor */
  _Atomic uint32_t held_turn;  /* odd while held_count and these change */
  _Atomic uint64_t held[LOCK_WORDS_HELD_MAX];

  uint64_t serial;
  struct thread_data *next_free;
  int64_t start_ns, end_ns;
  bool is_main;
  const void *native;          /* which one it ran on last; a name, never looked into */
  clockid_t cpu_clock;         /* readable from other threads; valid once native_id is set */
  char name[THREADS_NAME_MAX]; /* written under the GVL, copied by the publisher (may tear) */
  uint32_t name_bytes;
  int64_t wait_taken_ns; /* cpu_taken_ns when the open wait began */
  uint64_t raises;       /* exceptions raised on it */
  int64_t gc_start_ns, gc_marking_ns, gc_sweeping_ns;
  /* What labelled work takes, see work.h. */
  int64_t work_ns[RTOP_WORK_CAUSES]; /* by cause, while a piece is open; not of running time */
  uint64_t work_piece;               /* of the running fiber */
  uint32_t work_open, work_cause;    /* pieces; what the open off-GVL stretch counts as */
  int64_t work_gc_ns;                /* all time of collections when it became ready */
  uint64_t allocations_window; /* when some of `allocations`, which no sample of a new object has, was given up last */

  /* publisher's */
  uint32_t slot; /* in the segment */
  bool in_segment;
  bool last_window; /* ended before the window being built was cut */
  uint64_t name_published;
  uint64_t releases_seen, coarse_releases_seen, lock_waits_seen;
  struct lock_wait window_wait; /* at the end of the window being built */
  uint32_t native_published;
  struct clock_looks looks;
  uint32_t window_index;              /* in the window being built */
  int64_t moved_ns[RTOP_STATE_COUNT]; /* time by state that the publisher charged itself */
  int64_t seen_ns[RTOP_STATE_COUNT];  /* all time by state up to the last cut */
  int64_t accrued_ns[RTOP_STATE_COUNT], charged_ns[RTOP_STATE_COUNT]; /* in the window being built */
  int64_t ahead_wall_ns, ahead_cpu_ns; /* own work that the window before had no time for */
  int64_t owed_ns[RTOP_STATE_COUNT];   /* told as not sampled, by windows before: the sum of those below */
  struct owed owed_running[THREADS_OWED_RUNNING_MAX];           /* oldest first; in a thread that hardly runs, many */
  struct owed owed_off[RTOP_STATE_COUNT - 1][THREADS_OWED_MAX]; /* the same of each other state */
  uint32_t owed_count[RTOP_STATE_COUNT];
  int64_t forgiven_ns[RTOP_STATE_COUNT]; /* told so too, but nobody remembers where: it stays not sampled */
};

struct threads {
  _Atomic(struct thread_data *) table[THREADS_CAPACITY];
  _Atomic uint32_t high; /* entries at and above were never used */
  _Atomic uint64_t serial;
  _Atomic uint32_t free_hint; /* no entry below it is free, or one was just given back */
  _Atomic uint64_t untracked; /* threads that found no entry */
  _Atomic bool full;          /* until a thread is taken out */
  _Atomic uint64_t generation;
  _Atomic uint64_t renamed; /* times that some thread got another name */
  _Atomic uint64_t ends;    /* threads that ended; counted after they said so */
  struct trylock pool_lock; /* tried only: without it a new struct is made */
  struct thread_data *pool;
  rb_internal_thread_specific_key_t key;
};

/* native_shared: Ruby was told to run its threads on fewer native ones (those of Ractors always do). */
void threads_init(struct threads *threads, bool native_shared);

/* New data for a thread, in `state` from now_ns on. NULL when the registry or memory is full: the thread
 * is then not seen and counted. Allocates with libc; not to be called under the scheduler's lock. */
struct thread_data *threads_add(struct threads *threads, VALUE thread, enum rtop_thread_state state, int64_t now_ns);

/* The data of a thread, or NULL. */
static inline struct thread_data *threads_of(struct threads *threads, VALUE thread)
{
  struct thread_data *data = rb_internal_thread_specific_get(thread, threads->key);
  if (!data || atomic_load_explicit(&data->thread, memory_order_relaxed) != thread) return NULL;
  uint64_t generation = atomic_load_explicit(&threads->generation, memory_order_relaxed);
  return atomic_load_explicit(&data->generation, memory_order_relaxed) == generation ? data : NULL;
}

/* Remembers native id and CPU clock. On the thread itself, once it runs. */
void threads_bind_native(struct thread_data *data);

/* A thread that shares its native thread got the GVL, perhaps on another one, or after others ran on this one:
 * its CPU time goes on from what the clock says there. On the thread itself. */
void threads_follow_native(struct thread_data *data);

/* Takes the name of a living thread when it changed, or what the kernel knows of it where thread_calls.h does not know
 * better. Under the GVL, in the job. */
void threads_refresh_name(struct threads *threads, struct thread_data *data);

/* Publisher: takes an ended thread out. */
void threads_remove(struct threads *threads, struct thread_data *data);

/* Forgets all threads, of all Ractors: none has data any more. Not while the publisher runs. */
void threads_clear(struct threads *threads);

static inline uint64_t threads_pack(int64_t since_ns, enum rtop_thread_state state)
{
  return (uint64_t)since_ns << 3 | (uint64_t)state;
}

static inline enum rtop_thread_state threads_state(uint64_t word)
{
  return (enum rtop_thread_state)(word & 7);
}

static inline int64_t threads_since_ns(uint64_t word)
{
  return (int64_t)(word >> 3);
}

#endif
