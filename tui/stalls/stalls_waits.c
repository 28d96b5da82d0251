/* SPDX-License-Identifier: MIT */
/* Many short waits: threads wait in one place off the GVL again and again, for most of their time at work. */
#include "stalls_impl.h"

#include "tui/text/reserve.h"
#include <string.h>

/* Maximum length of a short wait (windows), at a window's end. */
enum { WAITS_SHORT = 2 };
static const int64_t waits_news_ns = INT64_C(60000000000); /* what lasts longer is how things are */

static struct stalls_stay *waits_stay(struct stalls_state *state, uint32_t thread)
{
  bool room = rtop_reserve(&state->stays, &state->stay_capacity, (size_t)thread + 1, sizeof *state->stays);
  return room ? &state->stays[thread] : NULL;
}

/* Notes threads whose wait at the window's end is not short. */
static bool waits_note_long(struct stalls_state *state, const struct rtop_look *window)
{
  uint64_t length_ns = (uint64_t)(window->end_ns - window->start_ns);
  for (size_t i = 0; i < window->thread_count; i++) {
    struct rtop_look_thread now = rtop_look_thread(window, i);
    struct stalls_stay *stay = waits_stay(state, now.thread);
    if (stay == NULL) return false;
    if (now.state == RTOP_STATE_BLOCKED && now.state_age_ns * WAITS_SHORT >= length_ns) stay->long_look = state->looks;
  }
  return true;
}

/* Is the thread between two requests? It is then in the server's own methods, or waits for the next request. Running
 * time that is not from samples of this thread says nothing about this thread alone. */
static bool waits_is_between(const struct rtop_symbols *symbols, const struct rtop_look_cell *cell,
                             const struct off_way *way)
{
  enum off_gvl off = off_gvl_of(symbols, cell->node, way);
  bool blocked = cell->state == RTOP_STATE_BLOCKED;
  bool seen = cell->wall_ns > 0 && (blocked || cell->samples > 0);
  return seen && (off == OFF_LIBRARY || (blocked && off == OFF_EVENT));
}

/* Does the node wait for a time? A sleep or select in the application's own loop does, at any depth. */
static bool waits_is_pause(const struct rtop_symbols *symbols, uint32_t node, const struct off_way *way)
{
  const char *name = rtop_wait_method(rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, node)->frame)->label);
  return way->mine_outside && (strcmp(name, "sleep") == 0 || strcmp(name, "select") == 0);
}

static struct stalls_waits *waits_of(struct stalls_source *source, struct stalls_window *into, uint32_t place)
{
  uint32_t at = source->place[place];
  if (at >= into->wait_count || into->waits[at].place != place) {
    if (!rtop_reserve(&into->waits, &into->wait_capacity, into->wait_count + 1, sizeof *into->waits)) return NULL;
    source->place[place] = at = (uint32_t)into->wait_count++;
    into->waits[at] = (struct stalls_waits){ .place = place };
  }
  return &into->waits[at];
}

static bool waits_add(struct stalls_look *look, struct stalls_source *source, struct stalls_window *into,
                      const struct rtop_look_cell *cell, const struct off_way *way)
{
  const struct stalls_stay *stay = waits_stay(look->state, cell->thread);
  if (stay == NULL) return false;
  if (stay->long_look == look->state->looks) return true;
  struct stalls_waits *waits = waits_of(source, into, off_place(look->symbols, cell->node, way));
  if (waits == NULL) return false;
  waits->wait_ns += cell->wall_ns;
  waits->stay_ns += stay->left_look == look->state->looks ? 0 : cell->wall_ns;
  if (cell->wall_ns > waits->most_ns) {
    waits->node = cell->node;
    waits->most_ns = cell->wall_ns;
  }
  return true;
}

/* Notes the threads that were outside their work. */
static bool waits_note_left(struct stalls_look *look, const struct rtop_look *window)
{
  const struct rtop_lens *lens = rtop_profile_lens(look->profile);
  for (size_t i = 0; i < window->cell_count; i++) {
    struct rtop_look_cell cell = rtop_look_cell(window, i);
    struct off_way way = off_ways_get(&look->state->ways, lens, look->symbols, cell.node);
    if (!waits_is_between(look->symbols, &cell, &way)) continue;
    struct stalls_stay *stay = waits_stay(look->state, cell.thread);
    if (stay == NULL) return false;
    stay->left_look = look->state->looks;
  }
  return true;
}

bool stalls_take_waits(struct stalls_look *look, const struct rtop_look *window, struct stalls_source *source,
                       struct stalls_window *into)
{
  const struct rtop_lens *lens = rtop_profile_lens(look->profile);
  into->wait_count = 0;
  into->work_ns = 0;
  if (look->limits->many_waits <= 0) return true;
  if (++look->state->looks == 0) return false; /* never again the same number */
  if (!waits_note_long(look->state, window) || !waits_note_left(look, window)) return false;
  for (size_t i = 0; i < window->cell_count; i++) {
    struct rtop_look_cell cell = rtop_look_cell(window, i);
    into->work_ns += cell.state == RTOP_STATE_BLOCKED ? 0 : cell.wall_ns;
    if (cell.state != RTOP_STATE_BLOCKED || cell.wall_ns == 0) continue;
    struct off_way way = off_ways_get(&look->state->ways, lens, look->symbols, cell.node);
    if (!off_is_work(off_gvl_of(look->symbols, cell.node, &way)) || waits_is_pause(look->symbols, cell.node, &way))
      continue;
    into->work_ns += cell.wall_ns;
    if (!waits_add(look, source, into, &cell, &way)) return false;
  }
  return true;
}

static const struct stalls_waits *waits_in(const struct stalls_window *window, uint32_t place)
{
  for (size_t i = 0; i < window->wait_count; i++)
    if (window->waits[i].place == place) return &window->waits[i];
  return NULL;
}

/* Figures of a place in half of the ring. */
struct waits_half {
  uint64_t wait_ns, stay_ns, work_ns, length_ns;
  int64_t since_ns; /* start of the first window with such waits; 0: none */
  unsigned windows; /* in which there were */
};

static struct waits_half waits_half(const struct stalls_source *source, unsigned from, uint32_t place)
{
  struct waits_half half = { 0 };
  for (unsigned i = from; i < from + STALLS_HALF; i++) {
    const struct stalls_window *window = stalls_back(source, i);
    const struct stalls_waits *waits = waits_in(window, place);
    half.length_ns += window->length_ns;
    half.since_ns = waits ? window->start_ns : half.since_ns;
    half.wait_ns += waits ? waits->wait_ns : 0;
    half.stay_ns += waits ? waits->stay_ns : 0;
    half.work_ns += window->work_ns;
    half.windows += waits != NULL;
  }
  return half;
}

/* Returns the place with the largest part of the newest window. */
static const struct stalls_waits *waits_worst(const struct stalls_source *source)
{
  const struct stalls_window *newest = stalls_back(source, 0);
  const struct stalls_waits *worst = NULL;
  for (size_t i = 0; i < newest->wait_count; i++)
    if (!worst || newest->waits[i].wait_ns > worst->wait_ns) worst = &newest->waits[i];
  return worst;
}

static bool waits_began(const struct stalls_look *look, const struct stalls_source *source,
                        const struct stalls_waits *worst, const struct waits_half *recent, int64_t *start_ns)
{
  struct waits_half before = waits_half(source, STALLS_HALF, worst->place);
  *start_ns = recent->since_ns;
  return recent->windows >= STALLS_HALF - 1 && recent->stay_ns * 2 > recent->work_ns &&
         (double)recent->stay_ns >= look->limits->many_waits * (double)recent->length_ns &&
         (before.stay_ns * 5 < recent->stay_ns ||
          stalls_rose(source, source->waits_rises, worst->place, source->waits_turn, start_ns));
}

static bool waits_go_on(const struct stalls_look *look, const struct stall *stall, const struct rtop_look *window,
                        const struct waits_half *recent)
{
  return recent->stay_ns * 4 > recent->work_ns && window->end_ns - stall->start_ns <= waits_news_ns &&
         (double)recent->stay_ns * 2 >= look->limits->many_waits * (double)recent->length_ns;
}

void stalls_many_waits(struct stalls_look *look, const struct rtop_look *window, struct stalls_source *source)
{
  if (source->filled < STALLS_RING || look->limits->many_waits <= 0) return;
  const struct stalls_waits *worst = waits_worst(source);
  struct stall *stall = source->open_waits ? stalls_find(look->stalls, source->open_waits) : NULL;
  uint32_t place = stall ? source->waits_place : worst ? worst->place : 0;
  struct waits_half recent = waits_half(source, 0, place);
  if (stall && !waits_go_on(look, stall, window, &recent)) stall = NULL;
  if (!stall) {
    stalls_close(look->stalls, &source->open_waits);
    int64_t start_ns;
    if (!worst || place != worst->place || !waits_began(look, source, worst, &recent, &start_ns)) return;
    stall = stalls_add(look->stalls, STALL_MANY_WAITS, start_ns, window->end_ns);
    if (!stall) return;
    stalls_blame(stall, look, worst->node);
    stall->open = true;
    stall->source = window->source;
    source->open_waits = stall->id;
    source->waits_place = place;
    source->waits_turn = source->turn;
    stalls_ask_behind(look, stall, place);
  }
  double threads = (double)recent.wait_ns / (double)recent.length_ns;
  stall->amount = threads > stall->amount ? threads : stall->amount; /* at its worst */
  if (waits_in(stalls_back(source, 0), place)) stall->end_ns = window->end_ns;
}
