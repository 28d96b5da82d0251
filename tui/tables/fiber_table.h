/* SPDX-License-Identifier: MIT */
/* Fibers that wait in fiber schedulers, by kind. No screen.
 *
 * A kind is the program's name for its fibers (Async::Task#annotate, Fiber#annotate), or without a name the code they
 * run: the outermost Ruby frame outside the gem that made the fiber. All fibers of one kind in a thread share a row.
 *
 * Threads: one. The table owns its memory and reuses it; a struct of zeros is empty.
 */
#ifndef RTOP_TUI_FIBER_TABLE_H
#define RTOP_TUI_FIBER_TABLE_H

#include "tui/history/profile.h"

struct fiber_row {
  uint32_t source;
  uint64_t serial;     /* of the thread */
  const char *thread;  /* its name, "" */
  uint32_t kind;       /* frame of the name or of the code; 0: unknown */
  bool named;          /* by the program */
  uint32_t alive;      /* at the end of the span */
  uint32_t waiting;    /* of these */
  uint64_t wait_ns;    /* waiting time in the span, summed over the fibers (ns) */
  uint64_t longest_ns; /* longest wait, including time before the span */
  double share;        /* share of this row in the waiting time of all fibers of the thread */
  uint32_t node;       /* where they waited most in a window */
  uint64_t node_ns;    /* that */
};

struct fiber_table {
  struct fiber_row *rows; /* grouped by thread, most waiting first */
  size_t count, capacity;
};

/* Builds rows for those threads of the sum that are not hidden. False: memory ran out. */
bool fiber_table_build(struct fiber_table *table, struct rtop_profile *profile, const struct rtop_sum *sum);
/* Finds the rows of a thread, which are adjacent: returns their number; *from is the index of the first. */
size_t fiber_table_of(const struct fiber_table *table, uint32_t source, uint64_t serial, size_t *from);
/* "Reading requests", "block in serve"; "(not known)". */
const char *fiber_row_name(const struct fiber_row *row, const struct rtop_symbols *symbols);
/* "Kernel#sleep": where they wait; "": not known. */
const char *fiber_row_wait(const struct fiber_row *row, const struct rtop_symbols *symbols);
void fiber_table_destroy(struct fiber_table *table);

#endif
