/* SPDX-License-Identifier: MIT */
/* Keeps record of the counts that were reported. */
#include "trace_target.h"

void trace_target_forget(struct trace_target *target)
{
  for (int what = 0; what < RTOP_EXACT_WHAT_END; what++) target->told[what] = atomic_load(&target->numbers[what]);
  target->elsewhere_told = atomic_load(&target->elsewhere);
  atomic_store(&target->numbers[RTOP_EXACT_TOTAL_MAX], 0);
  atomic_store(&target->numbers[RTOP_EXACT_SELF_MAX], 0);
  for (int which = 0; which < 2 && target->times[which]; which++)
    for (uint32_t i = 0; i < RTOP_LATENCY_BUCKETS; i++)
      target->times_told[which][i] = atomic_load_explicit(&target->times[which][i], memory_order_relaxed);
}
