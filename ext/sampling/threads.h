/* SPDX-License-Identifier: MIT */
/* The profiler's data of each Ruby thread.
 *
 * `word` packs the thread's state with the time up to which its time has been attributed. Whoever moves that time
 * forward with a compare-and-swap (accounting_move) owns the stretch in between and must charge it: the thread itself
 * in hooks and samples, or the publisher for a thread that stays off the GVL. So no time is charged twice or lost,
 * without a lock.
 *
 * All other fields belong to the thread itself (in hooks and the job, with the GVL) unless they are atomic. READY may
 * run on another thread; the VM's scheduler lock orders READY between SUSPENDED and RESUMED.
 *
 * Once `ended` is set, the publisher owns the struct, charges the remaining time and returns the struct to the free
 * list. Structs are never freed but reused, and each records its thread; so threads_of() notices when a thread still
 * points to a struct of an earlier session.
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

/* Time of one state that has not been charged to a stack yet; see accounting.h. */
struct lane {
  _Atomic int64_t wall_ns, cpu_ns; /* time in the lane; whoever removes time from the lane must charge it */
  _Atomic int64_t blame_ns;        /* blame that belongs to running time in the lane */
  _Atomic uint64_t epoch;          /* axis epoch (pools.h) at which the oldest time in the lane was added */
};

/* Time that a window reported as not sampled; it lies right before the end of that window. */
struct owed {
  int64_t start_ns, wall_ns;
};
enum { THREADS_OWED_MAX = 12, THREADS_OWED_RUNNING_MAX = 64 };

/* A node sampled in the open stretch, and the time in ns that it stands for. */
struct met {
  uint32_t node;
  int64_t weight_ns;
};
enum { THREADS_MET_MAX = 4 };

/* Plan of the publisher's readings of a thread's CPU clock off the GVL. Readings become rare while the thread uses no
 * CPU. */
struct clock_looks {
  int64_t stretch_ns; /* state_since_ns of the stretch that this plan belongs to */
  int64_t last_ns, next_ns;
  int64_t unknown_ns; /* cut->cpu.unknown_ns at the last reading */
};

struct fibers;

struct thread_data {
  /* Fields that every release of the GVL reads and writes. They are adjacent, in some 450 bytes, because application
   * work evicts them from the caches between two releases. */
  alignas(64) _Atomic VALUE thread; /* the Ruby thread; the VM keeps it alive until it ends */
  _Atomic uint64_t generation;      /* value of threads.generation when the struct was assigned to its thread */
  _Atomic uint64_t word;            /* since_ns << 3 | state */
  _Atomic int64_t state_since_ns;   /* begin of the present state, for display; the publisher does not move it */
  /* time up to which the publisher has reported; no event may get an earlier time */
  _Atomic int64_t floor_ns;
  _Atomic int64_t boundary_ns; /* last announced window end that the thread has split its time at */
  _Atomic uint32_t turn;       /* odd while `word` and total_ns are being changed together */
  _Atomic uint32_t node;       /* leaf of the last known stack */
  _Atomic uint32_t pool;       /* index of the thread's pool (pools.h); 0 until its first stack */
  _Atomic bool stack_known;    /* whether `node` is the stack of the open off-GVL stretch */
  _Atomic bool ended;
  bool main_ractor;   /* valid once native_id is set, like native_shared */
  bool native_shared; /* its native thread also runs other Ruby threads (M:N) */

  _Atomic int64_t total_ns[RTOP_STATE_COUNT]; /* exact time by state, without the time that the publisher moved */
  /* Blocked time of a thread that now waits for the GVL; this time ended at ready_ns. Whoever exchanges the value for 0
   * must charge the time. */
  _Atomic int64_t off_blocked_ns;
  _Atomic int64_t ready_ns;
  int64_t off_waiting_ns; /* time waiting for the GVL in the open off-GVL stretch, as measured by hooks */

  /* fields of the open stretch of running time */
  int64_t running_since_ns; /* time of RESUMED */
  uint32_t begin_node;      /* node of the wait before the stretch; 0: unknown */
  /* pool at the begin of the stretch; a pool chosen later may depend on an instant in the stretch */
  uint32_t begin_pool;
  uint32_t met_count; /* number of entries in `met` */
  /* nodes sampled at instants in the stretch, until the stretch ends or becomes long (running.h) */
  struct met met[THREADS_MET_MAX];
  int64_t met_until_ns; /* running time, in ns, of the stretch up to the last reported instant */
  /* running time, in ns, of the stretch at its last instant, without time off its core */
  int64_t last_met_ns;
  uint32_t long_node;  /* node of the last instant in a long stretch; 0: the stretch is not long yet */
  int64_t off_core_ns; /* time of the stretch without a core (running.h) */
  /* time without a core in the lane of the open stretch after its last sample; later samples leave this time out, since
   * it was too short to report or has been reported */
  int64_t breaks_seen_ns;
  int64_t begin_not_own_ns; /* not_own_ns at the begin of the stretch */
  /* voluntary switches (on_core_voluntary_switches()) at the begin of the stretch or its last instant; -1: unknown */
  int64_t switches;
  bool newborn;          /* the thread was created and has not got the GVL yet */
  bool own_work;         /* the thread executes the profiler's own job */
  bool collects_between; /* the current collection ended a stretch of running time */
  bool wait_read;        /* the CPU clock was read at the begin of the open wait */
  int64_t off_stack_ns;  /* time at which a stack was last taken at SUSPENDED */
  int64_t off_since_ns;  /* time at which the thread last released the GVL */

  /* total time blocked, and total time waiting for the GVL, of completed off-GVL stretches */
  int64_t gone_off_ns, gone_wait_ns;
  /* time of GC, off the GVL and own work; own work that surrounds such time must not count it */
  int64_t not_own_ns;
  uint64_t blame_read; /* value of the integral in waiting.h when the thread got the GVL */
  uint64_t allocations_read, allocations;
  _Atomic int64_t node_seen_ns; /* time at which `node` was sampled */
  _Atomic uint64_t releases;    /* number of times that the thread got the GVL back */

  int64_t wall_since_cpu_read_ns[RTOP_STATE_COUNT];
  /* CPU time is charged up to the sum of cpu_read_ns and cpu_taken_ns. Each of them has one writer, so no lock is
   * needed. If both writers charge the same stretch, the next reading finds the clock behind the sum and charges
   * less. */
  _Atomic int64_t cpu_read_ns;   /* CPU time that the thread itself charged */
  _Atomic int64_t cpu_taken_ns;  /* CPU time that the publisher charged for time off the GVL */
  _Atomic int64_t cpu_unread_ns; /* wall time with the GVL whose CPU time is not in cpu_read_ns yet */

  struct cpu_clock_mark cpu_mark;
  /* CPU time of waits, see accounting_begin_wait(). */
  int64_t waits_unread;              /* number of waits since the CPU clock was last read */
  _Atomic int64_t waits_expected_ns; /* sum of the estimates of these waits */
  /* CPU time of waits that has not been charged yet; negative if too much was charged */
  int64_t waits_owed_ns;
  int64_t wait_cpu_ns; /* running mean of the CPU time of one wait */

  uint32_t index; /* index in the registry */
  _Atomic uint32_t native_id;
  uint32_t random;
  _Atomic uint32_t held_count; /* number of locks that the thread owns, see `held` */
  /* the lock that the thread waits for in the open off-GVL stretch, and its kind; 0: none */
  _Atomic uint64_t lock_wait;
  int64_t own_wall_ns, own_cpu_ns;  /* own work of the profiler on this thread that is not charged yet */
  uint64_t own_window;              /* window in which own work was last charged */
  int64_t own_begin_ns, own_end_ns; /* begin and end of the last own work */
  _Atomic(struct fibers *) fibers;  /* waiting fibers, see fibers.h; NULL: the thread never had a fiber scheduler */

  /* time by state that has not been charged to a stack; running: time of the open stretch since its last instant */
  struct lane lanes[RTOP_STATE_COUNT];
  /* time of a long stretch that stays undivided until its next instant (running.h) */
  struct lane behind;
  struct lane strata[STRATA_COUNT]; /* running time of ended stretches by stratum, and time without a core */

  /* Fields that are seldom used. */
  _Atomic int64_t at_boundary_ns[RTOP_STATE_COUNT]; /* total_ns at boundary_ns */
  _Atomic VALUE fiber; /* the running fiber, where known; kept alive so that it can be examined after a switch */
  _Atomic uint64_t name_version;    /* number of changes of `name` */
  _Atomic uint64_t coarse_releases; /* number of `releases` during storms */
  /* Locks, see lock_waits.h. */
  _Atomic uint64_t lock_waits; /* number of waits for a Mutex or Monitor */
  _Atomic uint32_t held_turn;  /* odd while held_count and `held` change */
  _Atomic uint64_t held[LOCK_WORDS_HELD_MAX];

  uint64_t serial;
  struct thread_data *next_free;
  int64_t start_ns, end_ns;
  bool is_main;
  /* native thread on which the thread last ran; used as an identity, never dereferenced */
  const void *native;
  clockid_t cpu_clock;         /* CPU clock that other threads can read; valid once native_id is set */
  char name[THREADS_NAME_MAX]; /* written with the GVL and copied by the publisher, which may see a half-written name */
  uint32_t name_bytes;
  int64_t wait_taken_ns; /* cpu_taken_ns when the open wait began */
  uint64_t raises;       /* number of exceptions raised on the thread */
  int64_t gc_start_ns, gc_marking_ns, gc_sweeping_ns;
  /* Times of work with labels, see work.h. */
  int64_t work_ns[RTOP_WORK_CAUSES]; /* off-GVL and GC time by cause, counted while a piece of work is open */
  uint64_t work_piece;               /* piece that the running fiber is in; 0: none */
  uint32_t work_open, work_cause;    /* number of open pieces; cause of the open off-GVL stretch */
  int64_t work_gc_ns;                /* total time of collections when the thread became ready */
  /* For pairs.h: index of the thread that had the GVL when this thread became ready; label set of the running fiber,
   * where known. */
  uint32_t pair_runner, pair_set;
  uint64_t allocations_window; /* window in which unsampled `allocations` were last given up */

  /* fields of the publisher */
  uint32_t slot; /* index in the segment */
  bool in_segment;
  bool last_window; /* the thread ended before the cut of the window being built */
  uint64_t name_published;
  uint64_t releases_seen, coarse_releases_seen, lock_waits_seen;
  struct lock_wait window_wait; /* lock wait at the end of the window being built */
  uint32_t native_published;
  struct clock_looks looks;
  uint32_t window_index; /* index in the window being built */
  uint32_t slept_node;   /* node in which the thread slept through the window being built; RTOP_NODE_ROOT: it did not */
  int64_t moved_ns[RTOP_STATE_COUNT];                                 /* time by state that the publisher has charged */
  int64_t seen_ns[RTOP_STATE_COUNT];                                  /* total time by state up to the last cut */
  int64_t accrued_ns[RTOP_STATE_COUNT], charged_ns[RTOP_STATE_COUNT]; /* time by state in the window being built */
  int64_t ahead_wall_ns, ahead_cpu_ns; /* time and CPU time of own work that did not fit into the window before */
  /* time reported as not sampled by earlier windows: the sum of the entries in owed_running and owed_off */
  int64_t owed_ns[RTOP_STATE_COUNT];
  /* entries of running time, oldest first; a thread that hardly runs can have many */
  struct owed owed_running[THREADS_OWED_RUNNING_MAX];
  struct owed owed_off[RTOP_STATE_COUNT - 1][THREADS_OWED_MAX]; /* entries of each other state */
  uint32_t owed_count[RTOP_STATE_COUNT];
  /* time reported as not sampled whose entry was dropped; it remains reported so */
  int64_t forgiven_ns[RTOP_STATE_COUNT];
};

struct threads {
  _Atomic(struct thread_data *) table[THREADS_CAPACITY];
  _Atomic uint32_t high; /* entries from this index on were never used */
  _Atomic uint64_t serial;
  _Atomic uint32_t free_hint; /* free entry, or an index below which all entries are in use */
  _Atomic uint64_t untracked; /* number of threads that found no entry */
  _Atomic bool full;          /* no entry is free; until a thread is removed */
  _Atomic uint64_t generation;
  _Atomic uint64_t renamed; /* number of changes of any thread's name */
  _Atomic uint64_t ends;    /* number of ended threads, incremented after their `ended` is set */
  struct trylock free_lock; /* this lock is only tried; a caller that fails to take it allocates a new struct */
  struct thread_data *free;
  rb_internal_thread_specific_key_t key;
};

/* native_shared: Ruby runs its threads on fewer native threads (M:N), as it always does in Ractors other than the
 * main one. */
void threads_init(struct threads *threads, bool native_shared);

/* Registers a thread, in `state` from now_ns on. NULL when the registry is full or memory ran out: the thread is then
 * untracked, and counted as such. Allocates with libc; do not call under the scheduler's lock. */
struct thread_data *threads_add(struct threads *threads, VALUE thread, enum rtop_thread_state state, int64_t now_ns);

/* Returns the data of a thread; NULL when the thread is not registered. */
static inline struct thread_data *threads_of(struct threads *threads, VALUE thread)
{
  struct thread_data *data = rb_internal_thread_specific_get(thread, threads->key);
  if (!data || atomic_load_explicit(&data->thread, memory_order_relaxed) != thread) return NULL;
  uint64_t generation = atomic_load_explicit(&threads->generation, memory_order_relaxed);
  return atomic_load_explicit(&data->generation, memory_order_relaxed) == generation ? data : NULL;
}

/* Stores the native id and CPU clock of a thread. Call on the thread itself, once it runs. */
void threads_bind_native(struct thread_data *data);

/* Call on a thread that shares its native thread after it got the GVL: it may be on another native thread now, or other
 * Ruby threads may have run on this one. The thread's CPU time continues from the present value of the native thread's
 * clock. */
void threads_follow_native(struct thread_data *data);

/* Updates the name of a living thread if it changed, using the kernel's name where thread_calls.h has no answer. With
 * the GVL, in the job. */
void threads_refresh_name(struct threads *threads, struct thread_data *data);

/* Takes an ended thread out of the registry. Publisher. */
void threads_remove(struct threads *threads, struct thread_data *data);

/* Forgets all threads of all Ractors. Call only while no publisher runs. */
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
