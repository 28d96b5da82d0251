/* SPDX-License-Identifier: MIT */
/* All calls of the program while they were traced: the numbers of a span put together, and as a sum like those of the sampler,
 * so that whatever is made from a sum can be made from calls.
 *
 * In such a sum the samples of a cell are calls, exactly, and its running time and CPU time both are the calls' own time: there
 * is one clock, whichever is asked for. All of it belongs to one thread that has no name.
 *
 * Threads: one. Memory belongs to the numbers, or to the sum, and is used again; zeroed structs are empty.
 */
#ifndef RTOP_TUI_WHOLE_SUM_H
#define RTOP_TUI_WHOLE_SUM_H

#include "shm/base/format.h"
#include "tui/history/profile.h"
#include "tui/history/profile_lists.h"
#include "tui/text/pairs.h"

struct whole_head {
  enum rtop_whole_state
      state; /* at the end of the span, of the process that has longest to go; 0: nobody asks for it */
  bool told; /* there is anything to show */
  uint32_t processes, refused; /* that told of it; that did not do it */
  uint64_t traced_ns;          /* of the longest traced process */
  uint64_t calls, own_ns, untimed, unnamed;
};

/* What tracing cost a call, and was taken off. */
uint64_t whole_own_ns(const struct whole_head *head);

/* Which tracing each process told of last; it counts them. 0: none. */
struct whole_before {
  uint32_t serials[RTOP_SOURCES_MAX + 1];
};

struct whole_number {
  uint32_t source, node;
  uint64_t calls, total_ns, self_ns;
};

struct whole_numbers {
  struct whole_head head;
  struct whole_number *all;
  size_t count, capacity;
  struct rtop_pairs of; /* private, as all that follow: (source, node): index + 1 */
  uint64_t sources_ns[RTOP_SOURCES_MAX + 1];
  uint8_t states[RTOP_SOURCES_MAX + 1];
  struct whole_before before;
};

/* As told up to the end of a span: whoever asks next wants nothing of these. */
struct whole_before whole_before(const struct rtop_profile *profile, struct rtop_span span);
/* Is this the state of what was asked for before? */
bool whole_is_before(const struct whole_before *before, uint32_t source, const struct rtop_exact_number *state);

/* Windows of several processes do not begin together: what was asked for at an instant is looked for in windows that began so
 * much earlier, all of which must lie in the span. `before` leaves out what else they tell. */
#define WHOLE_EARLIER_NS INT64_C(1000000000)

/* Those of a span, without what is of `before`. False: memory ran out. */
bool whole_numbers_build(struct whole_numbers *numbers, const struct rtop_profile *profile, struct rtop_span span);
/* For a keeper (profile.h): their call nodes are still used. */
void whole_numbers_keep(const struct whole_numbers *numbers, struct rtop_symbols *symbols);
void whole_numbers_destroy(struct whole_numbers *numbers);

/* As the lens of the profile shows them: calls of what it hides are not told, their time is that of the nearest caller that
 * is shown; calls within what it puts together are none. Of one source, or of all (WHOLE_ALL_SOURCES). Cells are in order.
 * False: memory ran out. */
#define WHOLE_ALL_SOURCES UINT32_MAX
bool whole_sum_build(struct rtop_sum *sum, const struct whole_numbers *numbers, struct rtop_profile *profile,
                     struct rtop_span span, uint32_t source);

#endif
