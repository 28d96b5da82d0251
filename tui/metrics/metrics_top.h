/* SPDX-License-Identifier: MIT */
/* Figures by name, of which only important ones are shown: the methods or labels of one process.
 *
 * The names with the most recent activity get a place of their own and keep it while the process is watched. There are
 * METRICS_PLACES times as many places as names at the top; names without a place are summed as "other". A name's figure
 * begins at 0 when it gets a place; earlier values stay with "other". So no figure ever falls, and their sum is
 * complete.
 *
 * Threads: one. A zeroed struct with `size` set is empty.
 */
#ifndef RTOP_TUI_METRICS_TOP_H
#define RTOP_TUI_METRICS_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  METRICS_PLACES = 4,
  METRICS_FIGURES = 2,
  METRICS_TEXT_BYTES = 256, /* longer names are cut, and become one if equal then */
  METRICS_NAMES_MAX = 512,  /* number of names kept; beyond it those with the least join the others */
  METRICS_TOP_USUAL = 20,
  METRICS_TOP_MAX = 100,
};

/* settled: final; pending: since then; told: shown before, and never falls. */
struct metrics_figure {
  uint64_t settled, pending, told;
};

/* A name, possibly of two parts. */
struct metrics_item {
  const char *first, *second; /* sanitised */
  struct metrics_figure figures[METRICS_FIGURES];
  uint64_t from[METRICS_FIGURES]; /* value reported before it got its place */
};

struct metrics_entry; /* private */
struct metrics_top {
  size_t size; /* of the top */
  struct metrics_entry *entries;
  size_t shown;
  struct metrics_figure rest[METRICS_FIGURES]; /* of names that are not known */
  uint64_t other[METRICS_FIGURES];
};

/* Call at the start of a look: pending figures are reported anew. */
void metrics_top_begin(struct metrics_top *top);
void metrics_top_add(struct metrics_top *top, const char *first, const char *second, int figure, uint64_t settled,
                     uint64_t pending);
/* Call at the end of a look: assigns places. */
void metrics_top_end(struct metrics_top *top);
/* The next name with a place after `item` (NULL: the first); NULL: there are no more. */
const struct metrics_item *metrics_top_next(const struct metrics_top *top, const struct metrics_item *item);
static inline uint64_t metrics_item_value(const struct metrics_item *item, int figure)
{
  return item->figures[figure].told - item->from[figure];
}
void metrics_top_destroy(struct metrics_top *top);

#define METRICS_OTHER "(other)"

static inline void metrics_figure_tell(struct metrics_figure *figure)
{
  uint64_t now = figure->settled + figure->pending;
  if (now > figure->told) figure->told = now;
}

#endif
