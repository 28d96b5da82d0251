/* SPDX-License-Identifier: MIT */
/* Figures by name, of which only those that matter are shown: the methods or labels of one process.
 *
 * The names with the most of late get a place of their own, and keep it as long as the process is watched: what leaves
 * the top goes on being counted. There are METRICS_PLACES times as many places as names at the top; what has none is
 * summed as "other". A name's figure begins at 0 when it gets its place: what was told of it before stays with the others.
 * So no figure ever falls, and all of them together are everything.
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
  METRICS_TEXT_BYTES = 256, /* longer names are cut, and those that are the same then are one */
  METRICS_NAMES_MAX = 512,  /* known to us; of more those with the least go to the others */
  METRICS_TOP_USUAL = 20,
  METRICS_TOP_MAX = 100,
};

/* What will not change any more, and what came since. `told` was shown and never falls. */
struct metrics_figure {
  uint64_t settled, pending, told;
};

/* A name, which may be of two parts. */
struct metrics_item {
  const char *first, *second; /* sanitised */
  struct metrics_figure figures[METRICS_FIGURES];
  uint64_t from[METRICS_FIGURES]; /* what was told before it got its place */
};

struct metrics_entry; /* private */
struct metrics_top {
  size_t size; /* of the top */
  struct metrics_entry *entries;
  size_t shown;
  struct metrics_figure rest[METRICS_FIGURES]; /* of names that are not known */
  uint64_t other[METRICS_FIGURES];
};

/* Between two looks: what is pending is told anew. */
void metrics_top_begin(struct metrics_top *top);
void metrics_top_add(struct metrics_top *top, const char *first, const char *second, int figure, uint64_t settled,
                     uint64_t pending);
/* Nothing more comes at this look: who gets a place? */
void metrics_top_end(struct metrics_top *top);
/* One that has a place, after `item` (NULL: the first); NULL: there are no more. */
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
