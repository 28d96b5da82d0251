/* SPDX-License-Identifier: MIT */
/* Shapes that stand still. */
#include "ui_hysteresis.h"

#include "ui.h"

double ui_hysteresis_samples(const struct ui *ui)
{
  const struct rtop_sum *sum = ui_shown_sum(ui);
  return ui->exact ? 0 : (double)sum->counters.rate_hz * (double)sum->length_ns / 1e9;
}

double ui_hysteresis_share(const struct ui *ui, uint64_t row, uint32_t what, double share)
{
  return rtop_hysteresis_keep(ui->hysteresis, rtop_hysteresis_key(row, what), share,
                              rtop_hysteresis_noise(share, ui_hysteresis_samples(ui)));
}
