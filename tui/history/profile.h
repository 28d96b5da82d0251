/* SPDX-License-Identifier: MIT */
/* The history: what every thread did in every window, and sums over any span.
 *
 * Windows of one or more sources are kept in order of time in bounded memory: the oldest are merged into windows of 1
 * s, then 10 s, and the oldest of these are dropped. Windows of any length may follow each other. A late record
 * corrects what a thread did in earlier windows. Its time is spread over these windows, and in each replaces the
 * thread's time that was not sampled or was provisional, so that any sum is as if the record had been there at once; it
 * also sets the stack of the thread at the end of each of these windows. Missing windows are gaps: counted and drawn,
 * never estimated.
 *
 * Threads: one. Times are CLOCK_MONOTONIC nanoseconds of the (first) source.
 */
#ifndef RTOP_TUI_PROFILE_H
#define RTOP_TUI_PROFILE_H

#include "lens.h"
#include "symbols.h"
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rtop_state { /* States as in the channel, checked where windows are taken in. */
                  RTOP_STATE_RUNNING,
                  RTOP_STATE_WAITING,
                  RTOP_STATE_BLOCKED,
                  RTOP_STATE_MARKING,
                  RTOP_STATE_SWEEPING,
                  RTOP_STATES,
};

/* Cost of a node or a thread.
 *
 * Blame is measured in the process: while a thread has the GVL, the waiting time of all other threads is charged to
 * what the thread does. So the blame of all threads equals the waiting of all threads, except for the time to hand over
 * the GVL. A call without a safepoint is blamed when it has ended; calls that have not ended get their blame from
 * rtop_profile_open_blame(). */
struct rtop_cost {
  uint64_t wall_ns[RTOP_STATES];
  uint64_t cpu_ns;
  uint64_t blame_ns; /* GVL waiting of other threads while this one had it (see the comment on the struct) */
  uint64_t allocations;
  uint64_t samples;
};
static_assert(RTOP_STATES == 5, "every state is added below: a loop would cost more than the sums");
static inline uint64_t rtop_cost_wall(const struct rtop_cost *cost) /* all states */
{
  const uint64_t *wall_ns = cost->wall_ns;
  return wall_ns[0] + wall_ns[1] + wall_ns[2] + wall_ns[3] + wall_ns[4];
}
/* With the GVL: running and collecting. */
static inline uint64_t rtop_cost_held(const struct rtop_cost *cost)
{
  return cost->wall_ns[RTOP_STATE_RUNNING] + cost->wall_ns[RTOP_STATE_MARKING] + cost->wall_ns[RTOP_STATE_SWEEPING];
}
static inline void rtop_cost_add(struct rtop_cost *to, const struct rtop_cost *from)
{
  to->wall_ns[0] += from->wall_ns[0];
  to->wall_ns[1] += from->wall_ns[1];
  to->wall_ns[2] += from->wall_ns[2];
  to->wall_ns[3] += from->wall_ns[3];
  to->wall_ns[4] += from->wall_ns[4];
  to->cpu_ns += from->cpu_ns;
  to->blame_ns += from->blame_ns;
  to->allocations += from->allocations;
  to->samples += from->samples;
}

struct rtop_span {
  int64_t start_ns;
  int64_t end_ns; /* exclusive */
};

/* Counters of a span (shm/base/counters.def describes each): changes are summed; of present values, the value at the
 * end of the last window is kept. */
struct rtop_span_counters {
#define COUNTER(id, number, name, kind, text) uint64_t name;
#include "shm/base/counters.def"
};

/* Is the sampling rate known? Not for a profile saved by a program, which has the number of samples but
   not their rate. */
static inline bool rtop_counters_rate_is_known(const struct rtop_span_counters *counters)
{
  return counters->rate_hz > 0 || counters->samples == 0;
}

/* Total cost of profiling, as far as it is known. */
static inline uint64_t rtop_counters_cost_ns(const struct rtop_span_counters *counters)
{
  return counters->whole_cost_ns ? counters->whole_cost_ns : counters->cost_ns + counters->publisher_cpu_ns;
}

/* What a thread off the GVL waits for, as in the channel (enum rtop_lock_kind); checked when windows are taken in. */
enum rtop_wants {
  RTOP_WANTS_NOTHING,
  RTOP_WANTS_MUTEX,
  RTOP_WANTS_MONITOR,
  RTOP_WANTS_ITEM,      /* of a Queue or SizedQueue */
  RTOP_WANTS_ROOM,      /* in a SizedQueue */
  RTOP_WANTS_CONDITION, /* waits for a ConditionVariable: `number` is that of the Mutex that it released for the wait */
  RTOP_WANTS_LOAD,      /* the VM's Mutex for a file that another thread is loading */
  RTOP_WANTS_THREAD,    /* the end of a thread, without a limit: no lock, and no number; the holder is that thread */
  RTOP_WANTS_END,
};
struct rtop_lock {
  enum rtop_wants wants;
  uint32_t number; /* constant while any thread waits for the lock; 0: unknown lock */
  uint64_t holder; /* serial of the thread that owns it; 0: unknown */
};

/* A thread in a span. */
struct rtop_thread_row {
  uint32_t thread;  /* dense id in this profile */
  const char *name; /* sanitised name of the thread; "" when it has none; valid as long as the profile */
  uint64_t serial;  /* of its source */
  uint32_t native_id;
  uint32_t source;
  bool is_main;
  bool ended;            /* within the span */
  bool hidden;           /* set by callers that exclude the thread from their use of the sum */
  bool left_out;         /* the lens leaves out the thread's state, so no method counts the thread */
  bool blamed;           /* set by callers when the verdict, a stall or a lock blames the thread */
  enum rtop_state state; /* at the end of the span */
  uint64_t state_age_ns;
  uint32_t node; /* innermost node of the thread's stack at the end of the span */
  bool stale;    /* the present stack is unknown: `node` is from stack_age_ns
                    before the end of the span (0: age unknown) */
  uint64_t stack_age_ns;
  /* what the thread waits for at the end of the span, unchanged since it was blocked (tui/stalls/locks.h) */
  struct rtop_lock lock;
  struct {
    unsigned threads; /* number of threads that wait for a lock that this thread owns, at the end of the span */
    uint64_t wait_ns; /* of the span, all together, until then */
  } behind;           /* nobody, until thread_locks_note() has looked */
  struct rtop_cost cost;
};

/* Cost of one (thread, node) in all states. `provisional_ns` is included in wall_ns. */
struct rtop_sum_cell {
  uint32_t node;
  uint32_t thread; /* index into threads of the sum */
  struct rtop_cost cost;
};

/* A sum over a span. Its memory belongs to the sum and is reused by the next one. */
struct rtop_sum {
  struct rtop_span span; /* the span, clipped to what the profile holds */
  uint64_t length_ns;    /* time covered by windows of any source: the span without gaps */
  uint32_t window_count;
  uint32_t gap_count; /* runs of missing windows */
  struct rtop_span_counters counters;
  struct rtop_cost total; /* over all threads */
  struct rtop_thread_row *threads;
  size_t thread_count, thread_capacity;
  struct rtop_sum_cell *cells; /* sorted by (thread, node), except in a live sum */
  size_t cell_count, cell_capacity;
  bool borrowed; /* the cells belong to a live sum (tui/methods/live.h) */
};

/* Does the cell belong to a hidden thread? */
static inline bool rtop_sum_hides(const struct rtop_sum *sum, const struct rtop_sum_cell *cell)
{
  return cell->thread < sum->thread_count && sum->threads[cell->thread].hidden;
}

/* One window for strips and timelines. */
struct rtop_window_summary {
  int64_t start_ns, end_ns;
  bool gap;                      /* nothing is known about this stretch */
  uint64_t wall_ns[RTOP_STATES]; /* over all threads */
  uint32_t sources;              /* that tell of it; 0 of gaps */
  uint32_t thread_count;
  struct rtop_span_counters counters;
};

struct rtop_profile;
struct rtop_window; /* defined in shm/window/window.h; only feeds use it */

struct rtop_profile *rtop_profile_create(uint64_t memory_bytes_max);
void rtop_profile_destroy(struct rtop_profile **profile);
struct rtop_symbols *rtop_profile_symbols(struct rtop_profile *profile);
/* Returns the lens of all sums: once it is changed, new sums show its nodes. */
struct rtop_lens *rtop_profile_lens(const struct rtop_profile *profile);
/* Makes the profile sum up windows that memory cannot hold, instead of dropping them, so that spans from the very start
 * stay complete in a run of any length. Ended threads are then summed by name. */
void rtop_profile_keep_sums(struct rtop_profile *profile);
/* Time (ns) of late records that could not be placed, because it is before all windows or in a gap. */
uint64_t rtop_profile_late_dropped_ns(const struct rtop_profile *profile);
/* Start of the time that late records have changed since the last call; INT64_MAX: none. For a single caller that keeps
 * a sum up to date. */
int64_t rtop_profile_take_revised(struct rtop_profile *profile);

/* Adds to the total size of the sources, to which the memory limit is proportional (budget.h). */
void rtop_profile_add_source_bytes(struct rtop_profile *profile, uint64_t bytes);
uint64_t rtop_profile_source_bytes(const struct rtop_profile *profile);

/* Removes unused names, which would accumulate for ever in a process that keeps making methods. rtop_profile_forget()
 * occasionally removes names that no window uses; when windows use too many, the oldest windows are dropped. Not to be
 * used for recordings, while a tap is set, or where sums are kept. `keep` marks names that are used outside windows
 * (rtop_symbols_use_*). Returns true after a sweep: callers must then forget ids that the symbols do not hold. To be
 * called only between polls. */
struct rtop_profile_keeper {
  void *context;
  void (*keep)(void *context, struct rtop_symbols *symbols);
};
/* Adds a keeper of names. False when there are too many keepers or memory ran out. */
bool rtop_profile_add_keeper(struct rtop_profile *profile, const struct rtop_profile_keeper *keeper);
bool rtop_profile_forget(struct rtop_profile *profile);
/* For a keeper that has a sum. */
void rtop_sum_keep(const struct rtop_sum *sum, struct rtop_symbols *symbols);
/* Sets the age, relative to the newest window, beyond which windows are dropped; 0: windows are kept while memory
   suffices. */
void rtop_profile_keep_ns(struct rtop_profile *profile, int64_t keep_ns);
/* How much later than the others a source may report before the latest span no longer waits for it; 0.2 s by default. */
void rtop_profile_apart_ns(struct rtop_profile *profile, int64_t apart_ns);

/* Retires a source whose number is needed for another one: its data stay under a new number from RTOP_SOURCE_GONE up,
 * which is returned. When there are thousands of retired sources, the oldest windows are dropped; data kept as sums go
 * to RTOP_SOURCE_GONE. Not for recordings. To be called only between polls. */
enum { RTOP_SOURCES_MAX = 384, RTOP_SOURCE_GONE = RTOP_SOURCES_MAX };
uint32_t rtop_profile_retire(struct rtop_profile *profile, uint32_t source);
/* For callers that remember sources by number: returns the next source that was renumbered since *seen (0: ever), and
 * advances *seen. Only the last 256 renumberings are known. */
struct rtop_profile_retired {
  uint32_t source, number;
};
bool rtop_profile_retired(const struct rtop_profile *profile, uint64_t *seen, struct rtop_profile_retired *retired);

/* For feeds. A source numbers its threads by serial; the profile assigns its own ids, which are reused when no window
 * refers to the thread any more. RTOP_THREAD_NONE: memory ran out; rtop_profile_add() skips such threads. */
#define RTOP_THREAD_NONE UINT32_MAX
struct rtop_source_thread {
  uint64_t serial;
  const char *name; /* name as raw bytes; NULL: unknown, an earlier name stays valid */
  size_t name_bytes;
  uint32_t native_id;
  bool is_main;
};
uint32_t rtop_profile_thread(struct rtop_profile *profile, uint32_t source, const struct rtop_source_thread *thread);
/* Adds a window. `nodes` maps its node ids to ids of the symbols (node_count entries), `threads` maps indexes of
 * window->threads to ids of the profile. False when memory ran out; the window is then a gap. */
bool rtop_profile_add(struct rtop_profile *profile, uint32_t source, const struct rtop_window *window,
                      const uint32_t *nodes, size_t node_count, const uint32_t *threads);
/* Adds a gap: time of a source whose data are lost for good. */
void rtop_profile_add_gap(struct rtop_profile *profile, uint32_t source, int64_t start_ns, int64_t end_ns);

/* A loader provides windows that are known but not in memory, those of a recording. A sum fetches the windows that it
 * needs; when memory is short, the least recently used ones are dropped, to be fetched again. Sums do not depend on the
 * order in which windows come and go. */
struct rtop_profile_loader {
  void *context;
  /* Must pass every window of the place to rtop_profile_load_window(), and after them, in order of time, every later
     window with late records that reach into this place. */
  void (*load)(void *context, uint64_t place);
};
/* Sets the loader; at most one, before anything else is added. Afterwards windows may only be added by
   rtop_profile_add_known(). */
void rtop_profile_set_loader(struct rtop_profile *profile, const struct rtop_profile_loader *loader);
/* Adds a known window, of which only times and counters are read. wall_ns and thread_count are for summaries until the
 * window is fetched. `place` (not 0) identifies windows that are fetched together. False when the window is known
 * already or invalid, or memory ran out. */
bool rtop_profile_add_known(struct rtop_profile *profile, uint32_t source, const struct rtop_window *window,
                            const uint64_t wall_ns[RTOP_STATES], uint32_t thread_count, uint64_t place);
/* Passes a window of the place that is being loaded to the profile; to be called only within `load`. */
void rtop_profile_load_window(struct rtop_profile *profile, uint64_t place, uint32_t source,
                              const struct rtop_window *window, const uint32_t *nodes, size_t node_count,
                              const uint32_t *threads);

/* A tap gets a copy of everything that feeds add, when it is added and before the profile validates it. The profile
 * already knows the window's threads by then. */
struct rtop_profile_tap {
  void *context;
  void (*window)(void *context, uint32_t source, const struct rtop_window *window, const uint32_t *nodes,
                 size_t node_count);
  void (*gap)(void *context, uint32_t source, int64_t start_ns, int64_t end_ns);
  void (*mark)(void *context, uint32_t source, int64_t time_ns, const char *name, size_t name_bytes);
};
void rtop_profile_set_tap(struct rtop_profile *profile, const struct rtop_profile_tap *tap); /* NULL: none */
/* Passes the windows and gaps of a span to a tap as a sum of the span would contain them, oldest first, then marks.
 * Nodes are ids of the symbols (`nodes` is NULL), and late records are already in place. False when memory ran out. */
bool rtop_profile_replay(struct rtop_profile *profile, struct rtop_span span, const struct rtop_profile_tap *to);
/* Returns what is known of a thread; its name is sanitised and valid as long as the profile. False: the thread is
   unknown. */
bool rtop_profile_thread_about(const struct rtop_profile *profile, uint32_t source, uint64_t serial,
                               struct rtop_source_thread *about);

/* Has the profile ever had figures of traced methods? */
bool rtop_profile_has_exact(const struct rtop_profile *profile);
/* Numbers of labelled work have. */
bool rtop_profile_has_work(const struct rtop_profile *profile);

/* Returns the span of all held data; start == end when there are none. */
struct rtop_span rtop_profile_bounds(const struct rtop_profile *profile);
/* Returns the span of the last `length_ns` (<= 0: everything) before the time up to which all sources have reported. */
struct rtop_span rtop_profile_last(const struct rtop_profile *profile, int64_t length_ns);
/* Clips a span to the part for which data are held. */
struct rtop_span rtop_profile_clip(const struct rtop_profile *profile, struct rtop_span span);
/* Sums up a span. Windows of up to half a second count whole if their middle is in the span; longer ones count in
 * proportion, rounded such that adjacent spans add up. False when memory ran out. */
bool rtop_profile_sum(const struct rtop_profile *profile, struct rtop_span span, struct rtop_sum *sum);
/* Like rtop_profile_sum(), with unchanged stacks and all states, whatever the lens hides or merges; only the lens's
 * label conditions apply. */
bool rtop_profile_sum_whole(const struct rtop_profile *profile, struct rtop_span span, struct rtop_sum *sum);
/* Like rtop_profile_sum(), by label sets only (rtop_slide_open_sets). */
bool rtop_profile_sum_sets(const struct rtop_profile *profile, struct rtop_span span, struct rtop_sum *sum);
/* Does the lens change stacks or leave out states? */
bool rtop_profile_hides(const struct rtop_profile *profile);
void rtop_sum_destroy(struct rtop_sum *sum);
/* Adds the blame of calls without a safepoint that have not ended at the end of the span to the rows of their threads,
 * since methods are blamed only when calls end. In each window, unattributed waiting is divided among the threads that
 * had the GVL in unknown stacks, by time. Call once per sum. */
void rtop_profile_open_blame(const struct rtop_profile *profile, struct rtop_sum *sum);

/* Writes, for timelines, summaries of the windows in a span, oldest first, with gaps as entries of their own.
 * Simultaneous windows of several sources make one entry; a long window is cut to the span, in proportion. Returns the
 * number written (at most capacity, the newest ones). */
size_t rtop_profile_windows(const struct rtop_profile *profile, struct rtop_span span,
                            struct rtop_window_summary *windows, size_t capacity);

/* Totals of a span over all sources, without threads. Adjacent spans add up. */
struct rtop_span_brief {
  uint64_t wall_ns[RTOP_STATES];
  uint64_t told_ns; /* total length of windows; windows of simultaneous processes add up */
  int64_t cover_start_ns, cover_end_ns;
  uint64_t covered_ns; /* of that, by windows of any source */
  uint64_t gc_minor, gc_major;
  bool gap; /* some of it was lost */
};
void rtop_profile_brief(const struct rtop_profile *profile, struct rtop_span span, struct rtop_span_brief *brief);
/* Returns a number that grows when the data of the span may have changed, so that callers can check whether cached
 * figures are still valid. Its resolution is a second; 0 only while the profile never had data. */
uint64_t rtop_profile_change(const struct rtop_profile *profile, struct rtop_span span);

/* ---- one of several processes: the data of a single source ---- */
/* Returns the last `length_ns` that the source reported (<= 0: everything), however long ago. start == end when the
 * profile holds none of its data any more. For a source that never reported: rtop_profile_last(). */
struct rtop_span rtop_profile_last_alone(const struct rtop_profile *profile, uint32_t source, int64_t length_ns);

/* Replaces the head of a sum (length, windows, gaps, counters, total) by those of one source. Threads and cells stay;
 * callers must leave out those of other sources. */
void rtop_profile_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_sum *sum);
/* Returns the cells in the order of their sources; the caller frees them. first[i] is the first cell of source i, the
 * last part is of retired sources, and first[RTOP_SUM_PARTS] is the number of cells. NULL: memory ran out. */
enum { RTOP_SUM_PARTS = RTOP_SOURCES_MAX + 1 };
struct rtop_sum_cell *rtop_sum_divide(const struct rtop_sum *sum, size_t first[RTOP_SUM_PARTS + 1]);

/* rtop_profile_brief of one source. */
void rtop_profile_brief_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                              struct rtop_span_brief *brief);

/* Like rtop_profile_windows() for one source, with all windows combined into a single entry that has the threads of the
   last one. */
void rtop_profile_window_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                               struct rtop_window_summary *window);

/* Named instants of a program (RperfTop.mark), kept apart from windows; beyond a limit the oldest are dropped. Names
 * are added as raw bytes; names that are read are sanitised and valid as long as the profile. */
struct rtop_profile_mark {
  int64_t time_ns;
  uint32_t source;
  const char *name; /* "" when it has none */
};
void rtop_profile_add_mark(struct rtop_profile *profile, uint32_t source, int64_t time_ns, const char *name,
                           size_t name_bytes);
/* Writes the marks in a span, oldest first. Returns the number written: at most capacity, the newest ones. */
size_t rtop_profile_marks(const struct rtop_profile *profile, struct rtop_span span, struct rtop_profile_mark *marks,
                          size_t capacity);
/* Reasons why threads of a source had no core, as sums since the process began, read from the kernel while the process
 * is watched alive (tui/feed/cores.h). Kept for some minutes; not part of recordings. */
struct rtop_profile_cores {
  uint32_t source;
  int32_t pid;
  int64_t time_ns;
  uint64_t delayed_ns;   /* time that tasks were ready while another task ran */
  uint64_t throttled_ns; /* a CPU quota kept them from it */
  bool tells_throttled;  /* that one is known */
};
void rtop_profile_add_cores(struct rtop_profile *profile, const struct rtop_profile_cores *reading);
/* Returns the change of these sums within a span. False when it is unknown. */
bool rtop_profile_cores(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                        struct rtop_profile_cores *change);

/* Navigation in time. Returns the window that an instant belongs to: the one that contains the time just before the
 * instant, from the first source that has one; for an instant between windows, the earlier one. start == end: there is
 * none. */
struct rtop_span rtop_profile_window_of(const struct rtop_profile *profile, int64_t time_ns);
/* Returns the window that is `steps` windows later (earlier if negative), skipping gaps and stopping at the ends. Steps
 * back visit the same windows. */
struct rtop_span rtop_profile_step(const struct rtop_profile *profile, int64_t time_ns, int steps);

/* Wall time by state of a source's window with exactly these times, after corrections by late records. False when
 * there is none; *wall_ns is then unchanged. */
bool rtop_profile_window_wall(const struct rtop_profile *profile, uint32_t source, int64_t start_ns, int64_t end_ns,
                              uint64_t wall_ns[RTOP_STATES]);

/* Wall time per thread and state of the windows whose middle is in the span: clears and fills wall_ns[thread id],
 * `count` entries, in one walk over the cells. For histories that callers keep. False when there is no window. Ids
 * are below rtop_profile_thread_bound(). */
uint32_t rtop_profile_thread_bound(const struct rtop_profile *profile);
bool rtop_profile_thread_times(const struct rtop_profile *profile, struct rtop_span span,
                               uint64_t (*wall_ns)[RTOP_STATES], uint32_t count);

#endif
