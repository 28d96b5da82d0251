/* SPDX-License-Identifier: MIT */
/* The fibers that wait in fiber schedulers, by kind. No screen.
 *
 * A kind is what the program calls its fibers (Async::Task#annotate, Fiber#annotate), or, without a name, the code that
 * they run: the outermost Ruby frame that is not of the gem that made the fiber. Thousands of fibers of one kind in a
 * thread are one row.
 *
 * Threads: one. Memory belongs to the table and is used again; a zeroed struct is empty.
 */
#ifndef RTOP_TUI_FIBER_TABLE_H
#define RTOP_TUI_FIBER_TABLE_H

#include "tui/history/profile.h"

struct fiber_row {
  uint32_t source;
  uint64_t serial;     /* of the thread */
  const char *thread;  /* its name, "" */
  uint32_t kind;       /* frame: of a name, or of code; 0: not known */
  bool named;          /* by the program */
  uint32_t alive;      /* at the end of the span */
  uint32_t waiting;    /* of these */
  uint64_t wait_ns;    /* in the span, the sum over the fibers */
  uint64_t longest_ns; /* the longest wait, from its beginning, which may be before the span */
  double share;        /* of what all fibers of the thread waited */
  uint32_t node;       /* where they waited most in a window */
  uint64_t node_ns;    /* that */
};

struct fiber_table {
  struct fiber_row *rows; /* thread by thread, where they waited most first */
  size_t count, capacity;
};

/* Of the threads of the sum that are not hidden. False: memory ran out. */
bool fiber_table_build(struct fiber_table *table, struct rtop_profile *profile, const struct rtop_sum *sum);
/* The rows of a thread, one after the other: how many; *from: the first. */
size_t fiber_table_of(const struct fiber_table *table, uint32_t source, uint64_t serial, size_t *from);
/* "Reading requests", "block in serve"; "(not known)". */
const char *fiber_row_name(const struct fiber_row *row, const struct rtop_symbols *symbols);
/* "Kernel#sleep": where they wait; "": not known. */
const char *fiber_row_wait(const struct fiber_row *row, const struct rtop_symbols *symbols);
void fiber_table_destroy(struct fiber_table *table);

#endif
