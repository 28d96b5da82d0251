/* SPDX-License-Identifier: MIT */
/* The processes that have a channel, live and dead, for `--list` and the chooser.
 *
 * Threads: one. Opens every channel only briefly and without watching, so processes are not affected.
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
  pid_t parent;   /* nearest ancestor of a living process in the list; 0: none */
  unsigned depth; /* how many there are above it */
  enum rtop_feed_state state;
  int64_t age_ns;   /* live: time since the channel was made (ns); dead: since the process ended */
  uint32_t rate_hz; /* now; 0: not known, parked or over */
  uint32_t threads; /* alive in the newest window */
  /* Activity of a living process in roughly the last second, as far as it can be read: */
  double cores;     /* that its threads had */
  double held;      /* the GVL: 1 all the time */
  const char *does; /* one word for what it does: "GC" (a fifth of the time), "GVL"
                (threads wait for it), "runs", "waits"; "": unknown */
  uid_t uid;
  char user[32];
  char ruby[32]; /* "3.3.8"; sanitised like the rest */
  char command[256];
  bool by_exec; /* it has become another program */
  char end[64]; /* how the process ended, as far as known; "" while it is alive */
};

/* Lists processes: live ones first, newest first, with children below their parents; at most `capacity` rows.
 * Returns their number. */
size_t rtop_list_read(struct rtop_list_row *rows, size_t capacity);

/* Name of a state: "live", …; "exec" for a process that became another program. */
const char *rtop_list_state_name(enum rtop_feed_state state, bool by_exec);

/* Writes an age: "12 s", "5 m", "3 h", "2 d"; at most 6 columns. */
void rtop_list_age(char *out, size_t out_bytes, int64_t age_ns);

/* Indentation of the command in a row at this depth of the tree. */
int rtop_list_indent(unsigned depth);

#endif
