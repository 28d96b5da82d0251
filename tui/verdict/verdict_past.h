/* SPDX-License-Identifier: MIT */
/* Finds how long a verdict has held: earlier spans are judged one after the other until the verdict differs.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_VERDICT_PAST_H
#define RTOP_TUI_VERDICT_PAST_H

#include "verdict.h"

/* A stretch of time with the same verdict, as far as it was examined. */
struct verdict_stretch {
  struct verdict of;        /* private */
  uint32_t source;          /* private: whose verdict that is */
  int64_t start_ns, end_ns; /* start: the verdict has held at least since then;
                               end (private): of the last judged span, 0: none */
  bool longer;              /* and maybe before: nobody has looked */
};

struct verdict_past {
  struct rtop_sum sum; /* private */
  struct verdict_stretch now;
  struct verdict_stretch before; /* private: the one before that */
};

/* Returns how long the verdict has held at the end of the span. Examines up to ten seconds, and more if the verdict is
 * known to have been the same before these, with short interruptions. Results are kept while the verdict stays the same
 * and time goes on. */
int64_t verdict_past_ns(struct verdict_past *past, struct verdict_maker *maker, struct rtop_profile *profile,
                        uint32_t source, const struct verdict *verdict, struct rtop_span span);
void verdict_past_keep(const struct verdict_past *past, struct rtop_symbols *symbols); /* as verdict_keep() */
void verdict_past_destroy(struct verdict_past *past);

#endif
