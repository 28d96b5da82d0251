/* SPDX-License-Identifier: MIT */
/* A window: what the process did in usually 100 ms (a second while it sleeps unwatched), and the encoding of a window
 * as bytes.
 *
 * Payload, after decompression: varints (LEB128; differences are zigzag), in this order:
 *   part table   count, then per part: kind (enum rtop_window_part), bytes; readers skip unknown kinds
 *   COUNTERS     count; ids (ascending, each less the one before); values
 *   the parts of parts.def, each of which is left out when it is empty: count of rows, then column by column
 * Cells are sorted by (thread, node, state). Start and end of the window stand in its directory slot.
 *
 * A payload over the byte limit is folded: the cells with the least wall time are summed per (thread, state) into
 * RTOP_NODE_FOLDED, so that every total stays. Folded likewise are the rarest labels that began (limit: a quarter of
 * the bytes), the rarest exceptions (an eighth) and the fibers, by thread. Traced methods (a quarter) keep only their
 * own totals, without callers and times of calls. Of slow calls (an eighth) the longest stay; arguments go first.
 * Pairs (an eighth) with the least waiting are summed by cause.
 *
 * Threads: no shared state. rtop_window_encode() does not allocate; decoding grows the arrays of its window.
 * Decoding trusts no byte: it bounds every count by the bytes that are left and checks every index.
 */
#ifndef RTOP_SHM_WINDOW_H
#define RTOP_SHM_WINDOW_H

#include "shm/base/format.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cost of a (node, thread, state). The CPU time of a blocked cell was used by C code off the GVL. */
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

/* A late record: the interval [start, start + wall) of a thread whose stack became known only afterwards. In each
 * window, the part of it that lies there, in wall time and a share of CPU time, is moved from the thread's cell of
 * the same state at RTOP_NODE_UNSAMPLED, as far as that has enough, to the record's node. Samples, allocations and
 * blame are only added. Writers before version 1.2 published provisional time instead; a record replaces the
 * provisional time of its thread in every window that it overlaps. */
struct rtop_late {
  int64_t start_mono_ns;
  struct rtop_cell cell;
};

enum rtop_window_thread_flag {
  /* Before version 1.2: the stack of the open interval is unknown and no cell has its time. The part in this window
   * is provisional_ns, and `node` is the last known one. */
  RTOP_WINDOW_THREAD_PROVISIONAL = 1u << 0,
  RTOP_WINDOW_THREAD_STARTED = 1u << 1, /* in this window */
  RTOP_WINDOW_THREAD_ENDED = 1u << 2,   /* ended in this window, the last one that lists it */
  /* `node` is the last sampled stack, not that of the open stretch: none was taken off the GVL, or a running thread
   * had no safepoint for a while. stack_age_ns is its age. */
  RTOP_WINDOW_THREAD_STALE = 1u << 3,
};

/* Every thread that lived in the window, as of the window's end. */
struct rtop_window_thread {
  uint32_t slot; /* slot in the threads section, valid while its serial is the same */
  uint32_t state;
  uint32_t node; /* leaf of its stack, last known */
  uint32_t flags;
  uint64_t serial;
  uint64_t state_age_ns;   /* how long the thread has been in that state */
  uint64_t provisional_ns; /* time of this window that no cell has yet; always 0 since version 1.2 */
  uint64_t stack_age_ns;   /* age of `node` at the window's end; 0: unknown */
  uint32_t lock_kind;      /* kind of lock that it waits for while blocked (enum rtop_lock_kind) */
  uint32_t lock;           /* number of the lock, constant while any thread waits for it; 0: it found no number */
  uint64_t lock_holder;    /* serial of the thread that owns the Mutex or Monitor; 0: unknown */
};

struct rtop_mark {
  int64_t mono_ns;
  uint32_t name; /* string reference */
};

/* How often a label began in the window, that is, work got a label that it did not have before. */
struct rtop_begun {
  uint32_t node;  /* node of the label set; RTOP_NODE_FOLDED: several sets, which did not fit */
  uint32_t label; /* which one of the set, from 0 */
  uint64_t count;
};

/* Fibers of a thread that wait, or waited last, in its fiber scheduler under one name with one stack. */
struct rtop_fibers {
  uint64_t serial; /* serial of the thread; 0: several threads, which did not fit */
  uint32_t name;   /* node of the fibers' name, given by the program (RTOP_FIBERS_NAMESPACE); RTOP_NODE_ROOT: none */
  /* node where they wait; RTOP_NODE_ROOT: unknown; RTOP_NODE_FOLDED: several places, which did not fit */
  uint32_t node;
  uint32_t alive;      /* at the window's end: number of waiting fibers, plus the running one */
  uint32_t waiting;    /* of these */
  uint64_t wait_ns;    /* waiting time in the window, summed over the fibers */
  uint64_t longest_ns; /* longest wait that ended in the window or lasts at its end, from the wait's beginning */
};

/* An exact figure of a traced method, of counted calls, of sites or of labelled work. */
struct rtop_exact {
  uint32_t node;
  uint32_t what; /* enum rtop_exact_what, or an unknown value */
  uint32_t key;
  uint64_t value;
};

/* A call of a traced method that took longer than the requested threshold, or one of the slowest blocks with labels. */
struct rtop_slow {
  int64_t end_mono_ns; /* at most the end of the window; the call may have ended in an earlier window */
  uint64_t serial;     /* of the thread; 0: not known */
  uint32_t node;       /* node of the method, a child of the root */
  uint32_t stack;      /* node of its stack at the end, with labels; RTOP_NODE_ROOT: unknown */
  uint32_t flags;      /* enum rtop_slow_flag */
  uint64_t total_ns;
  uint64_t self_ns; /* without calls of traced methods inside */
  uint64_t wait_ns; /* of the total: waiting for the GVL */
  uint64_t off_ns;  /* of the total: off the GVL */
  uint32_t args_bytes;
  char args[RTOP_ARGS_BYTES]; /* arguments as hostile text; 0 bytes: none, or not allowed to be reported */
  /* Of a block with labels (RTOP_SLOW_BLOCK): its total by cause, without RTOP_WORK_WHOLE; node and stack are the node of
   * its label set. Of a call: 0. */
  uint64_t work_ns[RTOP_WORK_CAUSES];
};

/* Exceptions of one class, raised at one place by one thread. */
struct rtop_raised {
  int64_t first_mono_ns; /* time of the first one; may lie before the window that reports it */
  int64_t last_mono_ns;  /* not after the end of the window */
  uint64_t serial;       /* serial of the thread; 0: unknown, or several */
  uint32_t name;         /* node of the class name (RTOP_RAISED_NAMESPACE); RTOP_NODE_ROOT: any class */
  /* node of the innermost Ruby frame with its line, a child of the root, or of the C function that it called, below;
   * RTOP_NODE_ROOT: unknown; RTOP_NODE_FOLDED: several places, which did not fit */
  uint32_t node;
  uint64_t count;
};

/* Waits of one party behind another that ended in the window. A party is the node of a label set, or, for threads without
 * labels, that of the block they began with, a child of the root; RTOP_NODE_NO_FRAMES: not known. The causes of waits for
 * the GVL (GVL, GC and HANDOVER) add up to their time, and so do those for locks (LOCK). */
struct rtop_behind {
  uint32_t node;   /* who waited; RTOP_NODE_FOLDED: several, which did not fit */
  uint32_t holder; /* behind whom; RTOP_NODE_FOLDED: several, or not known; RTOP_NODE_ROOT: nobody (HANDOVER) */
  uint32_t cause;  /* enum rtop_pair_cause, or an unknown value */
  uint32_t place;  /* of a wait for a lock: node of the stack that it waited with; RTOP_NODE_ROOT: not known */
  uint64_t count;  /* stretches that the holder had it, summed over the waits */
  uint64_t wait_ns;
};

struct rtop_window {
  uint64_t sequence; /* filled by ring and reader */
  int64_t start_mono_ns;
  int64_t end_mono_ns;
  uint64_t counters[RTOP_COUNTER_ID_MAX];
  uint64_t counters_present; /* bit per id */
#define LIST(kind, number, array, one, row, ...)                                                                       \
  struct row *array;                                                                                                   \
  size_t one##_count, one##_capacity;
#include "shm/base/parts.def"
  bool folded; /* some cells were folded */
};

/* Limits for references in a decoded window; an index at a limit or above is corrupt. */
struct rtop_window_limits {
  uint64_t node_count;
  uint64_t thread_slots;
  uint64_t string_bytes;
};

/* Encodes a window.
 *
 * `cells` are sorted in place, equal keys are summed, and small cells folded if necessary. Returns the number of raw
 * bytes written to `out`, or 0 when even the folded window exceeds out_bytes (threads alone do not fit). `scratch` is
 * provided by the caller, at least rtop_window_scratch_bytes(cell_count) bytes, so that nothing is allocated. */
size_t rtop_window_encode(struct rtop_window *window, void *out, size_t out_bytes, void *scratch);
size_t rtop_window_scratch_bytes(size_t cell_capacity);

/* Compresses with LZ4 if that saves more than an eighth. Returns the stored size and sets *codec; the stored bytes
 * are in `out` (out_bytes >= raw_bytes). */
size_t rtop_window_compress(const void *raw, size_t raw_bytes, void *out, size_t out_bytes, uint32_t *codec);

/* Decode a window. The caller first sets sequence, start_mono_ns and end_mono_ns of *window from the slot. False when
 * the bytes are not a valid window; *window is then empty. Arrays of *window are reused and grown; free them with
 * rtop_window_destroy(). `raw` belongs to the caller. */
bool rtop_window_decompress(const void *stored, size_t stored_bytes, uint32_t codec, void *raw, size_t raw_bytes);
bool rtop_window_decode(struct rtop_window *window, const void *raw, size_t raw_bytes,
                        const struct rtop_window_limits *limits);

/* Validates a window that was not made by rtop_window_decode(): is every index in range, and can no sum over all
 * cells overflow? Sets window->folded. */
bool rtop_window_valid(struct rtop_window *window, const struct rtop_window_limits *limits);
/* Clears the content but keeps the arrays. A zeroed struct is a valid empty window. */
void rtop_window_reset(struct rtop_window *window);
void rtop_window_destroy(struct rtop_window *window);

/* Append a zeroed element and return it; NULL when memory ran out. rtop_window_add_cell() is one of them. */
#define LIST(kind, number, array, one, row, ...) struct row *rtop_window_add_##one(struct rtop_window *window);
#include "shm/base/parts.def"

/* How values of a counter go together (counters.def). */
enum rtop_counter_kind { RTOP_COUNTER_CHANGE, RTOP_COUNTER_RATE, RTOP_COUNTER_SIZE, RTOP_COUNTER_BITS };

/* Is the counter's value that at the window's end, as opposed to the change over the window? */
static inline bool rtop_counter_is_now(unsigned id)
{
  static const uint64_t now = 0
#define COUNTER(id, number, name, kind, text) | (uint64_t)(RTOP_COUNTER_##kind != RTOP_COUNTER_CHANGE) << number
#define CHANNEL_COUNTER COUNTER
#include "shm/base/counters.def"
      ;
  return id < RTOP_COUNTER_ID_MAX && (now >> id & 1) != 0;
}

/* Is the figure's value that at the window's end, as opposed to the change over the window? */
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

/* Combines two values of a figure, the later one second. */
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
