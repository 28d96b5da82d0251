/* SPDX-License-Identifier: MIT */
/* Sampling of allocation sites on request: class, method and line of new objects, and how many of these objects survive
 * the next major GC.
 *
 * A viewer requests this like a traced method, by a reserved name (shm/base/format.h). The VM's event slows down every
 * allocation, so the hook is installed only in some intervals between two jobs, chosen at random, and samples some
 * objects in each of these intervals (sites_sums.h). Both costs stay within the governor's budget. Installing the hook
 * does not invalidate compiled code, not even with YJIT.
 *
 * Survival: some samples are kept in the VM's own weak map, so that freeing objects costs nothing extra and objects may
 * move. After the time of sampling, the profiler waits for the next major GC, and never causes one.
 *
 * Only objects of the main Ractor are sampled.
 */
#ifndef RTOP_EXT_SITES_H
#define RTOP_EXT_SITES_H

#include "sites_sums.h"
#include "ext/base/trylock.h"
#include "ext/sampling/sampler.h"
#include "shm/channel/control.h"

enum { SITES_PENDING_MAX = 512 };

/* A sample without a name; its object and frame are kept alive until it is named. */
struct sites_pending {
  VALUE object, frame;  /* frame 0: no frame */
  uint32_t line, bytes; /* bytes: size of the object when it was named */
  uint32_t node;        /* node of its site; 0: none yet, SITES_NONE: there is no room */
  bool may_follow;      /* the object belongs to the program, so its survival may be followed */
};

struct sites_told_sums {
  uint64_t own_ns, objects, seen, looked, full;
  double square;
};

struct sites {
  struct sampler *sampler;
  double budget;           /* fraction of wall time; set only while there is no session */
  struct trylock lock;     /* protects the sums; must not be held by a caller that may raise */
  _Atomic int state;       /* enum rtop_sites_state; 0: not requested */
  _Atomic uint32_t wanted; /* one bit per slot that requests allocation sites */
  _Atomic uint32_t serial;
  _Atomic int64_t begin_ns, end_ns;
  struct sites_sums sums;
  struct sites_pending *pending; /* NULL until first requested; never freed */
  uint32_t count;
  /* left: number of objects until the next sample; left_paused: its value before the pause */
  int64_t left, left_paused;
  bool is_set; /* whether the hook is installed */
  bool paused;
  _Atomic bool ending; /* the session is ending: results are reported even if no viewer requests them any more */
  bool judges;         /* the awaited GC has finished marking, so survival is known */
  bool unjudged;       /* no GC came in time, or nothing could be followed */
  VALUE marker, map;   /* map: weak map from a followed slot to its object; 0: no object is followed */
  struct sites_costs costs;
  int64_t hook_ns;     /* cost of samples in the open interval */
  int64_t interval_ns; /* time at which the interval began */
  int64_t opening_ns;  /* cost of beginning the interval */
  int64_t pause_ns;    /* begin of the job that may end the interval */
  uint64_t at_begin;   /* the VM's count of objects at the begin of the interval, plus objects made during pauses */
  uint64_t at_pause;   /* the VM's count of objects at the last pause */
  uint64_t majors;     /* the VM's count of major GCs when sampling ended */
  uint32_t judged, failures;
  _Atomic int64_t own_ns;
  /* the publisher's fields */
  uint32_t next, telling; /* next: the next site to report; telling: number of windows since sampling ended */
  int64_t paid_ns;
  struct sites_told_sums told;
};

/* Tells whether a request is for allocation sites. */
bool sites_is_asked(const struct rtop_trace_wish *wish);

/* Like the functions for counting all calls (whole.h). Raise nothing. */
enum rtop_trace_state sites_want(struct sites *sites, int slot, const struct rtop_trace_wish *wish);
enum rtop_trace_state sites_follow(struct sites *sites);
void sites_leave(struct sites *sites, int slot);

/* Call before the profiler's own work in a job. Objects made by this work do not count. */
void sites_pause(struct sites *sites);
/* Call after the profiler's own work: ends the interval and begins the next one. */
void sites_job(struct sites *sites);
/* Call before the hooks are removed: ends the interval and sampling. */
void sites_end(struct sites *sites);
/* Call in a forked child, and before a session: forgets everything. */
void sites_forget(struct sites *sites);

#endif
