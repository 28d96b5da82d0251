/* SPDX-License-Identifier: MIT */
/* Fills the lanes of threads, window by window. */
#include "thread_lanes.h"

#include "tui/history/profile_each.h"
#include "tui/text/reserve.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILLED_PER_CALL = 48, HOLDER_PART = 10 };

/* A process, whose windows are shifted by shift_ns to align with columns. */
struct lane_source {
  uint32_t source;
  int64_t shift_ns;
};

/* ---- which windows there are ----------------------------------------------------------------------- */

static void list_window(void *context, const struct rtop_look *look)
{
  struct thread_lanes *lanes = context;
  if (!rtop_reserve(&lanes->next, &lanes->next_capacity, lanes->next_count + 1, sizeof *lanes->next)) return;
  lanes->next[lanes->next_count++] = (struct lane_window){
    .start_ns = look->start_ns,
    .end_ns = look->end_ns,
    .source = look->source,
    .gap = look->gap,
  };
}

static int compare_windows(const struct lane_window *a, const struct lane_window *b)
{
  if (a->start_ns != b->start_ns) return a->start_ns < b->start_ns ? -1 : 1;
  if (a->source != b->source) return a->source < b->source ? -1 : 1;
  return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static int compare(const void *left, const void *right)
{
  return compare_windows(left, right);
}

/* Keeps cached windows that are still needed, and drops all others. */
static void take_over(struct thread_lanes *lanes)
{
  size_t at = 0;
  for (size_t i = 0; i < lanes->next_count; i++) {
    struct lane_window *now = &lanes->next[i];
    while (at < lanes->count && compare_windows(&lanes->windows[at], now) < 0) free(lanes->windows[at++].mark);
    if (at == lanes->count || compare_windows(&lanes->windows[at], now) != 0) continue;
    bool gap = now->gap;
    *now = lanes->windows[at++];
    now->change = now->gap == gap ? now->change : 0;
    now->gap = gap;
  }
  while (at < lanes->count) free(lanes->windows[at++].mark);
  struct lane_window *windows = lanes->windows;
  size_t capacity = lanes->capacity;
  lanes->windows = lanes->next;
  lanes->count = lanes->next_count;
  lanes->capacity = lanes->next_capacity;
  lanes->next = windows;
  lanes->next_count = 0;
  lanes->next_capacity = capacity;
}

/* ---- what they say --------------------------------------------------------------------------------- */

static bool reserve_threads(struct thread_lanes *lanes, struct lane_window *window, uint32_t threads)
{
  if (threads > lanes->wall_capacity) {
    uint64_t(*wall_ns)[RTOP_STATES] = realloc(lanes->wall_ns, threads * sizeof *wall_ns);
    if (wall_ns == NULL) return false;
    lanes->wall_ns = wall_ns;
    lanes->wall_capacity = threads;
  }
  if (threads > window->threads) {
    unsigned char *mark = realloc(window->mark, threads);
    if (mark == NULL) return false;
    window->mark = mark;
  }
  window->threads = threads;
  return true;
}

static uint64_t held_ns(const uint64_t *wall_ns)
{
  return wall_ns[RTOP_STATE_RUNNING] + wall_ns[RTOP_STATE_MARKING] + wall_ns[RTOP_STATE_SWEEPING];
}

static enum thread_lane collector(const uint64_t *wall_ns)
{
  return wall_ns[RTOP_STATE_MARKING] >= wall_ns[RTOP_STATE_SWEEPING] ? LANE_MARKS : LANE_SWEEPS;
}

static enum thread_lane of_holder(const uint64_t *wall_ns)
{
  return held_ns(wall_ns) > 2 * wall_ns[RTOP_STATE_RUNNING] ? collector(wall_ns) : LANE_HOLDS;
}

static enum thread_lane of_most(const uint64_t *wall_ns)
{
  static const enum thread_lane lane[RTOP_STATES] = { LANE_RAN, LANE_WAITS, LANE_BLOCKED, LANE_MARKS, LANE_SWEEPS };
  int best = RTOP_STATES;
  for (int state = 0; state < RTOP_STATES; state++)
    if (wall_ns[state] > (best < RTOP_STATES ? wall_ns[best] : 0)) best = state;
  return best < RTOP_STATES ? lane[best] : LANE_ABSENT;
}

struct lane_reading {
  struct thread_lanes *lanes;
  struct lane_window *window;
  bool found;
};

static void add_time(struct lane_reading *reading, uint32_t thread, enum rtop_state state, uint64_t ns)
{
  if (thread < reading->window->threads && state < RTOP_STATES) reading->lanes->wall_ns[thread][state] += ns;
}

static void read_window(void *context, const struct rtop_look *look)
{
  struct lane_reading *reading = context;
  const struct lane_window *window = reading->window;
  if (look->start_ns != window->start_ns || look->end_ns != window->end_ns || look->source != window->source) return;
  for (size_t i = 0; i < look->cell_count; i++) {
    struct rtop_look_cell cell = rtop_look_cell(look, i);
    add_time(reading, cell.thread, cell.state, cell.wall_ns);
  }
  for (size_t i = 0; i < look->thread_count; i++) {
    struct rtop_look_thread thread = rtop_look_thread(look, i);
    add_time(reading, thread.thread, thread.state, thread.provisional_ns);
  }
  reading->found = !look->gap;
}

static void fill(struct thread_lanes *lanes, const struct rtop_profile *profile, struct lane_window *window)
{
  uint32_t threads = rtop_profile_thread_bound(profile), holder = UINT32_MAX;
  struct rtop_span span = { window->start_ns, window->end_ns };
  uint64_t most_ns = (uint64_t)(window->end_ns - window->start_ns) / HOLDER_PART;
  if (threads == 0 || !reserve_threads(lanes, window, threads)) return;
  memset(lanes->wall_ns, 0, threads * sizeof *lanes->wall_ns);
  struct lane_reading reading = { .lanes = lanes, .window = window };
  rtop_profile_each(profile, span, read_window, &reading);
  for (uint32_t i = 0; i < threads; i++) {
    window->mark[i] = (unsigned char)of_most(lanes->wall_ns[i]);
    if (held_ns(lanes->wall_ns[i]) < most_ns || held_ns(lanes->wall_ns[i]) == 0) continue;
    if (holder != UINT32_MAX && held_ns(lanes->wall_ns[i]) == most_ns) continue; /* as long: the first one stays */
    holder = i;
    most_ns = held_ns(lanes->wall_ns[i]);
  }
  if (holder != UINT32_MAX) window->mark[holder] = (unsigned char)of_holder(lanes->wall_ns[holder]);
  window->change = rtop_profile_change(profile, span);
  window->gap = !reading.found; /* it could not be read */
}

/* Reads windows that are missing, newest first, since users look at these first. */
static bool fill_some(struct thread_lanes *lanes, const struct rtop_profile *profile)
{
  int left = FILLED_PER_CALL;
  for (size_t i = lanes->count; i-- > 0;) {
    struct lane_window *window = &lanes->windows[i];
    struct rtop_span span = { window->start_ns, window->end_ns };
    if (window->gap || (window->change != 0 && window->change == rtop_profile_change(profile, span))) continue;
    if (left-- == 0) return true;
    fill(lanes, profile, window);
  }
  return false;
}

/* ---- where they stand ------------------------------------------------------------------------------ */

static const struct lane_source *source_of(const struct thread_lanes *lanes, uint32_t source)
{
  for (size_t i = 0; i < lanes->source_count; i++)
    if (lanes->sources[i].source == source) return &lanes->sources[i];
  return NULL;
}

/* Shifts each process's windows so that the window at the moment, or the last one before it, is centred on a column. */
static void place_sources(struct thread_lanes *lanes, int64_t moment_ns)
{
  lanes->source_count = 0;
  for (size_t i = lanes->count; i-- > 0;) {
    const struct lane_window *window = &lanes->windows[i];
    int64_t length_ns = window->end_ns - window->start_ns, middle_ns = window->start_ns + length_ns / 2;
    if (window->gap || middle_ns >= moment_ns || source_of(lanes, window->source) != NULL) continue;
    int64_t column_ns = moment_ns - (moment_ns - middle_ns) / THREAD_LANES_NS * THREAD_LANES_NS - THREAD_LANES_NS / 2;
    bool is_long = length_ns > THREAD_LANES_NS + THREAD_LANES_NS / 2;
    if (!rtop_reserve(&lanes->sources, &lanes->source_capacity, lanes->source_count + 1, sizeof *lanes->sources))
      return;
    lanes->sources[lanes->source_count++] = (struct lane_source){ window->source, is_long ? 0 : middle_ns - column_ns };
  }
}

bool thread_lanes_update(struct thread_lanes *lanes, const struct rtop_profile *profile, int64_t moment_ns, int before,
                         int after)
{
  before = before > THREAD_LANES_MAX ? THREAD_LANES_MAX : before;
  after = before + after > THREAD_LANES_MAX ? THREAD_LANES_MAX - before : after;
  struct rtop_span span = { moment_ns - before * THREAD_LANES_NS, moment_ns + after * THREAD_LANES_NS };
  struct rtop_span wide = { span.start_ns - THREAD_LANES_NS, span.end_ns + THREAD_LANES_NS };
  lanes->columns = before + after;
  lanes->start_ns = span.start_ns;
  rtop_profile_each_summary(profile, wide, list_window, lanes);
  if (lanes->next_count > 0) qsort(lanes->next, lanes->next_count, sizeof *lanes->next, compare);
  take_over(lanes);
  bool more = fill_some(lanes, profile);
  place_sources(lanes, moment_ns);
  return more;
}

/* Returns the process's last window that starts at or before the instant; windows of a process do not overlap. */
static const struct lane_window *window_at(const struct thread_lanes *lanes, uint32_t source, int64_t time_ns)
{
  size_t low = 0, high = lanes->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (lanes->windows[middle].start_ns <= time_ns) low = middle + 1;
    else high = middle;
  }
  while (low-- > 0)
    if (lanes->windows[low].source == source) return time_ns < lanes->windows[low].end_ns ? &lanes->windows[low] : NULL;
  return NULL;
}

enum thread_lane thread_lanes_at(const struct thread_lanes *lanes, uint32_t source, uint32_t thread, int column)
{
  const struct lane_source *at = source_of(lanes, source);
  if (at == NULL || column < 0 || column >= lanes->columns) return LANE_ABSENT;
  int64_t middle_ns = lanes->start_ns + column * THREAD_LANES_NS + THREAD_LANES_NS / 2;
  const struct lane_window *window = window_at(lanes, source, middle_ns + at->shift_ns);
  if (window == NULL) return LANE_ABSENT;
  if (window->gap) return LANE_LOST;
  return thread < window->threads ? (enum thread_lane)window->mark[thread] : LANE_ABSENT;
}

/* ---- the axis -------------------------------------------------------------------------------------- */

static void put_label(char *out, int columns, int *free_from, int column, const char *label)
{
  int length = (int)strlen(label);
  if (column < *free_from || column + length > columns) return;
  memcpy(out + column, label, (size_t)length);
  *free_from = column + length + 1;
}

void thread_lanes_axis(char *out, size_t bytes, int before, int after, const char *at)
{
  enum { PER_SECOND = 1000000000 / THREAD_LANES_NS };
  int columns = before + after, free_from = 0;
  if (bytes == 0) return;
  columns = (size_t)columns < bytes ? columns : (int)bytes - 1;
  memset(out, ' ', (size_t)columns);
  out[columns] = '\0';
  for (int second = before / PER_SECOND; second > 0; second--) {
    char label[16];
    int column = before - second * PER_SECOND, length = snprintf(label, sizeof label, "-%ds", second);
    if (column + length < before - (int)strlen(at)) put_label(out, columns, &free_from, column, label);
  }
  free_from = 0;
  put_label(out, columns, &free_from, before - (int)strlen(at), at);
  for (int second = 1; second <= after / PER_SECOND; second++) {
    char label[16];
    int length = snprintf(label, sizeof label, "+%ds", second);
    put_label(out, columns, &free_from, before + second * PER_SECOND - length, label);
  }
}

void thread_lanes_destroy(struct thread_lanes *lanes)
{
  for (size_t i = 0; i < lanes->count; i++) free(lanes->windows[i].mark);
  free(lanes->windows);
  free(lanes->next);
  free(lanes->sources);
  free(lanes->wall_ns);
  memset(lanes, 0, sizeof *lanes);
}
