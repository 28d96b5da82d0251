/* SPDX-License-Identifier: MIT */
/* Windows in order of start: inserting, finding, changing and walking. */
#include "profile_windows.h"
#include "profile_load.h"

#include <stdlib.h>
#include <string.h>

bool profile_window_add_cell(struct rtop_profile *profile, struct profile_window *window,
                             const struct profile_cell *cell)
{
  if (window->cell_count == window->cell_capacity) {
    size_t capacity = window->cell_capacity + window->cell_capacity / 4 + 4;
    struct profile_cell *cells = realloc(window->cells, capacity * sizeof *cells);
    if (!cells) return false;
    profile->memory.bytes += (capacity - window->cell_capacity) * sizeof *cells;
    window->cells = cells;
    window->cell_capacity = capacity;
  }
  profile_window_changes(profile, window);
  window->cells[window->cell_count++] = *cell;
  window->wall_ns[cell->state] += cell->wall_ns;
  return true;
}

static bool windows_make_room(struct rtop_profile *profile)
{
  if (profile->first + profile->count < profile->capacity) return true;
  if (profile->first > profile->capacity / 2) {
    memmove(profile->windows, profile->windows + profile->first, profile->count * sizeof *profile->windows);
    profile->first = 0;
    return true;
  }
  size_t capacity = profile->capacity ? profile->capacity * 2 : 256;
  struct profile_window **windows = realloc(profile->windows, capacity * sizeof *windows);
  if (!windows) return false;
  profile->windows = windows;
  profile->capacity = capacity;
  return true;
}

/* Adds the window to its source's list of last windows; a window out of order invalidates the list. */
static void recent_add(struct rtop_profile *profile, struct profile_window *window)
{
  struct profile_recent *recent = &profile->sources[window->source].recent;
  bool in_order = recent->end == 0 || window->start_ns >= recent->newest_ns;
  if (!in_order) {
    recent->first = recent->end;
    return;
  }
  recent->newest_ns = window->start_ns;
  recent->windows[recent->end++ % PROFILE_RECENT] = window;
  if (recent->end - recent->first > PROFILE_RECENT) recent->first = recent->end - PROFILE_RECENT;
}

void profile_window_lose(struct rtop_profile *profile, const struct profile_window *window)
{
  struct profile_recent *recent = &profile->sources[window->source].recent;
  if (recent->first < recent->end && window->start_ns >= recent->windows[recent->first % PROFILE_RECENT]->start_ns)
    recent->first = recent->end;
}

bool profile_window_insert(struct rtop_profile *profile, struct profile_window *window)
{
  if (!windows_make_room(profile)) return false;
  struct profile_window **place = profile->windows + profile->first;
  size_t at = window->start_ns < INT64_MAX ? profile_first_from(profile, window->start_ns + 1) : profile->count;
  memmove(place + at + 1, place + at, (profile->count++ - at) * sizeof *place);
  place[at] = window;
  recent_add(profile, window);
  window->id = ++profile->window_ids;
  profile_window_changes(profile, window);
  if (window->end_ns - window->start_ns > profile->longest_ns) profile->longest_ns = window->end_ns - window->start_ns;
  profile->memory.bytes += profile_window_bytes(window);
  return true;
}

size_t profile_first_from(const struct rtop_profile *profile, int64_t start_ns)
{
  size_t low = 0, high = profile->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (profile_window_at(profile, middle)->start_ns < start_ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

size_t profile_find(const struct rtop_profile *profile, int64_t time_ns)
{
  int64_t earliest = time_ns > INT64_MIN + profile->longest_ns ? time_ns - profile->longest_ns : INT64_MIN;
  return profile_first_from(profile, earliest);
}

struct profile_walk profile_walk(const struct rtop_profile *profile, struct rtop_span span)
{
  return (struct profile_walk){ .profile = profile, .span = span, .at = profile_find(profile, span.start_ns) };
}

struct profile_window *profile_walk_next(struct profile_walk *walk)
{
  while (walk->at < walk->profile->count) {
    struct profile_window *window = profile_window_at(walk->profile, walk->at++);
    if (window->start_ns >= walk->span.end_ns) return NULL;
    if (profile_part_of(window, &walk->span, &walk->part)) return window;
  }
  return NULL;
}

struct profile_window *profile_walk_read(struct profile_walk *walk)
{
  for (struct profile_window *window; (window = profile_walk_next(walk));) {
    if (window->gap) continue;
    /* The cast is harmless: for the caller the profile is unchanged. */
    profile_need((struct rtop_profile *)walk->profile, window);
    return window;
  }
  return NULL;
}

void profile_thread_unlist(struct rtop_profile *profile, uint32_t id)
{
  struct profile_thread *thread = profile_thread_at(profile, id);
  if (!thread || --thread->windows > 0) return;
  if (thread->carried) profile->carry.gone++;
  else profile_thread_free(&profile->threads, id);
}

/* ---- when the data of a stretch last changed, by the second ----------------------------------------- */

#define CHANGES_SECOND_NS INT64_C(1000000000)

static int64_t changes_second(int64_t time_ns)
{
  int64_t second = time_ns / CHANGES_SECOND_NS;
  return time_ns % CHANGES_SECOND_NS < 0 ? second - 1 : second;
}

static size_t changes_slot(int64_t second)
{
  return (size_t)((uint64_t)second % PROFILE_SECONDS);
}

/* Computes the range of seconds that contains the stretch; at most as many as there are slots. */
static void changes_seconds(int64_t start_ns, int64_t end_ns, int64_t *from, int64_t *to)
{
  *from = changes_second(start_ns);
  *to = changes_second(end_ns > start_ns ? end_ns - 1 : start_ns);
  if (*to - *from >= PROFILE_SECONDS) *to = *from + PROFILE_SECONDS - 1;
}

void profile_changes(struct rtop_profile *profile, int64_t start_ns, int64_t end_ns)
{
  int64_t from, to;
  changes_seconds(start_ns, end_ns, &from, &to);
  profile->changes.count++;
  for (int64_t second = from; second <= to; second++)
    profile->changes.latest[changes_slot(second)] = profile->changes.count;
}

uint64_t rtop_profile_change(const struct rtop_profile *profile, struct rtop_span span)
{
  int64_t from, to;
  uint64_t latest = 0;
  changes_seconds(span.start_ns, span.end_ns, &from, &to);
  for (int64_t second = from; second <= to; second++) {
    uint64_t change = profile->changes.latest[changes_slot(second)];
    latest = change > latest ? change : latest;
  }
  return latest;
}

/* ---- navigation in time: from window to window, of any length, over gaps ----------------------------- */

enum { STEPS_HOLE_NS = 10000000 }; /* a smaller one is rounding */

/* Maximum distance, in entries, to the next window of a source: windows of all sources are interleaved. */
static size_t steps_reach(const struct rtop_profile *profile)
{
  return (size_t)profile->source_count * 4 + 16;
}

static bool steps_better(const struct profile_window *window, const struct profile_window *than)
{
  if (!than || window->gap != than->gap) return !than || than->gap;
  return window->source < than->source;
}

/* Position of the window that contains the instant before `time_ns`: of the first source that has one; a gap only where
 * no source has a window. For an instant between windows, that of the earlier one. profile->count: there is no
 * window. */
static size_t steps_find(const struct rtop_profile *profile, int64_t time_ns)
{
  size_t upper = profile_first_from(profile, time_ns), reach = steps_reach(profile), best = profile->count;
  const struct profile_window *chosen = NULL;
  size_t before = upper ? upper - 1 : 0;
  for (size_t i = upper; i-- > 0 && upper - i <= reach;) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (window->end_ns > profile_window_at(profile, before)->end_ns) before = i;
    if (window->end_ns >= time_ns && steps_better(window, chosen)) {
      chosen = window;
      best = i;
    }
  }
  return profile->count && best == profile->count ? before : best;
}

static struct rtop_span steps_span(const struct rtop_profile *profile, size_t position)
{
  if (position >= profile->count) return (struct rtop_span){ 0, 0 };
  const struct profile_window *window = profile_window_at(profile, position);
  return (struct rtop_span){ window->start_ns, window->end_ns };
}

struct rtop_span rtop_profile_window_of(const struct rtop_profile *profile, int64_t time_ns)
{
  return steps_span(profile, steps_find(profile, time_ns));
}

/* Returns the next entry that is not a gap: of the same source while it continues, else of any; `from` itself if there
 * is none. */
static size_t steps_next(const struct rtop_profile *profile, size_t from)
{
  const struct profile_window *here = profile_window_at(profile, from);
  size_t reach = steps_reach(profile);
  for (size_t i = from + 1; i < profile->count && i - from <= reach; i++) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (window->source != here->source) continue;
    if (window->gap || window->start_ns - here->end_ns > STEPS_HOLE_NS) break;
    return i;
  }
  for (size_t i = from + 1; i < profile->count; i++) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (!window->gap && profile_middle(window) >= here->end_ns) return steps_find(profile, window->end_ns);
  }
  return from;
}

static size_t steps_previous(const struct rtop_profile *profile, size_t from)
{
  const struct profile_window *here = profile_window_at(profile, from);
  size_t reach = steps_reach(profile);
  for (size_t i = from; i-- > 0 && from - i <= reach;) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (window->source != here->source) continue;
    if (window->gap || here->start_ns - window->end_ns > STEPS_HOLE_NS) break;
    return i;
  }
  for (size_t i = from; i-- > 0;) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (!window->gap && profile_middle(window) < here->start_ns) return steps_find(profile, window->end_ns);
  }
  return from;
}

struct rtop_span rtop_profile_step(const struct rtop_profile *profile, int64_t time_ns, int steps)
{
  size_t at = steps_find(profile, time_ns);
  if (at >= profile->count) return (struct rtop_span){ 0, 0 };
  for (; steps > 0; steps--) at = steps_next(profile, at);
  for (; steps < 0; steps++) at = steps_previous(profile, at);
  return steps_span(profile, at);
}
