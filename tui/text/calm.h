/* SPDX-License-Identifier: MIT */
/* Shapes that stand still while nothing but chance moves them: a length is drawn as it was until it differs by more than
 * its tolerance; then as it is. So what is drawn never differs from the truth by more.
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

#endif
