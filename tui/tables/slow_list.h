/* SPDX-License-Identifier: MIT */
/* Calls of traced methods that took longer than was asked for, one by one. No screen.
 *
 * Threads: one. Memory belongs to the list and is used again; a zeroed struct is empty.
 */
#ifndef RTOP_TUI_SLOW_LIST_H
#define RTOP_TUI_SLOW_LIST_H

#include "shm/base/format.h"
#include "tui/history/profile.h"
#include "tui/history/profile_lists.h"

enum { SLOW_LIST_MAX = 4096 };

struct slow_row {
  struct rtop_slow_call call;
  uint32_t frame;                 /* of the method */
  uint32_t labels;                /* frame of the set of labels that it was made under; 0: none */
  uint32_t source;                /* UINT32_MAX: not known any more */
  char args[RTOP_ARGS_BYTES + 1]; /* not the call's, which go with the profile; "": not told */
  const char *thread;             /* its name, "" when it is not known; valid as long as the profile */
};

struct slow_list {
  struct slow_row *rows; /* oldest first; of more than SLOW_LIST_MAX the longest */
  size_t count, capacity;
  bool failed; /* private */
};

/* False: memory ran out. */
bool slow_list_build(struct slow_list *list, const struct rtop_profile *profile, struct rtop_span span);
void slow_list_destroy(struct slow_list *list);

/* Those of one method, from *at on, which moves behind it; NULL: there are no more. */
const struct slow_row *slow_list_next(const struct slow_list *list, uint32_t frame, size_t *at);
/* And how many these are. */
size_t slow_list_of(const struct slow_list *list, uint32_t frame);
/* And how many of them tell their arguments. */
size_t slow_list_with_args(const struct slow_list *list, uint32_t frame);

#endif
