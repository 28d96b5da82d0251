/* SPDX-License-Identifier: MIT */
/* Figures by name, of which only important ones are shown: the methods or labels of one process.
 *
 * The names with the most recent activity get a series of their own and keep it while the process is watched. There are
 * METRICS_PLACES times as many series as names at the top; names without a series are summed as "other". A name's
 * figure begins at 0 when it gets a series; earlier values stay in "other". So no figure ever falls, and the sum of all
 * figures is complete.
 *
 * Threads: one. A struct of zeros with `size` set is empty.
 */
#ifndef RTOP_TUI_METRICS_TOP_H
#define RTOP_TUI_METRICS_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  METRICS_PLACES = 4,
  METRICS_FIGURES = 2,
  METRICS_TEXT_BYTES = 256, /* maximum length of a name (bytes); longer names are cut,
                               and those that are equal afterwards count as one */
  METRICS_NAMES_MAX = 512,  /* maximum number of names kept; beyond it the least active ones are added to "other" */
  METRICS_TOP_USUAL = 20,
  METRICS_TOP_MAX = 100,
};

/* settled: final value; pending: added since then, may change; told: value shown before, below which it never falls. */
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

/* To be called at the start of an update: pending figures are counted again. */
void metrics_top_begin(struct metrics_top *top);
void metrics_top_add(struct metrics_top *top, const char *first, const char *second, int figure, uint64_t settled,
                     uint64_t pending);
/* To be called at the end of an update: assigns series to names. */
void metrics_top_end(struct metrics_top *top);
/* Returns the next name with a series after `item` (NULL: the first); NULL: there are no more. */
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
