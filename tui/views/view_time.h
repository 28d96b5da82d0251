/* SPDX-License-Identifier: MIT */
/* Shared by the parts of the time view: behaviour (view_time.c), graphs (view_time_draw.c), list of stalls
 * (view_time_stalls.c). The table below the graphs is that of the methods view.
 */
#ifndef RTOP_TUI_VIEW_TIME_H
#define RTOP_TUI_VIEW_TIME_H

#include "tui/history/profile.h"
#include "tui/tables/timeline.h"
#include "tui/term/keys.h"
#include "tui/term/pager.h"

struct ui;
struct ui_row;

enum { TIME_LABEL_COLUMNS = 9, TIME_LANES_MAX = 16 }; /* before the cells */

struct time_view {
  struct timeline timeline;
  struct timeline lane[TIME_LANES_MAX]; /* of processes that are apart */
  int lanes;
  int64_t cell_ns;
  int64_t end_ns;                     /* end of the graphs, constant while the cursor moves over them */
  struct rtop_span window;            /* under the cursor */
  struct rtop_window_summary summary; /* of it */
  bool list;                          /* of stalls, in place of the methods */
  const struct view_ops *from;        /* the view from which the list was opened; NULL: not opened */
  bool listed;                        /* it was open before */
  struct pager pager;                 /* of it: the newest stall first */
  uint64_t stall;                     /* id of the stall under the cursor of the list;
                                         0: the newest one, whichever that is */
};

void time_view_draw(struct ui *ui, const struct time_view *view);

/* view_time_stalls.c: the list of stalls, which opens from any view. time_stalls_leave() returns to the view from which
 * it was opened; false: the list was not open. */
void time_stalls_open(struct ui *ui);
bool time_stalls_leave(struct ui *ui);
void time_stalls_update(const struct ui *ui, struct time_view *view);
bool time_stalls_handle(struct ui *ui, struct time_view *view, enum request request);
void time_stalls_menu(struct ui *ui, struct time_view *view, struct ui_row *row);
void time_stalls_draw(struct ui *ui, struct time_view *view);

#endif
