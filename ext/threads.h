/* What is known about each Ruby thread, and who owns each nanosecond of it.
 *
 * The clockwork: `word` packs the thread's state with the time since which it is unattributed. Whoever
 * moves that time forward with a compare-and-swap owns the stretch in between and must charge it: the
 * thread's own hooks and samples, or the publisher for a thread that stays off the GVL. Nothing is
 * charged twice and nothing is lost, without a lock.
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

#include "clock.h"
#include "cpu_clock.h"
#include "shm/format.h"
#include <ruby.h>
#include <ruby/thread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { THREADS_CAPACITY = 16384, THREADS_NAME_MAX = 80, THREADS_PREFIX_MAX = 1024 };

/* Time of one state that waits for a stack; see accounting.h. */
struct pending {
  int64_t wall_ns;                     /* since the last sampling point on this state's time axis */
  int64_t next_point_ns;               /* where the next one stands */
  int64_t cpu_ns;
};

struct thread_data {
  /* shared */
  _Atomic uint64_t word;               /* since_ns << 3 | state */
  _Atomic uint32_t node;               /* leaf of the last known stack */
  _Atomic bool stack_known;            /* `node` is the stack of the open off-GVL stretch */
  _Atomic bool ended;
  _Atomic bool provisional;            /* the publisher showed the open stretch as provisional */
  /* CPU time up to the sum of these two is charged. Each has one writer, so neither needs a lock; when both
   * charge the same stretch at once, the next reading finds the clock behind the sum and charges less. */
  _Atomic int64_t cpu_read_ns;         /* the thread's part */
  _Atomic int64_t cpu_taken_ns;        /* the publisher's, while the thread is off the GVL */
  _Atomic uint32_t native_id;
  _Atomic uint64_t name_version;       /* bumped when `name` changed */
  _Atomic int64_t state_since_ns;      /* for display: not moved by the publisher */
  /* The blocked part of a stretch whose thread is waiting by now: it ended at ready_ns. Whoever exchanges
   * it for 0 charges it. */
  _Atomic int64_t off_blocked_ns;
  _Atomic int64_t ready_ns;

  _Atomic uint64_t releases;           /* times that it got the GVL back */
  _Atomic uint64_t coarse_releases;    /* of these, in storms */

  _Atomic VALUE thread;                /* whose this is; kept alive by the VM until the thread ended */
  _Atomic uint64_t generation;         /* of the registry when this was given out */

  uint32_t index;                      /* in the registry */
  uint64_t serial;
  struct thread_data *next_free;
  int64_t start_ns, end_ns;
  bool is_main;
  bool main_ractor;                    /* known once native_id is set, and so is: */
  bool native_shared;                  /* its native thread serves other Ruby threads, too (M:N) */
  const void *native;                  /* which one it ran on last; a name, never looked into */
  clockid_t cpu_clock;                 /* readable from other threads; valid once native_id is set */
  char name[THREADS_NAME_MAX];         /* written under the GVL, copied by the publisher (may tear) */
  uint32_t name_bytes;

  /* the open stretches */
  int64_t running_since_ns;            /* since RESUMED */
  int64_t off_waiting_ns;              /* of the open off-GVL stretch, as the hooks saw it */
  struct pending pending[RTOP_STATE_COUNT];
  int64_t wall_since_cpu_read_ns[RTOP_STATE_COUNT];
  struct cpu_clock_mark cpu_mark;
  int64_t not_own_ns;                  /* GC so far, and own work: what a piece of own work around it leaves out */
  int64_t own_wall_ns, own_cpu_ns;     /* the profiler's own work on this thread, not handed in yet */
  uint64_t own_window;                 /* in which it was handed in last */
  uint32_t running_node;               /* of the last sample taken while it was running */
  bool sampled;                        /* running_node means something */
  uint32_t off_node;                   /* of the last stack taken off the GVL; 0: none yet */
  uint64_t window;                     /* in which pending was flushed last */
  int64_t tokens_until_ns;             /* stacks taken at SUSPENDED are paid for up to here */
  int64_t gc_start_ns, gc_marking_ns, gc_sweeping_ns;
  uint64_t allocations_read, allocations;
  uint64_t blame_read;                 /* waiting.h integral when the GVL was taken */
  int64_t blame_ns;
  uint32_t random;

  /* publisher's */
  uint32_t slot;                       /* in the segment */
  bool in_segment;
  bool last_window;                    /* ended before the window being built was cut */
  uint64_t name_published;
  uint64_t releases_seen, coarse_releases_seen;
  uint32_t native_published;
  uint32_t window_index;               /* in the window being built */

  /* Last, so that a struct that is used again need not be cleared from here on.
   * The stack of the last sample, root first: the next one shares its prefix */
  uint64_t prefix_generation;
  uint32_t prefix_depth, prefix_root;  /* root: the node below which it stands */
  VALUE prefix_frames[THREADS_PREFIX_MAX];
  int prefix_lines[THREADS_PREFIX_MAX];
  uint32_t prefix_nodes[THREADS_PREFIX_MAX];
};

struct threads {
  _Atomic(struct thread_data *) table[THREADS_CAPACITY];
  _Atomic uint32_t high;               /* entries at and above were never used */
  _Atomic uint64_t serial;
  _Atomic uint64_t untracked;          /* threads that found no entry */
  _Atomic uint64_t generation;
  struct clock_trylock pool_lock;      /* tried only: without it a new struct is made */
  struct thread_data *pool;
  rb_internal_thread_specific_key_t key;
};

/* native_shared: Ruby was told to run its threads on fewer native ones (those of Ractors always do). */
void threads_init(struct threads *threads, bool native_shared);

/* New data for a thread, in `state` from now_ns on. NULL when the registry or memory is full: the thread
 * is then not seen and counted. Allocates with libc; not to be called under the scheduler's lock. */
struct thread_data *threads_add(struct threads *threads, VALUE thread, enum rtop_thread_state state,
                                int64_t now_ns);

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

/* Takes the name of a living thread when it changed. Under the GVL, in the job. A class that overrides
 * Thread#name is not asked: its Ruby code could do anything here. */
void threads_refresh_name(struct thread_data *data);

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

/* Moves the thread to `state` at now_ns; *before becomes its old state and the return value the length
 * of the stretch in it, which the caller now owns. */
static inline int64_t threads_move(struct thread_data *data, enum rtop_thread_state state, int64_t now_ns,
                                   enum rtop_thread_state *before)
{
  uint64_t old = atomic_load_explicit(&data->word, memory_order_acquire);
  for (;;) {
    int64_t since = threads_since_ns(old);
    int64_t end = now_ns > since ? now_ns : since;   /* the publisher may have charged a little further */
    if (atomic_compare_exchange_weak_explicit(&data->word, &old, threads_pack(end, state),
                                              memory_order_seq_cst, memory_order_acquire)) {
      *before = threads_state(old);
      return end - since;
    }
  }
}

/* The time of the calling thread goes on to now_ns, in the state it is in; the return value is as above. While
 * a thread runs with the GVL nobody else writes its word: READY comes to threads that are off the GVL, and the
 * publisher moves only these. */
static inline int64_t threads_advance(struct thread_data *data, int64_t now_ns)
{
  uint64_t old = atomic_load_explicit(&data->word, memory_order_relaxed);
  enum rtop_thread_state state = threads_state(old);
  if (state == RTOP_WAITING || state == RTOP_BLOCKED) return threads_move(data, state, now_ns, &state);
  int64_t since = threads_since_ns(old);
  if (now_ns <= since) return 0;
  atomic_store_explicit(&data->word, threads_pack(now_ns, state), memory_order_release);
  return now_ns - since;
}

#endif
