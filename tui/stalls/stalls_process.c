/* SPDX-License-Identifier: MIT */
/* Stalls of a whole process: threads queue for the GVL, the collector runs, or one method takes over. */
#include "stalls_impl.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

static const int64_t stalls_fine_ns = 500000000;   /* windows longer than that are merged ones, or of a sleep: */
static const int64_t stalls_sleep_ns = 1100000000; /* a process that sleeps unwatched has windows of up to a second */
static const int64_t stalls_usual_ns = 100000000;  /* length of a usual window */
static const int64_t stalls_hole_ns = 500000000;   /* what may be missing in a ring */
static const int64_t stalls_near_ns = 250000000;   /* required precision of the time of a stop (ns) */
#define STALLS_LATE_NS INT64_C(2000000000)         /* maximum delay until a stack becomes known (ns) */

/* Innermost frame of the cell with the most blame; 0: none, or unknown. */
static uint32_t stalls_worst(const struct stalls_look *look, const struct rtop_look *window)
{
  uint64_t most = 0;
  uint32_t node = 0, unsampled = rtop_symbols_unsampled(look->symbols);
  for (size_t i = 0; i < window->cell_count; i++) {
    struct rtop_look_cell cell = rtop_look_cell(window, i);
    if (cell.blame_ns > most && cell.node != unsampled) {
      most = cell.blame_ns;
      node = cell.node;
    }
  }
  return node;
}

/* Collection time by node, for a limited number of nodes; the remaining time belongs to none. */
struct collected {
  uint32_t source, unsampled, count;
  struct {
    uint32_t node;
    uint64_t gc_ns;
  } nodes[64];
};

static void stalls_collect(void *context, const struct rtop_look *window)
{
  struct collected *collected = context;
  for (size_t i = 0; window->source == collected->source && i < window->cell_count; i++) {
    struct rtop_look_cell cell = rtop_look_cell(window, i);
    uint32_t at = 0;
    if ((cell.state != RTOP_STATE_MARKING && cell.state != RTOP_STATE_SWEEPING) || !cell.node ||
        cell.node == collected->unsampled)
      continue;
    while (at < collected->count && collected->nodes[at].node != cell.node) at++;
    if (at == sizeof collected->nodes / sizeof collected->nodes[0]) continue;
    if (at == collected->count) collected->nodes[collected->count++].node = cell.node;
    collected->nodes[at].gc_ns += cell.wall_ns;
  }
}

/* Blames the garbage on the method that most of the collection was charged to, as far as known. */
static void stalls_blame_collection(const struct stalls_look *look, struct stall *stall)
{
  struct collected collected = { .source = stall->source, .unsampled = rtop_symbols_unsampled(look->symbols) };
  struct rtop_span span = { stall->start_ns, stall->end_ns };
  uint32_t worst = 0;
  rtop_profile_each(look->profile, span, stalls_collect, &collected);
  for (uint32_t i = 1; i < collected.count; i++)
    worst = collected.nodes[i].gc_ns > collected.nodes[worst].gc_ns ? i : worst;
  if (collected.count) stalls_blame(stall, look, collected.nodes[worst].node);
}

/* Is the collection part of a stall by a method that took over? */
static bool stalls_is_of_a_method(const struct stalls *stalls, const struct stall *collection)
{
  for (size_t i = 0; i < stalls->count && collection->frame; i++) {
    const struct stall *method = &stalls->list[i];
    bool blamed = method->frame == collection->frame || method->frame == collection->caller;
    if (method->cause == STALL_METHOD && blamed && method->source == collection->source &&
        stalls_covers(method, collection->start_ns, collection->end_ns))
      return true;
  }
  return false;
}

void stalls_blame_collections(struct stalls_look *look, int64_t since_ns)
{
  for (size_t i = look->stalls->count; i-- > 0;) {
    struct stall *stall = &look->stalls->list[i];
    if (stall->cause != STALL_GC || stall->end_ns < since_ns - STALLS_LATE_NS) continue;
    stalls_blame_collection(look, stall);
    if (stalls_is_of_a_method(look->stalls, stall)) stalls_remove(look->stalls, stall);
  }
}

/* Notes a stop. Its position within the window is known only if the window is not longer than the stop. */
void stalls_note_stop(struct stalls_look *look, const struct rtop_look *window)
{
  if (window->gap || window->counters->stopped_ns == 0) return;
  struct stalls_source *source = &look->state->source[window->source];
  int64_t length_ns = window->end_ns - window->start_ns;
  int64_t stopped_ns =
      (int64_t)window->counters->stopped_ns < length_ns ? (int64_t)window->counters->stopped_ns : length_ns;
  source->stops[source->stop_count++ % STALLS_STOPS] =
      (struct stalls_stop){ window->start_ns, window->end_ns, stopped_ns };
  if (look->limits->stopped_ns <= 0 || stopped_ns < look->limits->stopped_ns || length_ns - stopped_ns > stalls_near_ns)
    return;
  struct stall *stall = stalls_add(look->stalls, STALL_STOPPED, window->start_ns, window->start_ns + stopped_ns);
  if (stall) stall->source = window->source;
}

int64_t stalls_stopped_ns(const struct stalls_look *look, uint32_t source, int64_t start_ns, int64_t end_ns)
{
  int64_t sum_ns = 0;
  for (unsigned i = 0; i < STALLS_STOPS; i++) {
    const struct stalls_stop *stop = &look->state->source[source].stops[i];
    int64_t from_ns = stop->start_ns > start_ns ? stop->start_ns : start_ns;
    int64_t until_ns = stop->end_ns < end_ns ? stop->end_ns : end_ns;
    if (until_ns <= from_ns) continue;
    sum_ns += stop->stopped_ns < until_ns - from_ns ? stop->stopped_ns : until_ns - from_ns;
  }
  return sum_ns;
}

static void stalls_waiting(struct stalls_look *look, const struct rtop_look *window, struct stalls_source *source)
{
  uint64_t waiting_ns = 0, length_ns = 0;
  for (unsigned i = 0; i < STALLS_HALF && i < source->filled; i++) {
    waiting_ns += stalls_back(source, i)->waiting_ns;
    length_ns += stalls_back(source, i)->length_ns;
  }
  double threads = length_ns ? (double)waiting_ns / (double)length_ns : 0;
  int64_t since_ns = source->filled >= STALLS_HALF ? stalls_since(source, STALLS_HALF) : 0;
  bool there = since_ns && look->limits->waiting > 0 && threads >= look->limits->waiting &&
               !stalls_explained(look->stalls, window->source, 1u << STALL_NO_SAFEPOINT | 1u << STALL_GC, since_ns,
                                 window->end_ns);
  if (!there) {
    stalls_close(look->stalls, &source->open_waiting);
    return;
  }
  bool is_new = !source->open_waiting;
  struct stall *stall = is_new ? stalls_add(look->stalls, STALL_WAITING, since_ns, window->end_ns)
                               : stalls_find(look->stalls, source->open_waiting);
  if (!stall) return;
  uint32_t worst = threads > stall->amount || !stall->frame ? stalls_worst(look, window) : 0;
  if (worst) stalls_blame(stall, look, worst);
  stall->amount = threads > stall->amount ? threads : stall->amount; /* at its worst */
  stall->open = true;
  stall->source = window->source;
  stall->end_ns = window->end_ns;
  source->open_waiting = stall->id;
  if (is_new) stalls_ask_behind(look, stall, 0);
  stalls_explains(look->stalls, source->open_waiting, 1u << STALL_METHOD);
}

/* Follows a collection in one piece: windows full of it, and the adjacent parts of the windows before
   and after them. */
static void stalls_gc(struct stalls_look *look, const struct rtop_look *window, struct stalls_source *source)
{
  uint64_t gc_ns = window->wall_ns[RTOP_STATE_MARKING] + window->wall_ns[RTOP_STATE_SWEEPING];
  uint64_t length_ns = (uint64_t)(window->end_ns - window->start_ns);
  source->gc_run_ns = gc_ns + (source->gc_full ? source->gc_run_ns : source->gc_last_ns);
  source->gc_run_ns = gc_ns ? source->gc_run_ns : 0;
  source->gc_full = gc_ns >= length_ns / 5 * 4;
  source->gc_last_ns = gc_ns;
  bool there = look->limits->gc_ns > 0 && source->gc_run_ns >= (uint64_t)look->limits->gc_ns;
  if (!there) {
    stalls_close(look->stalls, &source->open_gc);
    return;
  }
  struct stall *stall =
      source->open_gc ? stalls_find(look->stalls, source->open_gc)
                      : stalls_add(look->stalls, STALL_GC, window->end_ns - (int64_t)source->gc_run_ns, window->end_ns);
  if (!stall) return;
  stall->open = true;
  stall->source = window->source;
  stall->end_ns = window->end_ns;
  stall->amount = (double)source->gc_run_ns;
  source->open_gc = stall->id;
  stalls_explains(look->stalls, source->open_gc, 1u << STALL_WAITING);
}

/* Updates the ways up. Parents come before children, and known ways stay valid until an id is reused. */
static void stalls_take_climbs(struct stalls_state *state, const struct rtop_symbols *symbols)
{
  uint32_t count = rtop_symbols_node_count(symbols), reuses = rtop_symbols_reuses(symbols);
  if (reuses != state->reuses) state->climb_count = 0;
  state->reuses = reuses;
  for (uint32_t node = state->climb_count; node < count; node++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    uint32_t parent = call->parent < node ? call->parent : 0, up = parent;
    while (up && state->climbs[up].frame != call->frame) up = state->climbs[up].up;
    if (node && call->frame && !up)
      state->climbs[node] = (struct stalls_climb){ call->frame, state->climbs[parent].first, call->depth, node };
    else if (node) state->climbs[node] = state->climbs[parent];
  }
  state->climb_count = count;
}

/* Adds a cell's time once to every method on its stack. */
static bool stalls_add_cell(struct stalls_look *look, struct stalls_source *source, struct stalls_window *into,
                            const struct rtop_look_cell *cell)
{
  const struct stalls_climb *climbs = look->state->climbs;
  uint32_t node = cell->node < look->state->climb_count ? climbs[cell->node].first : 0;
  for (; node; node = climbs[node].up) {
    uint32_t frame = climbs[node].frame, place = source->place[frame];
    if (place >= into->share_count || into->shares[place].frame != frame) {
      if (!rtop_reserve(&into->shares, &into->share_capacity, into->share_count + 1, sizeof *into->shares))
        return false;
      source->place[frame] = place = (uint32_t)into->share_count++;
      into->shares[place] = (struct stalls_share){ .frame = frame };
    }
    struct stalls_share *share = &into->shares[place];
    share->held_ns += cell->wall_ns;
    share->depth = climbs[node].depth > share->depth ? climbs[node].depth : share->depth;
  }
  return true;
}

static bool stalls_reserve(struct stalls_state *state, struct stalls_source *source, const struct rtop_symbols *symbols)
{
  size_t frames = rtop_symbols_frame_count(symbols), nodes = rtop_symbols_node_count(symbols);
  return rtop_reserve(&state->climbs, &state->climb_capacity, nodes, sizeof *state->climbs) &&
         rtop_reserve(&source->recent, &source->recent_capacity, frames, sizeof *source->recent) &&
         rtop_reserve(&source->before, &source->before_capacity, frames, sizeof *source->before) &&
         rtop_reserve(&source->place, &source->place_capacity, frames, sizeof *source->place);
}

/* Adds a window to the ring; the window half a ring ago becomes part of "before". */
static bool stalls_turn(struct stalls_look *look, const struct rtop_look *window, struct stalls_source *source)
{
  if (!stalls_reserve(look->state, source, look->symbols)) return false;
  struct stalls_window *into = &source->ring[source->next];
  const struct stalls_window *older = &source->ring[(source->next + STALLS_HALF) % STALLS_RING];
  if (source->filled == STALLS_RING)
    for (size_t i = 0; i < into->share_count; i++) source->before[into->shares[i].frame] -= into->shares[i].held_ns;
  if (source->filled >= STALLS_HALF)
    for (size_t i = 0; i < older->share_count; i++) {
      source->recent[older->shares[i].frame] -= older->shares[i].held_ns;
      source->before[older->shares[i].frame] += older->shares[i].held_ns;
    }
  into->share_count = 0;
  into->start_ns = window->start_ns;
  into->length_ns = (uint64_t)(window->end_ns - window->start_ns);
  into->waiting_ns = window->wall_ns[RTOP_STATE_WAITING];
  stalls_take_climbs(look->state, look->symbols);
  bool fine = stalls_take_waits(look, window, source, into);
  for (size_t i = 0; i < window->cell_count && look->limits->method; i++) {
    struct rtop_look_cell cell = rtop_look_cell(window, i);
    if (cell.state != RTOP_STATE_WAITING && cell.state != RTOP_STATE_BLOCKED)
      fine = stalls_add_cell(look, source, into, &cell) && fine;
  }
  for (size_t i = 0; i < into->share_count; i++) source->recent[into->shares[i].frame] += into->shares[i].held_ns;
  source->next = (source->next + 1) % STALLS_RING;
  source->filled += source->filled < STALLS_RING;
  source->turn++;
  if (look->limits->method) fine = stalls_note_rises(source) && fine;
  if (look->limits->many_waits > 0) fine = stalls_note_waits(source, look->limits->many_waits) && fine;
  return fine;
}

/* Length of half of the ring without time that was not sampled: a tenth or more of the time of the newest windows is
 * reported only by the next ones. If less than half of the time is known, nothing can be concluded, and the whole
 * length is returned. */
static uint64_t stalls_length(const struct stalls_look *look, const struct stalls_source *source, unsigned from)
{
  uint32_t unsampled = rtop_symbols_get_node(look->symbols, rtop_symbols_unsampled(look->symbols))->frame;
  uint64_t length_ns = 0, unknown_ns = from ? source->before[unsampled] : source->recent[unsampled];
  for (unsigned i = from; i < from + STALLS_HALF; i++) length_ns += stalls_back(source, i)->length_ns;
  return unsampled && unknown_ns < length_ns / 2 ? length_ns - unknown_ns : length_ns;
}

/* Is the method's share of the newest second new? It is if the method had less than a tenth of the previous second, or
 * rose over a longer time. *start_ns: start of the rise. */
static bool stalls_is_new(const struct stalls_source *source, uint32_t frame, uint64_t before_ns, int64_t *start_ns)
{
  *start_ns = stalls_since(source, STALLS_HALF);
  return source->before[frame] * 10 < before_ns ||
         stalls_rose(source, source->rises, frame, source->method_turn, start_ns);
}

/* Returns the deepest method of the program (with `any`: of all methods) that has at least this much of the newer half
 * of the ring, and is new. */
static const struct stalls_share *stalls_deepest(const struct stalls_look *look, const struct stalls_source *source,
                                                 uint64_t wanted_ns, uint64_t before_ns, bool any)
{
  const struct stalls_window *newest = stalls_back(source, 0);
  const struct stalls_share *deepest = NULL;
  for (size_t i = 0; i < newest->share_count; i++) {
    const struct stalls_share *share = &newest->shares[i];
    int64_t start_ns;
    if (!share->frame || source->recent[share->frame] < wanted_ns || (deepest && share->depth <= deepest->depth) ||
        !stalls_is_new(source, share->frame, before_ns, &start_ns))
      continue;
    const struct rtop_symbol *symbol = rtop_symbols_get(look->symbols, share->frame);
    if (any ? symbol->kind != RTOP_SYMBOL_SPECIAL : rtop_symbol_is_program(symbol)) deepest = share;
  }
  return deepest;
}

/* Returns the method that explains a take-over: it has nine tenths of the time itself, unlike its
   callers and callees. */
static const struct stalls_share *stalls_explaining(const struct stalls_look *look, const struct stalls_source *source,
                                                    uint64_t recent_ns, uint64_t before_ns)
{
  bool any = !stalls_deepest(look, source, recent_ns / 10 * 9, before_ns, false);
  const struct stalls_share *found = stalls_deepest(look, source, recent_ns / 10 * 9, before_ns, any);
  const struct stalls_share *deeper =
      found ? stalls_deepest(look, source, source->recent[found->frame] / 10 * 9, before_ns, any) : NULL;
  return deeper ? deeper : found;
}

static void stalls_method_is(struct stalls_source *source, struct stall *stall, const struct stalls_share *share,
                             uint64_t recent_ns)
{
  stall->frame = source->method = share->frame;
  stall->amount = (double)source->recent[share->frame] / (double)recent_ns;
  source->method_depth = share->depth;
}

static void stalls_method(struct stalls_look *look, const struct rtop_look *window, struct stalls_source *source)
{
  static const unsigned closer = 1u << STALL_NO_SAFEPOINT | 1u << STALL_WAITING | 1u << STALL_GC;
  if (source->filled < STALLS_RING) return;
  uint64_t recent_ns = stalls_length(look, source, 0), before_ns = stalls_length(look, source, STALLS_HALF);
  const struct stalls_share *share = stalls_explaining(look, source, recent_ns, before_ns);
  struct stall *stall = source->open_method ? stalls_find(look->stalls, source->open_method) : NULL;
  if (stall && source->recent[source->method] * 2 >= recent_ns) {
    if (stalls_holds(source, source->rises, source->method))
      stalls_extend(look->stalls, source->open_method, window->end_ns);
    if (share && share->depth > source->method_depth) stalls_method_is(source, stall, share, recent_ns);
    return;
  }
  stalls_close(look->stalls, &source->open_method);
  int64_t since_ns = stalls_since(source, STALLS_HALF), start_ns;
  if (!share || !stalls_is_new(source, share->frame, before_ns, &start_ns) ||
      stalls_explained(look->stalls, window->source, closer, since_ns, window->end_ns) ||
      stalls_explained(look->stalls, window->source, closer, start_ns, window->end_ns))
    return;
  stall = stalls_add(look->stalls, STALL_METHOD, start_ns, window->end_ns);
  if (!stall) return;
  stall->open = true;
  stall->source = window->source;
  source->open_method = stall->id;
  source->method_turn = source->turn;
  stalls_method_is(source, stall, share, recent_ns);
}

void stalls_end_source(struct stalls *stalls, struct stalls_source *source)
{
  stalls_close(stalls, &source->open_waiting);
  stalls_close(stalls, &source->open_gc);
  stalls_close(stalls, &source->open_method);
  stalls_close(stalls, &source->open_waits);
}

/* Ends the current collection, since it need not have continued over missing windows. */
static void stalls_end_gc(struct stalls_look *look, struct stalls_source *source)
{
  stalls_close(look->stalls, &source->open_gc);
  source->gc_run_ns = source->gc_last_ns = 0;
  source->gc_full = false;
}

/* Is the hole so short that counts from before it stay comparable? */
static bool stalls_passes_over(struct stalls_look *look, struct stalls_source *source, int64_t length_ns)
{
  if (source->turn - source->hole_turn >= STALLS_RING) source->hole_ns = 0;
  if (length_ns > stalls_hole_ns - source->hole_ns) return false;
  source->hole_turn = source->turn;
  source->hole_ns += length_ns;
  stalls_end_gc(look, source);
  return true;
}

/* Starts counting anew after a long hole or merged windows. */
static void stalls_start_afresh(struct stalls_look *look, struct stalls_source *source)
{
  stalls_end_source(look->stalls, source);
  stalls_end_gc(look, source);
  source->filled = source->next = 0;
  source->turn = source->hole_turn = source->method_turn = source->waits_turn = 0;
  source->hole_ns = 0;
  stalls_forget_rises(source);
  for (int i = 0; i < STALLS_RING; i++) source->ring[i].share_count = source->ring[i].wait_count = 0;
  if (source->recent) memset(source->recent, 0, source->recent_capacity * sizeof *source->recent);
  if (source->before) memset(source->before, 0, source->before_capacity * sizeof *source->before);
}

/* Is it a window in which the process slept, but for a moment at most? */
static bool stalls_is_sleep(const struct rtop_look *window)
{
  int64_t length_ns = window->end_ns - window->start_ns;
  if (window->gap || length_ns <= stalls_fine_ns || length_ns > stalls_sleep_ns) return false;
  uint64_t busy_ns = 0;
  for (int state = 0; state < RTOP_STATE_COUNT; state++)
    busy_ns += state == RTOP_STATE_BLOCKED ? 0 : window->wall_ns[state];
  return busy_ns <= (uint64_t)stalls_usual_ns / 2;
}

/* Adds a window of a sleep to the ring as empty windows of the usual length. */
static bool stalls_turn_sleep(struct stalls_look *look, const struct rtop_look *window, struct stalls_source *source)
{
  static const uint64_t nothing_ns[RTOP_STATE_COUNT];
  int64_t length_ns = window->end_ns - window->start_ns, pieces = length_ns / stalls_usual_ns;
  struct rtop_look piece = { .source = window->source, .wall_ns = nothing_ns, .counters = window->counters };
  for (int64_t i = 0; i < pieces; i++) {
    piece.start_ns = window->start_ns + length_ns / pieces * i;
    piece.end_ns = i == pieces - 1 ? window->end_ns : piece.start_ns + length_ns / pieces;
    if (!stalls_turn(look, &piece, source)) return false;
  }
  return true;
}

void stalls_look_at_process(struct stalls_look *look, const struct rtop_look *window)
{
  struct stalls_source *source = &look->state->source[window->source % STALLS_SOURCES_MAX];
  int64_t length_ns = window->end_ns - window->start_ns;
  bool asleep = stalls_is_sleep(window), fine = asleep || (!window->gap && length_ns <= stalls_fine_ns);
  if (!fine && source->filled == 0) return; /* nothing to reset */
  if (!fine && stalls_passes_over(look, source, length_ns)) return;
  if (!fine || !(asleep ? stalls_turn_sleep(look, window, source) : stalls_turn(look, window, source))) {
    stalls_start_afresh(look, source);
    return;
  }
  stalls_waiting(look, window, source);
  stalls_gc(look, window, source);
  if (look->limits->method) stalls_method(look, window, source);
  stalls_many_waits(look, window, source);
}

void stalls_forget_source(struct stalls_source *source)
{
  for (int i = 0; i < STALLS_RING; i++) {
    free(source->ring[i].shares);
    free(source->ring[i].waits);
  }
  free(source->recent);
  free(source->before);
  free(source->place);
  stalls_forget_rises(source);
  memset(source, 0, sizeof *source);
}
