/* SPDX-License-Identifier: MIT */
/* Fills the strips of the header from the newest windows. */
#include "strip.h"
#include "tui/text/floor_div.h"
#include <stdlib.h>
#include <string.h>

enum { KNOWN_CELLS = STRIP_CELLS_MAX + 64 }; /* of a strip, and a minute elsewhere */
#define MINUTE_NS INT64_C(60000000000)

struct strip_cell {
  int64_t index;
  uint64_t change;
  uint32_t source;
  bool filled;
  struct rtop_span_brief brief;
};

int64_t strip_cell_of(int64_t time_ns)
{
  return rtop_floor_div(time_ns, STRIP_CELL_NS);
}

static void brief_of(const struct strip *strip, const struct rtop_profile *profile, struct rtop_span span,
                     struct rtop_span_brief *brief)
{
  if (strip->source == STRIP_ALL_SOURCES) rtop_profile_brief(profile, span, brief);
  else rtop_profile_brief_alone(profile, strip->source, span, brief);
}

/* Returns the totals of a complete cell, cached until its data change. */
static const struct rtop_span_brief *complete_cell(struct strip *strip, const struct rtop_profile *profile,
                                                   int64_t index)
{
  struct strip_cell *cell = &strip->known[(uint64_t)index % KNOWN_CELLS];
  struct rtop_span span = { index * STRIP_CELL_NS, (index + 1) * STRIP_CELL_NS };
  uint64_t change = rtop_profile_change(profile, span);
  if (!cell->filled || cell->index != index || cell->change != change || cell->source != strip->source) {
    *cell = (struct strip_cell){ .index = index, .change = change, .source = strip->source, .filled = true };
    brief_of(strip, profile, span, &cell->brief);
  }
  return &cell->brief;
}

/* Returns the totals of the part of a cell that is in the span. */
static struct rtop_span_brief part_of_cell(struct strip *strip, const struct rtop_profile *profile, int64_t index,
                                           struct rtop_span span)
{
  struct rtop_span_brief brief;
  struct rtop_span part = { index * STRIP_CELL_NS, (index + 1) * STRIP_CELL_NS };
  if (span.start_ns <= part.start_ns && span.end_ns >= part.end_ns) return *complete_cell(strip, profile, index);
  part.start_ns = span.start_ns > part.start_ns ? span.start_ns : part.start_ns;
  part.end_ns = span.end_ns < part.end_ns ? span.end_ns : part.end_ns;
  brief_of(strip, profile, part, &brief);
  return brief;
}

/* Counts collections per minute. Windows of several processes may extend beyond the end of a cell; that time
   is counted once. */
static void count_collections(struct strip *strip, const struct rtop_profile *profile, int64_t end_ns)
{
  uint64_t minor = 0, major = 0;
  int64_t covered_ns = 0, until_ns = INT64_MIN;
  struct rtop_span minute = { end_ns - MINUTE_NS, end_ns };
  for (int64_t cell = strip_cell_of(minute.start_ns); cell <= strip_cell_of(end_ns - 1); cell++) {
    struct rtop_span_brief brief = part_of_cell(strip, profile, cell, minute);
    if (brief.told_ns == 0) continue;
    int64_t twice_ns = until_ns > brief.cover_start_ns ? until_ns - brief.cover_start_ns : 0;
    minor += brief.gc_minor;
    major += brief.gc_major;
    covered_ns += (int64_t)brief.covered_ns > twice_ns ? (int64_t)brief.covered_ns - twice_ns : 0;
    until_ns = brief.cover_end_ns;
  }
  double minutes = (double)covered_ns / (double)MINUTE_NS;
  strip->minor_per_minute = minutes > 0 ? (double)minor / minutes : 0;
  strip->major_per_minute = minutes > 0 ? (double)major / minutes : 0;
}

static double busy_of(const struct rtop_span_brief *brief)
{
  uint64_t held_ns =
      brief->wall_ns[RTOP_STATE_RUNNING] + brief->wall_ns[RTOP_STATE_MARKING] + brief->wall_ns[RTOP_STATE_SWEEPING];
  if (brief->told_ns > 0) return (double)held_ns / (double)brief->told_ns;
  return brief->gap ? STRIP_GAP : STRIP_UNKNOWN;
}

bool strip_build(struct strip *strip, const struct rtop_profile *profile, int64_t end_ns, int cells, int64_t now_ns,
                 uint32_t source)
{
  strip->source = source;
  strip->cells = cells < 1 ? 1 : cells > STRIP_CELLS_MAX ? STRIP_CELLS_MAX : cells;
  strip->has_gap = false;
  strip->end_ns = end_ns;
  if (strip->known == NULL) {
    strip->known = calloc(KNOWN_CELLS, sizeof *strip->known);
    if (strip->known == NULL) {
      strip->cells = 0;
      return false;
    }
  }
  int64_t first = strip_cell_of(end_ns - 1) - strip->cells + 1;
  struct rtop_span span = { first * STRIP_CELL_NS, end_ns };
  for (int i = 0; i < strip->cells; i++) {
    struct rtop_span_brief brief = part_of_cell(strip, profile, first + i, span);
    strip->busy[i] = busy_of(&brief);
    strip->has_gap = strip->has_gap || brief.gap;
  }
  count_collections(strip, profile, now_ns);
  return true;
}

void strip_destroy(struct strip *strip)
{
  free(strip->known);
  memset(strip, 0, sizeof *strip);
}
