/* SPDX-License-Identifier: MIT */
/* What the figures are compared with: a span that the user took (B), another recording, or, in the time
 * view without either, the frame before the one that is shown.
 *
 * Differences are of shares of time, so that spans of different length compare; of counts, per second. The
 * rows of the methods get theirs (row->delta) for the figure that they are sorted by, and methods that were
 * there only before get rows, with nothing in them. Filters, lens and chosen threads hold for both sides.
 *
 * Threads: one. Memory belongs to the baseline.
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

/* Takes what is shown, shows differences in all columns, forgets: one after the other. */
void ui_baseline_next(struct ui *ui);
/* All of another recording is what is compared with; the profile must outlive it. */
void ui_baseline_give(struct ui *ui, struct rtop_profile *other);
/* Another target. */
void ui_baseline_forget(struct ui *ui);

/* Before anything else of an update: the time view compares by itself, no other view does. */
void ui_baseline_look(struct ui *ui);
/* Before the rows of now are made: are they to be compared? Then they may not be cut. */
bool ui_baseline_begin(struct ui *ui);
/* Only if so: after the rows of now were made, and before a view sees them. False when memory ran out. */
bool ui_baseline_methods(struct ui *ui, const struct rtop_methods_options *options);
/* Before ui->tree is made of what is shown: keeps what its nodes cost before. */
bool ui_baseline_tree(struct ui *ui);

/* What it was before; NULL: not there. */
const struct rtop_method_row *ui_baseline_row(const struct ui *ui, uint32_t frame);
/* False: nothing is compared. A node that was not there cost nothing. */
bool ui_baseline_node(const struct ui *ui, uint32_t tree_node, struct rtop_cost *self, struct rtop_cost *total);
/* Once ui->tree is that of what is shown: nodes and leaves of at least this share of the span before that are
 * not there now. NULL: nothing is compared, or memory ran out. Valid until the next call. */
const struct rtop_tree_gone *ui_baseline_gone(struct ui *ui, double least_percent);
/* The thread of before that is this one: of the same process, else of the same name; NULL: none. */
const struct rtop_thread_row *ui_baseline_thread(const struct ui *ui, const struct rtop_thread_row *thread);
/* Change of a share: value now, value before, in nanoseconds of thread time. */
double ui_baseline_change(const struct ui *ui, uint64_t now_ns, uint64_t before_ns);
/* The change of a cost, by the clock that the user chose. */
void ui_baseline_cost_text(const struct ui *ui, char *out, size_t bytes, const struct rtop_cost *now,
                           const struct rtop_cost *before);
/* "+21.4", "-3.0", "0.0": a change of a share in points, at most 7 columns. */
void ui_baseline_text(char *out, size_t bytes, double change);

#endif
