/* SPDX-License-Identifier: MIT */
/* Figures by name, of which only important ones are shown: the methods or labels of one process.
 *
 * The names with the most recent activity get a series of their own and keep it while the process is watched. There are
 * METRICS_PLACES times as many series as names at the top; names without a series are summed as "other". A name's
 * figure begins at 0 when it gets a series; earlier values stay in "other". So no figure ever falls, and the sum of all
 * figures is complete.
 *
 * Threads: one. A struct of zeros with `size`, `figures` and `ranked` set is empty.
 */
#ifndef RTOP_TUI_METRICS_TOP_H
#define RTOP_TUI_METRICS_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  METRICS_PLACES = 4,
  METRICS_FIGURES_MAX = 32,
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

/* Labelled work of a name that has not ended, as of the last window. */
struct metrics_open {
  uint64_t count, oldest_ns;
};

/* A name, possibly of two parts. */
struct metrics_item {
  const char *first, *second; /* sanitised */
  bool worked;                /* labelled work of it was timed, or is open */
  struct metrics_open open;
  struct metrics_figure *figures; /* as many as the table has */
  uint64_t *from;                 /* values reported before it got its place */
};

struct metrics_entry; /* private */
struct metrics_top {
  size_t size;         /* of the top */
  int figures, ranked; /* number of figures; names are ranked by the first `ranked` of them */
  struct metrics_entry *entries;
  size_t shown;
  bool worked;              /* labelled work of any name was timed, or is open */
  struct metrics_item rest; /* of names that are not known */
  struct metrics_figure rest_figures[METRICS_FIGURES_MAX];
  uint64_t other[METRICS_FIGURES_MAX];
  struct metrics_open other_open;
};

/* To be called at the start of an update: pending figures are counted again. */
void metrics_top_begin(struct metrics_top *top);
/* Returns the item of a name, or `rest` if it has none. Valid until metrics_top_end(). */
struct metrics_item *metrics_top_item(struct metrics_top *top, const char *first, const char *second);
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
/* The same for any name: of NULL the value of the names without a series. */
static inline uint64_t metrics_top_value(const struct metrics_top *top, const struct metrics_item *item, int figure)
{
  return item ? metrics_item_value(item, figure) : top->other[figure];
}
void metrics_top_destroy(struct metrics_top *top);

#define METRICS_OTHER "(other)"

static inline void metrics_figure_tell(struct metrics_figure *figure)
{
  uint64_t now = figure->settled + figure->pending;
  if (now > figure->told) figure->told = now;
}

#endif
