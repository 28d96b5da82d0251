/* For how long a verdict has held: the spans before it are judged, one after the other, until one says something else.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_VERDICT_PAST_H
#define RTOP_TUI_VERDICT_PAST_H

#include "verdict.h"

struct verdict_past {
  struct rtop_sum sum; /* private */
  int64_t start_ns;    /* it was so since then at least */
  bool longer;         /* and maybe before: nobody has looked */
  struct verdict of;   /* private: whose past that is */
  int64_t end_ns;      /* private: of the span it was asked for last */
};

/* Looks back from a span, by ten seconds at most; what was found is kept as long as the verdict stays the same and
 * time goes on. Returns how long it has been so at the end of the span. */
int64_t verdict_past_ns(struct verdict_past *past, struct verdict_maker *maker, struct rtop_profile *profile,
                        uint32_t source, const struct verdict *verdict, struct rtop_span span);
void verdict_past_destroy(struct verdict_past *past);

#endif
