/* SPDX-License-Identifier: MIT */
/* Keeps drawn lengths constant while they change only by chance: a length is drawn unchanged until it differs by more
 * than its tolerance, so the drawn length is never wrong by more than the tolerance.
 *
 * Threads: one. A struct of zeros is empty; its memory is bounded by recent use.
 */
#ifndef RTOP_TUI_HYSTERESIS_H
#define RTOP_TUI_HYSTERESIS_H

#include "pairs.h"
#include <stdbool.h>

/* Returns the random difference of a share of time between two windows with this many samples (of a thread): the square
 * root of twice the samples that the share has, plus one. 0 samples: none. */
double rtop_hysteresis_noise(double share, double samples);
struct rtop_hysteresis {
  struct rtop_pairs index; /* private, as are all following members: halves of a key -> index of its value + 1 */
  struct rtop_hysteresis_kept {
    uint64_t key;
    double shown;
    uint32_t asked; /* at which step */
  } * kept;
  size_t count, capacity;
  uint32_t step;
};

/* Returns the value to show for this key; when memory runs out, `value` itself. */
double rtop_hysteresis_keep(struct rtop_hysteresis *hysteresis, uint64_t key, double value, double tolerance);
/* To be called between two updates: forgets keys that were not used recently. */
void rtop_hysteresis_step(struct rtop_hysteresis *hysteresis);
void rtop_hysteresis_forget(struct rtop_hysteresis *hysteresis);
/* Makes a key from two numbers: the row, and the number of a value in it. */
uint64_t rtop_hysteresis_key(uint64_t row, uint32_t what);

#endif
