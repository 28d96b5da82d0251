/* Random windows through the profile and through a model that is too simple to be wrong. */
#include "tests/tui/model_fixture.h"

#include <stdlib.h>

enum { MEMORY = 64 << 20, NODE_UNSAMPLED = 20 };

static struct rtop_profile *make_profile(uint64_t memory_bytes)
{
  struct rtop_profile *profile = rtop_profile_create(memory_bytes);
  assert_non_null(profile);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t frame = fixture_frame(symbols, "a", "/a.rb", 1);
  for (uint32_t i = 1; i < NODE_UNSAMPLED; i++) assert_int_equal(rtop_symbols_node(symbols, i / 2, frame, i), i);
  assert_int_equal(fixture_unsampled(symbols), NODE_UNSAMPLED);
  return profile;
}

static void sum_all(struct rtop_profile *profile, struct rtop_sum *sum)
{
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), sum));
}

/* The model, done naively: every window with its cells, sums by looking at all of them. */
enum { NAIVE_WINDOWS = 120, NAIVE_THREADS = 6, NAIVE_NODES = 21 };
struct naive {
  bool unsampled; /* open time is told in cells, as since version 1.2 of the channel */
  struct naive_window {
    int64_t start_ns, end_ns;
    struct rtop_cost cells[NAIVE_THREADS][NAIVE_NODES];
    uint64_t provisional_ns[NAIVE_THREADS];
    uint32_t provisional_node[NAIVE_THREADS], provisional_state[NAIVE_THREADS];
  } windows[NAIVE_WINDOWS];
  int count;
};

static void naive_late(struct naive *naive, uint32_t thread, const struct rtop_late *late)
{
  int newest = naive->count - 1;
  uint64_t cpu_left = late->cell.cpu_ns;
  for (int i = 0; i <= newest; i++) {
    struct naive_window *window = &naive->windows[i];
    int64_t from = late->start_mono_ns > window->start_ns ? late->start_mono_ns : window->start_ns;
    int64_t end = late->start_mono_ns + (int64_t)late->cell.wall_ns;
    int64_t to = end < window->end_ns ? end : window->end_ns;
    if (to <= from) continue;
    struct rtop_cost *cost = &window->cells[thread][late->cell.node];
    uint64_t cpu_ns = late->cell.cpu_ns * (uint64_t)(to - from) / late->cell.wall_ns;
    cost->wall_ns[late->cell.state] += (uint64_t)(to - from);
    cost->cpu_ns += i == newest ? cpu_left : cpu_ns;
    cpu_left -= cpu_ns;
    struct rtop_cost *unsampled = &window->cells[thread][NODE_UNSAMPLED];
    uint64_t *wall_ns = &unsampled->wall_ns[late->cell.state], taken_ns = (uint64_t)(to - from);
    if (naive->unsampled) {
      *wall_ns -= taken_ns < *wall_ns ? taken_ns : *wall_ns;
      unsampled->cpu_ns -= cpu_ns < unsampled->cpu_ns ? cpu_ns : unsampled->cpu_ns;
    }
    if (i < newest) window->provisional_ns[thread] = 0;
  }
}

static void naive_sum(const struct naive *naive, struct rtop_span span,
                      struct rtop_cost sum[NAIVE_THREADS][NAIVE_NODES], uint64_t *length_ns)
{
  memset(sum, 0, sizeof *sum * NAIVE_THREADS);
  *length_ns = 0;
  for (int i = 0; i < naive->count; i++) {
    const struct naive_window *window = &naive->windows[i];
    int64_t middle = (window->start_ns + window->end_ns) / 2;
    if (middle < span.start_ns || middle >= span.end_ns) continue;
    *length_ns += (uint64_t)(window->end_ns - window->start_ns);
    for (int thread = 0; thread < NAIVE_THREADS; thread++) {
      for (int node = 0; node < NAIVE_NODES; node++) rtop_cost_add(&sum[thread][node], &window->cells[thread][node]);
      struct rtop_cost *cost = &sum[thread][window->provisional_node[thread]];
      cost->wall_ns[window->provisional_state[thread]] += window->provisional_ns[thread];
    }
  }
}

static void naive_not_sampled(struct rtop_window *window, uint32_t thread, struct naive_window *to, uint32_t state,
                              uint64_t wall_ns)
{
  struct rtop_cell *cell = fixture_cell(window, thread, NODE_UNSAMPLED, state, wall_ns);
  struct rtop_cost *cost = &to->cells[thread][NODE_UNSAMPLED];
  cell->samples = 0;
  cell->cpu_ns = wall_ns;
  cost->wall_ns[state] += wall_ns;
  cost->cpu_ns += wall_ns;
}

/* A window in which every thread owns all of its time: cells, a late record for what was open before, and
 * perhaps a stretch that stays open. open_ns[] is since when. */
static void naive_random_window(struct naive *naive, struct rtop_window *window, int64_t open_ns[])
{
  static uint32_t state_of[NAIVE_THREADS];
  int64_t start = naive->count ? naive->windows[naive->count - 1].end_ns : 1000;
  int64_t end = start + 50 * MS + rand() % (100 * (int)MS);
  struct naive_window *to = &naive->windows[naive->count++];
  fixture_window(window, start, end);
  *to = (struct naive_window){ .start_ns = start, .end_ns = end };
  for (uint32_t i = 0; i < NAIVE_THREADS; i++) {
    int64_t at = start;
    bool stays_open = rand() % 3 == 0, closes = open_ns[i] && rand() % 3 == 0;
    uint32_t node = (uint32_t)rand() % NODE_UNSAMPLED, state = (uint32_t)rand() % RTOP_STATES;
    uint32_t index = fixture_thread(window, i + 1, RTOP_RUNNING, node, 0);
    if (open_ns[i] && closes) {
      at = start + rand() % (end - start - 10);
      uint64_t wall_ns = (uint64_t)(at - open_ns[i]);
      struct rtop_late *late = fixture_late(window, index, node, state, open_ns[i], wall_ns);
      late->cell.cpu_ns = late->cell.wall_ns / 3;
      if (naive->unsampled) {
        late->cell.state = state_of[i];
        late->cell.cpu_ns = late->cell.wall_ns;
        naive_not_sampled(window, index, to, state_of[i], (uint64_t)(at - start));
      }
      naive_late(naive, i, late);
      open_ns[i] = 0;
    }
    int64_t until = stays_open ? at + (end - at) / 2 : end;
    if (!open_ns[i] && until > at) {
      fixture_cell(window, index, node, state, (uint64_t)(until - at))->cpu_ns = 5;
      to->cells[i][node].wall_ns[state] += (uint64_t)(until - at);
      to->cells[i][node].cpu_ns += 5;
      to->cells[i][node].samples++;
    }
    if (!open_ns[i] && stays_open) {
      open_ns[i] = until;
      state_of[i] = state;
    }
    if (open_ns[i] && naive->unsampled) {
      int64_t from = open_ns[i] > start ? open_ns[i] : start;
      naive_not_sampled(window, index, to, state_of[i], (uint64_t)(end - from));
    } else if (open_ns[i]) {
      int64_t from = open_ns[i] > start ? open_ns[i] : start;
      window->threads[index].flags = RTOP_WINDOW_THREAD_PROVISIONAL;
      window->threads[index].provisional_ns = to->provisional_ns[i] = (uint64_t)(end - from);
      to->provisional_node[i] = node;
      to->provisional_state[i] = RTOP_RUNNING;
    }
  }
}

static void assert_equals_naive(struct rtop_profile *profile, const struct naive *naive, struct rtop_span span,
                                struct rtop_sum *sum)
{
  static struct rtop_cost expected[NAIVE_THREADS][NAIVE_NODES];
  uint64_t length_ns;
  size_t cells = 0, found = 0;
  naive_sum(naive, span, expected, &length_ns);
  assert_true(rtop_profile_sum(profile, span, sum));
  assert_int_equal(sum->length_ns, length_ns);
  for (size_t i = 0; i < sum->cell_count; i++) {
    const struct rtop_sum_cell *cell = &sum->cells[i];
    if (i > 0 && cell[-1].thread == cell->thread) assert_true(cell[-1].node < cell->node);
    else if (i > 0) assert_true(cell[-1].thread < cell->thread);
    uint64_t serial = sum->threads[cell->thread].serial;
    assert_memory_equal(&cell->cost, &expected[serial - 1][cell->node], sizeof cell->cost);
    found++;
  }
  for (int thread = 0; thread < NAIVE_THREADS; thread++)
    for (int node = 0; node < NAIVE_NODES; node++) {
      static const struct rtop_cost nothing;
      cells += memcmp(&expected[thread][node], &nothing, sizeof nothing) != 0;
    }
  assert_in_range(found, cells, cells + NAIVE_THREADS * NAIVE_NODES);
  /* Every nanosecond has one owner. */
  for (size_t i = 0; i < sum->thread_count; i++) assert_int_equal(rtop_cost_wall(&sum->threads[i].cost), length_ns);
}

static void test_sums_equal_a_naive_recomputation(void **state)
{
  (void)state;
  static struct naive naive;
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  for (unsigned seed = 1; seed <= 16; seed++) {
    struct rtop_profile *profile = make_profile(MEMORY);
    int64_t open_ns[NAIVE_THREADS] = { 0 };
    srand(seed);
    naive.count = 0;
    naive.unsampled = seed > 8;
    while (naive.count < NAIVE_WINDOWS) {
      naive_random_window(&naive, &window, open_ns);
      assert_true(fixture_add(profile, 0, &window));
      struct rtop_span held = rtop_profile_bounds(profile);
      int64_t length = held.end_ns - held.start_ns;
      int64_t first = held.start_ns + rand() % length;
      assert_equals_naive(profile, &naive, held, &sum);
      assert_equals_naive(profile, &naive, fixture_span(first, first + rand() % length), &sum);
    }
    assert_int_equal(rtop_profile_late_dropped_ns(profile), 0);
    rtop_profile_destroy(&profile);
  }
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
}

/* The same windows through a memory of a few: with sums kept, nothing of the whole is lost. */
static void test_kept_sums_lose_nothing(void **state)
{
  (void)state;
  static struct naive naive;
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  for (unsigned seed = 1; seed <= 16; seed++) {
    struct rtop_profile *profile = make_profile(12 << 10);
    int64_t open_ns[NAIVE_THREADS] = { 0 };
    rtop_profile_keep_sums(profile);
    srand(seed);
    naive.count = 0;
    naive.unsampled = seed > 8;
    while (naive.count < NAIVE_WINDOWS) {
      naive_random_window(&naive, &window, open_ns);
      assert_true(fixture_add(profile, 0, &window));
      uint64_t length_ns;
      static struct rtop_cost expected[NAIVE_THREADS][NAIVE_NODES];
      naive_sum(&naive, rtop_profile_bounds(profile), expected, &length_ns);
      sum_all(profile, &sum);
      assert_int_equal(sum.length_ns, length_ns);
      assert_in_range(sum.window_count, 1, naive.count); /* some are one by now */
      for (size_t i = 0; i < sum.thread_count; i++) assert_int_equal(rtop_cost_wall(&sum.threads[i].cost), length_ns);
      assert_int_equal(sum.thread_count, NAIVE_THREADS);
    }
    struct rtop_window_summary entries[NAIVE_WINDOWS];
    size_t kept = rtop_profile_windows(profile, rtop_profile_bounds(profile), entries, NAIVE_WINDOWS);
    assert_in_range(kept, 1, NAIVE_WINDOWS / 2);
    assert_int_equal(rtop_profile_late_dropped_ns(profile), 0);
    rtop_profile_destroy(&profile);
  }
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sums_equal_a_naive_recomputation),
    cmocka_unit_test(test_kept_sums_lose_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
