/* SPDX-License-Identifier: MIT */
/* What the two halves of the view of labels share: what it does (view_labels.c) and how it looks (view_labels_draw.c). */
#ifndef RTOP_TUI_VIEW_LABELS_H
#define RTOP_TUI_VIEW_LABELS_H

#include "tui/methods/live.h"
#include "tui/tables/label_order.h"
#include "tui/ui/ui.h"

struct labels_view {
  struct rtop_live *live; /* of sets; made when the view is first seen */
  struct rtop_sum sum;
  struct label_table table;
  struct label_order order;
  char key[RTOP_LABEL_KEY_MAX + 1]; /* whose values are shown */
  bool chosen;                      /* by the user */
  bool by_each;                     /* work with labels mostly waits: what takes long each time is first, */
  bool by_self;                     /* unless the user wants what is busy */
  enum rtop_sort_key sort_before;
  struct pager pager;
  bool anchored;
  uint64_t anchor; /* id of the row under the cursor */
};

extern const struct view_ops view_labels;
void labels_draw(struct ui *ui);

struct labels_column {
  enum rtop_sort_key sort;
  const char *title, *title_time;
  int columns, from; /* with the blank before it; the width of the table from which on it is shown, */
  int from_timed;    /* and where the time of blocks is known */
};
enum { LABELS_COLUMNS = 8 };
/* How long blocks took: shown are quantiles, and where their time went, in place of what is less exact. */
bool labels_are_timed(const struct ui *ui);
const struct labels_column *labels_column(int index);
/* Busy time, CPU time; of all time there is a column anyhow. */
bool labels_column_is_shown(const struct ui *ui, int index);
/* The column that rows are sorted by; RTOP_SORT_NAME: none of them. */
enum rtop_sort_key labels_view_sort(const struct ui *ui);
const struct label_row *labels_view_row(const struct ui *ui, size_t place);
struct ui_rows labels_view_rows(const struct ui *ui);

#endif
