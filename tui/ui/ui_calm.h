/* Figures on the screen: shares of the window stay as they were until they differ by more than chance makes of the
 * samples (calm.h), counts until they differ by a quarter. They are shown as they are (ui->exact) when the screen is
 * frozen, when something is compared, and after each key.
 */
#ifndef RTOP_TUI_UI_CALM_H
#define RTOP_TUI_UI_CALM_H

#include <stdbool.h>
#include <stdint.h>

struct ui;

/* What is told, besides the columns of a view: a view's number and a column's make one (UI_CALM). */
enum { UI_CALM_HEADER = 64, UI_CALM_VERDICT };
#define UI_CALM(view, column) ((uint32_t)(view) << 16 | (uint32_t)(column))

/* Samples of a thread in the window; 0: nothing is left to chance. */
double ui_calm_samples(const struct ui *ui);
/* A share of the window (1: one thread all the time), or time as such a share; what is counted. */
double ui_calm_share(const struct ui *ui, uint64_t row, uint32_t what, double share);
uint64_t ui_calm_ns(const struct ui *ui, uint64_t row, uint32_t what, uint64_t ns);
/* What is measured, not sampled: kept within a tenth of it and `least`. */
double ui_calm_measured(const struct ui *ui, uint64_t row, uint32_t what, double value, double least);
double ui_calm_count(const struct ui *ui, uint64_t row, uint32_t what, double count);

#endif
