/* SPDX-License-Identifier: MIT */
/* Calls of traced methods above the threshold, or slow blocks with labels, one by one. No screen.
 *
 * Threads: one. The list owns its memory and reuses it; a struct of zeros is empty.
 */
#ifndef RTOP_TUI_SLOW_LIST_H
#define RTOP_TUI_SLOW_LIST_H

#include "shm/base/format.h"
#include "tui/history/profile.h"
#include "tui/history/profile_lists.h"

enum { SLOW_LIST_MAX = 4096, SLOW_LIST_FEW = 5 };

struct slow_row {
  struct rtop_slow_call call;
  uint32_t frame;                 /* frame of the method; of a block: frame of its label set */
  uint32_t labels;                /* frame of the label set of the call; 0: none */
  uint32_t source;                /* UINT32_MAX: not known any more */
  char args[RTOP_ARGS_BYTES + 1]; /* the arguments, a copy, since the profile may drop the original; "": not reported */
  const char *thread;             /* name of the thread, "" when unknown; valid as long as the profile */
  uint32_t native_id;             /* of the thread; 0: unknown */
};

struct slow_list {
  struct slow_row *rows; /* rows, oldest first; of more than SLOW_LIST_MAX the longest are kept */
  size_t count, capacity;
  bool failed; /* private */
};

/* Lists calls of all methods in a span. False: memory ran out. */
bool slow_list_build(struct slow_list *list, const struct rtop_profile *profile, struct rtop_span span);
/* Lists blocks that took at least slower_ns, of one source (its number + 1; 0: all sources), except those that the
   lens leaves out. */
bool slow_list_build_blocks(struct slow_list *list, struct rtop_profile *profile, struct rtop_span span,
                            uint64_t least_ns, uint32_t only_source);
void slow_list_destroy(struct slow_list *list);

/* Returns the next call of one method at or after position *at, which is advanced; NULL: there are no more. */
const struct slow_row *slow_list_next(const struct slow_list *list, uint32_t frame, size_t *at);
/* And how many these are. */
size_t slow_list_of(const struct slow_list *list, uint32_t frame);
/* Number of these calls with arguments. */
size_t slow_list_with_args(const struct slow_list *list, uint32_t frame);

#endif
