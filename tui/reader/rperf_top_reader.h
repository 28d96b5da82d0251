/* SPDX-License-Identifier: MIT */
/* librperf_top: what rperf-top knows about Ruby processes, for other programs. librperf_top(3) describes
 * it in prose.
 *
 * Times are nanoseconds. Instants are CLOCK_MONOTONIC of the process found first (rperf_top_clock_offset_ns() converts
 * them to wall clock); spans include their start but not their end.
 *
 * Strings are UTF-8 without control characters, and never NULL. They come from other processes: quote them in HTML, SQL
 * or shell commands.
 *
 * Errors: a function that can fail takes a struct rperf_top_error, which may be NULL, and returns NULL (or false, or a
 * negative number); the text is one sentence for people. The library never ends the program and prints nothing.
 *
 * Threads: a reader and everything obtained from it may be used by one thread at a time; different readers by different
 * threads at once. Sums and lists are independent: any thread may read one, also after its reader was closed.
 *
 * Structures grow at their end: the caller's `size` says which members it knows, and what the library returns is
 * accessed by pointers only. Numbers are never reused with another meaning; callers must expect more numbers than
 * this header names.
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
  RPERF_TOP_ERROR_NOT_FOUND,  /* the process does not exist, or runs without the extension */
  RPERF_TOP_ERROR_PERMISSION, /* another user's */
  RPERF_TOP_ERROR_UNSAFE,     /* its file fails a safety check */
  RPERF_TOP_ERROR_VERSION,    /* written by a version that this library cannot read */
  RPERF_TOP_ERROR_CORRUPT,    /* its file is damaged */
  RPERF_TOP_ERROR_LIMIT,      /* too many */
  RPERF_TOP_ERROR_ARGUMENT,   /* an invalid pattern or name */
};

struct rperf_top_error {
  int32_t code;
  int32_t errno_value; /* 0: no system call was involved */
  char text[320];
};

struct rperf_top_span {
  int64_t start_ns, end_ns;
};

/* State of a thread, which is in exactly one state at any instant. */
enum rperf_top_state {
  RPERF_TOP_RUNNING,  /* holds the GVL */
  RPERF_TOP_WAITING,  /* wants the GVL */
  RPERF_TOP_BLOCKED,  /* off the GVL: I/O, sleep, lock */
  RPERF_TOP_MARKING,  /* collects garbage, with the GVL */
  RPERF_TOP_SWEEPING, /* the same */
  RPERF_TOP_STATES
};

/* Cost of a method, thread or label. The time with the GVL is the sum of running, marking and sweeping. */
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
  RPERF_TOP_STALLED, /* the process is alive, but no windows come: stopped, frozen, or not watched so far */
  RPERF_TOP_ENDED,   /* ended, and its last data are readable */
  RPERF_TOP_DEAD,    /* killed: the same */
};

struct rperf_top_process {
  int32_t pid;
  int32_t parent; /* pid of the nearest ancestor that is in the list, or followed, too; 0: none */
  uint32_t uid;
  uint32_t state;   /* enum rperf_top_process_state */
  uint32_t rate_hz; /* samples per second; 0: unknown, parked or ended. Lists only */
  uint32_t threads; /* in the newest window. Lists only */
  uint32_t depth;   /* number of ancestors that are in the list. Lists only */
  uint32_t by_exec; /* 1: the process ended by becoming another program (exec). Lists only */
  int64_t age_ns;   /* time since the channel was made; for an ended process since its end. Lists only */
  const char *user; /* name of uid. Lists only */
  const char *ruby; /* "3.3.8" */
  const char *command;
  const char *end; /* how the process ended, as far as known: "killed by signal 9"; "" while it lives */
  /* Activity of a living process in roughly the last second. Lists only */
  double cores;     /* that its threads had */
  double held;      /* share of time that the GVL was held (0 to 1); with Ractors the sum over their GVLs */
  const char *does; /* what it does: "GC", "GVL" (threads wait for the GVL), "runs", "waits"; "": unknown */
};

struct rperf_top_list;

/* Lists processes that can be followed, at most 256: living ones first, children below their parents. The processes are
 * not affected. The calling process is not included, since it cannot follow itself. NULL: memory ran out. */
RPERF_TOP_API struct rperf_top_list *rperf_top_list_read(struct rperf_top_error *error);
RPERF_TOP_API size_t rperf_top_list_count(const struct rperf_top_list *list);
/* Returns an entry of the list, valid as long as the list; NULL: there are no more. */
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
  const char *const *names; /* patterns: every process whose command line matches one of
                               them is followed, too, now or later; "all": every process */
  size_t name_count;        /* at most 64 */
  uint32_t rate_hz;         /* samples per second to ask for, 1 to 10000; 0: the process's own choice */
  uint32_t flags;
  uint64_t memory_bytes; /* memory for the history, 4 MB to 1 GB; 0: 48 MB */
};

/* Opens a reader, which holds the processes' channels open until it is closed. NULL, with the reason in *error: no
 * process can be followed. If only some can, the others are left out (rperf_top_problem()). */
RPERF_TOP_API struct rperf_top_reader *rperf_top_open(const struct rperf_top_options *options,
                                                      struct rperf_top_error *error);
RPERF_TOP_API void rperf_top_close(struct rperf_top_reader *reader);

/* Reads new windows without waiting. Returns their number. Each is of one process, and usually has 100 ms; a second
 * while the process sleeps unwatched. */
RPERF_TOP_API int64_t rperf_top_poll(struct rperf_top_reader *reader);
/* Like rperf_top_poll(), but waits for a window for up to this many milliseconds (negative: without limit).
 * Returns 0 when no window came, or a signal came first; -1 when no window came and none will, because every
 * process has ended. */
RPERF_TOP_API int64_t rperf_top_wait(struct rperf_top_reader *reader, int64_t milliseconds);
/* Has every process ended and been read completely? Never true if names were given. */
RPERF_TOP_API bool rperf_top_over(const struct rperf_top_reader *reader);
/* Returns a sentence when something could not be read, or a process could not be followed; else "". Valid until
 * the next poll. */
RPERF_TOP_API const char *rperf_top_problem(const struct rperf_top_reader *reader);

/* rperf_top_process_count(): number of processes that are or were followed. rperf_top_process_get(): one of them, valid
   until the next poll; NULL: there are no more. */
RPERF_TOP_API size_t rperf_top_process_count(const struct rperf_top_reader *reader);
RPERF_TOP_API const struct rperf_top_process *rperf_top_process_get(struct rperf_top_reader *reader, size_t index);

/* Added to an instant it gives CLOCK_REALTIME. */
RPERF_TOP_API int64_t rperf_top_clock_offset_ns(const struct rperf_top_reader *reader);
/* Sets *span to the last length_ns of the held data (0: all). start == end: there are no data yet. */
RPERF_TOP_API void rperf_top_last(const struct rperf_top_reader *reader, int64_t length_ns,
                                  struct rperf_top_span *span);

/* ---- sums ------------------------------------------------------------------------------------------- */

enum {
  RPERF_TOP_ONLY_MINE = 1, /* time in gems and Ruby's library counts for the
                              application's method that called them (-m of rperf-top) */
  RPERF_TOP_NO_C = 2,      /* time of methods in C, and of Ruby's own methods in Ruby, counts for their callers */
  RPERF_TOP_PROCESSES = 4, /* methods of different processes are different ones */
};

/* Strings have the syntax of rperf-top's command line, and may be NULL. */
struct rperf_top_filter {
  size_t size;         /* sizeof(struct rperf_top_filter) */
  const char *methods; /* --filter: regular expression for "name path"; after
                          "!", methods that do not match are selected */
  const char *threads; /* --thread: regular expression for thread names; other threads are left out of all figures */
  const char *exclude; /* -x: patterns, one per line, of methods whose time counts for their callers */
  const char *label;   /* --label: KEY=GLOB, one per line: only work with all these labels counts */
  const char *merge;   /* --merge: "method", "line", "class", "file", "gem", "label" */
  const char *mode;    /* --mode: which time counts: "wall" (also for NULL), "cpu", "busy" */
  const char *sort;    /* -s: "self" (also when NULL), "total", … */
  double min_percent;  /* least percentage of the span: methods below it are left out */
  int32_t pid;         /* of this process only; 0: of all */
  uint32_t flags;
  uint64_t slower_ns; /* --slower-requests: requests that took at least this long are listed;
                         0: the slowest five of each label */
};

struct rperf_top_totals {
  struct rperf_top_span span; /* as far as it is held */
  uint64_t length_ns;         /* of it, without what is missing */
  uint32_t windows, gaps;
  struct rperf_top_cost cost; /* cost of all threads that are selected */
  /* Of the processes, whatever is left out: */
  uint64_t gc_minor, gc_major; /* collections */
  uint64_t exceptions;
  uint64_t allocations;                              /* objects */
  uint64_t cpu_ns;                                   /* with threads that are not Ruby's */
  uint64_t gvl_releases;                             /* number of times that a thread got the GVL back */
  uint64_t profiling_ns;                             /* what being profiled cost */
  uint64_t rate_hz;                                  /* rate at the end of the span (samples
                                                        per second), as are the next members */
  uint64_t heap_live_slots, malloc_bytes, rss_bytes; /* 0: not known */
};

enum rperf_top_method_kind {
  RPERF_TOP_METHOD_RUBY,
  RPERF_TOP_METHOD_C,
  RPERF_TOP_METHOD_SPECIAL, /* "(not sampled)", …: made up by the profiler */
  RPERF_TOP_METHOD_GROUP,   /* a class, a file or a gem, according to `merge` */
};

struct rperf_top_method {
  const char *name; /* "Price#total" */
  const char *path; /* "": not known, or C */
  uint32_t line;    /* where it begins; 0: not known */
  uint32_t kind;    /* enum rperf_top_method_kind */
  uint32_t threads; /* number of threads that have the method on their stack at the end of the span */
  uint32_t unused;
  uint64_t self_ns, total_ns;        /* time by `mode`; total: including everything that
                                        the method calls, each stack counted once */
  uint64_t most_ns;                  /* largest time that the method was on the stack of a single thread */
  struct rperf_top_cost self, total; /* the same by state */
};

struct rperf_top_thread {
  const char *name;  /* "": it has none */
  const char *where; /* method that the thread is in at the end of the span, or was last seen in */
  uint64_t serial;   /* number of the thread in its process: 1, 2, …, never reused */
  int32_t pid;       /* process */
  uint32_t native_id;
  uint32_t state;  /* enum rperf_top_state, at the end of the span */
  uint8_t is_main; /* 0 or 1, as the next ones */
  uint8_t ended;   /* within the span */
  uint8_t stale;   /* 1: `where` is older than the end of the span */
  uint8_t unused;
  uint64_t state_age_ns; /* time that the thread has been in that state */
  struct rperf_top_cost cost;
};

/* Work with a label (RperfTop.label): endpoints, jobs. Of work in a block of a label, the beginning and the end are known:
 * the members behind `cost` are about such work, over all threads; they are 0 in processes that do not report it, and when
 * some threads are left out. */
struct rperf_top_label {
  const char *key, *value;
  uint64_t count; /* how often it began: requests, jobs */
  struct rperf_top_cost cost;
  uint64_t ended, open; /* number of blocks that ended, that are open at the end of the span */
  uint64_t oldest_ns;   /* how long the oldest open one has taken */
};

/* What the thread of such work did, or waited for. */
enum rperf_top_cause {
  RPERF_TOP_CAUSE_WHOLE,     /* all of it; the others add up to it */
  RPERF_TOP_CAUSE_RUNNING,   /* it had the GVL */
  RPERF_TOP_CAUSE_GVL,       /* it waited for it, and nobody collected garbage */
  RPERF_TOP_CAUSE_GC,        /* it collected garbage */
  RPERF_TOP_CAUSE_GC_OTHERS, /* it waited for the GVL while another thread collected garbage */
  RPERF_TOP_CAUSE_LOCK,      /* for a Mutex, a Monitor, or a file that another thread loads */
  RPERF_TOP_CAUSE_IO,
  RPERF_TOP_CAUSE_SLEEP,
  RPERF_TOP_CAUSE_QUEUE, /* for a Queue, a SizedQueue, a ConditionVariable */
  RPERF_TOP_CAUSE_FIBER, /* for other fibers of its thread, under a fiber scheduler */
  RPERF_TOP_CAUSE_OTHER, /* off the GVL for other reasons */
  RPERF_TOP_CAUSES,
  RPERF_TOP_CAUSES_ROOM = 16,
};

/* How long the work of a label took that ended in the span, or how long it spent on one cause. */
struct rperf_top_latency {
  uint64_t count;          /* number of blocks with any time of it */
  uint64_t sum_ns, max_ns; /* exact */
  uint64_t p50_ns, p90_ns,
      p99_ns;     /* times that this share of all blocks did not exceed, within 0.8 %, of a cause within
                                      6.2 % */
  uint32_t known; /* 0: quantiles are not known, because too many lengths found no room */
  uint32_t unused;
};

/* A slow request: one block of labels. Where its time was spent is seen in samples, and not known of every request. */
struct rperf_top_request {
  const char *labels; /* labels that the block was begun with: "endpoint=GET /orders, user=7" */
  const char *thread; /* "": it has no name */
  const char *method; /* where most of `cause` was spent; "": not known, and of all but the 256 newest */
  int64_t start_ns, end_ns;
  uint64_t serial;    /* of its thread; 0: not known */
  int32_t pid;        /* 0: not known any more */
  uint32_t native_id; /* 0: not known */
  uint32_t cause;     /* enum rperf_top_cause, the one with most time */
  uint32_t unused;
  uint64_t took_ns[RPERF_TOP_CAUSES_ROOM]; /* by enum rperf_top_cause, exact */
  double share;                            /* of the time of `cause` that was seen: in `method` */
  /* The thread that had the GVL, or the lock, for most of the time that the request waited for it, and what it did; ""
     where there was none, or none was seen */
  const char *gvl_thread, *gvl_method, *lock_thread, *lock_method;
};

enum rperf_top_behind_cause {
  RPERF_TOP_BEHIND_GVL,      /* the holder had the GVL */
  RPERF_TOP_BEHIND_GC,       /* the holder collected garbage */
  RPERF_TOP_BEHIND_LOCK,     /* the holder had the lock */
  RPERF_TOP_BEHIND_HANDOVER, /* nobody had the GVL: it was on its way from thread to thread */
};

/* Whom the work of a label waited behind; exact. */
struct rperf_top_behind {
  const char *key, *value; /* who waited */
  const char *holder;      /* the value of this key of whoever it waited for, or else its labels, or the block that its
                              threads began with; "": several, not known, or nobody */
  const char *method;      /* of a lock: the method that waited for it; "" */
  uint32_t cause;          /* enum rperf_top_behind_cause */
  uint32_t unused;
  uint64_t count; /* number of times that the holder had it meanwhile */
  uint64_t wait_ns;
};

struct rperf_top_sum;

/* Sums up a span (NULL: everything held); `filter` may be NULL. NULL: RPERF_TOP_ERROR_ARGUMENT, or memory ran out. */
RPERF_TOP_API struct rperf_top_sum *rperf_top_sum_make(struct rperf_top_reader *reader,
                                                       const struct rperf_top_span *span,
                                                       const struct rperf_top_filter *filter,
                                                       struct rperf_top_error *error);
RPERF_TOP_API void rperf_top_sum_free(struct rperf_top_sum *sum);
/* Return parts of a sum, valid as long as the sum; NULL: there are no more. Methods are in the order of the filter's
 * sort key, threads by most blame, labels by time. */
RPERF_TOP_API const struct rperf_top_totals *rperf_top_sum_totals(const struct rperf_top_sum *sum);
RPERF_TOP_API size_t rperf_top_sum_method_count(const struct rperf_top_sum *sum);
RPERF_TOP_API const struct rperf_top_method *rperf_top_sum_method(const struct rperf_top_sum *sum, size_t index);
RPERF_TOP_API size_t rperf_top_sum_thread_count(const struct rperf_top_sum *sum);
RPERF_TOP_API const struct rperf_top_thread *rperf_top_sum_thread(const struct rperf_top_sum *sum, size_t index);
RPERF_TOP_API size_t rperf_top_sum_label_count(const struct rperf_top_sum *sum);
RPERF_TOP_API const struct rperf_top_label *rperf_top_sum_label(const struct rperf_top_sum *sum, size_t index);
/* Returns the latency of the label with this index; NULL: none of its work ended, or that is not known. */
RPERF_TOP_API const struct rperf_top_latency *rperf_top_sum_latency(const struct rperf_top_sum *sum, size_t label,
                                                                    uint32_t cause);
/* "running", "gvl", …, "whole"; "" of a number that is none. */
RPERF_TOP_API const char *rperf_top_cause_name(uint32_t cause);
/* Slow requests (`slower_ns`) are in the order in which they ended; a window holds the 64 slowest. */
RPERF_TOP_API size_t rperf_top_sum_request_count(const struct rperf_top_sum *sum);
RPERF_TOP_API const struct rperf_top_request *rperf_top_sum_request(const struct rperf_top_sum *sum, size_t index);
/* Waits of each label, in the order of labels, the longest first; at most 32 of a label, the rest as one for each cause. */
RPERF_TOP_API size_t rperf_top_sum_behind_count(const struct rperf_top_sum *sum);
RPERF_TOP_API const struct rperf_top_behind *rperf_top_sum_behind(const struct rperf_top_sum *sum, size_t index);

/* ---- events ----------------------------------------------------------------------------------------- */

enum rperf_top_event_kind {
  RPERF_TOP_PROCESS_JOINED, /* the first window of a process; detail: its command line */
  RPERF_TOP_PROCESS_ENDED,  /* detail: how */
  RPERF_TOP_THREAD_STARTED, /* name, serial; not for threads in the first window of their process */
  RPERF_TOP_THREAD_ENDED,   /* the same */
  RPERF_TOP_GC_BEGUN,
  RPERF_TOP_GC_ENDED,    /* count: collections, length_ns: time spent in them since RPERF_TOP_GC_BEGUN */
  RPERF_TOP_MARK,        /* RperfTop.mark; name */
  RPERF_TOP_LABEL,       /* work got a label that it did not have; name: "key=value", count: number of times */
  RPERF_TOP_STALL,       /* a stall was found; name: its cause, detail: a description,
                      method: the culprit, serial: the stall's id */
  RPERF_TOP_STALL_ENDED, /* the same one; length_ns: all of it */
  /* name: class, method, path, line: place, detail: a description, serial: thread; count: number, of which the first
     was raised at since_ns and the last at time_ns. name "": exceptions of the window with unknown class and place */
  RPERF_TOP_EXCEPTION,
  RPERF_TOP_WINDOW, /* length_ns, wall_ns; count: threads */
  RPERF_TOP_GAP,    /* the windows of this stretch are lost, so its events are unknown */
  RPERF_TOP_EVENT_KINDS
};
/* "thread-started", …; "" of a number that is none. */
RPERF_TOP_API const char *rperf_top_event_name(uint32_t kind);

struct rperf_top_event {
  uint32_t kind; /* enum rperf_top_event_kind */
  int32_t pid;
  int64_t time_ns;  /* latest time at which the event can have happened; never decreases from event to event */
  int64_t since_ns; /* earliest time at which the event can have happened; for stalls, windows and gaps their start */
  uint64_t length_ns;
  uint64_t count;
  uint64_t serial;
  uint32_t late; /* 1: the event became known after later events had been
                    returned; time_ns is that of the last of these */
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
  const char *pattern; /* regular expression for "name method detail"; after "!",
                          events that do not match are selected; NULL: all */
  /* number of events kept until they are fetched, 16 to 1000000; 0: 10000. Beyond it the oldest are dropped */
  size_t queue;
};

/* Losses since the subscription began. */
struct rperf_top_lost {
  uint64_t events;  /* number of events dropped because they were not fetched early enough, or for lack of memory */
  uint64_t gaps;    /* stretches without windows, */
  uint64_t gap_ns;  /* and how long they are together */
  uint64_t marks;   /* that found no room in their channels, */
  uint64_t labels;  /* sets of labels, */
  uint64_t threads; /* threads: all since the channels were made */
};

struct rperf_top_events;

/* Subscribes to events from the beginning of the held data on; events are found at every poll. The subscription ends
 * with the reader at the latest, and must not be used afterwards. At most 32 per reader. */
RPERF_TOP_API struct rperf_top_events *rperf_top_subscribe(struct rperf_top_reader *reader,
                                                           const struct rperf_top_event_filter *filter,
                                                           struct rperf_top_error *error);
RPERF_TOP_API void rperf_top_unsubscribe(struct rperf_top_events *events);
/* Returns the next event in order of time; NULL: there is none until the next poll. Valid until the next call
 * for this subscription. An event is returned once every living process has reported up to the event's time, or
 * is a second behind. */
RPERF_TOP_API const struct rperf_top_event *rperf_top_event_next(struct rperf_top_events *events);
RPERF_TOP_API void rperf_top_events_lost(const struct rperf_top_events *events, struct rperf_top_lost *lost);

#ifdef __cplusplus
}
#endif

#endif
