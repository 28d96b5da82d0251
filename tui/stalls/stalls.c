/* SPDX-License-Identifier: MIT */
/* Applies the rules to the history, and keeps the list of stalls. */
#include "stalls_impl.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum { STALLS_MAX = 2048, STALLS_MARKS = 64 };
static const int64_t stalls_chunk_ns = INT64_C(30000000000); /* of history at a time */
static const int64_t stalls_lag_ns = INT64_C(5000000000);    /* of one process behind another */

const char *stall_cause_name(enum stall_cause cause)
{
  static const char *const names[STALL_CAUSES] = { "blocked",    "no-safepoint", "waiting", "gc",  "method",
                                                   "many-waits", "stopped",      "request", "mark" };
  return cause < STALL_CAUSES ? names[cause] : "";
}

struct stall *stalls_find(struct stalls *stalls, uint64_t id)
{
  for (size_t i = stalls->count; i-- > 0;)
    if (stalls->list[i].id == id) return &stalls->list[i];
  return NULL;
}

struct stall *stalls_add(struct stalls *stalls, enum stall_cause cause, int64_t start_ns, int64_t end_ns)
{
  if (stalls->count == STALLS_MAX) {
    stalls->count -= STALLS_MAX / 8;
    memmove(stalls->list, stalls->list + STALLS_MAX / 8, stalls->count * sizeof *stalls->list);
  }
  if (!rtop_reserve(&stalls->list, &stalls->capacity, stalls->count + 1, sizeof *stalls->list)) return NULL;
  size_t at = stalls->count++;
  for (; at > 0 && stalls->list[at - 1].start_ns > start_ns; at--) stalls->list[at] = stalls->list[at - 1];
  stalls->list[at] = (struct stall){
    .id = ++stalls->found,
    .members = 1,
    .cause = cause,
    .start_ns = start_ns,
    .end_ns = end_ns,
    .thread = "",
    .holder = "",
    .mark = "",
  };
  return &stalls->list[at];
}

void stalls_extend(struct stalls *stalls, uint64_t id, int64_t end_ns)
{
  struct stall *stall = stalls_find(stalls, id);
  if (stall && end_ns > stall->end_ns) stall->end_ns = end_ns;
}

void stalls_close(struct stalls *stalls, uint64_t *id)
{
  struct stall *stall = *id ? stalls_find(stalls, *id) : NULL;
  if (stall && stall->members > 0 && --stall->members == 0) stall->open = false;
  *id = 0;
}

void stalls_remove(struct stalls *stalls, struct stall *stall)
{
  size_t at = (size_t)(stall - stalls->list);
  stalls->count--;
  memmove(stall, stall + 1, (stalls->count - at) * sizeof *stall);
}

void stalls_withdraw(struct stalls *stalls, uint64_t *id)
{
  struct stall *stall = *id ? stalls_find(stalls, *id) : NULL;
  if (stall && stall->members > 1) {
    stall->members--;
    stall->others -= stall->others > 0;
  } else if (stall) {
    stalls_remove(stalls, stall);
  }
  *id = 0;
}

struct stall *stalls_set(struct stalls *stalls, struct stall *stall, int64_t start_ns, int64_t end_ns)
{
  struct stall moved = *stall;
  moved.start_ns = start_ns;
  moved.end_ns = end_ns;
  stalls_remove(stalls, stall);
  size_t at = stalls->count++;
  for (; at > 0 && stalls->list[at - 1].start_ns > start_ns; at--) stalls->list[at] = stalls->list[at - 1];
  stalls->list[at] = moved;
  return &stalls->list[at];
}

bool stalls_covers(const struct stall *stall, int64_t start_ns, int64_t end_ns)
{
  int64_t from = stall->start_ns > start_ns ? stall->start_ns : start_ns;
  int64_t to = stall->end_ns < end_ns ? stall->end_ns : end_ns;
  return to >= from && (to - from) * 2 >= end_ns - start_ns;
}

bool stalls_explained(const struct stalls *stalls, uint32_t source, unsigned causes, int64_t start_ns, int64_t end_ns)
{
  for (size_t i = 0; i < stalls->count; i++) {
    const struct stall *stall = &stalls->list[i];
    if (causes >> stall->cause & 1 && stall->source == source && stalls_covers(stall, start_ns, end_ns)) return true;
  }
  return false;
}

void stalls_explains(struct stalls *stalls, uint64_t id, unsigned causes)
{
  const struct stall *found = stalls_find(stalls, id);
  if (!found) return;
  struct stall stall = *found;
  for (size_t i = stalls->count; i-- > 0;) {
    struct stall *other = &stalls->list[i];
    if (causes >> other->cause & 1 && other->source == stall.source &&
        stalls_covers(&stall, other->start_ns, other->end_ns))
      stalls_remove(stalls, other);
  }
}

/* Blames the nearest application method that called the node, else the nearest Ruby method. */
void stalls_blame(struct stall *stall, const struct stalls_look *look, uint32_t node)
{
  struct rtop_lens *lens = rtop_profile_lens(look->profile);
  stall->frame = rtop_symbols_get_node(look->symbols, node)->frame;
  stall->node = node;
  stall->caller = 0;
  if (rtop_symbols_get(look->symbols, stall->frame)->kind == RTOP_SYMBOL_SPECIAL) return;
  if (!off_ways_begin(&look->state->ways, lens, look->symbols)) return;
  uint32_t own = off_ways_get(&look->state->ways, lens, look->symbols, node).own;
  if (own != stall->frame) stall->caller = own;
}

static void stalls_visit(void *context, const struct rtop_look *window)
{
  struct stalls_look *look = context;
  if (window->source >= STALLS_SOURCES_MAX) return; /* over, and looked at before */
  struct stalls_source *source = &look->state->source[window->source];
  if (window->end_ns <= source->seen_ns) return;
  source->seen_ns = window->end_ns;
  if (!off_ways_begin(&look->state->ways, rtop_profile_lens(look->profile), look->symbols)) return;
  stalls_note_stop(look, window);
  stalls_look_at_threads(look, window);
  stalls_look_at_process(look, window);
  stalls_look_at_requests(look, window);
}

static void stalls_take_marks(struct stalls *stalls, const struct rtop_profile *profile, int64_t until_ns)
{
  struct stalls_state *state = stalls->state;
  struct rtop_profile_mark marks[STALLS_MARKS];
  struct rtop_span span = { state->marks_ns, until_ns };
  size_t count = rtop_profile_marks(profile, span, marks, STALLS_MARKS);
  for (size_t i = 0; i < count; i++) {
    struct stall *stall = stalls_add(stalls, STALL_MARK, marks[i].time_ns, marks[i].time_ns);
    if (stall) {
      stall->mark = marks[i].name;
      stall->source = marks[i].source;
    }
  }
  state->marks_ns = until_ns > state->marks_ns ? until_ns : state->marks_ns;
}

/* Renumbers sources of stalls when the profile has renumbered them. */
static void stalls_follow_sources(struct stalls *stalls, const struct rtop_profile *profile)
{
  struct stalls_state *state = stalls->state;
  struct rtop_profile_retired retired;
  while (rtop_profile_retired(profile, &state->retired_seen, &retired)) {
    if (retired.source >= STALLS_SOURCES_MAX) continue;
    stalls_end_source(stalls, &state->source[retired.source]);
    stalls_forget_source(&state->source[retired.source]);
    for (size_t i = 0; i < stalls->count; i++)
      if (stalls->list[i].source == retired.source) stalls->list[i].source = retired.number;
  }
}

/* Drops stalls from before everything held. */
static void stalls_forget_old(struct stalls *stalls, int64_t start_ns)
{
  size_t kept = 0;
  for (size_t i = 0; i < stalls->count; i++)
    if (stalls->list[i].open || stalls->list[i].end_ns >= start_ns) stalls->list[kept++] = stalls->list[i];
  stalls->count = kept;
}

/* Ends stalls of a process that was killed while they lasted. */
static void stalls_end_gone(struct stalls *stalls, struct stalls_state *state, int64_t before_ns)
{
  stalls_end_threads(stalls, state, before_ns);
  for (int i = 0; i < STALLS_SOURCES_MAX; i++)
    if (state->source[i].seen_ns && state->source[i].seen_ns < before_ns) stalls_end_source(stalls, &state->source[i]);
}

/* End of the next look: half a minute later; or beyond a hole of any length, up to the end of a longer window.
 * Otherwise, two windows a year apart would need a million looks. */
static int64_t stalls_look_end(const struct rtop_profile *profile, int64_t until_ns, int64_t held_end_ns)
{
  int64_t end_ns = held_end_ns - until_ns > stalls_chunk_ns ? until_ns + stalls_chunk_ns : held_end_ns;
  struct rtop_span here = rtop_profile_window_of(profile, until_ns + 1), next = rtop_profile_step(profile, until_ns, 1);
  if (here.start_ns <= until_ns && here.end_ns > end_ns) end_ns = here.end_ns;
  else if (next.start_ns > end_ns) end_ns = next.end_ns;
  return end_ns < held_end_ns ? end_ns : held_end_ns;
}

bool stalls_update(struct stalls *stalls, const struct rtop_profile *profile, const struct rtop_symbols *symbols,
                   const struct stall_limits *limits)
{
  if (!stalls->state) stalls->state = calloc(1, sizeof(struct stalls_state));
  struct stalls_state *state = stalls->state;
  struct rtop_span held = rtop_profile_bounds(profile);
  if (!state || held.end_ns == held.start_ns) return false;
  if (state->until_ns < held.start_ns) state->until_ns = state->marks_ns = held.start_ns;
  stalls_follow_sources(stalls, profile);
  struct rtop_span span = { state->until_ns - stalls_lag_ns, stalls_look_end(profile, state->until_ns, held.end_ns) };
  struct stalls_look look = { stalls, state, profile, symbols, limits };
  rtop_profile_each(profile, span, stalls_visit, &look);
  stalls_blame_collections(&look, state->until_ns);
  stalls_look_behind(&look);
  stalls_look_into_requests(&look, span.end_ns);
  stalls_take_marks(stalls, profile, span.end_ns);
  stalls_end_gone(stalls, state, span.end_ns - stalls_lag_ns);
  stalls_forget_threads(state, span.end_ns - 2 * stalls_chunk_ns);
  stalls_forget_old(stalls, held.start_ns);
  state->until_ns = span.end_ns;
  return span.end_ns < held.end_ns;
}

void stalls_destroy(struct stalls *stalls)
{
  struct stalls_state *state = stalls->state;
  if (state) {
    stalls_forget_threads(state, INT64_MAX);
    for (int i = 0; i < STALLS_SOURCES_MAX; i++) stalls_forget_source(&state->source[i]);
    off_ways_destroy(&state->ways);
    free(state->stays);
    free(state->behind);
    free(state->climbs);
  }
  free(state);
  free(stalls->list);
  memset(stalls, 0, sizeof *stalls);
}

static void stalls_keep_source(const struct stalls_source *source, struct rtop_symbols *symbols)
{
  for (int i = 0; i < STALLS_RING; i++) {
    const struct stalls_window *window = &source->ring[i];
    for (size_t at = 0; at < window->share_count; at++) rtop_symbols_use_frame(symbols, window->shares[at].frame);
    for (size_t at = 0; at < window->wait_count; at++) rtop_symbols_use_frame(symbols, window->waits[at].place);
  }
  for (const struct stalls_rise *rise = source->rises; rise; rise = rise->hh.next)
    rtop_symbols_use_frame(symbols, rise->frame);
  for (const struct stalls_rise *rise = source->waits_rises; rise; rise = rise->hh.next)
    rtop_symbols_use_frame(symbols, rise->frame);
  rtop_symbols_use_frame(symbols, source->method);
  rtop_symbols_use_frame(symbols, source->waits_place);
}

void stalls_keep(const struct stalls *stalls, struct rtop_symbols *symbols)
{
  const struct stalls_state *state = stalls->state;
  for (size_t i = 0; i < stalls->count; i++) {
    rtop_symbols_use_node(symbols, stalls->list[i].node);
    rtop_symbols_use_node(symbols, stalls->list[i].request.node);
    rtop_symbols_use_frame(symbols, stalls->list[i].frame);
    rtop_symbols_use_frame(symbols, stalls->list[i].caller);
    rtop_symbols_use_frame(symbols, stalls->list[i].holder_frame);
    rtop_symbols_use_frame(symbols, stalls->list[i].holder_caller);
    rtop_symbols_use_frame(symbols, stalls->list[i].behind.frame);
    rtop_symbols_use_frame(symbols, stalls->list[i].behind.took);
  }
  if (!state) return;
  stalls_keep_behind(state, symbols);
  for (int i = 0; i < STALLS_SOURCES_MAX; i++) stalls_keep_source(&state->source[i], symbols);
  for (const struct stalls_thread *thread = state->threads; thread; thread = thread->hh.next) {
    rtop_symbols_use_node(symbols, thread->last_node);
    for (int i = 0; i < STALLS_SITES; i++) rtop_symbols_use_node(symbols, thread->site[i].node);
  }
}

double stall_harm(const struct stall *stall)
{
  double seconds = (double)(stall->end_ns - stall->start_ns) / 1e9;
  switch (stall->cause) {
  case STALL_BLOCKED: return seconds * (1 + (double)stall->others);
  case STALL_WAITING:
  case STALL_MANY_WAITS:
  case STALL_METHOD: return seconds * stall->amount;
  case STALL_GC: return stall->amount / 1e9;
  case STALL_NO_SAFEPOINT:
  case STALL_REQUEST:
  case STALL_STOPPED: return seconds;
  case STALL_MARK:
  case STALL_CAUSES: break;
  }
  return 0;
}

int64_t stall_instant(const struct stall *stall, int64_t length_ns)
{
  bool longer = length_ns > 0 && stall->end_ns - stall->start_ns > length_ns;
  return longer ? stall->start_ns + length_ns : stall->end_ns;
}

static bool stall_is_of(const struct stall *stall, uint32_t source)
{
  return source == STALL_ALL_SOURCES || stall->source == source;
}

const struct stall *stalls_near(const struct stalls *stalls, uint32_t source, int64_t time_ns, int direction,
                                int64_t length_ns)
{
  const struct stall *best = NULL;
  for (size_t i = 0; i < stalls->count; i++) {
    const struct stall *stall = &stalls->list[i];
    int64_t ahead_ns = direction * (stall_instant(stall, length_ns) - time_ns);
    if (stall_is_of(stall, source) && ahead_ns > 0 &&
        (!best || ahead_ns < direction * (stall_instant(best, length_ns) - time_ns)))
      best = stall;
  }
  return best;
}

const struct stall *stalls_at(const struct stalls *stalls, uint32_t source, struct rtop_span window)
{
  const struct stall *best = NULL;
  for (size_t i = 0; i < stalls->count; i++) {
    const struct stall *stall = &stalls->list[i];
    bool there =
        stall->start_ns < window.end_ns && (stall->end_ns > window.start_ns || stall->start_ns >= window.start_ns);
    if (there && stall_is_of(stall, source) &&
        (!best || stall->end_ns - stall->start_ns > best->end_ns - best->start_ns))
      best = stall;
  }
  return best;
}
