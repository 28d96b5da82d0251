/* Figures and rows that stand still while nothing but chance moves them.
 *
 * A figure is shown as it was until it differs by more than its tolerance; then it is shown as it is. So what is shown
 * never differs from the truth by more. A row keeps its place until it would stand above one that is larger by more than
 * a tolerance.
 *
 * Threads: one. A zeroed struct is empty; memory belongs to it and is bounded by what was asked for lately.
 */
#ifndef RTOP_TUI_CALM_H
#define RTOP_TUI_CALM_H

#include "pairs.h"
#include <stdbool.h>

/* How much a share of time differs by chance from one window of so many samples (of a thread) to the next: the square
 * root of twice those that it has, and one more. 0 samples: by nothing. */
double rtop_calm_noise(double share, double samples);
/* How little something may be worth to stand above what is worth `most`: less by a part of it, or by `least`, but more
 * than half of it. */
double rtop_calm_least_above(double most, double least, int part);
/* What a figure that is shown as `shown` is shown as when its value is `value`. */
double rtop_calm_figure(double shown, double value, double tolerance);

struct rtop_calm {
  struct rtop_pairs index; /* private, as the rest: halves of a key to a figure + 1 */
  struct rtop_calm_kept {
    uint64_t key;
    double shown;
    uint32_t asked; /* at which step */
  } * kept;
  size_t count, capacity;
  uint32_t step;
};

/* What the figure of this key is shown as. When memory runs out as it is. */
double rtop_calm_keep(struct rtop_calm *calm, uint64_t key, double value, double tolerance);
/* Between two refreshes: what was not asked for in the last ones may be forgotten. */
void rtop_calm_step(struct rtop_calm *calm);
void rtop_calm_forget(struct rtop_calm *calm);
/* A key of two numbers: the row, and what is told of it. */
uint64_t rtop_calm_key(uint64_t row, uint32_t what);

struct rtop_calm_row {
  double worth;  /* the largest first */
  uint32_t rank; /* where it stood; UINT32_MAX: nowhere */
  bool taken;    /* private */
};

/* Rows that come sorted by worth: `out` tells which of them stands where. Of those that may stand at a place the one
 * that stood highest takes it. `heap`: room for `count` numbers. */
void rtop_calm_order(struct rtop_calm_row *rows, size_t count, double least, int part, uint64_t *heap, uint32_t *out);

#endif
