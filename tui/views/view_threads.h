/* What the two halves of the threads view share: what it does (view_threads.c) and how it looks
 * (view_threads_draw.c).
 */
#ifndef RTOP_TUI_VIEW_THREADS_H
#define RTOP_TUI_VIEW_THREADS_H

#include "tui/tables/fiber_table.h"
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
  int before, after;         /* columns of the lanes before the moment that is shown, and after it */
  struct task_stats tasks;
  struct pager pager; /* over the rows of the table */
  bool anchored;      /* the cursor follows a thread */
  uint32_t source;
  uint64_t serial;
  bool stack_open, stack_closed; /* the user's wish; neither: where there is room */
};

/* The thread in a row of the table; NULL beyond the last. */
const struct rtop_thread_row *threads_view_row(const struct ui *ui, size_t place);
struct ui_rows threads_view_rows(const struct ui *ui);
bool threads_view_matches(const struct ui *ui, const struct rtop_thread_row *thread);
/* Rows of the stack below the table, its title included; 0: it is not shown. */
int threads_view_stack_rows(const struct ui *ui);

/* How many threads wait for a lock that this row of the sum is inside. */
unsigned threads_view_waiting(const struct ui *ui, size_t row);
/* How many columns the lanes have at this width of the table; 0: there are none. */
int threads_view_lane_columns(const struct ui *ui);

#endif
