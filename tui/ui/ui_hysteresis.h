/* SPDX-License-Identifier: MIT */
/* Keeps widths of boxes in the icicle, which show no number, unchanged while the differences may be sampling noise
 * (hysteresis.h). Widths are exact (ui->exact) when the screen is frozen or compares, and after each key. Numbers are
 * never kept: all numbers on a screen are from one instant.
 */
#ifndef RTOP_TUI_UI_HYSTERESIS_H
#define RTOP_TUI_UI_HYSTERESIS_H

#include <stdbool.h>
#include <stdint.h>

struct ui;

/* Number of samples of a thread in the window; 0: no tolerance. */
double ui_hysteresis_samples(const struct ui *ui);
/* Returns the value to draw for a share of the window (1: one thread all the time). `what` distinguishes several values
 * of a row. */
double ui_hysteresis_share(const struct ui *ui, uint64_t row, uint32_t what, double share);

#endif
