/* Windows of every length tell what the plain truth says: merged by the channel, merged by the profile when
 * memory is full, and where they meet.
 */
#include "tests/tui/model_fixture.h"

#include "shm/channel/writer.h"
#include "shm/segment/registry.h"
#include "tests/shm/history.h"
#include "tui/feed/feed.h"
#include "tui/history/profile_windows.h"
#include <unistd.h>

#define SECOND INT64_C(1000000000)

struct world {
  struct history history;
  struct rtop_profile *profile;
  struct rtop_window window;
  struct rtop_sum sum, part;
  bool fold_threads, fold_nodes; /* only sums over all of them can be compared */
};

static void world_begin(struct world *world, uint64_t seed, uint64_t memory_bytes)
{
  memset(world, 0, sizeof *world);
  history_begin(&world->history, seed, 50 * SECOND + (int64_t)seed * 37 * MS);
  world->profile = rtop_profile_create(memory_bytes);
  struct rtop_symbols *symbols = rtop_profile_symbols(world->profile);
  for (uint32_t i = 1; i < RTOP_NODE_FIRST_FREE + HISTORY_NODES; i++) {
    char label[16];
    snprintf(label, sizeof label, "m%u", i);
    if (i == RTOP_NODE_UNSAMPLED) assert_int_equal(fixture_unsampled(symbols), i);
    else assert_int_equal(rtop_symbols_node(symbols, 0, fixture_frame(symbols, label, "", 0), 0), i);
  }
}

static void world_end(struct world *world)
{
  history_end(&world->history);
  rtop_window_destroy(&world->window);
  rtop_sum_destroy(&world->sum);
  rtop_sum_destroy(&world->part);
  rtop_profile_destroy(&world->profile);
}

static void sum(struct world *world, struct rtop_span span, struct rtop_sum *out)
{
  assert_true(rtop_profile_sum(world->profile, span, out));
}

/* The number in a label "m12". */
static uint32_t node_of(const struct world *world, uint32_t id)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(world->profile);
  const char *label = rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, id)->frame)->label;
  return id && id == rtop_symbols_unsampled(symbols) ? RTOP_NODE_UNSAMPLED : (uint32_t)strtoul(label + 1, NULL, 10);
}

enum { NODES = RTOP_NODE_FIRST_FREE + HISTORY_NODES };
struct wall {
  uint64_t ns[NODES][RTOP_STATES];
};

static struct wall *no_times(const struct world *world)
{
  struct wall *times = calloc(world->history.serials + 1, sizeof *times);
  assert_non_null(times);
  return times;
}

/* Everything that a sum over [start, end) says of time, against the stretches that were. Where threads were
 * folded (serial 0) or nodes ((folded), which is no m), the rest must hold without them. */
static void check_span(struct world *world, int64_t start_ns, int64_t end_ns)
{
  struct wall *truth = no_times(world), *told = no_times(world);
  sum(world, fixture_span(start_ns, end_ns), &world->sum);
  for (size_t i = 0; i < world->history.truth_count; i++) {
    const struct history_stretch *stretch = &world->history.truth[i];
    int64_t from = stretch->start_ns > start_ns ? stretch->start_ns : start_ns;
    int64_t to = stretch->end_ns < end_ns ? stretch->end_ns : end_ns;
    uint64_t serial = world->fold_threads ? 0 : stretch->serial;
    if (to > from) truth[serial].ns[world->fold_nodes ? 0 : stretch->node][stretch->state] += (uint64_t)(to - from);
  }
  for (size_t i = 0; i < world->sum.cell_count; i++) {
    const struct rtop_sum_cell *cell = &world->sum.cells[i];
    uint64_t serial = world->fold_threads ? 0 : world->sum.threads[cell->thread].serial;
    for (int state = 0; state < RTOP_STATES; state++)
      told[serial].ns[world->fold_nodes ? 0 : node_of(world, cell->node)][state] += cell->cost.wall_ns[state];
  }
  assert_memory_equal(told, truth, (world->history.serials + 1) * sizeof *truth);
  free(truth);
  free(told);
}

/* The window that holds an instant: its start. */
static int64_t boundary_before(const struct world *world, int64_t time_ns)
{
  for (size_t i = 0; i < world->profile->count; i++) {
    const struct profile_window *window = profile_window_at(world->profile, i);
    if (time_ns >= window->start_ns && time_ns < window->end_ns) return window->start_ns;
  }
  return rtop_profile_bounds(world->profile).end_ns;
}

/* Spans from boundary to boundary, within and across tiers. */
static void check_boundaries(struct world *world, int spans)
{
  struct rtop_span held = rtop_profile_bounds(world->profile);
  for (int i = 0; i < spans; i++) {
    uint64_t length = (uint64_t)(held.end_ns - held.start_ns);
    int64_t a = held.start_ns + (int64_t)history_random(&world->history, length);
    int64_t b = held.start_ns + (int64_t)history_random(&world->history, length);
    check_span(world, boundary_before(world, a < b ? a : b), boundary_before(world, a < b ? b : a));
  }
  check_span(world, held.start_ns, held.end_ns);
}

/* Costs of neighbouring spans add up, wherever they are cut. */
static void check_cuts(struct world *world, int cuts)
{
  struct rtop_span held = rtop_profile_bounds(world->profile);
  uint64_t length = (uint64_t)(held.end_ns - held.start_ns);
  for (int i = 0; i < cuts; i++) {
    int64_t at[5] = { held.start_ns, 0, 0, 0, held.end_ns };
    struct rtop_cost total = { 0 };
    uint64_t gc = 0, length_ns = 0;
    for (int k = 1; k < 4; k++)
      at[k] = at[k - 1] + (int64_t)history_random(&world->history, (uint64_t)(held.end_ns - at[k - 1]) + 1);
    for (int k = 0; k < 4; k++) {
      sum(world, fixture_span(at[k], at[k + 1]), &world->part);
      rtop_cost_add(&total, &world->part.total);
      gc += world->part.counters.gc_minor;
      length_ns += world->part.length_ns;
    }
    sum(world, held, &world->sum);
    assert_memory_equal(&total, &world->sum.total, sizeof total);
    assert_int_equal(gc, world->sum.counters.gc_minor);
    /* A short window on a cut is whole on one side of it. */
    assert_in_range(length_ns, world->sum.length_ns, world->sum.length_ns);
  }
  assert_true(length > 0);
}

/* The timeline tells the same as the sums. */
static void check_timeline(struct world *world, size_t capacity)
{
  struct rtop_window_summary *entries = calloc(capacity, sizeof *entries);
  struct rtop_span held = rtop_profile_bounds(world->profile);
  struct rtop_span middle = { held.start_ns + (held.end_ns - held.start_ns) / 3, held.end_ns };
  size_t count = rtop_profile_windows(world->profile, middle, entries, capacity);
  uint64_t wall_ns[RTOP_STATES] = { 0 }, gc = 0;
  for (size_t i = 0; i < count; i++) {
    assert_true(entries[i].end_ns > entries[i].start_ns);
    assert_true(i == 0 || entries[i].start_ns >= entries[i - 1].end_ns);
    for (int state = 0; state < RTOP_STATES; state++) wall_ns[state] += entries[i].wall_ns[state];
    gc += entries[i].counters.gc_minor;
    assert_int_equal(entries[i].sources, entries[i].gap ? 0 : 1);
  }
  sum(world, middle, &world->sum);
  for (int state = 0; state < RTOP_STATES; state++)
    assert_in_range(wall_ns[state] + 1,
                    world->sum.total.wall_ns[state] > 4000 ? world->sum.total.wall_ns[state] - 4000 : 0,
                    world->sum.total.wall_ns[state] + 4000);
  assert_int_equal(gc, world->sum.counters.gc_minor);
  free(entries);
}

static size_t longest_ms(const struct world *world)
{
  int64_t longest_ns = 0;
  for (size_t i = 0; i < world->profile->count; i++) {
    const struct profile_window *window = profile_window_at(world->profile, i);
    if (!window->gap && window->end_ns - window->start_ns > longest_ns) longest_ns = window->end_ns - window->start_ns;
  }
  return (size_t)(longest_ns / MS);
}

static size_t held_bytes(const struct rtop_profile *profile)
{
  size_t bytes = 0;
  for (size_t i = 0; i < profile->count; i++) bytes += profile_window_bytes(profile_window_at(profile, i));
  return bytes;
}

/* Memory for a part of it: old windows are merged, some dropped, and what is held is right. */
static void test_memory_makes_old_windows_longer(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    struct world world;
    world_begin(&world, seed, 1 << 20);
    world.history.holes = seed % 2;
    world.history.unsampled = seed > 6;
    for (int i = 0; i < 4000; i++) {
      history_next(&world.history, &world.window);
      assert_true(fixture_add(world.profile, 0, &world.window));
      assert_int_equal(world.profile->memory.bytes, held_bytes(world.profile));
      assert_true(world.profile->memory.bytes <= 1 << 20);
    }
    history_know_open(&world.history);
    assert_true(longest_ms(&world) > 9000);
    check_boundaries(&world, 60);
    check_cuts(&world, 40);
    check_timeline(&world, 2000);
    world_end(&world);
  }
}

/* A thread for every request: their time is kept, not their names. */
static void check_thousands_of_threads(bool unsampled)
{
  struct world world;
  world_begin(&world, 9, 1 << 20);
  world.history.unsampled = unsampled;
  world.history.short_threads = 30;
  world.fold_threads = true;
  for (int i = 0; i < 400; i++) {
    history_next(&world.history, &world.window);
    assert_true(fixture_add(world.profile, 0, &world.window));
  }
  history_know_open(&world.history);
  for (size_t i = 0; i < world.profile->count; i++) {
    const struct profile_window *window = profile_window_at(world.profile, i);
    if (window->end_ns - window->start_ns > SECOND / 2) assert_true(window->thread_count <= HISTORY_THREADS + 33);
    for (size_t k = 0; k < window->thread_count; k++)
      assert_non_null(profile_thread_at(world.profile, window->threads[k].thread));
    for (size_t k = 0; k < window->cell_count; k++)
      assert_non_null(profile_thread_at(world.profile, window->cells[k].thread));
  }
  check_boundaries(&world, 30);
  check_cuts(&world, 10);
  sum(&world, rtop_profile_bounds(world.profile), &world.sum);
  assert_int_equal(world.sum.threads[0].serial, 0);
  assert_string_equal(world.sum.threads[0].name, "(other threads)");
  /* Nobody is listed who does not occur. */
  size_t listed = 0;
  for (uint32_t id = 0; id < rtop_profile_thread_bound(world.profile); id++)
    listed += profile_thread_at(world.profile, id) != NULL;
  assert_int_equal(listed, world.sum.thread_count);
  world_end(&world);
}

static void test_thousands_of_threads(void **state)
{
  (void)state;
  check_thousands_of_threads(false);
  check_thousands_of_threads(true);
}

/* For minutes nobody knows what a thread does; the windows that show it so become long ones. Then it is told. */
static void test_late_records_reach_into_merged_windows(void **state)
{
  (void)state;
  struct world world;
  world_begin(&world, 1, 64 << 10);
  const int windows = 3000;
  for (int i = 0; i < windows; i++) {
    fixture_window(&world.window, i * 100 * MS, (i + 1) * 100 * MS);
    fixture_thread(&world.window, 1, RTOP_RUNNING, 5, 100 * MS);
    assert_true(fixture_add(world.profile, 0, &world.window));
  }
  assert_true(longest_ms(&world) == 10000);
  struct rtop_span held = rtop_profile_bounds(world.profile);
  sum(&world, held, &world.sum);
  assert_int_equal(world.sum.cell_count, 1);
  assert_int_equal(world.sum.total.wall_ns[RTOP_STATE_RUNNING], held.end_ns - held.start_ns);
  fixture_window(&world.window, windows * 100 * MS, (windows + 1) * 100 * MS);
  uint32_t thread = fixture_thread(&world.window, 1, RTOP_BLOCKED, 6, 0);
  fixture_late(&world.window, thread, 6, RTOP_BLOCKED, 0, (uint64_t)(windows + 1) * 100 * MS);
  assert_true(fixture_add(world.profile, 0, &world.window));
  held = rtop_profile_bounds(world.profile);
  sum(&world, held, &world.sum);
  assert_int_equal(world.sum.cell_count, 1);
  assert_int_equal(world.sum.total.wall_ns[RTOP_STATE_BLOCKED], held.end_ns - held.start_ns);
  assert_int_equal(rtop_cost_wall(&world.sum.total), held.end_ns - held.start_ns);
  check_cuts(&world, 5);
  world_end(&world);
}

/* The same as it is told since version 1.2; and at the end of each of these windows the stack is known then. */
static void test_late_records_take_from_merged_windows(void **state)
{
  (void)state;
  struct world world;
  world_begin(&world, 1, 64 << 10);
  const int windows = 3000;
  for (int i = 0; i < windows; i++) {
    fixture_window(&world.window, i * 100 * MS, (i + 1) * 100 * MS);
    uint32_t thread = fixture_thread(&world.window, 1, RTOP_RUNNING, 5, 0);
    world.window.threads[thread].flags = RTOP_WINDOW_THREAD_STALE;
    world.window.threads[thread].stack_age_ns = (uint64_t)(i + 1) * 100 * MS;
    fixture_cell(&world.window, thread, RTOP_NODE_UNSAMPLED, RTOP_RUNNING, 100 * MS)->samples = 0;
    assert_true(fixture_add(world.profile, 0, &world.window));
  }
  assert_true(longest_ms(&world) == 10000);
  sum(&world, fixture_span(2000 * 100 * MS, 2001 * 100 * MS), &world.sum);
  assert_true(world.sum.threads[0].stale);
  assert_int_equal(world.sum.threads[0].node, 5);
  assert_true(world.sum.threads[0].stack_age_ns >= UINT64_C(2000) * 100 * MS);
  fixture_window(&world.window, windows * 100 * MS, (windows + 1) * 100 * MS);
  uint32_t thread = fixture_thread(&world.window, 1, RTOP_RUNNING, 6, 0);
  fixture_late(&world.window, thread, 7, RTOP_RUNNING, 0, (uint64_t)windows * 100 * MS);
  fixture_cell(&world.window, thread, 6, RTOP_RUNNING, 100 * MS);
  assert_true(fixture_add(world.profile, 0, &world.window));
  struct rtop_span held = rtop_profile_bounds(world.profile);
  sum(&world, held, &world.sum);
  assert_int_equal(world.sum.cell_count, 2);
  assert_int_equal(rtop_cost_wall(&world.sum.cells[0].cost), 100 * MS);
  assert_int_equal(rtop_cost_wall(&world.sum.cells[1].cost), held.end_ns - held.start_ns - 100 * MS);
  assert_int_equal(world.sum.threads[0].node, 6);
  sum(&world, fixture_span(2000 * 100 * MS, 2001 * 100 * MS), &world.sum);
  assert_false(world.sum.threads[0].stale);
  assert_int_equal(world.sum.threads[0].node, 7);
  assert_int_equal(world.sum.threads[0].stack_age_ns, 0);
  check_cuts(&world, 5);
  world_end(&world);
}

/* They ended before anybody knew what they did. */
static void test_what_ended_threads_left_open_is_kept(void **state)
{
  (void)state;
  struct world world;
  world_begin(&world, 1, 64 << 10);
  uint64_t serial = 1;
  for (int i = 0; i < 200; i++) {
    fixture_window(&world.window, i * 100 * MS, (i + 1) * 100 * MS);
    for (int k = 0; k < 10; k++) {
      uint32_t index = fixture_thread(&world.window, serial++, RTOP_WAITING, 7, 30 * MS);
      world.window.threads[index].flags |= RTOP_WINDOW_THREAD_ENDED;
    }
    assert_true(fixture_add(world.profile, 0, &world.window));
  }
  assert_true(longest_ms(&world) >= 1000);
  struct rtop_span held = rtop_profile_bounds(world.profile);
  sum(&world, held, &world.sum);
  assert_true(world.sum.thread_count < serial / 2);
  assert_int_equal(world.sum.total.wall_ns[RTOP_STATE_WAITING], (held.end_ns - held.start_ns) * 3);
  world_end(&world);
}

static struct rtop_writer *make_channel(void)
{
  struct rtop_writer_options options = { .ring_bytes = 1 << 20, .identity = { .window_ns = 100000000 } };
  struct rtop_writer *writer = rtop_writer_create(&options, NULL);
  assert_non_null(writer);
  for (uint32_t i = RTOP_NODE_FIRST_FREE; i < RTOP_NODE_FIRST_FREE + HISTORY_NODES; i++) {
    char label[16];
    struct rtop_frame_entry frame = { .kind = RTOP_FRAME_RUBY };
    struct rtop_node_entry node = { .depth = 1 };
    uint32_t id;
    snprintf(label, sizeof label, "m%u", i);
    frame.label = rtop_writer_add_string(writer, label, strlen(label));
    rtop_writer_add_frame(writer, &frame, &node.frame);
    rtop_writer_add_node(writer, &node, &id);
    assert_int_equal(id, i);
  }
  return writer;
}

static void open_and_poll(struct world *world, const struct rtop_writer *writer, struct rtop_feed **feed)
{
  struct rtop_registry_entry entry = { .uid = geteuid(), .pid = getpid() };
  enum rtop_feed_state state;
  snprintf(entry.path, sizeof entry.path, "%s", rtop_writer_path(writer));
  if (!*feed) *feed = rtop_feed_open_entry(&entry, 0, 0, NULL);
  assert_non_null(*feed);
  rtop_feed_poll(*feed, world->profile, &state);
}

/* A ring that has overwritten its first windows: opened late, the history is whole, and every sum is right
 * within a tier and where two of them meet. Then it goes on, and late records reach back into merged ones. */
static void test_tiers_of_a_channel_meet(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    struct world world;
    struct rtop_feed *feed = NULL;
    struct rtop_writer *writer = make_channel();
    world_begin(&world, seed, 256 << 20);
    world.history.holes = seed % 2;
    world.history.unsampled = seed > 4;
    world.fold_nodes = true;
    const int windows = 5000;
    for (int i = 0; i < windows; i++) {
      history_next(&world.history, &world.window);
      assert_int_equal(rtop_writer_publish(writer, &world.window), i + 1);
    }
    open_and_poll(&world, writer, &feed);
    assert_true(longest_ms(&world) > 9000);
    assert_true(world.profile->count < 4900);
    assert_int_equal(rtop_profile_bounds(world.profile).start_ns, world.history.boundaries[0]);
    /* What is held in detail is told in detail. */
    for (size_t i = 0; i < 600; i++) {
      const struct profile_window *window = profile_window_at(world.profile, world.profile->count - 1 - i);
      assert_true(window->gap || window->end_ns - window->start_ns <= 120 * MS);
    }
    int64_t first_ns = profile_window_at(world.profile, 0)->end_ns;
    for (int i = 0; i < 60; i++) {
      history_next(&world.history, &world.window);
      rtop_writer_publish(writer, &world.window);
      open_and_poll(&world, writer, &feed);
    }
    history_know_open(&world.history);
    assert_int_equal(rtop_profile_late_dropped_ns(world.profile), 0);
    assert_true(first_ns > world.history.boundaries[0]);
    check_boundaries(&world, 60);
    check_cuts(&world, 30);
    check_timeline(&world, 8000);
    sum(&world, rtop_profile_bounds(world.profile), &world.sum);
    assert_int_equal(world.sum.total.samples, world.history.samples);
    assert_int_equal(world.sum.total.cpu_ns, world.history.cpu_ns);
    assert_int_equal(world.sum.total.allocations, world.history.allocations);
    assert_int_equal(world.sum.counters.gc_minor, world.history.gc_minor);
    rtop_feed_close(&feed);
    rtop_writer_destroy(&writer, false);
    world_end(&world);
  }
}

/* The channel, which merges windows, and the profile agree on what is a change and what is a value of now. */
static void test_counters_are_the_same_to_both(void **state)
{
  (void)state;
  unsigned known = 0;
  for (unsigned id = 1; id < RTOP_COUNTER_ID_MAX; id++) {
    struct world world;
    world_begin(&world, 1, 1 << 20);
    for (int i = 0; i < 2; i++) {
      fixture_window(&world.window, i * 100 * MS, (i + 1) * 100 * MS);
      rtop_window_set_counter(&world.window, (enum rtop_counter_id)id, i ? 5 : 7);
      assert_true(fixture_add(world.profile, 0, &world.window));
    }
    sum(&world, rtop_profile_bounds(world.profile), &world.sum);
    uint64_t values[sizeof world.sum.counters / sizeof(uint64_t)], value = 0;
    memcpy(values, &world.sum.counters, sizeof values);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) value += values[i];
    if (id == RTOP_COUNTER_EXCEPTIONS) value -= world.sum.counters.raises_untold; /* before version 1.7 all of them */
    if (value) assert_int_equal(value, rtop_counter_is_now(id) ? 5 : 12);
    known += value > 0;
    world_end(&world);
  }
  assert_true(known >= 16);
}

static int folder(void **state)
{
  static char path[] = "/dev/shm/rtop-test-XXXXXX";
  (void)state;
  return mkdtemp(path) && setenv("RPERF_TOP_DIR", path, 1) == 0 ? 0 : -1;
}

static int no_folder(void **state)
{
  (void)state;
  return rmdir(getenv("RPERF_TOP_DIR"));
}

/* A process that makes methods all the time: what is held together stays below one bound, names and windows, and a third
 * of it is for windows whatever comes. */
static void test_names_take_their_memory_from_history(void **state)
{
  (void)state;
  enum { MOST = 12 << 20, FREE = 4 << 20, CELLS = 200, ROUNDS = 500, NEW = 400 };
  struct rtop_profile *profile = rtop_profile_create(MOST);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct rtop_window window = { 0 };
  uint32_t nodes[CELLS] = { 0 };
  size_t largest = 0;
  for (int round = 0; round < ROUNDS; round++) {
    struct rtop_source_thread main_thread = { .serial = 1, .name = "main", .name_bytes = 4 };
    uint32_t thread = rtop_profile_thread(profile, 0, &main_thread);
    for (int i = 0; i < NEW; i++) {
      char label[64];
      snprintf(label, sizeof label, "Maker#made_method_%d_of_%d_of_the_day", i, round);
      nodes[i % CELLS] =
          rtop_symbols_node(symbols, 0, fixture_frame(symbols, label, "/app/lib/generated/made.rb", 1), 1);
    }
    rtop_window_reset(&window);
    window.start_mono_ns = (round + 1) * 100 * MS;
    window.end_mono_ns = window.start_mono_ns + 100 * MS;
    rtop_window_add_thread(&window)->serial = 1;
    for (uint32_t i = 0; i < CELLS; i++)
      *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = i, .wall_ns = 100000, .samples = 1 };
    assert_true(rtop_profile_add(profile, 0, &window, nodes, CELLS, &thread));
    size_t names = rtop_symbols_bytes(symbols);
    if (names < FREE + MOST / 3 * 2 && profile->memory.bytes + names > largest) largest = profile->memory.bytes + names;
  }
  assert_in_range(largest, MOST / 2, MOST + FREE + (1 << 20));
  assert_true(rtop_symbols_bytes(symbols) > FREE + MOST / 3 * 2);
  assert_true(profile->memory.bytes <= MOST / 3 + (1 << 20));
  assert_true(profile->count > 1);
  rtop_window_destroy(&window);
  rtop_profile_destroy(&profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_memory_makes_old_windows_longer),
    cmocka_unit_test(test_thousands_of_threads),
    cmocka_unit_test(test_names_take_their_memory_from_history),
    cmocka_unit_test(test_late_records_reach_into_merged_windows),
    cmocka_unit_test(test_late_records_take_from_merged_windows),
    cmocka_unit_test(test_what_ended_threads_left_open_is_kept),
    cmocka_unit_test(test_tiers_of_a_channel_meet),
    cmocka_unit_test(test_counters_are_the_same_to_both),
  };
  return cmocka_run_group_tests(tests, folder, no_folder);
}
