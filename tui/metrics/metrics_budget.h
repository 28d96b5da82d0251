/* SPDX-License-Identifier: MIT */
/* What the agent may take of a core. When it takes more, stalls are looked for no longer in processes that work, and of
 * them, too, only sums of a second are read; after a while it tries again.
 *
 * Threads: no shared state. A zeroed struct begins with the first look.
 */
#ifndef RTOP_TUI_METRICS_BUDGET_H
#define RTOP_TUI_METRICS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum {
  METRICS_BUDGET_PER_MILLE = 18, /* of a core: what comes at once, as many new processes, shall not make it 2 % */
  METRICS_BUDGET_LOOK_S = 15,    /* over so long, twice in a row */
  METRICS_BUDGET_SAVES_S = 600,
};

struct metrics_budget {
  bool saves;
  int64_t since_ns, cpu_ns; /* when it was looked at last, and the CPU time until then */
  int64_t until_ns;
  bool over; /* it was too much the last time */
};

/* CPU time and clock of now. True: that changed `saves`. */
bool metrics_budget_look(struct metrics_budget *budget, int64_t now_ns, int64_t cpu_ns);

#endif
