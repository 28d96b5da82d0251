/* Hand-made windows for tests of the model: what a feed would hand in, without a channel. */
#ifndef RTOP_TESTS_MODEL_FIXTURE_H
#define RTOP_TESTS_MODEL_FIXTURE_H

#include "shm/window/window.h"
#include "tui/history/profile.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { FIXTURE_THREADS_MAX = 4096 };

#define MS INT64_C(1000000)
#define FIXTURE __attribute__((unused)) static

FIXTURE uint32_t fixture_frame(struct rtop_symbols *symbols, const char *label, const char *path, uint32_t line)
{
  return rtop_symbols_frame(symbols, label, strlen(label), path, strlen(path), "", 0, line,
                            *path ? RTOP_SYMBOL_RUBY : RTOP_SYMBOL_C);
}

/* The node of time that is not sampled. */
FIXTURE uint32_t fixture_unsampled(struct rtop_symbols *symbols)
{
  static const char label[] = "(not sampled)";
  uint32_t frame = rtop_symbols_frame(symbols, label, sizeof label - 1, "", 0, "", 0, 0, RTOP_SYMBOL_SPECIAL);
  uint32_t node = rtop_symbols_node(symbols, 0, frame, 0);
  assert_int_equal(rtop_symbols_unsampled(symbols), node);
  return node;
}

FIXTURE void fixture_window(struct rtop_window *window, int64_t start_ns, int64_t end_ns)
{
  rtop_window_reset(window);
  window->start_mono_ns = start_ns;
  window->end_mono_ns = end_ns;
}

/* Returns the thread's index in the window. */
FIXTURE uint32_t fixture_thread(struct rtop_window *window, uint64_t serial, uint32_t state, uint32_t node,
                                uint64_t provisional_ns)
{
  struct rtop_window_thread *thread = rtop_window_add_thread(window);
  assert_non_null(thread);
  thread->serial = serial;
  thread->state = state;
  thread->node = node;
  thread->provisional_ns = provisional_ns;
  thread->flags = provisional_ns ? RTOP_WINDOW_THREAD_PROVISIONAL : 0;
  return (uint32_t)(window->thread_count - 1);
}

FIXTURE struct rtop_cell *fixture_cell(struct rtop_window *window, uint32_t thread, uint32_t node, uint32_t state,
                                       uint64_t wall_ns)
{
  struct rtop_cell *cell = rtop_window_add_cell(window);
  assert_non_null(cell);
  cell->node = node;
  cell->thread = thread;
  cell->state = state;
  cell->wall_ns = wall_ns;
  cell->samples = 1;
  return cell;
}

FIXTURE struct rtop_late *fixture_late(struct rtop_window *window, uint32_t thread, uint32_t node, uint32_t state,
                                       int64_t start_ns, uint64_t wall_ns)
{
  struct rtop_late *late = rtop_window_add_late(window);
  assert_non_null(late);
  late->start_mono_ns = start_ns;
  late->cell.node = node;
  late->cell.thread = thread;
  late->cell.state = state;
  late->cell.wall_ns = wall_ns;
  return late;
}

/* Nodes of the window are ids of the profile's symbols already. Names are "t1", "t2", … */
FIXTURE bool fixture_add(struct rtop_profile *profile, uint32_t source, const struct rtop_window *window)
{
  static uint32_t nodes[1 << 17];
  static uint32_t threads[FIXTURE_THREADS_MAX];
  uint32_t node_count = rtop_symbols_node_count(rtop_profile_symbols(profile));
  assert_true(node_count <= sizeof nodes / sizeof nodes[0] && window->thread_count <= FIXTURE_THREADS_MAX);
  for (uint32_t i = 0; i < node_count; i++) nodes[i] = i;
  for (size_t i = 0; i < window->thread_count; i++) {
    char name[32];
    struct rtop_source_thread thread = { .serial = window->threads[i].serial, .name = name };
    thread.name_bytes = (size_t)snprintf(name, sizeof name, "t%d", (int)thread.serial);
    thread.native_id = (uint32_t)thread.serial + 100;
    thread.is_main = thread.serial == 1;
    threads[i] = rtop_profile_thread(profile, source, &thread);
  }
  return rtop_profile_add(profile, source, window, nodes, node_count, threads);
}

/* Wall time of a thread in a state, over all nodes. */
FIXTURE uint64_t fixture_wall(const struct rtop_sum *sum, uint64_t serial, enum rtop_state state)
{
  for (size_t i = 0; i < sum->thread_count; i++)
    if (sum->threads[i].serial == serial) return sum->threads[i].cost.wall_ns[state];
  return 0;
}

FIXTURE struct rtop_span fixture_span(int64_t start_ns, int64_t end_ns)
{
  return (struct rtop_span){ start_ns, end_ns };
}

#endif
