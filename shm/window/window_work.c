/* SPDX-License-Identifier: MIT */
/* Adds up labelled work regardless of its labels. */
#include "window_work.h"

bool window_work_become_rest(struct rtop_exact *exact)
{
  bool told = exact->what == RTOP_WORK_ENDED || exact->what == RTOP_WORK_TIME_NS ||
              exact->what == RTOP_WORK_LONGEST_NS || exact->what == RTOP_WORK_UNTIMED;
  exact->node = RTOP_NODE_FOLDED;
  exact->key = rtop_work_key(0, rtop_work_key_cause(exact->key), 0);
  return told && rtop_work_key_cause(exact->key) < RTOP_WORK_CAUSES;
}

bool window_fold_work(struct rtop_window *window)
{
  uint64_t rest[RTOP_WORK_WHAT_END - RTOP_WORK_ENDED][RTOP_WORK_CAUSES] = { { 0 } };
  size_t kept = 0, before = window->exact_count;
  for (size_t i = 0; i < before; i++) {
    struct rtop_exact exact = window->exact[i];
    if (!window_is_work(&exact)) {
      window->exact[kept++] = exact;
    } else if (window_work_become_rest(&exact)) {
      uint64_t *sum = &rest[exact.what - RTOP_WORK_ENDED][rtop_work_key_cause(exact.key)];
      *sum = rtop_exact_sum(exact.what, *sum, exact.value);
    }
  }
  for (uint32_t what = RTOP_WORK_ENDED; what < RTOP_WORK_WHAT_END; what++)
    for (uint32_t cause = 0; cause < RTOP_WORK_CAUSES; cause++) {
      uint64_t value = rest[what - RTOP_WORK_ENDED][cause];
      struct rtop_exact row = { RTOP_NODE_FOLDED, what, rtop_work_key(0, cause, 0), value };
      if (value) window->exact[kept++] = row; /* each was at least one before */
    }
  window->exact_count = kept;
  return kept < before;
}
