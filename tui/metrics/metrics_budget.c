/* SPDX-License-Identifier: MIT */
/* Compares CPU time with time. */
#include "metrics_budget.h"

#define BUDGET_SECOND_NS INT64_C(1000000000)

bool metrics_budget_look(struct metrics_budget *budget, int64_t now_ns, int64_t cpu_ns)
{
  int64_t passed_ns = now_ns - budget->since_ns, taken_ns = cpu_ns - budget->cpu_ns;
  bool begins = budget->since_ns == 0, before = budget->over, saves = budget->saves;
  if (!begins && passed_ns < METRICS_BUDGET_LOOK_S * BUDGET_SECOND_NS) return false;
  budget->since_ns = now_ns;
  budget->cpu_ns = cpu_ns;
  if (begins) return false;
  budget->over = taken_ns > passed_ns / 1000 * METRICS_BUDGET_PER_MILLE;
  if (!saves && budget->over && before) {
    budget->saves = true;
    budget->until_ns = now_ns + METRICS_BUDGET_SAVES_S * BUDGET_SECOND_NS;
  } else if (saves && now_ns >= budget->until_ns) {
    budget->saves = budget->over = false;
  }
  return budget->saves != saves;
}
