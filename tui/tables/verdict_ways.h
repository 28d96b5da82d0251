/* What a stack is called by those who know the program: where its leaf was called by the application's own code.
 *
 * Answers are kept per node until the symbols give ids of what is gone to others. Threads: one.
 */
#ifndef RTOP_TUI_VERDICT_WAYS_H
#define RTOP_TUI_VERDICT_WAYS_H

#include "tui/history/profile.h"

/* Of a call node and all that called it. */
struct verdict_way {
  uint32_t own;      /* frame: the nearest method of the application; of none the nearest one in Ruby; 0: none */
  uint8_t depth;     /* methods in Ruby, at most 255; those of Ruby's own do not count */
  bool known;        /* private */
  bool mine;         /* `own` is the application's */
  bool mine_outside; /* the outermost method in Ruby is: no framework called the application */
};

struct verdict_ways {
  struct verdict_way *of; /* by node */
  size_t capacity;
  uint32_t reuses, version;
};

/* Before anything is asked: the profile may have changed since. False: memory ran out. */
bool verdict_ways_begin(struct verdict_ways *ways, struct rtop_profile *profile);
struct verdict_way verdict_ways_get(struct verdict_ways *ways, struct rtop_profile *profile, uint32_t node);
void verdict_ways_destroy(struct verdict_ways *ways);

#endif
