/* SPDX-License-Identifier: MIT */
/* Exact figures beside those of the sampler. */
#include "ui_traces.h"

#include "ui.h"
#include <string.h>

bool ui_traces_update(struct ui *ui)
{
  struct ui_traces *traces = &ui->traces;
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  traces->table.count = traces->slow.count = 0;
  bool any = rtop_profile_has_exact(ui->profile);
  bool fine = !any || (exact_table_build(&traces->table, ui->profile, ui->span, NULL, 0) &&
                       slow_list_build(&traces->slow, ui->profile, ui->span));
  bool calls = ui_calls_are_shown(ui); /* rows have their figures already */
  if (!calls && (traces->table.count || traces->in_rows)) exact_table_tell(&traces->table, symbols, &ui->methods);
  traces->in_rows = traces->table.count > 0 || (calls && traces->in_rows);
  ui->look.columns.traced = traces->table.count > 0;
  return fine;
}

void ui_traces_forget(struct ui *ui)
{
  exact_table_destroy(&ui->traces.table);
  slow_list_destroy(&ui->traces.slow);
  ui->traces.in_rows = ui->look.columns.traced = false;
}

const struct exact_row *ui_traces_of(const struct ui *ui, uint32_t frame)
{
  return exact_table_of(&ui->traces.table, rtop_profile_symbols(ui->profile), frame);
}
