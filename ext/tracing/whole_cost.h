/* SPDX-License-Identifier: MIT */
/* Final correction of the overhead of counting all calls.
 *
 * The overhead per call is measured before counting begins, and the hook subtracts it. A processor is faster at some
 * moments than at others, so the measured overhead can be too large; short calls would then have no time left. The
 * overhead is therefore measured again at the end, and the smaller value counts; its inner part is also limited by the
 * average of the fastest method that calls nothing, since no call is shorter than its own overhead. At least a tenth of
 * a method's measured own time remains (rperf-top(1), --trace-all). The correction only adds time, so windows that were
 * already published stay valid.
 *
 * Threads: with the GVL, when the hook is removed and no call is open; the publisher reads meanwhile.
 */
#ifndef RTOP_EXT_WHOLE_COST_H
#define RTOP_EXT_WHOLE_COST_H

#include "whole_tree.h"

enum {
  WHOLE_COST_CALLS = 1000, /* minimum number of calls for a method's mean to count */
  WHOLE_COST_LEFT = 10     /* a tenth remains */
};

enum whole_kind { WHOLE_RUBY, WHOLE_C, WHOLE_KINDS };

struct whole_cost {
  int64_t inside, outside; /* ticks per call */
};

/* Corrects all nodes, given the overhead `before`, which was subtracted, and `again`, which was measured at the end.
 * Returns the number of ticks given back; 0 when memory ran out. */
int64_t whole_cost_settle(struct whole_tree *tree, const struct whole_cost before[WHOLE_KINDS],
                          const struct whole_cost again[WHOLE_KINDS]);

#endif
