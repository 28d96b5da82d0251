#include "strip.h"
#include <stdlib.h>
#include <string.h>

enum { WINDOWS_MAX = 10 * STRIP_CELLS_MAX + 64 };

static int64_t floor_div(int64_t a, int64_t b)
{
  int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

static uint64_t held_ns(const struct rtop_window_summary *window)
{
  return window->wall_ns[RTOP_STATE_RUNNING] + window->wall_ns[RTOP_STATE_MARKING]
    + window->wall_ns[RTOP_STATE_SWEEPING];
}

int64_t strip_cell_of(int64_t time_ns)
{
  return floor_div(time_ns, STRIP_CELL_NS);
}

static void count_collections(struct strip *strip, const struct rtop_profile *profile, int64_t end_ns)
{
  uint64_t minor = 0, major = 0;
  int64_t covered_ns = 0;
  struct rtop_span minute = { end_ns - INT64_C(60000000000), end_ns };
  size_t count = rtop_profile_windows(profile, minute, strip->windows, WINDOWS_MAX);
  for (size_t i = 0; i < count; i++) {
    const struct rtop_window_summary *window = &strip->windows[i];
    if (!window->gap) {
      minor += window->counters.gc_minor;
      major += window->counters.gc_major;
      covered_ns += window->end_ns - window->start_ns;
    }
  }
  double minutes = (double)covered_ns / 60e9;
  strip->minor_per_minute = minutes > 0 ? (double)minor / minutes : 0;
  strip->major_per_minute = minutes > 0 ? (double)major / minutes : 0;
}

/* A window longer than a cell tells the same of every cell that it covers. */
static void fill_cells(struct strip *strip, const struct rtop_window_summary *window, int64_t first,
                       double *length)
{
  double per_ns = (double)held_ns(window) / (double)(window->end_ns - window->start_ns);
  bool longer = window->gap || window->end_ns - window->start_ns > STRIP_CELL_NS;
  int64_t middle_ns = window->start_ns + (window->end_ns - window->start_ns) / 2;
  int64_t from = strip_cell_of(longer ? window->start_ns : middle_ns) - first;
  int64_t to = strip_cell_of(longer ? window->end_ns - 1 : middle_ns) - first;
  strip->has_gap = strip->has_gap || (window->gap && to >= 0 && from < strip->cells);
  for (int64_t cell = from < 0 ? 0 : from; cell <= to && cell < strip->cells; cell++) {
    if (window->gap) {
      strip->busy[cell] = length[cell] > 0 ? strip->busy[cell] : STRIP_GAP;
      continue;
    }
    double part = longer ? (double)STRIP_CELL_NS : (double)(window->end_ns - window->start_ns);
    strip->busy[cell] = (length[cell] > 0 ? strip->busy[cell] : 0) + per_ns * part;
    length[cell] += part * window->sources;
  }
}

bool strip_build(struct strip *strip, const struct rtop_profile *profile, int64_t end_ns, int cells,
                 int64_t now_ns)
{
  double length[STRIP_CELLS_MAX] = { 0 };
  strip->cells = cells < 1 ? 1 : cells > STRIP_CELLS_MAX ? STRIP_CELLS_MAX : cells;
  strip->has_gap = false;
  strip->end_ns = end_ns;
  for (int i = 0; i < strip->cells; i++) {
    strip->busy[i] = STRIP_UNKNOWN;
  }
  if (strip->windows == NULL) {
    strip->windows = calloc(WINDOWS_MAX, sizeof *strip->windows);
    if (strip->windows == NULL) {
      return false;
    }
  }
  int64_t first = strip_cell_of(end_ns - 1) - strip->cells + 1;
  struct rtop_span span = { first * STRIP_CELL_NS, end_ns };
  size_t count = rtop_profile_windows(profile, span, strip->windows, WINDOWS_MAX);
  for (size_t i = 0; i < count; i++) {
    fill_cells(strip, &strip->windows[i], first, length);
  }
  for (int i = 0; i < strip->cells; i++) {
    strip->busy[i] = length[i] > 0 ? strip->busy[i] / length[i] : strip->busy[i];
  }
  count_collections(strip, profile, now_ns);
  return true;
}

void strip_destroy(struct strip *strip)
{
  free(strip->windows);
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
