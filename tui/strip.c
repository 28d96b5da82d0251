#include "strip.h"
#include <stdlib.h>
#include <string.h>

enum { KNOWN_CELLS = STRIP_CELLS_MAX + 64 };   /* of a strip, and a minute elsewhere */
#define MINUTE_NS INT64_C(60000000000)

struct strip_cell {
  int64_t index;
  uint64_t change;
  bool filled;
  struct rtop_span_brief brief;
};

static int64_t floor_div(int64_t a, int64_t b)
{
  int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

int64_t strip_cell_of(int64_t time_ns)
{
  return floor_div(time_ns, STRIP_CELL_NS);
}

/* What a cell amounts to: kept as long as nothing in it changes. */
static const struct rtop_span_brief *complete_cell(struct strip *strip, const struct rtop_profile *profile,
                                                   int64_t index)
{
  struct strip_cell *cell = &strip->known[(uint64_t)index % KNOWN_CELLS];
  struct rtop_span span = { index * STRIP_CELL_NS, (index + 1) * STRIP_CELL_NS };
  uint64_t change = rtop_profile_change(profile, span);
  if (!cell->filled || cell->index != index || cell->change != change) {
    *cell = (struct strip_cell){ .index = index, .change = change, .filled = true };
    rtop_profile_brief(profile, span, &cell->brief);
  }
  return &cell->brief;
}

/* The part of a cell that lies in the span. */
static struct rtop_span_brief part_of_cell(struct strip *strip, const struct rtop_profile *profile,
                                           int64_t index, struct rtop_span span)
{
  struct rtop_span_brief brief;
  struct rtop_span part = { index * STRIP_CELL_NS, (index + 1) * STRIP_CELL_NS };
  if (span.start_ns <= part.start_ns && span.end_ns >= part.end_ns) {
    return *complete_cell(strip, profile, index);
  }
  part.start_ns = span.start_ns > part.start_ns ? span.start_ns : part.start_ns;
  part.end_ns = span.end_ns < part.end_ns ? span.end_ns : part.end_ns;
  rtop_profile_brief(profile, part, &brief);
  return brief;
}

/* Windows of several processes may reach over the end of a cell: that time is covered once. */
static void count_collections(struct strip *strip, const struct rtop_profile *profile, int64_t end_ns)
{
  uint64_t minor = 0, major = 0;
  int64_t covered_ns = 0, until_ns = INT64_MIN;
  struct rtop_span minute = { end_ns - MINUTE_NS, end_ns };
  for (int64_t cell = strip_cell_of(minute.start_ns); cell <= strip_cell_of(end_ns - 1); cell++) {
    struct rtop_span_brief brief = part_of_cell(strip, profile, cell, minute);
    if (brief.told_ns == 0) {
      continue;
    }
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
  uint64_t held_ns = brief->wall_ns[RTOP_STATE_RUNNING] + brief->wall_ns[RTOP_STATE_MARKING]
    + brief->wall_ns[RTOP_STATE_SWEEPING];
  if (brief->told_ns > 0) {
    return (double)held_ns / (double)brief->told_ns;
  }
  return brief->gap ? STRIP_GAP : STRIP_UNKNOWN;
}

bool strip_build(struct strip *strip, const struct rtop_profile *profile, int64_t end_ns, int cells,
                 int64_t now_ns)
{
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

/* The complete cell that stands in a place of the round buffer when `end_ns` is now. */
static int64_t wanted_index(int64_t end_ns, int place)
{
  enum { SIZE = HISTORY_CELLS - 1 };
  int64_t newest = floor_div(end_ns, HISTORY_CELL_NS) - 1;
  return newest - (((newest - place) % SIZE) + SIZE) % SIZE;
}

static bool fill(struct history_cell *cell, struct history *history, struct rtop_profile *profile,
                 int64_t index, enum rtop_mode mode)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  size_t frames = rtop_symbols_frame_count(symbols);
  struct rtop_span span = { index * HISTORY_CELL_NS, (index + 1) * HISTORY_CELL_NS };
  if (frames > cell->frames) {
    float *share = realloc(cell->share, frames * sizeof *share);
    if (share == NULL) {
      return false;
    }
    cell->share = share;
    cell->frames = frames;
  }
  for (size_t i = 0; i < cell->frames; i++) {
    cell->share[i] = 0;
  }
  cell->index = index;
  cell->filled = true;
  if (!rtop_profile_sum(profile, span, &history->sum) || history->sum.length_ns == 0) {
    for (size_t i = 0; i < cell->frames; i++) {
      cell->share[i] = -1;
    }
    return true;
  }
  float length = (float)history->sum.length_ns;
  for (size_t i = 0; i < history->sum.cell_count; i++) {
    const struct rtop_sum_cell *at = &history->sum.cells[i];
    uint32_t frame = rtop_symbols_get_node(symbols, at->node)->frame;
    uint64_t ns = mode == RTOP_MODE_CPU ? at->cost.cpu_ns : rtop_cost_wall(&at->cost);
    if (frame < cell->frames) {
      cell->share[frame] += (float)ns / length;
    }
  }
  return true;
}

bool history_update(struct history *history, struct rtop_profile *profile, int64_t end_ns,
                    enum rtop_mode mode)
{
  int missing = 0, place = (int)(history->turn % (HISTORY_CELLS - 1));
  uint32_t lens = rtop_lens_version(rtop_profile_lens(profile));
  for (int i = 0; lens != history->lens && i < HISTORY_CELLS - 1; i++) {
    history->cell[i].filled = false;   /* told of other frames */
  }
  history->lens = lens;
  for (int i = 0; i < HISTORY_CELLS - 1; i++) {
    const struct history_cell *cell = &history->cell[i];
    if (!cell->filled || cell->index != wanted_index(end_ns, i)) {
      place = i;
      missing++;
    }
  }
  if (missing == 0) {
    int64_t since_ns = end_ns - history->turned_ns;
    if (since_ns >= 0 && since_ns < STRIP_CELL_NS) {
      return false;
    }
    history->turned_ns = end_ns;
    history->turn++;
  }
  return fill(&history->cell[place], history, profile, wanted_index(end_ns, place), mode) && missing > 1;
}

void history_get(const struct history *history, int64_t end_ns, uint32_t frame, double *shares)
{
  int64_t newest = floor_div(end_ns, HISTORY_CELL_NS) - 1;
  for (int i = 0; i < HISTORY_CELLS - 1; i++) {
    shares[i] = -1;
    for (int place = 0; place < HISTORY_CELLS - 1; place++) {
      const struct history_cell *cell = &history->cell[place];
      if (cell->filled && cell->index == newest - (HISTORY_CELLS - 2) + i) {
        /* Frames that came later did not exist then. */
        shares[i] = frame < cell->frames ? cell->share[frame] : cell->frames > 0 ? 0 : -1;
      }
    }
  }
}

void history_destroy(struct history *history)
{
  for (int i = 0; i < HISTORY_CELLS - 1; i++) {
    free(history->cell[i].share);
  }
  rtop_sum_destroy(&history->sum);
  memset(history, 0, sizeof *history);
}
