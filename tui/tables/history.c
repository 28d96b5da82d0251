/* SPDX-License-Identifier: MIT */
/* Shares of methods in the last minute, of which an update computes one cell. */
#include "history.h"
#include "tui/text/floor_div.h"
#include "tui/text/fnv.h"
#include "tui/trees/tree.h"
#include <stdlib.h>
#include <string.h>

enum { TURN_NS = 1000000000 };

/* Index of the complete cell at this position of the ring buffer, if `end_ns` is the present. */
static int64_t wanted_index(int64_t end_ns, int place)
{
  enum { SIZE = HISTORY_CELLS - 1 };
  int64_t newest = rtop_floor_div(end_ns, HISTORY_CELL_NS) - 1;
  return newest - (((newest - place) % SIZE) + SIZE) % SIZE;
}

static void clear(struct history_cell *cell, float share)
{
  for (size_t i = 0; i < cell->frames; i++) cell->share[i] = share;
}

static bool reserve(struct history_cell *cell, size_t frames)
{
  if (frames > cell->frames) {
    float *share = realloc(cell->share, frames * sizeof *share);
    if (share == NULL) return false;
    cell->share = share;
    cell->frames = frames;
  }
  return true;
}

static bool fill(struct history_cell *cell, struct history *history, struct rtop_profile *profile, int64_t index,
                 const struct history_look *look)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct rtop_span span = { index * HISTORY_CELL_NS, (index + 1) * HISTORY_CELL_NS };
  struct rtop_sum *sum = &history->sum;
  if (!reserve(cell, rtop_symbols_frame_count(symbols))) return false;
  cell->index = index;
  cell->filled = true;
  if (!rtop_profile_sum(profile, span, sum) || sum->length_ns == 0) {
    clear(cell, -1);
    return true;
  }
  clear(cell, 0);
  if (look->narrow != NULL) look->narrow(look->context, sum);
  float length = (float)sum->length_ns;
  for (size_t i = 0; i < sum->cell_count; i++) {
    const struct rtop_sum_cell *at = &sum->cells[i];
    uint32_t frame = rtop_symbols_get_node(symbols, at->node)->frame;
    if (frame < cell->frames && !rtop_sum_hides(sum, at))
      cell->share[frame] += (float)rtop_tree_clock(&at->cost, look->mode) / length;
  }
  return true;
}

static uint64_t key_of(struct rtop_profile *profile, const struct history_look *look)
{
  uint32_t lens = rtop_lens_version(rtop_profile_lens(profile));
  uint64_t key = rtop_fnv(RTOP_FNV_START, &look->key, sizeof look->key);
  key = rtop_fnv(key, &look->mode, sizeof look->mode);
  return rtop_fnv(key, &lens, sizeof lens);
}

bool history_update(struct history *history, struct rtop_profile *profile, int64_t end_ns,
                    const struct history_look *look)
{
  int missing = 0, place = (int)(history->turn % (HISTORY_CELLS - 1));
  uint64_t key = key_of(profile, look);
  for (int i = 0; key != history->key && i < HISTORY_CELLS - 1; i++)
    history->cell[i].filled = false; /* told of something else */
  history->key = key;
  for (int i = 0; i < HISTORY_CELLS - 1; i++) {
    const struct history_cell *cell = &history->cell[i];
    if (!cell->filled || cell->index != wanted_index(end_ns, i)) {
      place = i;
      missing++;
    }
  }
  if (missing == 0) {
    int64_t since_ns = end_ns - history->turned_ns;
    if (since_ns >= 0 && since_ns < TURN_NS) return false;
    history->turned_ns = end_ns;
    history->turn++;
  }
  return fill(&history->cell[place], history, profile, wanted_index(end_ns, place), look) && missing > 1;
}

void history_get(const struct history *history, int64_t end_ns, uint32_t frame, double *shares)
{
  int64_t newest = rtop_floor_div(end_ns, HISTORY_CELL_NS) - 1;
  for (int i = 0; i < HISTORY_CELLS - 1; i++) {
    shares[i] = -1;
    for (int place = 0; place < HISTORY_CELLS - 1; place++) {
      const struct history_cell *cell = &history->cell[place];
      if (cell->filled && cell->index == newest - (HISTORY_CELLS - 2) + i) {
        /* a frame that was numbered after the cell was filled had no time in it */
        shares[i] = frame < cell->frames ? cell->share[frame] : cell->frames > 0 ? 0 : -1;
      }
    }
  }
}

double history_peak(const struct history *history, int64_t end_ns, uint32_t frame, double now)
{
  int64_t newest = rtop_floor_div(end_ns, HISTORY_CELL_NS) - 1;
  double peak = now;
  for (int i = 0; i < HISTORY_CELLS - 1; i++) {
    const struct history_cell *cell = &history->cell[i];
    bool shown = cell->filled && cell->index <= newest && cell->index > newest - (HISTORY_CELLS - 1);
    peak = shown && frame < cell->frames && cell->share[frame] > peak ? cell->share[frame] : peak;
  }
  return peak;
}

void history_peaks(const struct history *history, int64_t end_ns, struct rtop_methods *methods)
{
  double length = methods->length_ns > 0 ? (double)methods->length_ns : 1;
  for (size_t i = 0; i < methods->count; i++) {
    struct rtop_method_row *row = &methods->rows[i];
    row->history = history_peak(history, end_ns, row->frame, (double)row->self_ns / length);
  }
}

void history_destroy(struct history *history)
{
  for (int i = 0; i < HISTORY_CELLS - 1; i++) free(history->cell[i].share);
  rtop_sum_destroy(&history->sum);
  memset(history, 0, sizeof *history);
}
