/* SPDX-License-Identifier: MIT */
/* The baseline of comparisons: a span that the user took (B), another recording, or in the time view, if there is
 * neither, the frame before the present one.
 *
 * Differences are between shares of time, so spans of different length can be compared; counts are compared per second.
 * Rows of methods get the difference for their sort figure (row->delta), and methods that only the baseline has get
 * empty rows. Filters, lens and chosen threads apply to both sides.
 *
 * Threads: one. The baseline owns its memory.
 */
#ifndef RTOP_TUI_UI_BASELINE_H
#define RTOP_TUI_UI_BASELINE_H

#include "tui/methods/methods.h"
#include "tui/methods/methods_changes.h"
#include "tui/tables/columns.h"
#include "tui/term/keys.h"
#include "tui/trees/tree_gone.h"
#include <stdbool.h>

struct ui;

struct ui_baseline {
  bool taken;     /* by the user, or another recording */
  bool all;       /* every column shows its difference */
  bool comparing; /* the rows of this update carry differences */
  struct rtop_span span;
  enum rtop_sort_key of;      /* what row->delta is the difference of */
  struct rtop_profile *other; /* of another recording; NULL: our own */
  /* Private. */
  struct rtop_sum sum;
  struct rtop_methods methods;
  uint64_t key; /* what sum and methods were made from */
  struct rtop_changes changes;
  struct rtop_cost *self_of, *total_of; /* by node of ui->tree */
  size_t self_capacity, total_capacity, tree_nodes;
  uint64_t tree_key;
  struct rtop_tree_gone gone;
};

/* Goes to the next step: takes the present span as baseline, then shows differences in all columns, then
   forgets the baseline. */
void ui_baseline_next(struct ui *ui);
/* Uses all of another recording as the baseline; its profile must outlive the screen. */
void ui_baseline_give(struct ui *ui, struct rtop_profile *other);
/* Another target. */
void ui_baseline_forget(struct ui *ui);

/* To be called first in an update: ends the comparison unless a baseline was taken, or the view compares by itself, as
   the time view does. */
void ui_baseline_look(struct ui *ui);
/* To be called before present rows are made. True: the rows will be compared, so they must not be limited. */
bool ui_baseline_begin(struct ui *ui);
/* To be called, if so, after present rows were made and before a view uses them. False when memory ran out. */
bool ui_baseline_methods(struct ui *ui, const struct rtop_methods_options *options);
/* To be called before ui->tree is built from the present sum: keeps the nodes' costs of the baseline. */
bool ui_baseline_tree(struct ui *ui);

/* What it was before; NULL: not there. */
const struct rtop_method_row *ui_baseline_row(const struct ui *ui, uint32_t frame);
/* Returns the baseline's cost of a node, 0 if the node did not exist. False: nothing is compared. */
bool ui_baseline_node(const struct ui *ui, uint32_t tree_node, struct rtop_cost *self, struct rtop_cost *total);
/* To be called once ui->tree has the present sum: returns nodes and leaves of the baseline with at least this share
 * that no longer occur. NULL: nothing is compared, or memory ran out. Valid until the next call. */
const struct rtop_tree_gone *ui_baseline_gone(struct ui *ui, double least_percent);
/* Returns the baseline's thread that corresponds: in the same process, else by name; NULL: none. */
const struct rtop_thread_row *ui_baseline_thread(const struct ui *ui, const struct rtop_thread_row *thread);
/* Change of a share, from both values in nanoseconds of thread time. */
double ui_baseline_change(const struct ui *ui, uint64_t now_ns, uint64_t before_ns);
/* Writes the change of a cost in the user's clock. */
void ui_baseline_cost_text(const struct ui *ui, char *out, size_t bytes, const struct rtop_cost *now,
                           const struct rtop_cost *before);
/* Writes a change of a share in percentage points, at most 7 columns: "+21.4", "-3.0", "0.0". */
void ui_baseline_text(char *out, size_t bytes, double change);

#endif
