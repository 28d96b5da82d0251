/* SPDX-License-Identifier: MIT */
/* Shared by the halves of the threads view: behaviour (view_threads.c) and appearance (view_threads_draw.c).
 */
#ifndef RTOP_TUI_VIEW_THREADS_H
#define RTOP_TUI_VIEW_THREADS_H

#include "tui/stalls/wait_sums.h"
#include "tui/tables/fiber_order.h"
#include "tui/tables/thread_lanes.h"
#include "tui/tables/thread_table.h"
#include "tui/term/pager.h"
#include "tui/text/task_stats.h"

struct ui;
struct rect;

struct threads_view {
  struct thread_table table;
  struct thread_lanes lanes;
  struct fiber_table fibers; /* of the threads of the sum */
  int before, after;         /* number of columns of the lanes before the shown moment, and after it */
  struct task_stats tasks;
  struct pager pager; /* over the rows of the table */
  bool anchored;      /* the cursor follows a thread */
  uint32_t source;
  uint64_t serial;
  /* Is the cursor among the fibers of the thread? It then follows a kind of fibers. */
  bool in_fibers;
  struct pager fiber_pager;
  bool fiber_sorted; /* otherwise than by their share */
  enum fiber_sort fiber_sort;
  bool fiber_reverse;
  uint32_t fiber_kind;
  bool stack_open, stack_closed; /* the user's choice; if neither is set: the stack is open if there is room */
  bool waits_open;               /* in the place of the stack: */
  struct wait_sums waits;        /* of the span, while they are shown */
};

static inline enum fiber_sort threads_view_fiber_sort(const struct threads_view *view)
{
  return view->fiber_sorted ? view->fiber_sort : FIBER_SORT_SHARE;
}

/* Returns the thread in a row of the table; NULL beyond the last row. */
const struct rtop_thread_row *threads_view_row(const struct ui *ui, size_t place);
/* Return rows: of the threads; of the fibers below them; of the table that has the cursor. */
struct ui_rows threads_view_threads(const struct ui *ui);
struct ui_rows threads_view_fibers(const struct ui *ui);
struct ui_rows threads_view_rows(const struct ui *ui);
/* Returns a kind of fibers of the thread under the cursor, by index; NULL beyond the last. */
const struct fiber_row *threads_view_fiber(const struct ui *ui, size_t place);
bool threads_view_fiber_matches(const struct ui *ui, const struct fiber_row *row);
bool threads_view_matches(const struct ui *ui, const struct rtop_thread_row *thread);
/* Number of rows of the stack below the table, including its title; 0: it is not shown. */
int threads_view_stack_rows(const struct ui *ui);

/* Number of threads that wait for a lock that this row of the sum is inside. */
unsigned threads_view_waiting(const struct ui *ui, size_t row);
/* Does the thread certainly own one of these locks, as reported by the process? */
bool threads_view_has(const struct ui *ui, size_t row);
/* For the screen's keeper: marks frames to which the view's waits refer as used. */
struct rtop_symbols;
void threads_view_keep(const struct ui *ui, struct rtop_symbols *symbols);
/* Number of columns of the lanes for this width of the table; 0: there are none. */
int threads_view_lane_columns(const struct ui *ui);

#endif
