/* Labels that began: how often work got one that it did not have before (RperfTop.label), by window.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_BEGUN_H
#define RTOP_TUI_PROFILE_BEGUN_H

#include "profile.h"

struct rtop_begun_count {
  uint32_t node;  /* of the set of labels; of something else: of any set, it did not fit */
  uint32_t label; /* which one of the set */
  uint64_t count; /* what a sum over the span takes of it */
};

/* Of every window of the span; of labels that the lens leaves out, nothing. The same may come many times. `source` is
 * UINT32_MAX where it is not known any more. */
void rtop_profile_each_begun(const struct rtop_profile *profile, struct rtop_span span,
                             void (*visit)(void *context, uint32_t source, const struct rtop_begun_count *begun),
                             void *context);

/* For the profile: a list by node and label, without two of the same. False when memory ran out. */
struct profile_begun {
  struct rtop_begun_count *all;
  size_t count, capacity;
};
bool profile_begun_add(struct profile_begun *list, const struct rtop_begun_count *begun);
bool profile_begun_add_all(struct profile_begun *list, const struct profile_begun *from);
void profile_begun_destroy(struct profile_begun *list);
static inline size_t profile_begun_bytes(const struct profile_begun *list)
{
  return list->capacity * sizeof *list->all;
}

#endif
