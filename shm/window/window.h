/* SPDX-License-Identifier: MIT */
/* A window: what the process did in about 100 ms, and its encoding as bytes.
 *
 * Payload, after decompression: varint columns (LEB128; differences zigzag), in this order:
 *   part table   count, then per part: kind (enum rtop_window_part), bytes; unknown kinds are skipped
 *   COUNTERS     count; ids (ascending, each less the one before); values
 *   THREADS      count; then one column per field of struct rtop_window_thread
 *   CELLS        count; then one column per field of struct rtop_cell, sorted by (thread, node, state)
 *   LATE         count; columns as CELLS, then start
 *   MARKS        count; then times, then string references
 *   STACKS       count, that of THREADS; then stack_age_ns of each. Comes after THREADS; left out when all
 *                are 0
 *   BEGUN        count; then one column per field of struct rtop_begun
 *   FIBERS       count; then one column per field of struct rtop_fibers
 *   EXACT        count; then one column per field of struct rtop_exact
 *   SLOW         count; then one column per field of struct rtop_slow
 *   LOCKS        count, that of THREADS; then lock_kind, lock and lock_holder of each. Comes after THREADS; left out
 *                when no thread waits for a lock
 *   RAISES       count; then one column per field of struct rtop_raised
 *   ARGS         count, that of SLOW; then args_bytes of each; then that many bytes of each. Comes after SLOW; left out when
 *                all are 0
 * Nodes, threads, slots and serials are stored as the difference to the element before, times too, the
 * first one to the start of the window. Start and end of the window stand in its directory slot.
 *
 * Encoding folds: when the bytes would exceed the limit, the cells with the least wall time are summed
 * per (thread, state) into RTOP_NODE_FOLDED, so that every total stays. Of labels that began, which may take a quarter
 * then, the rarest are summed there, too; so are fibers, by thread. Of traced methods, which may take a quarter then, too, only their own numbers
 * are kept: no times of single calls, no callers. Of slow calls, which may take an eighth then, the longest are kept, and their arguments
 * go before. Of exceptions, the same,
 * the rarest are summed in RTOP_NODE_FOLDED.
 *
 * Threads: no shared state. rtop_window_encode() does not allocate; decoding grows the arrays of its
 * window. Decoding trusts nothing: every count is bounded by the bytes that are left, every index is
 * checked, and it never reads outside the buffer.
 */
#ifndef RTOP_SHM_WINDOW_H
#define RTOP_SHM_WINDOW_H

#include "shm/base/format.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* (node, thread, state) and what was spent there. CPU of a blocked cell is C code off the GVL. */
struct rtop_cell {
  uint32_t node;
  uint32_t thread; /* index into the window's threads */
  uint32_t state;  /* enum rtop_thread_state */
  uint32_t samples;
  uint64_t wall_ns;
  uint64_t cpu_ns;
  uint64_t allocations; /* objects */
  uint64_t blame_ns;    /* GVL waiting of other threads meanwhile */
};

/* Time whose stack became known only afterwards: the interval [start, start + wall) of a thread. What of it
 * lies in a window, in wall time and its share of the CPU time, is moved there: taken from the thread's cell
 * of the same state on RTOP_NODE_UNSAMPLED, as much as that holds, and given to the record's node. Samples,
 * allocations and blame are only added. Writers before version 1.2 told provisional time instead: a record
 * replaces that of its thread in every window that it overlaps. */
struct rtop_late {
  int64_t start_mono_ns;
  struct rtop_cell cell;
};

enum rtop_window_thread_flag {
  /* Before version 1.2: the stack of the open interval is not known yet, no cell holds it. Its time up to
   * the end of this window is provisional_ns, and `node` is the last known one. */
  RTOP_WINDOW_THREAD_PROVISIONAL = 1u << 0,
  RTOP_WINDOW_THREAD_STARTED = 1u << 1, /* in this window */
  RTOP_WINDOW_THREAD_ENDED = 1u << 2,   /* in this window: the last one that lists it */
  /* `node` is the last stack that was seen, not the one of the open stretch: off the GVL none was taken,
   * running there was no safepoint for a while. stack_age_ns tells how old it is. */
  RTOP_WINDOW_THREAD_STALE = 1u << 3,
};

/* Every thread alive in the window, as it was at the window's end. */
struct rtop_window_thread {
  uint32_t slot; /* in the threads section, valid while its serial is the same */
  uint32_t state;
  uint32_t node; /* leaf of its stack, last known */
  uint32_t flags;
  uint64_t serial;
  uint64_t state_age_ns;   /* how long it has been in that state */
  uint64_t provisional_ns; /* part of this window that no cell holds yet; 0 since version 1.2 */
  uint64_t stack_age_ns;   /* `node` was seen so long before the window's end; 0: not told */
  uint32_t lock_kind;      /* that it waits for while it is blocked, for as long as it has been: enum rtop_lock_kind */
  uint32_t lock;           /* which one: a number that is the same as long as somebody waits for it; 0: it found none */
  uint64_t lock_holder;    /* serial of the thread that has the Mutex or Monitor; 0: not known */
};

struct rtop_mark {
  int64_t mono_ns;
  uint32_t name; /* string reference */
};

/* How often a label began in the window: work got it that did not have it before. */
struct rtop_begun {
  uint32_t node;  /* of the set of labels; RTOP_NODE_FOLDED: of any, they did not fit */
  uint32_t label; /* which one of the set, from 0 */
  uint64_t count;
};

/* Fibers of a thread that wait in its fiber scheduler under one name and at one stack, and did so when they waited last. */
struct rtop_fibers {
  uint64_t serial; /* of the thread; 0: of any, they did not fit */
  uint32_t name;   /* node of the name that the program gave them (RTOP_FIBERS_NAMESPACE); RTOP_NODE_ROOT: none */
  uint32_t node; /* where they wait; RTOP_NODE_ROOT: not known; RTOP_NODE_FOLDED: in several places, they did not fit */
  uint32_t alive;      /* at the window's end: those that wait, and the one that runs */
  uint32_t waiting;    /* of these */
  uint64_t wait_ns;    /* in the window, the sum over the fibers */
  uint64_t longest_ns; /* the longest wait that ended in the window or lasts at its end, from its beginning */
};

/* A number of a method that is traced. */
struct rtop_exact {
  uint32_t node;
  uint32_t what; /* enum rtop_exact_what, or one that is not known */
  uint32_t key;
  uint64_t value;
};

/* A call of a traced method that took longer than was asked for. */
struct rtop_slow {
  int64_t end_mono_ns; /* not after the end of the window; it may have ended in one before */
  uint64_t serial;     /* of the thread; 0: not known */
  uint32_t node;       /* of the method, a child of the root */
  uint32_t stack;      /* its stack when it ended, with its labels; RTOP_NODE_ROOT: not known */
  uint32_t flags;      /* enum rtop_slow_flag */
  uint64_t total_ns;
  uint64_t self_ns; /* without calls of traced methods inside */
  uint64_t wait_ns; /* of the total: waiting for the GVL */
  uint64_t off_ns;  /* of the total: off the GVL */
  uint32_t args_bytes;
  char args[RTOP_ARGS_BYTES]; /* its arguments: hostile text; 0 bytes: it has none, or nobody allowed to tell them */
};

/* Exceptions of one class that were raised at one place by one thread. */
struct rtop_raised {
  int64_t first_mono_ns; /* when; it may lie before the window that tells it */
  int64_t last_mono_ns;  /* not after the end of the window */
  uint64_t serial;       /* of the thread; 0: not known, or of any */
  uint32_t name;         /* node of the name of the class (RTOP_RAISED_NAMESPACE); RTOP_NODE_ROOT: of any */
  uint32_t node;         /* the innermost frame of Ruby code with its line, a child of the root, or below it what that
                            called in C; RTOP_NODE_ROOT: not known; RTOP_NODE_FOLDED: anywhere, they did not fit */
  uint64_t count;
};

struct rtop_window {
  uint64_t sequence; /* filled by ring and reader */
  int64_t start_mono_ns;
  int64_t end_mono_ns;
  uint64_t counters[RTOP_COUNTER_ID_MAX];
  uint64_t counters_present; /* bit per id */
  struct rtop_window_thread *threads;
  size_t thread_count, thread_capacity;
  struct rtop_cell *cells;
  size_t cell_count, cell_capacity;
  struct rtop_late *late;
  size_t late_count, late_capacity;
  struct rtop_mark *marks;
  size_t mark_count, mark_capacity;
  struct rtop_begun *begun;
  size_t begun_count, begun_capacity;
  struct rtop_fibers *fibers;
  size_t fibers_count, fibers_capacity;
  struct rtop_exact *exact;
  size_t exact_count, exact_capacity;
  struct rtop_slow *slow;
  size_t slow_count, slow_capacity;
  struct rtop_raised *raised;
  size_t raised_count, raised_capacity;
  bool folded; /* some cells were folded */
};

/* Limits of the tables a decoded window may point into; an index at or above makes it corrupt. */
struct rtop_window_limits {
  uint64_t node_count;
  uint64_t thread_slots;
  uint64_t string_bytes;
};

/* Encoding.
 *
 * `cells` are sorted in place, cells of equal key summed, and folded when they must. Returns the number
 * of raw bytes written to `out`, or 0 when even the folded window exceeds out_bytes (threads alone do
 * not fit). scratch is the caller's, of at least rtop_window_scratch_bytes(cell_count) bytes, so that
 * nothing is allocated. */
size_t rtop_window_encode(struct rtop_window *window, void *out, size_t out_bytes, void *scratch);
size_t rtop_window_scratch_bytes(size_t cell_capacity);

/* LZ4 when it saves more than an eighth: returns the stored size and sets *codec; the stored bytes
 * stand in `out` (out_bytes >= raw_bytes). */
size_t rtop_window_compress(const void *raw, size_t raw_bytes, void *out, size_t out_bytes, uint32_t *codec);

/* Decoding. The caller sets sequence, start_mono_ns and end_mono_ns of *window from the slot before.
 * Returns false when the bytes are not a window; *window is empty then.
 * Arrays of *window are reused and grown; free with rtop_window_destroy(). `raw` is caller-owned. */
bool rtop_window_decompress(const void *stored, size_t stored_bytes, uint32_t codec, void *raw, size_t raw_bytes);
bool rtop_window_decode(struct rtop_window *window, const void *raw, size_t raw_bytes,
                        const struct rtop_window_limits *limits);

/* The last part of decoding: is every index in range, and does no sum over all cells overflow? Sets window->folded. For
 * windows that come from elsewhere than rtop_window_decode(). */
bool rtop_window_valid(struct rtop_window *window, const struct rtop_window_limits *limits);
/* Gives the arrays room for so many elements, which are the caller's to fill, and sets the counts. False: memory ran out. */
struct rtop_window_counts {
  size_t threads, cells, late, marks, begun, fibers, exact, slow, raised;
};
bool rtop_window_size(struct rtop_window *window, const struct rtop_window_counts *counts);

/* A zeroed struct is a valid empty window. Clears the content, keeps the arrays. */
void rtop_window_reset(struct rtop_window *window);
void rtop_window_destroy(struct rtop_window *window);

/* Growing; false when memory ran out. The pointer is to a zeroed new element. */
struct rtop_cell *rtop_window_add_cell(struct rtop_window *window);
struct rtop_late *rtop_window_add_late(struct rtop_window *window);
struct rtop_window_thread *rtop_window_add_thread(struct rtop_window *window);
struct rtop_mark *rtop_window_add_mark(struct rtop_window *window);
struct rtop_begun *rtop_window_add_begun(struct rtop_window *window);
struct rtop_fibers *rtop_window_add_fibers(struct rtop_window *window);
struct rtop_exact *rtop_window_add_exact(struct rtop_window *window);
struct rtop_slow *rtop_window_add_slow(struct rtop_window *window);
struct rtop_raised *rtop_window_add_raised(struct rtop_window *window);

/* Is the value of a counter what it is at the window's end, not the change over the window? */
static inline bool rtop_counter_is_now(unsigned id)
{
  return id == RTOP_COUNTER_RATE_HZ || id == RTOP_COUNTER_RATE_WANTED_HZ || id == RTOP_COUNTER_HEAP_LIVE_SLOTS ||
         id == RTOP_COUNTER_MALLOC_BYTES || id == RTOP_COUNTER_RSS_BYTES || id == RTOP_COUNTER_FIBERS_WAITING ||
         id == RTOP_COUNTER_LOCKS_UNKNOWN || id == RTOP_COUNTER_VM_UNKNOWN;
}

/* Is the number what it is at the window's end, not the change over the window? */
static inline bool rtop_exact_is_now(uint32_t what)
{
  return what == RTOP_EXACT_STATE || what == RTOP_EXACT_TOO_MANY || what == RTOP_WHOLE_STATE ||
         what == RTOP_SITES_STATE || what == RTOP_WORK_OPEN || what == RTOP_WORK_OLDEST_NS;
}

/* Is it the largest of several? */
static inline bool rtop_exact_is_max(uint32_t what)
{
  return what == RTOP_EXACT_TOTAL_MAX || what == RTOP_EXACT_SELF_MAX || what == RTOP_WORK_LONGEST_NS;
}

/* Two values for the same of a method, the later one second: together. */
static inline uint64_t rtop_exact_sum(uint32_t what, uint64_t before, uint64_t later)
{
  if (rtop_exact_is_now(what)) return later;
  if (rtop_exact_is_max(what)) return before > later ? before : later;
  return before + later < before ? UINT64_MAX : before + later;
}

static inline void rtop_window_set_counter(struct rtop_window *window, enum rtop_counter_id id, uint64_t value)
{
  window->counters[id] = value;
  window->counters_present |= UINT64_C(1) << id;
}

#endif
