/* SPDX-License-Identifier: MIT */
/* The state of a profile, shared by its parts. Private to the profile. */
#ifndef RTOP_TUI_PROFILE_STATE_H
#define RTOP_TUI_PROFILE_STATE_H

#include "cost_table.h"
#include "profile_threads.h"
#include "profile_window.h"

enum { PROFILE_SECONDS = 1024, PROFILE_KEEPERS_MAX = 8, PROFILE_RETIRED = 256, PROFILE_RECENT = 32 };

#define PROFILE_SOURCE_FREE UINT32_MAX /* number of an entry that is free for the next source */

struct rtop_slide;

/* The last windows and gaps of a source, oldest first; between the first and the last of them, none is missing. With
 * hundreds of sources, a source's windows are far apart in the profile's list. */
struct profile_recent {
  struct profile_window *windows[PROFILE_RECENT]; /* number n is at index n % PROFILE_RECENT */
  uint64_t first, end;
  int64_t newest_ns; /* start of the newest that ever came */
};

struct profile_source {
  uint32_t source; /* number as used by the feed; for an ended source its new number */
  bool held;       /* scratch: does any window tell of it? */
  int64_t last_end_ns;
  /* Sums of windows that memory could not hold; start == end: none. */
  int64_t carry_start_ns, carry_end_ns;
  uint32_t carry_gaps;
  struct rtop_span_counters carry_counters;
  struct profile_recent recent;
  /* scratch of a sum */
  uint32_t gaps;
  struct rtop_span_counters now;
  uint64_t wanted; /* a bit for each counter whose last value has not been found yet */
  struct profile_window *last;
  /* scratch for timelines: the source's values in the current entry */
  size_t entry;
  uint32_t entry_threads;
  struct rtop_span_counters entry_now;
};

/* Named instants (profile_marks.c). */
struct profile_marks {
  struct rtop_profile_mark *all; /* by time */
  size_t count, capacity;
};

/* Readings about missing cores (profile_cores.c). */
enum { PROFILE_CORES_MAX = 4096 };
struct profile_cores {
  struct rtop_profile_cores all[PROFILE_CORES_MAX]; /* in turn */
  uint32_t next, count;
};

/* When the data of a second last changed (profile_windows.c). */
struct profile_changes {
  uint64_t count, latest[PROFILE_SECONDS]; /* count: number of changes so far; latest: number of the latest
                                              change of each second, by second modulo the array size */
};

/* Use and limits of memory (profile_memory.c). */
struct profile_memory {
  size_t bytes, bytes_max; /* of windows; of all */
  int64_t keep_ns;         /* 0: all that memory holds */
  size_t forget_from;      /* size of names (bytes) above which unused names are
                              removed, once it is exceeded by FORGET_STEP */
  uint64_t forget_at;      /* number of windows at which unused names are removed, too; 0: only the size decides */
  struct rtop_profile_keeper keepers[PROFILE_KEEPERS_MAX];
  uint32_t keeper_count;
};

/* Sums of windows that memory could not hold, if requested (profile_carry.c). */
struct profile_carry {
  bool wanted;
  struct cost_table costs; /* by profile thread id */
  struct profile_begun begun;
  struct profile_exact *exact;
  struct profile_raised *raised;
  struct profile_pairs *pairs;
  struct profile_cover cover;
  uint32_t gone; /* carried threads that no window lists */
};

struct rtop_profile {
  int64_t apart_ns; /* rtop_profile_apart_ns(); 0: the default */
  struct rtop_symbols *symbols;
  struct rtop_lens *lens;
  struct rtop_lens *whole;         /* for rtop_profile_sum_whole(); NULL: not asked for yet */
  struct rtop_lens *sets;          /* lens that shows only label sets; NULL until needed */
  struct profile_window **windows; /* by start; [first, first + count) */
  size_t first, count, capacity;
  uint64_t window_ids; /* given out */
  int64_t longest_ns;  /* longest window ever; bounds searches by time */
  struct profile_changes changes;
  struct profile_source *sources;
  uint32_t source_count;
  struct rtop_profile_retired retired[PROFILE_RETIRED]; /* the last ones */
  uint64_t retired_count;
  uint64_t source_bytes;
  struct profile_threads threads;
  struct profile_marks marks;
  struct profile_cores cores;
  struct profile_memory memory;
  struct profile_carry carry;
  bool has_exact; /* some window has or had figures of traced methods */
  bool has_work;  /* and of labelled work */
  uint64_t late_dropped_ns;
  int64_t revised_ns;                /* start of the time that late records changed; INT64_MAX: none */
  uint32_t late_steps;               /* remaining steps of late records, for the window that is being added */
  struct rtop_profile_tap tap;       /* functions are NULL: none */
  struct rtop_profile_loader loader; /* load is NULL: none */
  uint64_t loads;
  struct rtop_slide *slides; /* slides to tell when their windows change */
  struct cost_table *table;  /* hash index of the sum being made; allocated separately
                                because sums are made from a const profile */
};

static inline struct profile_thread *profile_thread_at(const struct rtop_profile *profile, uint32_t id)
{
  return id < profile->threads.count ? profile->threads.all[id] : NULL;
}

static inline struct profile_window *profile_window_at(const struct rtop_profile *profile, size_t position)
{
  return profile->windows[profile->first + position];
}

static inline bool profile_carries(const struct profile_source *source)
{
  return source->carry_end_ns > source->carry_start_ns;
}

#endif
