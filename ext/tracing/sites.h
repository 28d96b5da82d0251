/* SPDX-License-Identifier: MIT */
/* Where objects are made, for a moment: their class, the method and the line, and which of them are alive after the next major
 * GC.
 *
 * A viewer asks for it as for a method that is traced, by a name that no method has (shm/base/format.h). As long as the VM tells
 * of new objects every one costs, so it does in some intervals between two jobs only, drawn by chance; and in these of some
 * objects a sample is taken (sites_sums.h). Both together stay below the governor's budget. Nothing is compiled again for it,
 * with YJIT neither.
 *
 * What becomes of samples: the VM's own weak map holds some of them, so nothing is told of objects that are freed, which would
 * cost with every one of them, and objects may move. The time being up, the next major GC is waited for, never asked for.
 *
 * Only of the main Ractor. Threads: under the GVL, the hook too; the publisher reads (ext/out/cut_sites.c).
 */
#ifndef RTOP_EXT_SITES_H
#define RTOP_EXT_SITES_H

#include "sites_sums.h"
#include "ext/base/trylock.h"
#include "ext/sampling/sampler.h"
#include "shm/channel/control.h"

enum { SITES_PENDING_MAX = 512 };

/* A sample that has no name yet. Object and frame are kept alive until it has. */
struct sites_pending {
  VALUE object, frame;  /* 0: no frame */
  uint32_t line, bytes; /* bytes: when it got its name */
  uint32_t node;        /* of its site; 0: none yet, SITES_NONE: there is no room */
  bool may_follow;      /* it is an object of the program's */
};

struct sites_told_sums {
  uint64_t own_ns, objects, seen, looked, full;
  double square;
};

struct sites {
  struct sampler *sampler;
  double budget;           /* fraction of the time; set while there is no session */
  struct trylock lock;     /* of the sums; never while something may raise */
  _Atomic int state;       /* enum rtop_sites_state; 0: nobody has wanted it */
  _Atomic uint32_t wanted; /* bit per slot */
  _Atomic uint32_t serial;
  _Atomic int64_t begin_ns, end_ns;
  struct sites_sums sums;
  struct sites_pending *pending; /* NULL until it was wanted; for good then */
  uint32_t count;
  int64_t left, left_paused; /* objects until the next sample */
  bool is_set;               /* the hook */
  bool paused;
  _Atomic bool ending; /* with the session: it is told although nobody wants it any more */
  bool judges;         /* the GC that was waited for has ended */
  bool unjudged;       /* it did not come, or nothing could be followed */
  VALUE marker, map;   /* map: sample by place; 0: nothing is followed */
  struct sites_costs costs;
  int64_t hook_ns;     /* of samples in the open interval */
  int64_t interval_ns; /* when the interval began */
  int64_t opening_ns;  /* what that took */
  int64_t pause_ns;    /* and the job that may end it */
  uint64_t at_begin;   /* objects that the VM had counted at the first */
  uint64_t at_pause;   /* and at the second */
  uint64_t majors;     /* major GCs when the time was up */
  uint32_t judged, failures;
  _Atomic int64_t own_ns;
  /* the publisher's */
  uint32_t next, telling; /* the site that comes next; windows since it was over */
  int64_t paid_ns;
  struct sites_told_sums told;
};

/* Is that what is asked for? */
bool sites_is_asked(const struct rtop_trace_wish *wish);

/* As of all calls (whole.h). Raise nothing. */
enum rtop_trace_state sites_want(struct sites *sites, int slot, const struct rtop_trace_wish *wish);
enum rtop_trace_state sites_follow(struct sites *sites);
void sites_leave(struct sites *sites, int slot);

/* Before the profiler's own work in a job: objects that it makes do not count. */
void sites_pause(struct sites *sites);
/* Behind it: the interval ends, and the next one begins. */
void sites_job(struct sites *sites);
/* Before the hooks go off: what is left gets its names. */
void sites_end(struct sites *sites);
/* In the child of a fork, or before a session. */
void sites_forget(struct sites *sites);

#endif
