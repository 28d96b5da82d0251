/* SPDX-License-Identifier: MIT */
/* What a thread does off the GVL, told from its stack: the one judge for the verdict and for stalls.
 *
 *   unknown  where it is was not seen
 *   others   it waits for another thread or a child to end
 *   library  no method of the application is on its stack: a server's pool, a timer of a gem
 *   event    it waits for an event (pop, accept, ConditionVariable#wait, ...) where no framework has called the
 *            application: a worker's own loop
 *   pause    a sleep, select or read in the application's own code, at most three methods deep and below no
 *            framework: rest or work, nobody can tell
 *   lock     Mutex#synchronize, Monitor#enter, ... within the application
 *   work     everything else: a query, a call to another server, a sleep in a request
 *
 * A child's stack begins where it was forked: what called fork() calls it no more.
 * A script that loads a gem's program (bin/puma, as RubyGems and Bundler write it) is not the application; nor is what
 * starts a server's or worker's program that is known by name (Puma::Launcher#run).
 *
 * others, library and event are rest as far as a stack can tell. Whoever has seen the thread before may know
 * better: see stalls.h.
 *
 * Answers are kept per node until the symbols give ids of what is gone to others. Threads: one.
 */
#ifndef RTOP_TUI_OFF_GVL_H
#define RTOP_TUI_OFF_GVL_H

#include "tui/history/profile.h"

enum off_gvl { OFF_UNKNOWN, OFF_OTHERS, OFF_LIBRARY, OFF_EVENT, OFF_PAUSE, OFF_LOCK, OFF_WORK };

static inline bool off_is_work(enum off_gvl off)
{
  return off == OFF_LOCK || off == OFF_WORK;
}

/* What a stack is called by those who know the program: of a call node and all that called it. */
struct off_way {
  uint32_t own;      /* frame: the nearest method of the application; of none the nearest one in Ruby; 0: none */
  uint8_t depth;     /* methods in Ruby, at most 255; those of Ruby's own do not count */
  bool known;        /* private */
  bool mine;         /* `own` is the application's */
  bool mine_outside; /* the outermost method in Ruby is: no framework called the application */
  bool script;       /* private: what is the application's so far are only scripts, which may have loaded all else */
};

struct off_ways {
  struct off_way *of; /* by node */
  size_t capacity;
  uint32_t reuses, version;
};

bool off_is_fork(const struct rtop_symbol *symbol);

/* Before anything is asked: the profile may have changed since. False: memory ran out. */
bool off_ways_begin(struct off_ways *ways, struct rtop_lens *lens, const struct rtop_symbols *symbols);
struct off_way off_ways_get(struct off_ways *ways, const struct rtop_lens *lens, const struct rtop_symbols *symbols,
                            uint32_t node);
void off_ways_destroy(struct off_ways *ways);

/* What a thread with this stack, known by its way, does off the GVL. */
enum off_gvl off_gvl_of(const struct rtop_symbols *symbols, uint32_t node, const struct off_way *way);
/* The frame under which time of this node is counted: its place. */
uint32_t off_place(const struct rtop_symbols *symbols, uint32_t node, const struct off_way *way);

#endif
