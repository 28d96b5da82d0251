/* What is shown of figures that swing. */
#include "ui_calm.h"

#include "ui.h"
#include <math.h>

#define PART_COUNT 0.25
#define PART_MEASURED 0.1

double ui_calm_samples(const struct ui *ui)
{
  const struct rtop_sum *sum = ui_shown_sum(ui);
  return ui->exact ? 0 : (double)sum->counters.rate_hz * (double)sum->length_ns / 1e9;
}

double ui_calm_share(const struct ui *ui, uint64_t row, uint32_t what, double share)
{
  return rtop_calm_keep(ui->calm, rtop_calm_key(row, what), share, rtop_calm_noise(share, ui_calm_samples(ui)));
}

uint64_t ui_calm_ns(const struct ui *ui, uint64_t row, uint32_t what, uint64_t ns)
{
  double length = (double)ui_shown_sum(ui)->length_ns;
  if (length <= 0) return ns;
  double share = (double)ns / length, shown = ui_calm_share(ui, row, what, share);
  return shown == share ? ns : (uint64_t)(shown * length + 0.5); /* not a nanosecond off */
}

double ui_calm_measured(const struct ui *ui, uint64_t row, uint32_t what, double value, double least)
{
  double tolerance = ui_calm_samples(ui) > 0 ? fmax(fabs(value) * PART_MEASURED, least) : 0;
  return rtop_calm_keep(ui->calm, rtop_calm_key(row, what), value, tolerance);
}

double ui_calm_count(const struct ui *ui, uint64_t row, uint32_t what, double count)
{
  double part = ui_calm_samples(ui) > 0 ? PART_COUNT : 0;
  return rtop_calm_keep(ui->calm, rtop_calm_key(row, what), count, fabs(count) * part);
}
