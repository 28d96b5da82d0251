/* SPDX-License-Identifier: MIT */
/* Puts threads of a window together. */
#include "window_threads.h"

static bool threads_goes(const struct rtop_window_thread *thread, bool only_ended)
{
  return !only_ended || thread->flags & RTOP_WINDOW_THREAD_ENDED || thread->serial == 0;
}

/* For an ended thread nothing will replace provisional time, so it becomes a cell. */
static void threads_settle(struct rtop_window *window, uint32_t index, bool only_ended)
{
  struct rtop_window_thread *thread = &window->threads[index];
  if (!only_ended || thread->provisional_ns == 0 || window->cell_count >= window->cell_capacity) return;
  window->cells[window->cell_count++] = (struct rtop_cell){
    .node = thread->node, .thread = index, .state = thread->state, .wall_ns = thread->provisional_ns
  };
  thread->provisional_ns = 0;
}

/* The combined thread is ended if all are; none has a stack that could be stale. */
static void threads_add(struct rtop_window_thread *others, const struct rtop_window_thread *thread)
{
  uint32_t ended = others->flags & thread->flags & RTOP_WINDOW_THREAD_ENDED;
  uint32_t joined = (others->flags | thread->flags) & ~(uint32_t)RTOP_WINDOW_THREAD_ENDED;
  others->flags = (joined | ended) & ~(uint32_t)RTOP_WINDOW_THREAD_STALE;
  others->provisional_ns += thread->provisional_ns;
  if (others->state_age_ns < thread->state_age_ns) others->state_age_ns = thread->state_age_ns;
}

/* "(other threads)" takes the place of the first thread that is merged. */
void window_sum_threads(struct rtop_window *window, bool only_ended, uint32_t *map)
{
  size_t kept = 0, others = SIZE_MAX;
  for (uint32_t i = 0; i < window->thread_count; i++)
    if (threads_goes(&window->threads[i], only_ended)) threads_settle(window, i, only_ended);
  for (size_t i = 0; i < window->thread_count; i++) {
    struct rtop_window_thread thread = window->threads[i];
    bool goes = threads_goes(&thread, only_ended);
    if (goes && others != SIZE_MAX) {
      threads_add(&window->threads[others], &thread);
      map[i] = (uint32_t)others;
      continue;
    }
    map[i] = (uint32_t)kept;
    if (goes) {
      others = kept;
      thread.slot = 0;
      thread.serial = 0;
      thread.flags &= ~(uint32_t)RTOP_WINDOW_THREAD_STALE;
      thread.node = RTOP_NODE_ROOT;
      thread.stack_age_ns = thread.lock_holder = 0;
      thread.lock_kind = thread.lock = 0;
    }
    window->threads[kept++] = thread;
  }
  window->thread_count = kept;
  for (size_t i = 0; i < window->cell_count; i++) window->cells[i].thread = map[window->cells[i].thread];
  for (size_t i = 0; i < window->late_count; i++) window->late[i].cell.thread = map[window->late[i].cell.thread];
}
