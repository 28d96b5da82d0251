/* SPDX-License-Identifier: MIT */
/* Counting all calls of the program for a limited time: begin, end, and names.
 *
 * A viewer requests this like a traced method, by a reserved name (shm/base/format.h). Counting ends when its time is
 * up, when there is no more room, when all requests are withdrawn, or with the session. It can begin again only after
 * all counts have been reported. A request is refused while YJIT compiles, unless the viewer forces it.
 *
 * Threads: with the GVL, in the job; the publisher reads the counts (ext/out/cut_whole.c).
 */
#ifndef RTOP_EXT_WHOLE_H
#define RTOP_EXT_WHOLE_H

#include "whole_hook.h"
#include "ext/base/trylock.h"
#include "ext/sampling/sampler.h"
#include "shm/channel/control.h"

struct whole {
  struct sampler *sampler;
  struct trylock lock;     /* protects the tree's memory, which the publisher reads */
  _Atomic int state;       /* enum rtop_whole_state; 0: not requested */
  _Atomic uint32_t wanted; /* one bit per slot that requests counting */
  _Atomic uint32_t serial; /* number of the latest request to count calls, also when it was refused or has ended */
  _Atomic int64_t begin_ns, end_ns;
  struct whole_counting *counting; /* NULL until first requested; never freed */
  double ns_per_tick;
  struct whole_cost again[WHOLE_KINDS]; /* cost of a call, measured at the end */
  VALUE marker, probe;
  bool ruby_only;         /* methods in C are not counted */
  _Atomic uint32_t named; /* number of nodes that have been named */
  _Atomic bool is_set;    /* whether the hook is installed */
  /* the publisher's fields */
  uint32_t next, left; /* node to report next; number of nodes left in this round */
  bool named_all;      /* all nodes had names when the tables for this window were published */
  bool finishing;      /* this round is the last one */
  uint64_t told_untimed, told_unnamed;
  int64_t told_own_ns;
};

/* Tells whether YJIT compiles. Requesting call events makes the VM discard compiled code, and code compiled later is
 * slower. */
bool whole_is_compiled(void);

/* Tells whether a request is for counting all calls. */
bool whole_is_asked(const struct rtop_trace_wish *wish);

/* Handles the request of a slot: begins counting, or joins the counting that is in progress. Returns the state of the
 * request. Raises nothing. */
enum rtop_trace_state whole_want(struct whole *whole, int slot, const struct rtop_trace_wish *wish);
enum rtop_trace_state whole_follow(struct whole *whole);
/* Withdraws the request of a slot; without any other request, counting ends. */
void whole_leave(struct whole *whole, int slot);

/* Call in every job: ends counting when its time is up, and names new nodes. */
void whole_job(struct whole *whole);
/* Call when no viewer is left: forgets unreported counts, and releases the methods that were kept alive. */
void whole_park(struct whole *whole);
/* Call before the hooks are removed: ends counting and names as many nodes as possible. */
void whole_end(struct whole *whole);
/* Call in a forked child, and before a session: forgets everything. */
void whole_forget(struct whole *whole);

#endif
