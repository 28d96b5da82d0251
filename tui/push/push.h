/* SPDX-License-Identifier: MIT */
/* Sends what processes did to a server for profiles, an interval after the other: a profile of each process.
 *
 * Of each process every window is told once: an interval ends a second before what all that live have told of, and what a process tells
 * later of such a time is sent in the next one. Time whose stack became known after that was sent as "(not sampled)".
 * What cannot be sent waits in a queue (push_queue.h), is tried again after longer and longer pauses, and what
 * finds no room there is counted.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PUSH_H
#define RTOP_TUI_PUSH_H

#include "push_queue.h"
#include "tui/history/profile.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum push_kind { PUSH_NONE, PUSH_PYROSCOPE, PUSH_OTLP };

/* "pyroscope", "otlp". False: it is neither. */
bool push_kind_parse(const char *name, enum push_kind *kind);
/* By the end of its path; PUSH_NONE: that does not tell. */
enum push_kind push_url_kind(const char *url);
/* NULL: http or https, with a host and without a user, a query or a fragment. Else why it will not do, for "URL %s". */
const char *push_url_problem(const char *url);
/* With the usual path where there is none; to be freed. NULL: memory ran out. */
char *push_url_whole(const char *url, enum push_kind kind);
/* Of letters, digits and "._-/": what servers take as the name of a service. */
bool push_name_is(const char *name);

/* What is younger waits for the next interval: many stacks become known a little later. */
#define PUSH_LATE_NS INT64_C(1000000000)
#define PUSH_INTERVAL_MIN 0.5
enum { PUSH_INTERVAL_USUAL = 10, PUSH_INTERVAL_MAX = 60 };

/* Who did it. */
struct push_process {
  const char *name, *host; /* of the service, of the machine */
  const char *command, *ruby;
  pid_t pid; /* 0: of several that have ended */
  int64_t started_real_ns;
  int64_t clock_offset_ns; /* real - mono */
};

/* A profile of a process, in a span; NULL: errno says why. The sum has sets of labels on its stacks, and holds nothing but
 * this process. */
struct push_item *push_item_make(enum push_kind kind, const struct push_process *process, struct rtop_profile *profile,
                                 const struct rtop_sum *sum);

/* ---- intervals: push.c -------------------------------------------------------------------------------------- */

enum { PUSH_PROCESSES = RTOP_SOURCES_MAX + 1 }; /* the last one: all that gave up their places */

struct push {
  enum push_kind kind;
  const char *name;
  char host[256];
  struct push_queue queue;
  int64_t start_ns;                  /* of the next interval */
  int64_t told_ns[RTOP_SOURCES_MAX]; /* so far that one is sent, where it was behind; 0: as far as all */
  uint64_t opened[RTOP_SOURCES_MAX]; /* by which feed */
  uint64_t profiles, gaps, failed;   /* made; windows that were lost before they were read; no memory for it */
  uint64_t lost_ns;                  /* time that memory did not hold until it could be sent */
};

/* Who has the place of a source now. */
struct push_source {
  uint64_t opened; /* 0: nobody */
  bool live;       /* more comes */
  struct push_process process;
};

/* Puts what came since into the queue; `last`: all of it, else as far as all that live have told. `sources`: count of
 * them, by source. */
void push_interval(struct push *push, struct rtop_profile *profile, const struct push_source *sources, size_t count,
                   bool last);

#endif
