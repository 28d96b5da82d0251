/* SPDX-License-Identifier: MIT */
/* What a thread does off the GVL, judged from its stack; used by the verdict and for stalls.
 *
 *   unknown  its stack was not sampled
 *   others   it waits for another thread or a child to end
 *   library  no method of the application is on its stack: a server's pool, a timer of a gem
 *   event    it waits for an event (pop, accept, ConditionVariable#wait, ...) where no framework has called the
 *            application: a worker's own loop
 *   pause    sleep, select or read in the application's own code, at most three methods deep and below no framework
 *   lock     Mutex#synchronize, Monitor#enter, ... within the application
 *   work     everything else: a query, a call to another server, a sleep in a request
 *
 * A child's stack begins where it was forked. A script that loads a gem's program (bin/puma) does not count as the
 * application, nor does what starts a known server's or worker's program (Puma::Launcher#run). others, library and
 * event count as rest, unless more is known of the thread (stalls.h).
 *
 * Answers are cached per node until ids of the symbols are reused. Threads: one.
 */
#ifndef RTOP_TUI_OFF_GVL_H
#define RTOP_TUI_OFF_GVL_H

#include "tui/history/profile.h"

enum off_gvl { OFF_UNKNOWN, OFF_OTHERS, OFF_LIBRARY, OFF_EVENT, OFF_PAUSE, OFF_LOCK, OFF_WORK };

static inline bool off_is_work(enum off_gvl off)
{
  return off == OFF_LOCK || off == OFF_WORK;
}

/* What a call tree node's stack is classified by. */
struct off_way {
  uint32_t own;      /* frame of the nearest application method, else of the nearest Ruby method; 0: none */
  uint8_t depth;     /* number of Ruby methods, at most 255, without methods of Ruby itself */
  bool known;        /* private */
  bool mine;         /* `own` is the application's */
  bool mine_outside; /* the outermost Ruby method is the application's, so no framework has called it */
  bool script;       /* private: the only application code so far is scripts, which may have loaded all other code */
};

struct off_ways {
  struct off_way *of; /* by node */
  size_t capacity;
  uint32_t reuses, version;
};

bool off_is_fork(const struct rtop_symbol *symbol);

/* To be called before use, since the profile may have changed. False: memory ran out. */
bool off_ways_begin(struct off_ways *ways, struct rtop_lens *lens, const struct rtop_symbols *symbols);
struct off_way off_ways_get(struct off_ways *ways, const struct rtop_lens *lens, const struct rtop_symbols *symbols,
                            uint32_t node);
void off_ways_destroy(struct off_ways *ways);

/* Returns what a thread with this stack does off the GVL; `way` is the way of its node. */
enum off_gvl off_gvl_of(const struct rtop_symbols *symbols, uint32_t node, const struct off_way *way);
/* Returns the frame to which the time of this node is charged: its place. */
uint32_t off_place(const struct rtop_symbols *symbols, uint32_t node, const struct off_way *way);

#endif
