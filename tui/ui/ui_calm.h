/* SPDX-License-Identifier: MIT */
/* How wide boxes of the icicle are, which have no figure that anybody could compare: they stay as they were until they
 * differ by more than chance makes of the samples (calm.h). They are as they are (ui->exact) when the screen is frozen,
 * when something is compared, and after each key. A figure is never kept: all that is read on a screen is of one instant.
 */
#ifndef RTOP_TUI_UI_CALM_H
#define RTOP_TUI_UI_CALM_H

#include <stdbool.h>
#include <stdint.h>

struct ui;

/* Samples of a thread in the window; 0: nothing is left to chance. */
double ui_calm_samples(const struct ui *ui);
/* A share of the window (1: one thread all the time). `what` tells several of a row apart. */
double ui_calm_share(const struct ui *ui, uint64_t row, uint32_t what, double share);

#endif
