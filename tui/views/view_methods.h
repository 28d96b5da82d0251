/* SPDX-License-Identifier: MIT */
/* Shared by the halves of the methods view: behaviour (view_methods.c) and appearance (view_methods_draw.c).
 */
#ifndef RTOP_TUI_VIEW_METHODS_H
#define RTOP_TUI_VIEW_METHODS_H

#include "tui/methods/raised_list.h"
#include "tui/tables/detail.h"
#include "tui/tables/history.h"
#include "tui/tables/label_shares.h"
#include "tui/tables/order.h"
#include "tui/tables/source_heat.h"
#include "tui/term/pager.h"
#include "tui/text/source_file.h"

struct ui;
struct ui_row;

struct methods_view {
  struct order order;
  struct methods_fold {
    bool shown, open; /* shown: there is a row for methods whose displayed value
                         is zero; open: these methods are listed below it */
    bool by_count;    /* what they have none of is counted */
  } fold;
  struct methods_off {
    bool shown, open;   /* shown: there is a row for time off the GVL; open: its methods are listed below that row */
    size_t count;       /* methods */
    uint64_t ns;        /* their own time there */
    struct order order; /* while open */
  } off;
  struct history history;
  bool has_history; /* the column of histories is shown, so its cells are updated */
  struct detail detail;
  bool detail_ready;
  bool lists;              /* the user wants callers, callees and states in the pane instead of the method's text */
  struct source_heat heat; /* cost of lines of `file`, while the method's text is shown */
  bool heat_ready;
  struct source_file file;    /* file of the selected method, for the text of its lines */
  int64_t file_until_ns;      /* it is not looked at again before */
  struct label_shares labels; /* time of the method by label set, if the program labels its work */
  struct methods_labels {
    uint32_t frame, lens; /* what they are of */
    enum rtop_mode mode;
    int64_t frozen_ns; /* end of the frozen span (ns); 0: live */
  } labels_of;
  int64_t labels_until_ns;   /* labels are not computed again before this time
                                (ns), unless for another method or span */
  struct raised_list raised; /* exceptions of the span, updated together with the labels */
  struct methods_raised {
    uint32_t lens;
    int64_t frozen_ns;
  } raised_of;
  int64_t raised_until_ns;
  bool details_open;         /* details are shown in place of the table, because there is no room for a pane */
  struct pager pager;        /* over places in the order */
  bool reordered;            /* in another order than the last time */
  bool anchored;             /* the user chose a method, and the cursor follows it */
  uint32_t anchor;           /* frame of that method; 0: the row for time off the GVL, or */
  bool anchor_fold;          /* that of what is folded */
  bool anchor_off;           /* it stands below that row */
  enum rtop_sort_key sorted; /* what the order was made by */
  bool reversed;
  enum rtop_mode mode;
  bool calls;            /* of all calls, not of samples */
  int64_t hold_until_ns; /* time (ns) until which rows keep their places, since the cursor was moved */
};

/* Return places of the table, which has from the top: rows; the row for folded methods, and these if open; the row for
 * time off the GVL, and its methods if open. */
static inline size_t methods_view_above(const struct methods_view *view)
{
  return view->fold.shown ? view->order.count - view->order.folded : view->order.count;
}
static inline size_t methods_view_off_place(const struct methods_view *view)
{
  if (!view->fold.shown) return view->order.count;
  return methods_view_above(view) + 1 + (view->fold.open ? view->order.folded : 0);
}
static inline bool methods_view_is_fold(const struct methods_view *view, size_t place)
{
  return view->fold.shown && place == methods_view_above(view);
}
/* Returns the method in a row of the table; NULL beyond the last row, and for rows that stand for several methods. */
const struct rtop_method_row *methods_view_row(const struct ui *ui, size_t place);
/* methods_view_is_off(): is it the row for time off the GVL? methods_view_below_off(): is the row below that one, so
 * that its figures are times off the GVL? */
static inline bool methods_view_is_off(const struct methods_view *view, size_t place)
{
  return view->off.shown && place == methods_view_off_place(view);
}
static inline bool methods_view_below_off(const struct methods_view *view, size_t place)
{
  return view->off.shown && place > methods_view_off_place(view);
}
/* Is it the first row, with the wait that the verdict names, whose figures are times off the GVL? */
bool methods_view_is_wait(const struct ui *ui, const struct rtop_method_row *row);
/* Returns the time of that wait in the named method only (ns), since other methods may wait in the same call. */
uint64_t methods_view_waited_ns(const struct ui *ui, const struct rtop_method_row *row);
/* For view_ops of whoever shows the table. */
struct ui_rows methods_view_rows(const struct ui *ui);
bool methods_view_row_matches(const struct ui *ui, size_t place);
void methods_view_go(struct ui *ui, size_t place);

void methods_view_menu(struct ui *ui, struct ui_row *row);

/* Are ratios among the columns? */
bool methods_view_ratios(const struct ui *ui);

#endif
