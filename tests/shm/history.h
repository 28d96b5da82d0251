/* A made-up process: windows as an extension publishes them, and beside them the plain truth, which the
 * windows tell in pieces. Fixed by its seed.
 *
 * Threads come and go; they spend stretches in a state at a node. Most are told as cells, window by
 * window. Some are long and told only afterwards: provisional while they last, then one late record. As
 * writers since version 1.2 do it (unsampled): cells that are not sampled, then records that give parts of
 * that time, here and there also of the window that tells them, to one node each.
 * Now and then time is missing (a hole), in which no thread has a stretch.
 */
#ifndef RTOP_TESTS_SHM_HISTORY_H
#define RTOP_TESTS_SHM_HISTORY_H

#include "shm/window/window.h"
#include <stdint.h>
#include <stdlib.h>

enum { HISTORY_THREADS = 6, HISTORY_NODES = 40 };
#define HISTORY_MS INT64_C(1000000)

struct history_stretch {
  uint64_t serial;
  uint32_t node, state;
  int64_t start_ns, end_ns; /* end: as far as windows have told */
};

struct history_thread {
  uint64_t serial;       /* 0: none */
  int64_t told_ns;       /* up to here as cells or late records */
  int64_t hidden_end_ns; /* of the stretch that is open and not told; 0: none */
  uint32_t node, state;  /* of that */
  bool shown;            /* it was provisional in a window */
  bool last;             /* this window is its last */
};

struct history {
  uint64_t random;
  int64_t now_ns;
  uint64_t serials;
  struct history_thread threads[HISTORY_THREADS];
  struct history_stretch *truth;
  size_t truth_count, truth_capacity;
  int64_t *boundaries; /* where windows end; holes lie between two */
  size_t boundary_count;
  uint64_t samples, cpu_ns, allocations, marks, gc_minor; /* over everything */
  bool holes;                                             /* wish: make some */
  bool unsampled;                                         /* wish: as since version 1.2 */
  uint32_t short_threads;                                 /* wish: so many more per window that start and end in it */
};

static inline uint64_t history_random(struct history *history, uint64_t below)
{
  history->random = history->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (history->random >> 33) % below;
}

static inline void history_begin(struct history *history, uint64_t seed, int64_t now_ns)
{
  *history = (struct history){ .random = seed * 2 + 1, .now_ns = now_ns };
}

static inline void history_end(struct history *history)
{
  free(history->truth);
  free(history->boundaries);
}

static inline void history_know(struct history *history, uint64_t serial, const struct rtop_cell *cell,
                                int64_t start_ns, int64_t end_ns)
{
  if (history->truth_count == history->truth_capacity) {
    history->truth_capacity = history->truth_capacity ? history->truth_capacity * 2 : 1024;
    history->truth = realloc(history->truth, history->truth_capacity * sizeof *history->truth);
    if (!history->truth) abort();
  }
  history->truth[history->truth_count++] =
      (struct history_stretch){ serial, cell->node, cell->state, start_ns, end_ns };
}

static inline struct rtop_cell history_cell(struct history *history, uint32_t thread, int64_t length_ns)
{
  struct rtop_cell cell = {
    .node = RTOP_NODE_FIRST_FREE + (uint32_t)history_random(history, HISTORY_NODES),
    .thread = thread,
    .state = (uint32_t)history_random(history, RTOP_STATE_COUNT),
    .samples = 1,
    .wall_ns = (uint64_t)length_ns,
    .cpu_ns = history_random(history, (uint64_t)length_ns + 1),
    .allocations = history_random(history, 100),
  };
  history->samples += cell.samples;
  history->cpu_ns += cell.cpu_ns;
  history->allocations += cell.allocations;
  return cell;
}

/* The end of a stretch that was not told: late when an older window showed it or its time began there. */
static inline void history_tell_hidden(struct history *history, struct history_thread *thread,
                                       struct rtop_window *window, uint32_t index)
{
  struct rtop_cell cell = history_cell(history, index, thread->hidden_end_ns - thread->told_ns);
  cell.node = thread->node;
  cell.state = thread->state;
  if (thread->told_ns < window->start_mono_ns)
    *rtop_window_add_late(window) = (struct rtop_late){ .start_mono_ns = thread->told_ns, .cell = cell };
  else *rtop_window_add_cell(window) = cell;
  history_know(history, thread->serial, &cell, thread->told_ns, thread->hidden_end_ns);
  thread->told_ns = thread->hidden_end_ns;
  thread->hidden_end_ns = 0;
}

/* Open time: its CPU time is told at once, or with the records. */
static inline void history_not_sampled(struct rtop_window *window, uint32_t index, uint32_t state, int64_t length_ns)
{
  *rtop_window_add_cell(window) =
      (struct rtop_cell){ .node = RTOP_NODE_UNSAMPLED,
                          .thread = index,
                          .state = state,
                          .wall_ns = (uint64_t)length_ns,
                          .cpu_ns = window->threads[index].serial % 2 ? (uint64_t)length_ns : 0 };
}

/* [told_ns, end_ns) of the stretch that is open was at this node. */
static inline void history_tell_part(struct history *history, struct history_thread *thread, struct rtop_window *window,
                                     uint32_t index, int64_t end_ns)
{
  int64_t length_ns = end_ns - thread->told_ns;
  int64_t from_ns = thread->told_ns > window->start_mono_ns ? thread->told_ns : window->start_mono_ns;
  struct rtop_cell cell = history_cell(history, index, length_ns);
  cell.state = thread->state;
  if (thread->serial % 2) {
    history->cpu_ns += (uint64_t)length_ns - cell.cpu_ns;
    cell.cpu_ns = (uint64_t)length_ns;
  }
  if (thread->told_ns >= window->start_mono_ns && history_random(history, 2)) {
    *rtop_window_add_cell(window) = cell;
  } else {
    *rtop_window_add_late(window) = (struct rtop_late){ .start_mono_ns = thread->told_ns, .cell = cell };
    if (end_ns > from_ns) history_not_sampled(window, index, thread->state, end_ns - from_ns);
  }
  history_know(history, thread->serial, &cell, thread->told_ns, end_ns);
  thread->told_ns = end_ns;
}

static inline void history_tell_parts(struct history *history, struct history_thread *thread,
                                      struct rtop_window *window, uint32_t index)
{
  int64_t end_ns = thread->hidden_end_ns;
  while (end_ns - thread->told_ns > 1000 && history_random(history, 4))
    history_tell_part(history, thread, window, index,
                      thread->told_ns + 1 + (int64_t)history_random(history, (uint64_t)(end_ns - thread->told_ns)));
  if (thread->told_ns < end_ns) history_tell_part(history, thread, window, index, end_ns);
  thread->hidden_end_ns = 0;
}

static inline void history_tell(struct history *history, struct history_thread *thread, struct rtop_window *window,
                                uint32_t index)
{
  int64_t end_ns = window->end_mono_ns;
  while (thread->told_ns < end_ns) {
    if (thread->hidden_end_ns && thread->hidden_end_ns <= end_ns) {
      if (history->unsampled) history_tell_parts(history, thread, window, index);
      else history_tell_hidden(history, thread, window, index);
    } else if (thread->hidden_end_ns) {
      return;
    } else if (!thread->last && history_random(history, 8) == 0) {
      thread->hidden_end_ns = thread->told_ns + 1 + (int64_t)history_random(history, 4000) * HISTORY_MS;
      thread->node = RTOP_NODE_FIRST_FREE + (uint32_t)history_random(history, HISTORY_NODES);
      thread->state = (uint32_t)history_random(history, RTOP_STATE_COUNT);
    } else {
      int64_t length_ns = 1 + (int64_t)history_random(history, 60 * 1000) * 1000;
      length_ns = length_ns < end_ns - thread->told_ns ? length_ns : end_ns - thread->told_ns;
      struct rtop_cell cell = history_cell(history, index, length_ns);
      *rtop_window_add_cell(window) = cell;
      history_know(history, thread->serial, &cell, thread->told_ns, thread->told_ns + length_ns);
      thread->told_ns += length_ns;
    }
  }
}

static inline void history_add_thread(struct history *history, struct history_thread *thread,
                                      struct rtop_window *window, bool started)
{
  int64_t from_ns = thread->told_ns > window->start_mono_ns ? thread->told_ns : window->start_mono_ns;
  struct rtop_window_thread *row = rtop_window_add_thread(window);
  uint32_t index = (uint32_t)window->thread_count - 1;
  *row = (struct rtop_window_thread){ .slot = (uint32_t)(thread->serial % 7),
                                      .serial = thread->serial,
                                      .flags = started ? RTOP_WINDOW_THREAD_STARTED : 0,
                                      .state_age_ns = history_random(history, 1000) };
  history_tell(history, thread, window, index);
  row->node = thread->node;
  row->state = thread->state;
  from_ns = thread->told_ns > from_ns ? thread->told_ns : from_ns;
  if (thread->last) row->flags |= RTOP_WINDOW_THREAD_ENDED;
  if (from_ns >= window->end_mono_ns) return;
  if (history->unsampled) {
    history_not_sampled(window, index, thread->state, window->end_mono_ns - from_ns);
    row->flags |= RTOP_WINDOW_THREAD_STALE;
    row->stack_age_ns = (uint64_t)(window->end_mono_ns - thread->told_ns);
    return;
  }
  row->flags |= RTOP_WINDOW_THREAD_PROVISIONAL;
  row->provisional_ns = (uint64_t)(window->end_mono_ns - from_ns);
}

/* Cuts the open stretch so that it ends with the window. */
static inline void history_cut(struct history_thread *thread, int64_t end_ns)
{
  if (thread->hidden_end_ns > end_ns) thread->hidden_end_ns = end_ns;
}

/* The next window; of 80 to 120 ms. Returns whether a hole comes after it. */
static inline bool history_next(struct history *history, struct rtop_window *window)
{
  rtop_window_reset(window);
  window->start_mono_ns = history->now_ns;
  window->end_mono_ns = history->now_ns += 80 * HISTORY_MS + (int64_t)history_random(history, 40) * HISTORY_MS;
  bool hole = history->holes && history_random(history, 60) == 0;
  for (size_t i = 0; i < HISTORY_THREADS; i++) {
    struct history_thread *thread = &history->threads[i];
    bool starts = !thread->serial && (i == 0 || history_random(history, 10) == 0);
    if (starts) *thread = (struct history_thread){ .serial = ++history->serials, .told_ns = window->start_mono_ns };
    if (!thread->serial) continue;
    if (thread->told_ns < window->start_mono_ns && !thread->hidden_end_ns) thread->told_ns = window->start_mono_ns;
    thread->last = i > 0 && history_random(history, 25) == 0;
    if (thread->last || hole) history_cut(thread, window->end_mono_ns);
    bool last = thread->last;
    thread->last = last || hole; /* nothing new that is hidden */
    size_t row = window->thread_count;
    history_add_thread(history, thread, window, starts);
    if (!last) window->threads[row].flags &= ~(uint32_t)RTOP_WINDOW_THREAD_ENDED;
    if (last) *thread = (struct history_thread){ 0 };
  }
  for (uint32_t i = 0; i < history->short_threads; i++) {
    struct history_thread thread = { .serial = ++history->serials, .told_ns = window->start_mono_ns, .last = true };
    history_add_thread(history, &thread, window, true);
  }
  if (history_random(history, 7) == 0) {
    *rtop_window_add_mark(window) = (struct rtop_mark){ .mono_ns = window->start_mono_ns + 5, .name = 8 };
    history->marks++;
  }
  uint64_t gc_minor = history_random(history, 3);
  history->gc_minor += gc_minor;
  rtop_window_set_counter(window, RTOP_COUNTER_GC_MINOR, gc_minor);
  rtop_window_set_counter(window, RTOP_COUNTER_RSS_BYTES, (uint64_t)window->end_mono_ns);
  history->boundaries = realloc(history->boundaries, (history->boundary_count + 2) * sizeof(int64_t));
  if (!history->boundaries) abort();
  if (history->boundary_count == 0) history->boundaries[history->boundary_count++] = window->start_mono_ns;
  history->boundaries[history->boundary_count++] = window->end_mono_ns;
  if (hole) history->now_ns += 350 * HISTORY_MS;
  return hole;
}

/* What stays open at the end is told by nobody: it is known as provisional time, or as not sampled. */
static inline void history_know_open(struct history *history)
{
  for (size_t i = 0; i < HISTORY_THREADS; i++) {
    const struct history_thread *thread = &history->threads[i];
    const struct rtop_cell cell = { .node = history->unsampled ? RTOP_NODE_UNSAMPLED : thread->node,
                                    .state = thread->state };
    int64_t end_ns = history->boundaries[history->boundary_count - 1];
    if (!thread->serial || !thread->hidden_end_ns || thread->told_ns >= end_ns) continue;
    history_know(history, thread->serial, &cell, thread->told_ns, end_ns);
    if (history->unsampled && thread->serial % 2) history->cpu_ns += (uint64_t)(end_ns - thread->told_ns);
  }
}

/* Naively: how long a thread (0: all) was at a node (UINT32_MAX: any) in a state within a span. */
static inline uint64_t history_wall_ns(const struct history *history, uint64_t serial, uint32_t node, uint32_t state,
                                       int64_t start_ns, int64_t end_ns)
{
  uint64_t wall_ns = 0;
  for (size_t i = 0; i < history->truth_count; i++) {
    const struct history_stretch *stretch = &history->truth[i];
    int64_t from = stretch->start_ns > start_ns ? stretch->start_ns : start_ns;
    int64_t to = stretch->end_ns < end_ns ? stretch->end_ns : end_ns;
    if (to > from && (serial == 0 || stretch->serial == serial) && stretch->state == state &&
        (node == UINT32_MAX || stretch->node == node))
      wall_ns += (uint64_t)(to - from);
  }
  return wall_ns;
}

#endif
