/* SPDX-License-Identifier: MIT */
/* How long labelled work took, divided by what its thread did meanwhile, and which work has not ended. Exact except for
 * quantiles, which are within 0.8 % for the whole and within 6.2 % by cause. No screen.
 *
 * Threads: one. The figures own their memory and reuse it; a struct of zeros is empty.
 */
#ifndef RTOP_TUI_WORK_FIGURES_H
#define RTOP_TUI_WORK_FIGURES_H

#include "shm/base/format.h"
#include "tui/history/profile_lists.h"

struct work_time {
  uint64_t sum_ns, longest_ns;
  uint64_t some;                   /* number of pieces that spent any time on this
                                      cause; for the whole: of all that ended */
  uint64_t counted;                /* of these, in buckets */
  bool known;                      /* most of them were: */
  uint64_t p50_ns, p90_ns, p99_ns; /* of all pieces that ended */
};

enum { WORK_QUANTILES = 3 }; /* p50, p90, p99 */

/* The range in which a quantile lies by chance alone: the order statistics 2 sqrt(n q (1 - q)) + 1 ranks away, for the
 * quantile q of n pieces: two standard deviations, and one rank because n may be small. */
struct work_range {
  uint64_t low_ns, high_ns;
};

struct work_figures {
  uint64_t ended, open, oldest_ns;
  uint64_t over; /* number of ended pieces in buckets above that of numbers->over_ns */
  struct work_time of[RTOP_WORK_CAUSES];
  struct work_range range[WORK_QUANTILES]; /* of the whole; where that is known */
};

struct work_numbers {
  struct work_count *counts; /* private, as all */
  size_t count, capacity, sorted;
  struct work_open *opens;
  size_t open_count, open_capacity;
  uint64_t open_order;
  bool opens_full;
  uint64_t over_ns; /* the caller's */
};

void work_numbers_clear(struct work_numbers *numbers);
void work_numbers_destroy(struct work_numbers *numbers);

static inline bool work_is(uint32_t what)
{
  return what >= RTOP_WORK_ENDED && what < RTOP_WORK_WHAT_END;
}

/* Adds a figure from rtop_profile_each_exact(), in the order of its visits, for which work_is() is true. `figures` must
 * stay in place until work_numbers_finish(), which computes everything that needs all figures. False: memory ran
 * out. */
bool work_numbers_add(struct work_numbers *numbers, struct work_figures *figures, uint32_t source,
                      const struct rtop_exact_number *number);
void work_numbers_finish(struct work_numbers *numbers);

/* A word: "running", "gvl"; "" of the whole. */
const char *work_cause_name(enum rtop_work_cause cause);
/* For people: "run", "GVL", "I/O". */
const char *work_cause_title(enum rtop_work_cause cause);
/* Writes the causes with their shares: "sleep 62% GVL 20%", the largest first, as many as fit; shares below half a per
   cent are left out. */
void work_causes_words(char *text, size_t bytes, const uint64_t ns[RTOP_WORK_CAUSES], uint64_t all_ns);
static inline uint64_t work_mean_ns(const struct work_figures *figures, enum rtop_work_cause cause)
{
  return figures->ended ? figures->of[cause].sum_ns / figures->ended : 0;
}

#endif
