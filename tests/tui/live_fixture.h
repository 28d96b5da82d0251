/* A random history with everything in it, and a live sum over it: for tests that compare what is kept from
 * step to step with what is made afresh. */
#ifndef RTOP_TESTS_LIVE_FIXTURE_H
#define RTOP_TESTS_LIVE_FIXTURE_H

#include "model_fixture.h"
#include "tui/methods/live.h"

enum { FRAMES = 24, NODES = 300, THREADS = 6 };

FIXTURE struct model {
  struct rtop_profile *profile;
  struct rtop_symbols *symbols;
  struct rtop_live *live;
  struct rtop_sum sum, fresh;
  struct rtop_methods methods, expected;
  struct rtop_window window;
  uint32_t nodes[NODES], unsampled;
  uint32_t random;
  uint32_t threads; /* in a window, at most */
  int64_t end_ns;
  bool ratios;
} m;

FIXTURE uint32_t below(uint32_t bound)
{
  m.random = m.random * 1664525 + 1013904223;
  return (uint32_t)((uint64_t)m.random * bound >> 32);
}

FIXTURE void open_model(uint64_t memory_bytes, uint32_t seed)
{
  uint32_t frames[FRAMES];
  memset(&m, 0, sizeof m);
  m.random = seed;
  m.threads = THREADS;
  m.profile = rtop_profile_create(memory_bytes);
  assert_non_null(m.profile);
  m.symbols = rtop_profile_symbols(m.profile);
  m.live = rtop_live_create(m.profile);
  assert_non_null(m.live);
  m.ratios = seed % 2;
  rtop_live_want_ratios(m.live, m.ratios);
  for (uint32_t i = 0; i < FRAMES; i++) {
    char label[32];
    snprintf(label, sizeof label, "K%u#m%u", i % 5, i);
    frames[i] = fixture_frame(m.symbols, label, i % 4 ? "/app/x.rb" : "", i);
  }
  for (uint32_t i = 1; i < NODES; i++)
    m.nodes[i] = rtop_symbols_node(m.symbols, m.nodes[below(i)], frames[below(FRAMES)], below(4));
  m.unsampled = fixture_unsampled(m.symbols);
}

FIXTURE void close_model(void)
{
  rtop_methods_destroy(&m.methods);
  rtop_methods_destroy(&m.expected);
  rtop_sum_destroy(&m.sum);
  rtop_sum_destroy(&m.fresh);
  rtop_live_destroy(&m.live);
  rtop_window_destroy(&m.window);
  rtop_profile_destroy(&m.profile);
}

FIXTURE void random_cost(struct rtop_cell *cell)
{
  cell->cpu_ns = below(1000);
  cell->blame_ns = below(100);
  cell->allocations = below(50);
  cell->samples = below(5);
}

/* Threads come and go; some are provisional, or not sampled, some records are late, some windows are lost. */
FIXTURE void add_window(uint32_t source)
{
  int64_t start_ns = m.end_ns, end_ns = start_ns + 90 * MS + (int64_t)below(20) * MS;
  if (source == 0 && below(12) == 0) {
    rtop_profile_add_gap(m.profile, 0, start_ns, end_ns);
    m.end_ns = end_ns;
    return;
  }
  fixture_window(&m.window, start_ns, end_ns);
  uint32_t first = (uint32_t)(m.end_ns / (2000 * MS)), count = 1 + below(m.threads);
  for (uint32_t i = 0; i < count; i++) {
    bool provisional = below(4) == 0;
    uint32_t thread = fixture_thread(&m.window, first + i + 1, below(RTOP_STATES), m.nodes[below(NODES)],
                                     provisional ? (1 + below(90)) * UINT64_C(1000000) : 0);
    for (uint32_t k = below(8); k > 0; k--)
      random_cost(
          fixture_cell(&m.window, thread, m.nodes[below(NODES)], below(RTOP_STATES), below(10) ? below(20000000) : 0));
    if (below(3) == 0)
      fixture_cell(&m.window, thread, m.unsampled, below(RTOP_STATES), below(60000000))->cpu_ns = below(1000);
  }
  if (below(3) == 0) {
    int64_t back_ns = (int64_t)below(900) * MS;
    struct rtop_late *late = fixture_late(&m.window, below(count), m.nodes[below(NODES)], below(RTOP_STATES),
                                          end_ns - back_ns, (uint64_t)back_ns);
    random_cost(&late->cell);
  }
  rtop_window_set_counter(&m.window, RTOP_COUNTER_SAMPLES, below(100));
  rtop_window_set_counter(&m.window, RTOP_COUNTER_GC_MINOR, below(4));
  if (below(3)) rtop_window_set_counter(&m.window, RTOP_COUNTER_RATE_HZ, below(1000));
  if (below(20) == 0) rtop_window_set_counter(&m.window, RTOP_COUNTER_RSS_BYTES, below(1000));
  assert_true(fixture_add(m.profile, source, &m.window));
  if (source == 0) m.end_ns = end_ns;
}

#endif
