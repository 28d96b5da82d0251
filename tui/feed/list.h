/* SPDX-License-Identifier: MIT */
/* The processes that have a channel, live and dead: `--list` and the chooser.
 *
 * Threads: one. Reading opens every channel for a moment; it never watches, so it costs the processes
 * nothing.
 */
#ifndef RTOP_TUI_LIST_H
#define RTOP_TUI_LIST_H

#include "feed.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { RTOP_LIST_MAX = 256 };

struct rtop_list_row {
  pid_t pid;
  pid_t parent;   /* of a living one: the nearest process above it in the list; 0: none */
  unsigned depth; /* how many there are above it */
  enum rtop_feed_state state;
  int64_t age_ns;   /* live: since the channel was made; else: since it ended */
  uint32_t rate_hz; /* now; 0: not known, parked or over */
  uint32_t threads; /* alive in the newest window */
  /* Of one that lives, in about the last second, as far as that can be read: */
  double cores; /* that its threads had */
  double held;  /* the GVL: 1 all the time */
  const char
      *does; /* in a word: "GC" (a fifth of the time), "GVL" (threads wait for it), "runs", "waits"; "": not known */
  uid_t uid;
  char user[32];
  char ruby[32]; /* "3.3.8"; sanitised like the rest */
  char command[256];
  bool by_exec; /* it has become another program */
  char end[64]; /* how it ended, as far as can be known; "" while it lives */
};

/* Live ones first, newest first among equals, but children below their parents; at most `capacity` rows. Returns how many. */
size_t rtop_list_read(struct rtop_list_row *rows, size_t capacity);

/* "live", …, or "exec" of one that has become another program. */
const char *rtop_list_state_name(enum rtop_feed_state state, bool by_exec);

/* "12 s", "5 m", "3 h", "2 d": at most 6 columns. */
void rtop_list_age(char *out, size_t out_bytes, int64_t age_ns);

/* How far the command of a row with so many above it stands to the right. */
int rtop_list_indent(unsigned depth);

#endif
