/* SPDX-License-Identifier: MIT */
/* What counting all calls cost itself, once all is counted: not more is taken off than there was.
 *
 * A call's own cost is learnt before, and the hook takes it off while it counts. But a processor has faster and slower
 * moments, and one in which it was learnt may be none of the others: too much taken off leaves nothing of what short
 * calls took. So it is measured again at the end, and what holds is the least of
 *   what a call cost before, and, when its time was up, what it cost at the end;
 *   of the part inside, the mean of the quickest method that calls nothing: no call took less than its own cost.
 * And of what was measured of a method itself a tenth stays, whatever its calls cost
 * (rperf-top(1), --trace-all). Times only grow by that, so that windows that were told before stay true.
 *
 * Threads: under the GVL, when the hook is off and no call is open; the publisher reads meanwhile.
 */
#ifndef RTOP_EXT_WHOLE_COST_H
#define RTOP_EXT_WHOLE_COST_H

#include "whole_tree.h"

enum { WHOLE_COST_CALLS = 1000 /* of a method whose mean counts */, WHOLE_COST_LEFT = 10 /* a tenth stays */ };

enum whole_kind { WHOLE_RUBY, WHOLE_C, WHOLE_KINDS };

struct whole_cost {
  int64_t inside, outside; /* ticks a call */
};

/* `before` was taken off. Returns the ticks that were given back; without memory none are. */
int64_t whole_cost_settle(struct whole_tree *tree, const struct whole_cost before[WHOLE_KINDS],
                          const struct whole_cost again[WHOLE_KINDS]);

#endif
