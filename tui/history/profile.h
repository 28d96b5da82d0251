/* SPDX-License-Identifier: MIT */
/* The history: what every thread did in every window, and its sum over any span.
 *
 * Windows of one or more sources are kept in order of time, bounded in memory: the oldest are put together
 * to windows of 1 s, then of 10 s, and the oldest of these go. Windows of any lengths may follow each other.
 * A late record is spread over the windows that it overlaps and takes the place of what was not sampled there (or
 * provisional) of its thread, so that a sum over any span is the same whether the sample came in time or not; a
 * thread's stack at the end of such a window is the record's from then on.
 * Missing windows are gaps: counted, drawn, never guessed.
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

enum rtop_state { /* as in the channel; checked where they meet */
                  RTOP_STATE_RUNNING,
                  RTOP_STATE_WAITING,
                  RTOP_STATE_BLOCKED,
                  RTOP_STATE_MARKING,
                  RTOP_STATE_SWEEPING,
                  RTOP_STATES,
};

/* What was spent somewhere.
 *
 * Blame is measured in the process: while a thread holds the GVL, the time that all others wait for it adds up, and goes
 * to what the thread does. So the blame of all threads is the waiting of all threads, but for what it takes to hand the
 * GVL over, which is nobody's. A call that goes on without a safepoint tells of it when it is over, and of calls that go
 * on see rtop_profile_open_blame(). */
struct rtop_cost {
  uint64_t wall_ns[RTOP_STATES];
  uint64_t cpu_ns;
  uint64_t blame_ns; /* GVL waiting of other threads meanwhile; see below */
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

/* Counters of a span: changes are summed, "now" values are those of its last window. */
struct rtop_span_counters {
  uint64_t samples, ticks, ticks_missed, samples_dropped;
  uint64_t cost_ns, whole_cost_ns;  /* of samples and hooks in the program; of all (0 = not told) */
  uint64_t rate_hz, rate_wanted_hz; /* now; wanted > rate: governed */
  uint64_t gc_minor, gc_major, allocations, exceptions;
  uint64_t heap_live_slots, malloc_bytes, rss_bytes; /* now; 0 = unknown */
  uint64_t cpu_ns, publisher_cpu_ns;
  uint64_t gvl_releases, gvl_coarse; /* coarse: timed by the ticks alone, in a storm */
  uint64_t fibers_waiting;           /* now, in fiber schedulers */
  uint64_t stopped_ns;               /* the process did not run at all */
  uint64_t lock_waits;               /* times that threads had to wait for a Mutex or Monitor */
  uint64_t locks_unknown;            /* now: the process cannot tell what threads wait for */
  uint64_t vm_unknown;               /* now: a bit for each part of the VM that cannot be read (vm_parts.def) */
  uint64_t raises_untold;            /* of the exceptions: without class and place; all where the channel has none */
};

/* Not of a profile that a program saved: that says how many samples there are, not how often they were taken. */
static inline bool rtop_counters_rate_is_known(const struct rtop_span_counters *counters)
{
  return counters->rate_hz > 0 || counters->samples == 0;
}

/* What profiling cost, as far as it is known. */
static inline uint64_t rtop_counters_cost_ns(const struct rtop_span_counters *counters)
{
  return counters->whole_cost_ns ? counters->whole_cost_ns : counters->cost_ns + counters->publisher_cpu_ns;
}

/* What a thread that is off the GVL waits for, as the channel has it (enum rtop_lock_kind; checked where they meet). */
enum rtop_wants {
  RTOP_WANTS_NOTHING,
  RTOP_WANTS_MUTEX,
  RTOP_WANTS_MONITOR,
  RTOP_WANTS_ITEM,      /* of a Queue or SizedQueue */
  RTOP_WANTS_ROOM,      /* in a SizedQueue */
  RTOP_WANTS_CONDITION, /* with a Mutex that it let go of, which is the number */
  RTOP_WANTS_LOAD,      /* the VM's own Mutex of a file that another thread loads */
  RTOP_WANTS_END,
};
struct rtop_lock {
  enum rtop_wants wants;
  uint32_t number; /* the same as long as somebody waits for it; 0: not known which */
  uint64_t holder; /* serial of the thread that has it; 0: not known */
};

/* A thread as it was in a span. */
struct rtop_thread_row {
  uint32_t thread;  /* dense id in this profile */
  const char *name; /* sanitised, "" when it has none; valid as long as the profile */
  uint64_t serial;  /* of its source */
  uint32_t native_id;
  uint32_t source;
  bool is_main;
  bool ended;            /* within the span */
  bool hidden;           /* set by who leaves it out of what is made from the sum */
  bool left_out;         /* its state is one that the lens leaves out: no method counts it as being there */
  bool blamed;           /* set by who knows that the verdict, a stall or a lock blames it */
  enum rtop_state state; /* at the end of the span */
  uint64_t state_age_ns;
  uint32_t node; /* leaf of its stack at the end of the span */
  bool stale;    /* that one is not known: `node` was it, stack_age_ns before (0: ?) */
  uint64_t stack_age_ns;
  struct rtop_lock lock; /* at the end of the span, for as long as it has been blocked (tui/stalls/locks.h) */
  struct {
    unsigned threads; /* that wait for a lock which it is inside, at the end of the span */
    uint64_t wait_ns; /* of the span, all together, until then */
  } behind;           /* nobody, until thread_locks_note() has looked */
  struct rtop_cost cost;
};

/* One (thread, node), all states. `provisional_ns` is included in wall_ns. */
struct rtop_sum_cell {
  uint32_t node;
  uint32_t thread; /* index into threads of the sum */
  struct rtop_cost cost;
};

/* A sum over a span. Memory belongs to the sum and is used again by the next one. */
struct rtop_sum {
  struct rtop_span span; /* as it was cut to what the profile holds */
  uint64_t length_ns;    /* covered by windows of any source: span minus gaps */
  uint32_t window_count;
  uint32_t gap_count; /* runs of missing windows */
  struct rtop_span_counters counters;
  struct rtop_cost total; /* over all threads */
  struct rtop_thread_row *threads;
  size_t thread_count, thread_capacity;
  struct rtop_sum_cell *cells; /* sorted by (thread, node), but not those of a live sum */
  size_t cell_count, cell_capacity;
  bool borrowed; /* the cells belong to a live sum (live.h) */
};

/* Does it belong to a thread that is left out? */
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
struct rtop_window; /* shm/window/window.h; only feeds hand them in */

struct rtop_profile *rtop_profile_create(uint64_t memory_bytes_max);
void rtop_profile_destroy(struct rtop_profile **profile);
struct rtop_symbols *rtop_profile_symbols(struct rtop_profile *profile);
/* What sums show: their nodes are those of the lens. Set it and every sum made from then on follows. */
struct rtop_lens *rtop_profile_lens(const struct rtop_profile *profile);
/* From now on windows that memory cannot hold any more are not forgotten but summed: spans that begin at
 * the start of everything stay complete however long the run is. Threads that ended are then summed by
 * their name. */
void rtop_profile_keep_sums(struct rtop_profile *profile);
/* Time of late records that began before anything held, or in a gap: it could not be placed. */
uint64_t rtop_profile_late_dropped_ns(const struct rtop_profile *profile);
/* From which instant on late records have changed what was known since this was asked last; INT64_MAX: nothing has. For one
 * asker, who has a sum that is to stay true. */
int64_t rtop_profile_take_revised(struct rtop_profile *profile);

/* How large the sources are together: what is made of them is in proportion (budget.h). */
void rtop_profile_add_source_bytes(struct rtop_profile *profile, uint64_t bytes);
uint64_t rtop_profile_source_bytes(const struct rtop_profile *profile);

/* A process that makes methods all the time would have us keep names for ever. Those that no window names any more go,
 * now and then; of windows that name too many the oldest go first. Not from recordings, while a tap is set, or where
 * sums are kept. `keep` names what is used besides the windows (rtop_symbols_use_*). True: there was a sweep; ids
 * that the symbols do not hold must be forgotten. Between polls only, never while windows are handed in. */
struct rtop_profile_keeper {
  void *context;
  void (*keep)(void *context, struct rtop_symbols *symbols);
};
/* False: there are too many of them, or memory ran out. */
bool rtop_profile_add_keeper(struct rtop_profile *profile, const struct rtop_profile_keeper *keeper);
bool rtop_profile_forget(struct rtop_profile *profile);
/* For a keeper that has a sum. */
void rtop_sum_keep(const struct rtop_sum *sum, struct rtop_symbols *symbols);
/* Windows that ended so long before the newest one are not kept; 0: as long as there is memory. */
void rtop_profile_keep_ns(struct rtop_profile *profile, int64_t keep_ns);

/* A source is over, and its number is wanted for another one: what it told stays, under a number of its own behind
 * RTOP_SOURCE_GONE, which is returned. Of more than some thousand such the oldest windows go; what is summed is
 * RTOP_SOURCE_GONE's then. Not of recordings. Between polls only. */
enum { RTOP_SOURCES_MAX = 384, RTOP_SOURCE_GONE = RTOP_SOURCES_MAX };
uint32_t rtop_profile_retire(struct rtop_profile *profile, uint32_t source);
/* For whoever remembers sources by number: the next of those that got another one since *seen (0: since ever), which
 * moves on. Only the last 256 are told. */
struct rtop_profile_retired {
  uint32_t source, number;
};
bool rtop_profile_retired(const struct rtop_profile *profile, uint64_t *seen, struct rtop_profile_retired *retired);

/* Feeds. A source numbers its threads by serial; the profile makes its own ids, which are used again
 * when no window knows the thread any more. RTOP_THREAD_NONE: memory ran out; adding skips it. */
#define RTOP_THREAD_NONE UINT32_MAX
struct rtop_source_thread {
  uint64_t serial;
  const char *name; /* raw bytes; NULL: not known any more, keep what was said */
  size_t name_bytes;
  uint32_t native_id;
  bool is_main;
};
uint32_t rtop_profile_thread(struct rtop_profile *profile, uint32_t source, const struct rtop_source_thread *thread);
/* `nodes` maps the window's node ids to symbols' ids (node_count entries), `threads` maps indexes of
 * window->threads to this profile's ids. False when memory ran out (the window is then a gap). */
bool rtop_profile_add(struct rtop_profile *profile, uint32_t source, const struct rtop_window *window,
                      const uint32_t *nodes, size_t node_count, const uint32_t *threads);
/* A stretch of a source that is lost for good. */
void rtop_profile_add_gap(struct rtop_profile *profile, uint32_t source, int64_t start_ns, int64_t end_ns);

/* Windows that are known but not held: those of a recording. A sum that needs them has them fetched; when memory
 * is short, those that were not needed for the longest time go, to be fetched again. Sums are the same in
 * whatever order windows come and go. */
struct rtop_profile_loader {
  void *context;
  /* Hands in, by rtop_profile_load_window(), every window of a place, and then in order of time every later
   * window that has late records which reach into it. */
  void (*load)(void *context, uint64_t place);
};
/* At most one, before anything is known; nothing else is added then. */
void rtop_profile_set_loader(struct rtop_profile *profile, const struct rtop_profile_loader *loader);
/* Of the window only times and counters are read. wall_ns and thread_count are for summaries till it is fetched.
 * `place` (not 0): what is fetched together. False: it is told already, makes no sense, or memory ran out. */
bool rtop_profile_add_known(struct rtop_profile *profile, uint32_t source, const struct rtop_window *window,
                            const uint64_t wall_ns[RTOP_STATES], uint32_t thread_count, uint64_t place);
/* Only while `load` is called, with its place. */
void rtop_profile_load_window(struct rtop_profile *profile, uint64_t place, uint32_t source,
                              const struct rtop_window *window, const uint32_t *nodes, size_t node_count,
                              const uint32_t *threads);

/* Whoever keeps a copy of all that feeds hand in, as they do it: before the profile judges it. The threads
 * of the window are known to the profile by then. */
struct rtop_profile_tap {
  void *context;
  void (*window)(void *context, uint32_t source, const struct rtop_window *window, const uint32_t *nodes,
                 size_t node_count);
  void (*gap)(void *context, uint32_t source, int64_t start_ns, int64_t end_ns);
  void (*mark)(void *context, uint32_t source, int64_t time_ns, const char *name, size_t name_bytes);
};
void rtop_profile_set_tap(struct rtop_profile *profile, const struct rtop_profile_tap *tap); /* NULL: none */
/* Hands out the windows and gaps of a span as a sum of it has them, oldest first, then marks, as if they came
 * again; nodes are ids of the symbols (`nodes` is NULL), and late records are where they belong. False: no memory. */
bool rtop_profile_replay(struct rtop_profile *profile, struct rtop_span span, const struct rtop_profile_tap *to);
/* What is known of a thread, its name sanitised and valid as long as the profile. False: nothing. */
bool rtop_profile_thread_about(const struct rtop_profile *profile, uint32_t source, uint64_t serial,
                               struct rtop_source_thread *about);

/* Numbers of traced methods have come, at some time. */
bool rtop_profile_has_exact(const struct rtop_profile *profile);
/* Numbers of labelled work have. */
bool rtop_profile_has_work(const struct rtop_profile *profile);

/* Readers. The span of everything held; start == end when empty. */
struct rtop_span rtop_profile_bounds(const struct rtop_profile *profile);
/* The last `length_ns` (<= 0: everything), up to where all sources have told of their time: a thread that sleeps does so
 * all the time, whichever source told last. */
struct rtop_span rtop_profile_last(const struct rtop_profile *profile, int64_t length_ns);
/* The part of the span of which something is held. */
struct rtop_span rtop_profile_clip(const struct rtop_profile *profile, struct rtop_span span);
/* Windows of up to half a second count whole when their middle lies in the span; of longer ones the span
 * gets its share, rounded so that sums of spans side by side add up to the sum of both. False when memory
 * ran out. */
bool rtop_profile_sum(const struct rtop_profile *profile, struct rtop_span span, struct rtop_sum *sum);
/* The same with stacks as they are and in all states, whatever the lens hides or merges; of labels only those that were asked for. */
bool rtop_profile_sum_whole(const struct rtop_profile *profile, struct rtop_span span, struct rtop_sum *sum);
/* The same with nothing but the sets of labels that it was spent under (rtop_slide_open_sets). */
bool rtop_profile_sum_sets(const struct rtop_profile *profile, struct rtop_span span, struct rtop_sum *sum);
/* Are stacks shown as another thing than they are, or without time in some states? */
bool rtop_profile_hides(const struct rtop_profile *profile);
void rtop_sum_destroy(struct rtop_sum *sum);
/* Adds to the rows of threads that hold the GVL without a safepoint at the end of the span what they are to blame for,
 * although no method is charged with it before their call is over: window by window, the waiting that nobody was blamed
 * for is divided among those that held the GVL in stacks that are not known yet, by how long they did. Once for a sum. */
void rtop_profile_open_blame(const struct rtop_profile *profile, struct rtop_sum *sum);

/* Timeline: summaries of the windows in a span, oldest first, gaps included as entries of their own.
 * Windows of several sources at the same time make one entry; a long window is cut to the span like a gap,
 * with its share of what is summed.
 * Returns how many were written (at most capacity, the newest ones). */
size_t rtop_profile_windows(const struct rtop_profile *profile, struct rtop_span span,
                            struct rtop_window_summary *windows, size_t capacity);

/* What a span amounts to, of all sources, without its threads. Spans side by side add up. */
struct rtop_span_brief {
  uint64_t wall_ns[RTOP_STATES];
  uint64_t told_ns; /* lengths of the windows: processes side by side add up */
  int64_t cover_start_ns, cover_end_ns;
  uint64_t covered_ns; /* of that, by windows of any source */
  uint64_t gc_minor, gc_major;
  bool gap; /* some of it was lost */
};
void rtop_profile_brief(const struct rtop_profile *profile, struct rtop_span span, struct rtop_span_brief *brief);
/* Grows when what is known of the span may have become another thing: who keeps figures of a span asks whether
 * they hold. Remembered by the second; 0 only while nothing was ever known. */
uint64_t rtop_profile_change(const struct rtop_profile *profile, struct rtop_span span);

/* What a profile of several processes says of one of them. */
/* The last `length_ns` that it told of (<= 0: everything up to there), however long ago that was. Nothing is held of it any
 * more: start == end. Nothing was ever told: rtop_profile_last. */
struct rtop_span rtop_profile_last_alone(const struct rtop_profile *profile, uint32_t source, int64_t length_ns);

/* Makes the head of a sum (length, windows, gaps, counters, total) that of one source. Threads and cells stay as
 * they are: whoever shows them leaves out those of the others. */
void rtop_profile_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_sum *sum);

/* rtop_profile_brief of one source. */
void rtop_profile_brief_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                              struct rtop_span_brief *brief);

/* rtop_profile_windows of one source, put together to one entry; its threads are those of the last window. */
void rtop_profile_window_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                               struct rtop_window_summary *window);

/* Named instants of a program (RperfTop.mark). Kept apart from the windows: of very many the oldest go first.
 * Names are raw bytes; what is read is sanitised and valid as long as the profile. */
struct rtop_profile_mark {
  int64_t time_ns;
  uint32_t source;
  const char *name; /* "" when it has none */
};
void rtop_profile_add_mark(struct rtop_profile *profile, uint32_t source, int64_t time_ns, const char *name,
                           size_t name_bytes);
/* Those in the span, oldest first. Returns how many were written: at most capacity, the newest ones. */
size_t rtop_profile_marks(const struct rtop_profile *profile, struct rtop_span span, struct rtop_profile_mark *marks,
                          size_t capacity);
/* Why threads of a source had no core, in sums that its process has since it began: the kernel tells who watches it alive
 * (tui/feed/cores.h). Kept for some minutes; not part of recordings. */
struct rtop_profile_cores {
  uint32_t source;
  int32_t pid;
  int64_t time_ns;
  uint64_t delayed_ns;   /* its tasks were ready to run, and another one ran */
  uint64_t throttled_ns; /* a CPU quota kept them from it */
  bool tells_throttled;  /* that one is known */
};
void rtop_profile_add_cores(struct rtop_profile *profile, const struct rtop_profile_cores *reading);
/* What of that was in a span. False: not known. */
bool rtop_profile_cores(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                        struct rtop_profile_cores *change);

/* Walking through time. A point in time stands for the window that ends there: the window of an instant is
 * the one that holds what is just before it, of the first source that has one; between windows the one
 * before. start == end: nothing is held. */
struct rtop_span rtop_profile_window_of(const struct rtop_profile *profile, int64_t time_ns);
/* The window that many windows later (earlier when negative), gaps skipped; at the ends it stays. The way
 * back passes through the same windows. */
struct rtop_span rtop_profile_step(const struct rtop_profile *profile, int64_t time_ns, int steps);

/* Wall time by state of the window of a source with just these times, as late records left it. False: it is
 * not there; *wall_ns stays as it was. */
bool rtop_profile_window_wall(const struct rtop_profile *profile, uint32_t source, int64_t start_ns, int64_t end_ns,
                              uint64_t wall_ns[RTOP_STATES]);

/* Wall time per thread and state of the windows whose middle lies in the span: wall_ns[id of the thread],
 * `count` of them, cleared first. One walk over the cells, for histories that are kept by the caller.
 * False: no window is there, nothing is known. Ids are below the bound. */
uint32_t rtop_profile_thread_bound(const struct rtop_profile *profile);
bool rtop_profile_thread_times(const struct rtop_profile *profile, struct rtop_span span,
                               uint64_t (*wall_ns)[RTOP_STATES], uint32_t count);

#endif
