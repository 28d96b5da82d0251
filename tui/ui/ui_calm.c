/* SPDX-License-Identifier: MIT */
/* Shapes that stand still. */
#include "ui_calm.h"

#include "ui.h"

double ui_calm_samples(const struct ui *ui)
{
  const struct rtop_sum *sum = ui_shown_sum(ui);
  return ui->exact ? 0 : (double)sum->counters.rate_hz * (double)sum->length_ns / 1e9;
}

double ui_calm_share(const struct ui *ui, uint64_t row, uint32_t what, double share)
{
  return rtop_calm_keep(ui->calm, rtop_calm_key(row, what), share, rtop_calm_noise(share, ui_calm_samples(ui)));
}
