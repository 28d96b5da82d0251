/* SPDX-License-Identifier: MIT */
/* Counted calls of the program: the figures of a span combined, and made into a sum like those of the sampler, so that
 * tables and exports of a sum work for calls, too.
 *
 * In such a sum the samples of a cell are its exact number of calls; running time and CPU time are both the calls' own
 * time, since there is only one clock. Everything belongs to one thread without a name.
 *
 * Threads: one. The figures or the sum own their memory and reuse it; structs of zeros are empty.
 */
#ifndef RTOP_TUI_WHOLE_SUM_H
#define RTOP_TUI_WHOLE_SUM_H

#include "shm/base/format.h"
#include "tui/history/profile.h"
#include "tui/history/profile_lists.h"
#include "tui/text/pairs.h"

struct whole_head {
  enum rtop_whole_state state; /* state at the end of the span, of the process
                                  that is least advanced; 0: not requested */
  bool told;                   /* there is anything to show */
  uint32_t processes, refused; /* number of processes that reported a state, and of those that refused */
  uint64_t traced_ns;          /* of the longest traced process */
  uint64_t calls, own_ns, untimed, unnamed;
};

/* Overhead of counting per call, which was subtracted. */
uint64_t whole_own_ns(const struct whole_head *head);

/* The last counting of each process, by the number that the process gave it. 0: none. */
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
  struct rtop_pairs of; /* private, as are all following fields: (source, node) -> index + 1 */
  uint64_t sources_ns[RTOP_SOURCES_MAX + 1];
  uint8_t states[RTOP_SOURCES_MAX + 1];
  struct whole_before before;
};

/* Returns the countings known from windows that end within a span, which requests made afterwards must ignore. */
struct whole_before whole_before(const struct rtop_profile *profile, struct rtop_span span);
/* Does the state belong to a request made earlier than `before`? */
bool whole_is_before(const struct whole_before *before, uint32_t source, const struct rtop_exact_number *state);

/* Windows of several processes do not begin together: figures of a request at some instant are searched in windows that
 * begin up to this much earlier (ns), all of which must be in the span. `before` excludes older requests. */
#define WHOLE_EARLIER_NS INT64_C(1000000000)

/* Builds the figures of a span without those of `before`. False: memory ran out. */
bool whole_numbers_build(struct whole_numbers *numbers, const struct rtop_profile *profile, struct rtop_span span);
/* For a keeper (profile.h): marks the call tree nodes of the figures as used. */
void whole_numbers_keep(const struct whole_numbers *numbers, struct rtop_symbols *symbols);
void whole_numbers_destroy(struct whole_numbers *numbers);

/* Makes a sum as the profile's lens shows it: calls of hidden methods are dropped and their time goes to the nearest
 * shown caller; calls within merged frames are dropped. For one source, or all (WHOLE_ALL_SOURCES). Cells are sorted.
 * False: memory ran out. */
#define WHOLE_ALL_SOURCES UINT32_MAX
bool whole_sum_build(struct rtop_sum *sum, const struct whole_numbers *numbers, struct rtop_profile *profile,
                     struct rtop_span span, uint32_t source);

#endif
