/* SPDX-License-Identifier: MIT */
/* Sends the profiles of processes to a profile server: one profile per process and interval.
 *
 * Each window of a process is sent once. An interval ends a second before the time that all living processes have
 * reported; windows of that time that arrive later are sent with the next interval. Time whose stack becomes known only
 * after it was sent stays "(not sampled)". Unsent profiles wait in a queue (push_queue.h) and are retried after growing
 * pauses; profiles for which there is no room are counted.
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
/* Returns the kind of server, by the end of the URL's path; PUSH_NONE: unknown. */
enum push_kind push_url_kind(const char *url);
/* Checks a URL. NULL for http or https with a host and without user, query or fragment; else the problem,
   for "URL %s". */
const char *push_url_problem(const char *url);
/* Returns the URL, with the usual path appended if it has none; the caller frees it. NULL: memory ran out. */
char *push_url_whole(const char *url, enum push_kind kind);
/* Does the name consist of letters, digits and "._-/", as servers require for services? */
bool push_name_is(const char *name);

/* Data younger than this (ns) wait for the next interval, because many stacks become known a little later. */
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

/* Makes a profile of a process in a span; NULL: errno says why. The sum must contain only this process, with label
 * sets on its stacks. */
struct push_item *push_item_make(enum push_kind kind, const struct push_process *process, struct rtop_profile *profile,
                                 const struct rtop_sum *sum);

/* ---- intervals: push.c -------------------------------------------------------------------------------------- */

enum { PUSH_PROCESSES = RTOP_SUM_PARTS }; /* number of process entries; the last one is for all retired sources */

struct push {
  enum push_kind kind;
  const char *name;
  char host[256];
  struct push_queue queue;
  int64_t start_ns;                  /* of the next interval */
  int64_t told_ns[RTOP_SOURCES_MAX]; /* time up to which each source was sent while
                                        it was behind; 0: the same as for all */
  uint64_t opened[RTOP_SOURCES_MAX]; /* by which feed */
  uint64_t profiles, gaps, failed;   /* number of profiles made; of windows lost before they
                                        were read; of profiles not made for lack of memory */
  uint64_t lost_ns;                  /* time (ns) that memory could not hold until it was sent */
};

/* The process that a source belongs to now. */
struct push_source {
  uint64_t opened; /* 0: nobody */
  bool live;       /* more comes */
  struct push_process process;
};

/* Queues profiles of everything new; `last`: of all data, else only up to the time that all living processes have
 * reported. `sources`: `count` entries, by source. */
void push_interval(struct push *push, struct rtop_profile *profile, const struct push_source *sources, size_t count,
                   bool last);

#endif
