/* SPDX-License-Identifier: MIT */
/* The CPU limit of the agent. Beyond the limit, stalls are no longer searched in busy processes, and only sums of
 * seconds are read; after a while, full reading is tried again.
 *
 * Threads: no shared state. A struct of zeros starts measuring at the first check.
 */
#ifndef RTOP_TUI_METRICS_BUDGET_H
#define RTOP_TUI_METRICS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum {
  METRICS_BUDGET_PER_MILLE = 18, /* thousandths of a core; leaves room for bursts,
                                    such as many new processes, below 2 % */
  METRICS_BUDGET_LOOK_S = 15,    /* over so long, twice in a row */
  METRICS_BUDGET_SAVES_S = 600,
};

struct metrics_budget {
  bool saves;
  int64_t since_ns, cpu_ns; /* time of the last check, and CPU time used until then */
  int64_t until_ns;
  bool over; /* it was too much the last time */
};

/* Checks the CPU time used against the limit. True: `saves` has changed. */
bool metrics_budget_look(struct metrics_budget *budget, int64_t now_ns, int64_t cpu_ns);

#endif
