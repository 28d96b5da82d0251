/* SPDX-License-Identifier: MIT */
/* All calls of the program for a moment: begun, ended, named.
 *
 * A viewer asks for it as for a method that is traced, by a name that no method has (shm/base/format.h). It ends when its time
 * is up, when there is no more room, when nobody wants it any more, or with the session; what was counted until then is
 * told to the end, and only then can it begin again. It is refused where YJIT compiles, unless it is forced.
 *
 * Threads: under the GVL, in the job; the publisher reads (ext/out/cut_whole.c).
 */
#ifndef RTOP_EXT_WHOLE_H
#define RTOP_EXT_WHOLE_H

#include "whole_hook.h"
#include "ext/base/trylock.h"
#include "ext/sampling/sampler.h"
#include "shm/channel/control.h"

struct whole {
  struct sampler *sampler;
  struct trylock lock;     /* of the tree's life: the publisher reads it meanwhile */
  _Atomic int state;       /* enum rtop_whole_state; 0: nobody has wanted it */
  _Atomic uint32_t wanted; /* bit per slot */
  _Atomic uint32_t serial; /* of what is or was counted, or was refused */
  _Atomic int64_t begin_ns, end_ns;
  struct whole_counting *counting; /* NULL until it was wanted; for good then */
  double ns_per_tick;
  struct whole_cost again[WHOLE_KINDS]; /* what a call cost at the end */
  VALUE marker, probe;
  bool ruby_only;         /* methods in C are not counted */
  _Atomic uint32_t named; /* nodes below have their places */
  _Atomic bool is_set;    /* the hook */
  /* the publisher's */
  uint32_t next, left; /* the node that is told next; how many are left of this round */
  bool named_all;      /* before the tables of this window were published */
  bool finishing;      /* this round is the last one */
  uint64_t told_untimed, told_unnamed;
  int64_t told_own_ns;
};

/* Does YJIT compile? Then the VM throws that code away when calls are to be told of, and what it makes later is slower. */
bool whole_is_compiled(void);

/* Is that what is asked for? */
bool whole_is_asked(const struct rtop_trace_wish *wish);

/* A slot wants it: begins it, or joins what runs. The state of what was asked for. Raises nothing. */
enum rtop_trace_state whole_want(struct whole *whole, int slot, const struct rtop_trace_wish *wish);
enum rtop_trace_state whole_follow(struct whole *whole);
/* A slot does not want it any more. */
void whole_leave(struct whole *whole, int slot);

/* At every job: ends it in time, names what is new. */
void whole_job(struct whole *whole);
/* Nobody watches: what is not told yet is forgotten, and methods that it keeps alive are let go. */
void whole_park(struct whole *whole);
/* Before the hooks go off: names as much as it can. */
void whole_end(struct whole *whole);
/* In the child of a fork, or before a session. */
void whole_forget(struct whole *whole);

#endif
