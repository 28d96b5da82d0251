/* What the profile_*.c files share and nobody else sees. */
#ifndef RTOP_TUI_PROFILE_IMPL_H
#define RTOP_TUI_PROFILE_IMPL_H

#include "cost_table.h"
#include "profile.h"

#include <uthash.h>

/* Values of strangers are cut to these, so that sums of all that memory can hold do not overflow. */
#define PROFILE_CELL_MAX (UINT64_C(1) << 42)
#define PROFILE_LATE_MAX (UINT64_C(1) << 50)
#define PROFILE_TIME_MAX (INT64_C(1) << 61)
/* Windows up to this long are told whole by the span that has their middle, longer ones are shared out. */
#define PROFILE_WHOLE_NS INT64_C(500000000)
/* A hostile window could name ten thousand late records that each reach over ten thousand windows. */
#define PROFILE_LATE_STEPS_MAX (UINT32_C(1) << 20)

enum { PROFILE_SECONDS = 1024, PROFILE_COUNTERS_MAX = 64, PROFILE_LONGS_MAX = 256, PROFILE_KEEPERS_MAX = 8 };
#define PROFILE_LONG_NS INT64_C(100000000)

struct profile_cell {
  uint32_t node, thread;
  uint32_t state;
  uint32_t samples;
  uint64_t wall_ns, cpu_ns, allocations, blame_ns;
};

/* A thread at the end of a window. */
struct profile_presence {
  uint32_t thread;
  uint32_t node;
  uint32_t state;
  bool ended;
  bool stale; /* the node was its stack stack_age_ns before */
  uint64_t state_age_ns, stack_age_ns;
  uint64_t provisional_ns; /* 0 once a late record replaced it */
};

/* A late record of some length, for those who look for stalls. */
struct profile_long {
  uint32_t thread, node, state;
  int64_t start_ns, end_ns;
};

struct profile_window {
  uint64_t id; /* in order of coming: tells slides what they know */
  int64_t start_ns, end_ns;
  uint32_t source; /* index into sources */
  bool gap;
  uint64_t counters_present; /* bit per counter id */
  struct rtop_span_counters counters;
  uint64_t wall_ns[RTOP_STATES]; /* cells and provisional time */
  /* Of a window that a loader knows of: */
  uint64_t place;                   /* 0: there is no loader for it */
  bool absent;                      /* not loaded: no threads, no cells; wall_ns is what was told */
  uint32_t alive;                   /* threads at its end, while it is absent */
  uint64_t loaded, used;            /* when it was fetched and needed last, by profile->loads */
  struct profile_presence *threads; /* by thread */
  size_t thread_count;
  struct profile_cell *cells; /* unordered, but for the first ones (profile_unsampled.c) */
  size_t cell_count, cell_capacity;
  size_t unsampled_count;
  struct profile_long *longs; /* that came with it; none once it is merged */
  size_t long_count;
};

struct profile_name {
  UT_hash_handle hh;
  char text[];
};

struct profile_thread {
  struct profile_thread_key {
    uint64_t serial;
    uint32_t source;  /* as the feed calls it */
    uint32_t kind;    /* PROFILE_THREAD_… */
    const char *name; /* only of those that stand for all that ended under a name */
  } key;
  uint32_t id;
  uint32_t native_id;
  bool is_main;
  const char *name;
  size_t windows; /* how many list it */
  /* In the sum of what memory could not hold: is it there, and what may still be replaced. */
  bool carried;
  uint64_t open_ns;
  uint32_t open_node, open_state;
  bool pinned;  /* of a loader's windows: stays when they are unloaded */
  uint32_t row; /* scratch of a sum: index + 1 */
  UT_hash_handle hh;
};
enum { PROFILE_THREAD_REAL, PROFILE_THREAD_ENDED };

/* Which time is told by windows, whoever tells it: processes side by side cover a second once, one after
 * the other (exec) they add up. Windows come in order of start. */
struct profile_cover {
  int64_t end_ns;
  uint64_t length_ns;
  uint32_t windows;
};

struct profile_source {
  uint32_t source; /* as the feed calls it */
  int64_t last_end_ns;
  /* What memory could not hold any more; start == end: nothing. */
  int64_t carry_start_ns, carry_end_ns;
  uint32_t carry_gaps;
  struct rtop_span_counters carry_counters;
  /* scratch of a sum */
  uint32_t gaps;
  struct rtop_span_counters now;
  uint64_t wanted; /* counters whose last value is still looked for */
  struct profile_window *last;
  /* scratch of a timeline: what the source told of the entry at hand */
  size_t entry;
  uint32_t entry_threads;
  struct rtop_span_counters entry_now;
};

struct rtop_profile {
  struct rtop_symbols *symbols;
  struct rtop_lens *lens;
  struct profile_window **windows; /* by start; [first, first + count) */
  size_t first, count, capacity;
  size_t memory_bytes, memory_bytes_max;
  int64_t longest_ns; /* of all windows ever: bounds searches by time */
  struct profile_source *sources;
  uint32_t source_count;
  struct profile_thread **threads; /* by id; NULL: free */
  uint32_t thread_count, thread_capacity;
  uint32_t *free_ids;
  uint32_t free_count, free_capacity;
  struct profile_thread *threads_by_key;
  struct profile_name *names;
  struct rtop_profile_mark *marks; /* by time */
  size_t mark_count, mark_capacity;
  uint64_t source_bytes;
  uint64_t late_dropped_ns;
  uint32_t late_steps; /* left for the window that is being added */
  bool keep_sums;
  int64_t keep_ns;    /* 0: all that memory holds */
  size_t forget_from; /* names that take so much are looked through again, */
  uint64_t forget_at; /* or those that nobody needed, after so many windows; 0: there are few of these */
  struct rtop_profile_keeper keepers[PROFILE_KEEPERS_MAX];
  uint32_t keeper_count;
  struct rtop_profile_tap tap;       /* functions are NULL: none */
  uint32_t merges;                   /* grows when windows that were held became others */
  struct rtop_profile_loader loader; /* load is NULL: none */
  uint64_t loads;
  struct cost_table carry; /* by profile thread id */
  struct profile_cover carry_cover;
  uint32_t carried_gone;                      /* carried threads that no window lists */
  uint64_t window_ids;                        /* given out */
  uint64_t changes, changed[PROFILE_SECONDS]; /* the latest change of a second, modulo so many */
  struct rtop_slide *slides;                  /* to be told when windows that they know change */
  struct cost_table *table;                   /* index of the sum being made; on the heap: sums are const */
};

/* profile_threads.c */
const char *profile_name(struct rtop_profile *profile, const char *bytes, size_t count);
struct profile_thread *profile_thread_make(struct rtop_profile *profile, const struct profile_thread_key *key);
void profile_thread_drop_window(struct rtop_profile *profile, uint32_t id);
void profile_thread_free(struct rtop_profile *profile, uint32_t id);
void profile_threads_destroy(struct rtop_profile *profile);
static inline struct profile_thread *profile_thread_at(const struct rtop_profile *profile, uint32_t id)
{
  return id < profile->thread_count ? profile->threads[id] : NULL;
}

/* profile_windows.c: windows in order of start */
size_t profile_window_bytes(const struct profile_window *window);
void profile_window_free(struct profile_window *window);
bool profile_window_insert(struct rtop_profile *profile, struct profile_window *window);
bool profile_window_add_cell(struct rtop_profile *profile, struct profile_window *window,
                             const struct profile_cell *cell);
void profile_evict(struct rtop_profile *profile);
/* The oldest window goes. */
void profile_evict_one(struct rtop_profile *profile);
/* Of the memory given, what is left for windows: names, which stay, take theirs from it. */
size_t profile_room(const struct rtop_profile *profile);
/* Position of the first window that can reach to `time_ns` or beyond; count when there is none. */
size_t profile_find(const struct rtop_profile *profile, int64_t time_ns);
static inline struct profile_window *profile_window_at(const struct rtop_profile *profile, size_t position)
{
  return profile->windows[profile->first + position];
}
static inline int64_t profile_middle(const struct profile_window *window)
{
  return window->start_ns + (window->end_ns - window->start_ns) / 2;
}

void profile_cover_add(struct profile_cover *cover, int64_t start_ns, int64_t end_ns);

/* profile_spans.c: what is known of this stretch becomes another thing. */
void profile_changes(struct rtop_profile *profile, int64_t start_ns, int64_t end_ns);
static inline void profile_window_changes(struct rtop_profile *profile, const struct profile_window *window)
{
  profile_changes(profile, window->start_ns, window->end_ns);
}

/* profile_spans.c: the part of a window that a span gets, as times from its start. */
struct profile_part {
  int64_t from_ns, to_ns, length_ns;
};
/* False: nothing. Of gaps: what lies in the span. */
bool profile_part_of(const struct profile_window *window, const struct rtop_span *span, struct profile_part *part);
static inline bool profile_part_is_whole(const struct profile_part *part)
{
  return part->from_ns == 0 && part->to_ns == part->length_ns;
}
uint64_t profile_part_share(const struct profile_part *part, uint64_t value);
struct profile_cell profile_part_cell(const struct profile_part *part, const struct profile_cell *cell);

/* profile_merge.c: makes the oldest windows longer ones, so that short ones hold no more than a third of
 * the memory, those of a second a sixth. Bounded in time: a few at a call. */
void profile_merge_old(struct rtop_profile *profile);
/* profile_slide.c: before a window goes, and when a cell comes to one that is in the profile or goes. */
void profile_slides_lose(struct rtop_profile *profile, struct profile_window *window);
void profile_slides_cell(struct rtop_profile *profile, const struct profile_window *window,
                         const struct profile_cell *cell, bool comes);
/* What was carried is another thing now. */
void profile_slides_restart(struct rtop_profile *profile);
/* Nodes may be gone. */
void profile_slides_forget(struct rtop_profile *profile);
void profile_slides_detach(struct rtop_profile *profile);

/* What a slide keeps of the windows in its span (not gaps), so that nobody has to look into each of them. */
struct profile_kept {
  struct profile_kept_thread { /* by id of the thread */
    uint32_t cells, windows;   /* told; that list it */
  } * threads;
  size_t thread_capacity;
  uint32_t listed;             /* threads that windows list */
  struct profile_kept_source { /* by index of the source */
    struct rtop_span_counters changes;
    uint32_t present[PROFILE_COUNTERS_MAX]; /* windows that have the counter, by its id */
  } * sources;
  size_t source_capacity;
};

/* profile_sum.c: everything of a sum but its cells and what is made from them. */
bool profile_sum_head(struct rtop_profile *profile, struct rtop_span span, struct rtop_sum *sum,
                      const struct profile_kept *kept);
struct rtop_span profile_clip(const struct rtop_profile *profile, struct rtop_span span);

/* profile.c: what the feed hands in: the window and how to translate it; a window made of it that no list
 * has yet; its late records, only for windows that are being fetched if `loading`, and as if it were
 * the newest of `count`. */
struct rtop_window;
struct profile_input {
  const struct rtop_window *window;
  const uint32_t *nodes, *threads;
  size_t node_count;
};
struct profile_window *profile_window_make(const struct rtop_profile *profile, const struct profile_input *input,
                                           int64_t start_ns);
/* Before version 1.2 of the channel nobody said how old a stack is: since when time was provisional. The window
 * before is among the first `count`. */
void profile_age_stacks(const struct rtop_profile *profile, struct profile_window *window, size_t count);
void profile_add_late(struct rtop_profile *profile, struct profile_window *window, const struct profile_input *input,
                      bool loading, size_t count);
/* Where a stretch of a source goes: its start becomes the end of what was told, a hole before it a gap. NULL:
 * it was told already, or makes no sense. */
struct profile_source *profile_place(struct rtop_profile *profile, uint32_t source, int64_t *start_ns, int64_t end_ns);

/* profile_load.c: what is absent is fetched before it is looked at. It may become a gap when it cannot be
 * read. Others may be unloaded meanwhile, never what was needed last. */
void profile_load(struct rtop_profile *profile, struct profile_window *window);
void profile_unload(struct rtop_profile *profile);
static inline void profile_need(struct rtop_profile *profile, struct profile_window *window)
{
  if (window->absent) profile_load(profile, window);
  window->used = profile->loads;
}

/* profile_late.c: `window` came with this record and is in the profile already. */
struct profile_late {
  int64_t start_ns;
  struct profile_cell cell;
  bool loading; /* only windows that are being fetched get something */
  size_t count; /* windows from this position on had not come yet */
};
void profile_apply_late(struct rtop_profile *profile, struct profile_window *window, const struct profile_late *late);

/* profile_unsampled.c: puts cells and threads in order, when a window is made and when it was merged; then what
 * became known of a thread's time is taken from what was not sampled in its state, as much as that is
 * (slides are told, if `tell`). */
void profile_unsampled_arrange(const struct rtop_profile *profile, struct profile_window *window);
void profile_unsampled_take(struct rtop_profile *profile, struct profile_window *window,
                            const struct profile_cell *known, bool tell);
void profile_unsampled_carry(struct rtop_profile *profile, const struct profile_cell *known);
/* NULL: the window does not list it. */
struct profile_presence *profile_presence_find(const struct profile_window *window, uint32_t thread);

/* profile_carry.c: takes over what a window says that is about to be freed; adds all carried to a sum. */
void profile_carry_window(struct rtop_profile *profile, const struct profile_window *window);
void profile_carry_late(struct rtop_profile *profile, const struct profile_cell *share);
void profile_carry_compact(struct rtop_profile *profile);
static inline bool profile_carries(const struct profile_source *source)
{
  return source->carry_end_ns > source->carry_start_ns;
}

/* profile_counters.c */
void profile_counters_read(struct profile_window *to, const struct rtop_window *from);
void profile_counters_write(struct rtop_window *to, const struct rtop_span_counters *from, uint64_t present);
/* Adds changes; "now" values replace those of the same source. */
void profile_counters_add(struct rtop_span_counters *to, const struct rtop_span_counters *from, uint64_t present);
/* The same in two steps: changes, which come or go, and "now" values that are wanted (a bit per counter). Those
 * that are still wanted are returned; at first these are of windows that have them. */
void profile_counters_change(struct rtop_span_counters *to, const struct rtop_span_counters *from, bool comes);
uint64_t profile_counters_now(struct rtop_span_counters *to, const struct profile_window *from, uint64_t wanted);
uint64_t profile_counters_wanted(const uint32_t present[PROFILE_COUNTERS_MAX]);
/* The part's share of changes; "now" values as they are. */
struct rtop_span_counters profile_counters_part(const struct profile_window *window, const struct profile_part *part);
/* Turns "now" sizes into the difference to what was told before, so that adding them replaces it. */
void profile_counters_replace(struct rtop_span_counters *counters, const struct rtop_span_counters *before);
/* Adds what several sources counted in the same time: rates are the largest, sizes are summed. */
void profile_counters_merge(struct rtop_span_counters *to, const struct rtop_span_counters *from);

/* What a thread without a safepoint is charged for the window, until it is known better. */
static inline struct profile_cell profile_provisional(const struct profile_presence *presence)
{
  return (struct profile_cell){
    .node = presence->node,
    .thread = presence->thread,
    .state = presence->state,
    .wall_ns = presence->provisional_ns,
  };
}

static inline void profile_cell_add(struct profile_cell *to, const struct profile_cell *from)
{
  to->samples += from->samples;
  to->wall_ns += from->wall_ns;
  to->cpu_ns += from->cpu_ns;
  to->allocations += from->allocations;
  to->blame_ns += from->blame_ns;
}

/* All that was not sampled may have found its stack: such a cell is no row of anything. */
static inline bool profile_cell_is_empty(const struct profile_cell *cell)
{
  return !(cell->wall_ns | cell->cpu_ns | cell->allocations | cell->blame_ns | cell->samples);
}

static inline void profile_cost_add_cell(struct rtop_cost *cost, const struct profile_cell *cell)
{
  cost->wall_ns[cell->state] += cell->wall_ns;
  cost->cpu_ns += cell->cpu_ns;
  cost->blame_ns += cell->blame_ns;
  cost->allocations += cell->allocations;
  cost->samples += cell->samples;
}

#endif
