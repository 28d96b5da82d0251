/* SPDX-License-Identifier: MIT */
/* What the files of the library share. */
#ifndef RTOP_TUI_READER_IMPL_H
#define RTOP_TUI_READER_IMPL_H

#include "rperf_top_reader.h"
#include "tui/feed/session.h"
#include "tui/stalls/stalls.h"

#include <regex.h>
/* By default uthash ends the program when memory runs out. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

enum { READER_SUBSCRIPTIONS_MAX = 32, READER_NAMES_MAX = 64, READER_END_BYTES = 64 };

struct rperf_top_reader {
  struct rtop_session *session;
  char *names[READER_NAMES_MAX]; /* copied, since the session uses them repeatedly */
  int name_count;
  bool polled;
  struct rperf_top_process processes[RTOP_SESSION_FEEDS_MAX]; /* as they were handed out */
  char ends[RTOP_SESSION_FEEDS_MAX][READER_END_BYTES];
  struct rperf_top_events *subscriptions[READER_SUBSCRIPTIONS_MAX]; /* NULL: free */
};

/* reader.c: fill in *error, if not NULL: with an error of the library's own functions, or with a wrong argument
   of the caller. */
void reader_fail(struct rperf_top_error *error, const struct rtop_error *why);
void reader_refuse(struct rperf_top_error *error, enum rperf_top_error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Copies a structure that begins with its size, up to the size that the caller knows; all other bytes are 0. False: the
 * size is invalid. */
bool reader_take(void *to, size_t bytes, const void *from, struct rperf_top_error *error);

/* A regular expression of the caller; without a text (NULL), it matches everything. reader_pattern_open(): false with
   the reason in *error. */
struct reader_pattern {
  regex_t compiled;
  bool used, invert;
};
bool reader_pattern_open(struct reader_pattern *pattern, const char *text, struct rperf_top_error *error);
void reader_pattern_close(struct reader_pattern *pattern);

/* ---- events ---- */

struct reader_event {
  struct rperf_top_event event;
  uint64_t order; /* of being found */
  struct reader_event *next;
  char text[];
};

/* A thread that was in the last window of its process. */
struct reader_thread {
  uint64_t serial;
  uint64_t visit;
  const char *name; /* as long as the profile */
  bool lost;        /* memory ran out */
  UT_hash_handle hh;
};

/* What is known of the process with this index in the session. */
struct reader_source {
  uint64_t opened; /* rtop_session_opened() */
  int64_t seen_ns; /* time up to which its windows were examined; 0: none so far */
  int64_t gaps_ns, marks_ns;
  int32_t pid;
  bool over; /* and that was told */
  bool collecting;
  uint64_t gc_ns, gc_count, visit;
  struct reader_thread *threads;
};

struct reader_stall {
  uint64_t id;
  uint32_t source;
  int64_t start_ns, end_ns;
};

struct rperf_top_events {
  struct rperf_top_reader *reader;
  uint32_t kinds;
  int32_t pid;
  struct reader_pattern pattern;
  size_t queue_max;
  struct reader_event **found; /* not ordered yet: others may come before */
  size_t found_count, found_capacity;
  struct reader_event *first, *last; /* to be handed out */
  size_t ready_count;
  struct reader_event *current; /* with the caller */
  struct rperf_top_lost lost;
  uint64_t orders;
  int64_t released_ns;
  struct reader_source sources[RTOP_SOURCES_MAX];
  struct stalls stalls;
  uint64_t stalls_seen;
  struct reader_stall *open; /* stalls that go on */
  size_t open_count, open_capacity;
};

/* reader_events.c: adds an event if it was subscribed to. Strings are copied, and may be NULL. */
void reader_event_add(struct rperf_top_events *events, const struct rperf_top_event *event);
static inline bool reader_events_want(const struct rperf_top_events *events, unsigned kind)
{
  return events->kinds >> kind & 1;
}
/* To be called after a poll of the reader: finds and orders events, and makes them available. */
void reader_events_poll(struct rperf_top_reader *reader);
void reader_events_keep(const struct rperf_top_reader *reader, struct rtop_symbols *symbols);

/* reader_find.c: examines everything in the profile that was not examined yet. */
void reader_find(struct rperf_top_events *events);
/* Returns the time up to which every process has reported, except those more than a second behind. */
int64_t reader_find_until(const struct rperf_top_events *events);
void reader_find_close(struct rperf_top_events *events);

#endif
