/* For how long a verdict has held: the spans before it are judged, one after the other, until one says something else.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_VERDICT_PAST_H
#define RTOP_TUI_VERDICT_PAST_H

#include "verdict.h"

/* While it was so it was looked at all the time, but for the first seconds, of which the windows told. */
struct verdict_stretch {
  struct verdict of;
  uint32_t source;          /* that was asked for */
  int64_t start_ns, end_ns; /* end_ns 0: there is none */
  bool longer;
};

struct verdict_past {
  struct rtop_sum sum;           /* private */
  int64_t start_ns;              /* it was so since then at least */
  bool longer;                   /* and maybe before: nobody has looked */
  struct verdict of;             /* private: whose past that is */
  uint32_t source;               /* private: that was asked for last */
  int64_t end_ns;                /* private: of the span it was asked for last */
  struct verdict_stretch before; /* private: the one before that */
};

/* Looks back from a span, by ten seconds at most, and further if the verdict was the same until then, with another one for a
 * moment between. What was found is kept as long as the verdict stays the same and time goes on. Returns how long it has
 * been so at the end of the span. */
int64_t verdict_past_ns(struct verdict_past *past, struct verdict_maker *maker, struct rtop_profile *profile,
                        uint32_t source, const struct verdict *verdict, struct rtop_span span);
void verdict_past_destroy(struct verdict_past *past);

#endif
