/* SPDX-License-Identifier: MIT */
/* For how long a verdict has held: the spans before it are judged, one after the other, until one says something else.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_VERDICT_PAST_H
#define RTOP_TUI_VERDICT_PAST_H

#include "verdict.h"

/* For as long as a verdict was the same, as far as anybody looked. */
struct verdict_stretch {
  struct verdict of;        /* private */
  uint32_t source;          /* private: whose verdict that is */
  int64_t start_ns, end_ns; /* it was so since then at least; private: of the span it was asked for last, 0: none */
  bool longer;              /* and maybe before: nobody has looked */
};

struct verdict_past {
  struct rtop_sum sum; /* private */
  struct verdict_stretch now;
  struct verdict_stretch before; /* private: the one before that */
};

/* Looks back from a span, by ten seconds at most, and further if the verdict was the same until then, with another one for a
 * moment between. What was found is kept as long as the verdict stays the same and time goes on. Returns how long it has
 * been so at the end of the span. */
int64_t verdict_past_ns(struct verdict_past *past, struct verdict_maker *maker, struct rtop_profile *profile,
                        uint32_t source, const struct verdict *verdict, struct rtop_span span);
void verdict_past_keep(const struct verdict_past *past, struct rtop_symbols *symbols); /* as verdict_keep() */
void verdict_past_destroy(struct verdict_past *past);

#endif
