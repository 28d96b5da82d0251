/* SPDX-License-Identifier: MIT */
/* Finds stalls in the history: stretches in which a process did not serve, with cause, culprit and length.
 *
 * Causes: stopped (the process did not run), blocked (a thread off the GVL for long, without waiting for work),
 * no-safepoint (a thread has the GVL without a safepoint), waiting (many threads wait for the GVL), gc (one long
 * collection), method (a method newly takes nine tenths of a second), many-waits (threads newly wait in one place again
 * and again), request (a block of labels took long; only if it is asked for), mark (no stall: RperfTop.mark). All rules and
 * limits: tests/tui/stalls/README.md.
 *
 * Every window is examined once, when it comes. Windows longer than half a second only show blocked threads. After a
 * gap of more than half a second nothing before it is used. off_gvl.h judges stacks off the GVL; here the earlier
 * behaviour of the thread is considered, too.
 *
 * Independent of the screen. Threads: one.
 */
#ifndef RTOP_TUI_STALLS_H
#define RTOP_TUI_STALLS_H

#include "tui/stalls/locks.h"
#include "tui/history/profile_lists.h"
#include "tui/history/symbols.h"

enum stall_cause {
  STALL_BLOCKED,
  STALL_NO_SAFEPOINT,
  STALL_WAITING,
  STALL_GC,
  STALL_METHOD,
  STALL_MANY_WAITS,
  STALL_STOPPED,
  STALL_REQUEST,
  STALL_MARK,
  STALL_CAUSES
};
const char *stall_cause_name(enum stall_cause cause);  /* "blocked", …: a word for programs, */
const char *stall_cause_words(enum stall_cause cause); /* Name of a cause for people: "a blocked
                                                          thread", "many short waits". */

/* 0: not looked for. */
struct stall_limits {
  int64_t blocked_ns, no_safepoint_ns, gc_ns, stopped_ns;
  int64_t request_ns;         /* blocks with labels that took so long */
  double waiting, many_waits; /* threads */
  bool method;
};
#define STALL_LIMITS_USUAL                                                                                             \
  (struct stall_limits)                                                                                                \
  {                                                                                                                    \
    .blocked_ns = 1000000000, .no_safepoint_ns = 500000000, .gc_ns = 200000000, .stopped_ns = 500000000, .waiting = 4, \
    .many_waits = 0.5, .method = true                                                                                  \
  }

struct stall {
  uint64_t id; /* counts up, never used again */
  enum stall_cause cause;
  int64_t start_ns, end_ns; /* a mark: the same */
  bool open;                /* goes on */
  uint32_t source;
  const char *thread; /* name of the thread; "" if no thread is involved */
  uint64_t serial;    /* of the thread; 0: none */
  /* frame: the culprit; caller: the application's method that called it, if it is not the application's own, or without
     one the Ruby method that called something not in Ruby. 0: none */
  uint32_t frame, caller;
  uint32_t node;  /* node of the culprit's call, with its callers; 0: any */
  bool last_seen; /* the culprit is only the method where the thread was last seen, until more is known */
  /* blocked: name of the owner of the lock that the thread waits for (tui/stalls/locks.h), and where the owner is.
   * "": unknown */
  const char *holder;
  uint32_t holder_frame, holder_caller; /* 0: not known */
  struct rtop_lock lock;                /* what it waited for when it began */
  /* the thread is part of a circle of threads that wait for one another, or waits for one of them */
  bool deadlock;
  uint32_t others;  /* number of further threads blocked in the same place, or because of this one */
  uint32_t members; /* private */
  bool holds;       /* private: its thread has a lock */
  /* for waiting, and many-waits on a lock: the method that caused most of the waiting, as in wait_sums.h; for the GVL
     according to blame */
  struct {
    double share;         /* share of all waiting; 0: unknown, or less than a quarter */
    uint32_t frame, took; /* frame: the application's method, 0: unknown; took:
                             the method that took a lock around it, 0: none */
    const char *thread;   /* the thread, if it may be named alone (wait_holder.h), "" if it has no name; NULL: none */
    uint32_t native_id;
  } behind;
  /* number of waiting threads (many-waits: at the worst moment); nanoseconds of collection; or share of the
     method, by cause */
  double amount;
  const char *mark; /* name of a mark; else "" */
  /* of a request: the block. frame, node: where it was for most of its largest cause, as far as that was seen */
  struct rtop_slow_call request;
  unsigned looks; /* private */
};

struct stalls {
  struct stall *list; /* by start */
  size_t count, capacity;
  uint64_t found; /* number of ids given; the highest ids are the latest stalls */
  void *state;    /* private */
};

/* Examines new history, at most half a minute per call. True: there is more, call again. */
bool stalls_update(struct stalls *stalls, const struct rtop_profile *profile, const struct rtop_symbols *symbols,
                   const struct stall_limits *limits);
void stalls_destroy(struct stalls *stalls);
/* For a keeper (rtop_profile_add_keeper()): marks the frames and nodes of the stalls as used. */
void stalls_keep(const struct stalls *stalls, struct rtop_symbols *symbols);

/* Returns the stall with this id; NULL: it no longer exists. The stall may change and move in the list when
   history is examined. */
struct stall *stalls_find(struct stalls *stalls, uint64_t id);
/* Approximate cost in seconds of thread time: the length for each thread that waited or was blocked, if known; for a
 * collection its duration; for a method its share. A mark: 0. */
double stall_harm(const struct stall *stall);
/* Returns the instant for viewing a stall: a span of this length that ends at the instant shows the stall. */
int64_t stall_instant(const struct stall *stall, int64_t length_ns);
#define STALL_ALL_SOURCES UINT32_MAX
/* Returns the next stall of a source after (direction 1) or before (-1) an instant; NULL: none. */
const struct stall *stalls_near(const struct stalls *stalls, uint32_t source, int64_t time_ns, int direction,
                                int64_t length_ns);
/* Returns the stall of a source that covers a window, the longest if there are several; NULL: none. */
const struct stall *stalls_at(const struct stalls *stalls, uint32_t source, struct rtop_span window);

/* Writes the culprit, "" if unknown. "a < b" means a, called by b; "of it" means of the stall's time. Depending on the
 * cause: "Kernel#sleep < Order#total", "last seen in Order#total", "Mutex#lock < Order#total, held by worker 2 in
 * Kernel#sleep < Bill#write", "..., in a deadlock with worker 2", "Thread::Mutex#synchronize < Stock#count, 93% of it
 * behind worker 2 in Stock#fill < Stock#load", "Report#write, 96% of it by worker 2". Of a request its labels stand
 * before it: "endpoint=GET /orders: Kernel#sleep < Order#total". */
void stall_culprit(const struct stall *stall, const struct rtop_symbols *symbols, char *out, size_t bytes);
/* The labels of a request: "endpoint=GET /orders, user=7". */
void stall_request_words(const struct stall *stall, const struct rtop_symbols *symbols, char *out, size_t bytes);
/* Is it a request that was off the GVL for most of its time? */
bool stall_request_is_off_gvl(const struct stall *stall);
/* "worker 3", "worker 3 +4": with others. */
void stall_threads(const struct stall *stall, char *out, size_t bytes);
/* Describes a stall in short: "blocked 2.30s Kernel#sleep < Order#total (worker 3)", "mark deploy". */
void stall_words(const struct stall *stall, const struct rtop_symbols *symbols, char *out, size_t bytes);
/* Describes a stall in a sentence: "worker 3 and 4 others were blocked for 2.3 s in Kernel#sleep < Order#total",
 * "Gvl.crunch took over the GVL for 8.1 s". */
void stall_sentence(const struct stall *stall, const struct rtop_symbols *symbols, char *out, size_t bytes);

#endif
