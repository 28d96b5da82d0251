/* SPDX-License-Identifier: MIT */
/* librperf_top: what rperf-top knows of Ruby processes, for other programs. librperf_top(3) tells it in prose.
 *
 * Times are nanoseconds. Instants are CLOCK_MONOTONIC of the process that was found first
 * (rperf_top_clock_offset_ns() makes wall clock of them), spans include their start and not their end.
 *
 * Strings are UTF-8, without control characters, and never NULL. They are still the words of another process: whoever
 * writes them into HTML, SQL or a shell has to quote them.
 *
 * Errors: a function that can fail takes a struct rperf_top_error, which may be NULL, and returns NULL (or false, or a
 * negative number); the text is one sentence for people. Nothing here ends the program, and nothing is printed.
 *
 * Threads: a reader, and what was got from it, is used by one thread at a time; different readers by different threads
 * at once. Sums and lists stand by themselves: any thread may read one, also when its reader is closed.
 *
 * Structures grow at their end: the caller's `size` says which members it knows, and what the library hands out is
 * reached through pointers only. Numbers are never used again for another meaning; expect more than are named here.
 */
#ifndef RPERF_TOP_READER_H
#define RPERF_TOP_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RPERF_TOP_API __attribute__((visibility("default")))

/* "0.9.0": of the library that is loaded. */
RPERF_TOP_API const char *rperf_top_version(void);

enum rperf_top_error_code {
  RPERF_TOP_ERROR_NONE = 0,
  RPERF_TOP_ERROR_SYSTEM,     /* a system call failed, or memory ran out */
  RPERF_TOP_ERROR_NOT_FOUND,  /* no such process, or it runs without the extension */
  RPERF_TOP_ERROR_PERMISSION, /* another user's */
  RPERF_TOP_ERROR_UNSAFE,     /* its file is not what it must be */
  RPERF_TOP_ERROR_VERSION,    /* made by a version that this one does not read */
  RPERF_TOP_ERROR_CORRUPT,    /* its file is damaged */
  RPERF_TOP_ERROR_LIMIT,      /* too many */
  RPERF_TOP_ERROR_ARGUMENT,   /* a pattern or a name that means nothing */
};

struct rperf_top_error {
  int32_t code;
  int32_t errno_value; /* 0: no system call was involved */
  char text[320];
};

struct rperf_top_span {
  int64_t start_ns, end_ns;
};

/* What a thread does: exactly one of these at an instant. */
enum rperf_top_state {
  RPERF_TOP_RUNNING,  /* holds the GVL */
  RPERF_TOP_WAITING,  /* wants the GVL */
  RPERF_TOP_BLOCKED,  /* off the GVL: I/O, sleep, lock */
  RPERF_TOP_MARKING,  /* collects garbage, with the GVL */
  RPERF_TOP_SWEEPING, /* the same */
  RPERF_TOP_STATES
};

/* What was spent somewhere. The GVL was held for running, marking and sweeping together. */
struct rperf_top_cost {
  uint64_t wall_ns[RPERF_TOP_STATES];
  uint64_t cpu_ns;
  uint64_t blame_ns; /* other threads waited for the GVL meanwhile */
  uint64_t allocations;
  uint64_t samples;
};

/* ---- processes -------------------------------------------------------------------------------------- */

enum rperf_top_process_state {
  RPERF_TOP_LIVE,
  RPERF_TOP_STALLED, /* alive, but no windows come: stopped, frozen, or nobody watched it so far */
  RPERF_TOP_ENDED,   /* ended, and what it told last can be read */
  RPERF_TOP_DEAD,    /* killed: the same */
};

struct rperf_top_process {
  int32_t pid;
  int32_t parent; /* the nearest process above it that is in the list, or is followed, too; 0: none */
  uint32_t uid;
  uint32_t state;   /* enum rperf_top_process_state */
  uint32_t rate_hz; /* samples a second; 0: not known, parked or over. Lists only */
  uint32_t threads; /* in the newest window. Lists only */
  uint32_t depth;   /* so many are above it in the list. Lists only */
  uint32_t by_exec; /* 1: it is over because it became another program. Lists only */
  int64_t age_ns;   /* since its channel was made; of one that is over: since its end. Lists only */
  const char *user; /* name of uid. Lists only */
  const char *ruby; /* "3.3.8" */
  const char *command;
  const char *end; /* how it ended, as far as is known: "killed by signal 9"; "" */
  /* Of one that lives, in about the last second. Lists only */
  double cores;     /* that its threads had */
  double held;      /* part of the time that the GVL was held; Ractors: of each */
  const char *does; /* "GC", "GVL" (threads wait for it), "runs", "waits"; "": not known */
};

struct rperf_top_list;

/* Processes that can be followed, at most 256: those that live first, children below their parents. Costs them nothing.
 * The calling process itself is not in it: it cannot follow itself. NULL: memory ran out. */
RPERF_TOP_API struct rperf_top_list *rperf_top_list_read(struct rperf_top_error *error);
RPERF_TOP_API size_t rperf_top_list_count(const struct rperf_top_list *list);
/* NULL: there are no more. Valid as long as the list. */
RPERF_TOP_API const struct rperf_top_process *rperf_top_list_get(const struct rperf_top_list *list, size_t index);
RPERF_TOP_API void rperf_top_list_free(struct rperf_top_list *list); /* NULL is fine, here and below */

/* ---- following -------------------------------------------------------------------------------------- */

struct rperf_top_reader;

enum {
  RPERF_TOP_ALONE = 1,    /* not what they fork or spawn */
  RPERF_TOP_FROM_NOW = 2, /* not the past that their channels hold */
};

struct rperf_top_options {
  size_t size;       /* sizeof(struct rperf_top_options) */
  const pid_t *pids; /* living or dead */
  size_t pid_count;
  const char *const *names; /* and every process that has one of these in its command line, now or later; "all" */
  size_t name_count;        /* at most 64 */
  uint32_t rate_hz;         /* samples a second that are wished for, 1 to 10000; 0: no wish */
  uint32_t flags;
  uint64_t memory_bytes; /* of history that is kept, 4 MB to 1 GB; 0: 48 MB */
};

/* Holds their channels until it is closed. NULL: none of them can be followed, and why. When some can, the others are
 * left out (rperf_top_problem()). */
RPERF_TOP_API struct rperf_top_reader *rperf_top_open(const struct rperf_top_options *options,
                                                      struct rperf_top_error *error);
RPERF_TOP_API void rperf_top_close(struct rperf_top_reader *reader);

/* Takes in what is new, without waiting. Returns the number of new windows (100 ms of one process each). */
RPERF_TOP_API int64_t rperf_top_poll(struct rperf_top_reader *reader);
/* The same, and waits for a window for up to so many milliseconds (negative: as long as it takes). 0: none came, or a
 * signal did; -1: none came, and none will: every process is over. */
RPERF_TOP_API int64_t rperf_top_wait(struct rperf_top_reader *reader, int64_t milliseconds);
/* Every process is over, and all of them was read. Never while there are names. */
RPERF_TOP_API bool rperf_top_over(const struct rperf_top_reader *reader);
/* A sentence when something could not be read, or a process could not be followed; "": nothing of the kind. Valid until
 * the next poll. */
RPERF_TOP_API const char *rperf_top_problem(const struct rperf_top_reader *reader);

/* Processes that are or were followed. Valid until the next poll. NULL: there are no more. */
RPERF_TOP_API size_t rperf_top_process_count(const struct rperf_top_reader *reader);
RPERF_TOP_API const struct rperf_top_process *rperf_top_process_get(struct rperf_top_reader *reader, size_t index);

/* Added to an instant it gives CLOCK_REALTIME. */
RPERF_TOP_API int64_t rperf_top_clock_offset_ns(const struct rperf_top_reader *reader);
/* The last so many nanoseconds of what is held (0: everything). start == end: nothing yet. */
RPERF_TOP_API void rperf_top_last(const struct rperf_top_reader *reader, int64_t length_ns,
                                  struct rperf_top_span *span);

/* ---- sums ------------------------------------------------------------------------------------------- */

enum {
  RPERF_TOP_ONLY_MINE = 1, /* calls into gems and Ruby's library count for the application's method: -m of rperf-top */
  RPERF_TOP_NO_C = 2,      /* methods in C, and Ruby's own in Ruby, count for their callers */
  RPERF_TOP_PROCESSES = 4, /* methods of different processes are different ones */
};

/* All strings are as on rperf-top's command line, and may be NULL. */
struct rperf_top_filter {
  size_t size;         /* sizeof(struct rperf_top_filter) */
  const char *methods; /* --filter: regular expression on "name path", after "!" those that do not match */
  const char *threads; /* --thread: regular expression on names of threads; others are left out of all figures */
  const char *exclude; /* -x: patterns, one a line: these methods count for their callers */
  const char *label;   /* --label: KEY=GLOB, one a line: only this work */
  const char *merge;   /* --merge: "method", "line", "class", "file", "gem", "label" */
  const char *mode;    /* --mode: what time counts: "wall" (also when NULL), "cpu", "busy" */
  const char *sort;    /* -s: "self" (also when NULL), "total", … */
  double min_percent;  /* methods with less of the span are left out */
  int32_t pid;         /* of this process only; 0: of all */
  uint32_t flags;
};

struct rperf_top_totals {
  struct rperf_top_span span; /* as far as it is held */
  uint64_t length_ns;         /* of it, without what is missing */
  uint32_t windows, gaps;
  struct rperf_top_cost cost; /* of all threads that are not left out */
  /* Of the processes, whatever is left out: */
  uint64_t gc_minor, gc_major; /* collections */
  uint64_t exceptions;
  uint64_t allocations;                              /* objects */
  uint64_t cpu_ns;                                   /* with threads that are not Ruby's */
  uint64_t gvl_releases;                             /* how often a thread got the GVL back */
  uint64_t profiling_ns;                             /* what being profiled cost */
  uint64_t rate_hz;                                  /* at the end of the span; so are: */
  uint64_t heap_live_slots, malloc_bytes, rss_bytes; /* 0: not known */
};

enum rperf_top_method_kind {
  RPERF_TOP_METHOD_RUBY,
  RPERF_TOP_METHOD_C,
  RPERF_TOP_METHOD_SPECIAL, /* "(not sampled)", …: made up by the profiler */
  RPERF_TOP_METHOD_GROUP,   /* a class, a file, a gem: by `merge` */
};

struct rperf_top_method {
  const char *name; /* "Price#total" */
  const char *path; /* "": not known, or C */
  uint32_t line;    /* where it begins; 0: not known */
  uint32_t kind;    /* enum rperf_top_method_kind */
  uint32_t threads; /* that are in it at the end of the span */
  uint32_t unused;
  uint64_t self_ns, total_ns;        /* by `mode`; total: with all that it calls, each stack counted once */
  uint64_t most_ns;                  /* on the stack of one thread, the largest of all threads */
  struct rperf_top_cost self, total; /* the same by state */
};

struct rperf_top_thread {
  const char *name;  /* "": it has none */
  const char *where; /* method that it is in at the end of the span, or was seen in last */
  uint64_t serial;   /* of its process: 1, 2, …, never used again */
  int32_t pid;       /* process */
  uint32_t native_id;
  uint32_t state;  /* enum rperf_top_state, at the end of the span */
  uint8_t is_main; /* 0 or 1, as the next ones */
  uint8_t ended;   /* within the span */
  uint8_t stale;   /* `where` is older than the end of the span */
  uint8_t unused;
  uint64_t state_age_ns; /* so long it has been in that state */
  struct rperf_top_cost cost;
};

/* Work that carries a label (RperfTop.label): endpoints, jobs. */
struct rperf_top_label {
  const char *key, *value;
  uint64_t count; /* how often it began: requests, jobs */
  struct rperf_top_cost cost;
};

struct rperf_top_sum;

/* Of a span (NULL: of everything that is held); `filter` may be NULL. NULL: RPERF_TOP_ERROR_ARGUMENT, or memory ran
 * out. */
RPERF_TOP_API struct rperf_top_sum *rperf_top_sum_make(struct rperf_top_reader *reader,
                                                       const struct rperf_top_span *span,
                                                       const struct rperf_top_filter *filter,
                                                       struct rperf_top_error *error);
RPERF_TOP_API void rperf_top_sum_free(struct rperf_top_sum *sum);
/* What follows is valid as long as the sum; NULL: there are no more. Methods come as sorted; of threads those with the
 * most blame first; labels by their time. */
RPERF_TOP_API const struct rperf_top_totals *rperf_top_sum_totals(const struct rperf_top_sum *sum);
RPERF_TOP_API size_t rperf_top_sum_method_count(const struct rperf_top_sum *sum);
RPERF_TOP_API const struct rperf_top_method *rperf_top_sum_method(const struct rperf_top_sum *sum, size_t index);
RPERF_TOP_API size_t rperf_top_sum_thread_count(const struct rperf_top_sum *sum);
RPERF_TOP_API const struct rperf_top_thread *rperf_top_sum_thread(const struct rperf_top_sum *sum, size_t index);
RPERF_TOP_API size_t rperf_top_sum_label_count(const struct rperf_top_sum *sum);
RPERF_TOP_API const struct rperf_top_label *rperf_top_sum_label(const struct rperf_top_sum *sum, size_t index);

/* ---- events ----------------------------------------------------------------------------------------- */

enum rperf_top_event_kind {
  RPERF_TOP_PROCESS_JOINED, /* the first window of a process; detail: its command line */
  RPERF_TOP_PROCESS_ENDED,  /* detail: how */
  RPERF_TOP_THREAD_STARTED, /* name, serial. Not of threads that the first window of their process has */
  RPERF_TOP_THREAD_ENDED,   /* the same */
  RPERF_TOP_GC_BEGUN,
  RPERF_TOP_GC_ENDED, /* count: collections, length_ns: time spent in them since GC_BEGUN */
  RPERF_TOP_MARK,     /* RperfTop.mark; name */
  RPERF_TOP_LABEL,    /* work got a label that it did not have; name: "key=value", count: how often */
  RPERF_TOP_STALL, /* a stall was found; name: its cause, detail: in words, method: who is to blame, serial: its id */
  RPERF_TOP_STALL_ENDED, /* the same one; length_ns: all of it */
  RPERF_TOP_EXCEPTION, /* name: its class, method, path, line: where, detail: in words, serial: thread; count: of them, of
                          which the first was raised at since_ns, the last at time_ns. name "": those of the window of which
                          neither is known */
  RPERF_TOP_WINDOW,    /* length_ns, wall_ns; count: threads */
  RPERF_TOP_GAP,       /* windows of this stretch are lost: what happened in it is not told */
  RPERF_TOP_EVENT_KINDS
};
/* "thread-started", …; "" of a number that is none. */
RPERF_TOP_API const char *rperf_top_event_name(uint32_t kind);

struct rperf_top_event {
  uint32_t kind; /* enum rperf_top_event_kind */
  int32_t pid;
  int64_t time_ns;  /* the latest instant at which it can have happened; never less than that of the one before */
  int64_t since_ns; /* the earliest one. Of stalls: their start; of windows and gaps, too */
  uint64_t length_ns;
  uint64_t count;
  uint64_t serial;
  uint32_t late; /* 1: it became known after later ones had been handed out. time_ns is that of the last one of these */
  uint32_t unused;
  uint64_t wall_ns[RPERF_TOP_STATES]; /* over all threads */
  const char *name, *method, *detail;
  const char *path; /* of exceptions: the file; "" */
  uint32_t line;    /* the line in it; 0 */
  uint32_t unused2;
};

struct rperf_top_event_filter {
  size_t size;         /* sizeof(struct rperf_top_event_filter) */
  uint32_t kinds;      /* 1 << kind, added; 0: all but windows */
  int32_t pid;         /* 0: of every process */
  const char *pattern; /* regular expression on "name method detail", after "!" those that do not match; NULL: all */
  size_t queue;        /* that many are kept until they are fetched, 16 to 1000000; 0: 10000. Then the oldest go */
};

/* What could not be handed out, since the subscription began. */
struct rperf_top_lost {
  uint64_t events;  /* that were not fetched in time, or memory ran out */
  uint64_t gaps;    /* stretches without windows, */
  uint64_t gap_ns;  /* and how long they are together */
  uint64_t marks;   /* that found no room in their channels, */
  uint64_t labels;  /* sets of labels, */
  uint64_t threads; /* threads: all since the channels were made */
};

struct rperf_top_events;

/* From the beginning of what is held, and then on, at every poll. Ends with the reader at the latest: it must not be used
 * after that. At most 32 for a reader. */
RPERF_TOP_API struct rperf_top_events *rperf_top_subscribe(struct rperf_top_reader *reader,
                                                           const struct rperf_top_event_filter *filter,
                                                           struct rperf_top_error *error);
RPERF_TOP_API void rperf_top_unsubscribe(struct rperf_top_events *events);
/* The next one, in order of time; NULL: none until the next poll. Valid until the next call for this subscription. An
 * event is handed out when every living process has told what it did until then, or is a second behind. */
RPERF_TOP_API const struct rperf_top_event *rperf_top_event_next(struct rperf_top_events *events);
RPERF_TOP_API void rperf_top_events_lost(const struct rperf_top_events *events, struct rperf_top_lost *lost);

#ifdef __cplusplus
}
#endif

#endif
