/* Sources that are over give their numbers to others: nothing of what they told is lost or mixed. */
#include "tests/tui/model_fixture.h"
#include "tui/history/profile_state.h"

static struct rtop_profile *profile;
static uint32_t node;

static int tear_down(void **state)
{
  (void)state;
  rtop_profile_destroy(&profile);
  return 0;
}

static void open_profile(size_t bytes)
{
  profile = rtop_profile_create(bytes);
  assert_non_null(profile);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t frame = rtop_symbols_frame(symbols, "Object#work", 11, "/app/x.rb", 9, "Object", 6, 1, RTOP_SYMBOL_RUBY);
  node = rtop_symbols_node(symbols, 0, frame, 1);
}

/* The only thread of a source, with one serial in all of them: so much running, from so long on. */
static void tell(uint32_t source, int64_t start_ns, uint64_t running_ns)
{
  struct rtop_window window = { 0 };
  fixture_window(&window, start_ns, start_ns + 100 * MS);
  uint32_t thread = fixture_thread(&window, 1, RTOP_STATE_RUNNING, 0, 0);
  fixture_cell(&window, thread, node, RTOP_STATE_RUNNING, running_ns);
  assert_true(fixture_add(profile, source, &window));
  rtop_window_destroy(&window);
}

static uint64_t running_of(const struct rtop_sum *sum, uint32_t source)
{
  uint64_t running_ns = 0;
  for (size_t i = 0; i < sum->thread_count; i++)
    if (sum->threads[i].source == source) running_ns += sum->threads[i].cost.wall_ns[RTOP_STATE_RUNNING];
  return running_ns;
}

static void test_a_number_is_used_again(void **state)
{
  (void)state;
  struct rtop_sum sum = { 0 };
  struct rtop_profile_retired retired;
  uint64_t seen = 0;
  open_profile(16 << 20);
  tell(0, 0, 10 * MS);
  tell(1, 0, 20 * MS);
  rtop_profile_add_mark(profile, 1, 50 * MS, "mark", 4);
  rtop_lens_process(rtop_profile_lens(profile), 1, rtop_process_of(4711, 0));
  assert_false(rtop_profile_retired(profile, &seen, &retired));
  uint32_t number = rtop_profile_retire(profile, 1);
  assert_true(number > RTOP_SOURCE_GONE);
  assert_true(rtop_profile_retired(profile, &seen, &retired));
  assert_int_equal(retired.source, 1);
  assert_int_equal(retired.number, number);
  assert_false(rtop_profile_retired(profile, &seen, &retired));
  rtop_lens_process(rtop_profile_lens(profile), 1, rtop_process_of(4711, 1));
  tell(1, 200 * MS, 40 * MS);
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_int_equal(sum.thread_count, 3);
  assert_int_equal(rtop_cost_wall(&sum.total), 70 * MS);
  assert_int_equal(running_of(&sum, 0), 10 * MS);
  assert_int_equal(running_of(&sum, number), 20 * MS);
  assert_int_equal(running_of(&sum, 1), 40 * MS);
  struct rtop_profile_mark mark;
  assert_int_equal(rtop_profile_marks(profile, rtop_profile_bounds(profile), &mark, 1), 1);
  assert_int_equal(mark.source, number);
  /* Told apart they stay who they were, by the same number of a process, too. */
  struct rtop_lens_look look = { .processes = true };
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  char name[64];
  rtop_lens_set(rtop_profile_lens(profile), &look);
  const uint32_t sources[] = { 0, number, 1 };
  static const char *const names[] = { "Object#work", "4711 Object#work", "4711/2 Object#work" };
  for (int i = 0; i < 3; i++) {
    uint32_t shown = rtop_lens_node(rtop_profile_lens(profile), sources[i], node);
    const struct rtop_symbol *symbol = rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, shown)->frame);
    assert_string_equal(rtop_symbol_name(symbol, name, sizeof name), names[i]);
  }
  rtop_sum_destroy(&sum);
}

/* As many as there like to be, in little memory: sums that are kept stay whole, and places are given back. */
static void test_thousands_of_them(void **state)
{
  (void)state;
  struct rtop_sum sum = { 0 };
  enum { THEY = 5000 };
  for (int kept = 0; kept < 2; kept++) {
    open_profile(1 << 20);
    if (kept) rtop_profile_keep_sums(profile);
    tell(0, 0, 10 * MS);
    for (int i = 0; i < THEY; i++) {
      tell(1, (i + 1) * 100 * MS, 20 * MS);
      if (i % 2) tell(0, i * 100 * MS, 10 * MS);
      assert_true(rtop_profile_retire(profile, 1) > RTOP_SOURCE_GONE);
    }
    assert_in_range(profile->source_count, 3, 1200);
    assert_in_range(profile->threads.count, 3, 1600);
    assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
    if (kept) assert_int_equal(rtop_cost_wall(&sum.total), 10 * MS + THEY * 20 * MS + THEY / 2 * 10 * MS);
    assert_int_equal(running_of(&sum, 1), 0);
    rtop_profile_destroy(&profile);
  }
  open_profile(1 << 20);
  rtop_sum_destroy(&sum);
}

/* Answers for processes that are told apart take little memory, however many there are. */
static void test_answers_are_bounded(void **state)
{
  (void)state;
  enum { NODES = 50000, PROCESSES = 128 };
  open_profile(16 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct rtop_lens *lens = rtop_profile_lens(profile);
  struct rtop_lens_look look = { .processes = true };
  rtop_lens_set(lens, &look);
  uint32_t frame = rtop_symbols_get_node(symbols, node)->frame, deepest = node;
  for (uint32_t i = 0; i < NODES; i++) deepest = rtop_symbols_node(symbols, node, frame, i + 2);
  for (uint32_t i = 0; i < PROCESSES; i++) {
    rtop_lens_process(lens, i, rtop_process_of(1000 + i, 0));
    for (uint32_t at = node; at <= deepest; at += 256) assert_true(rtop_lens_node(lens, i, at) > 0);
    assert_in_range(rtop_lens_apart_bytes(lens), 1, (8 << 20) + (1 << 20));
  }
}

enum { CROWD = 60, CROWD_BATCH = 20, CROWD_WINDOWS = 100, CROWD_PROBES = 3 };

/* Every third window tells late of the 250 ms before, one in 25 of four seconds: more windows than are at hand. */
static void add_of_crowd(struct rtop_profile *of, uint32_t source, int at, uint32_t work, uint32_t unsampled)
{
  struct rtop_window window = { 0 };
  int64_t start_ns = at * 100 * MS + source * 1000, end_ns = start_ns + 100 * MS;
  fixture_window(&window, start_ns, end_ns);
  uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, work, 0);
  fixture_cell(&window, thread, unsampled, RTOP_RUNNING, 60 * MS);
  fixture_cell(&window, thread, unsampled, RTOP_BLOCKED, 40 * MS);
  if (at % 3 == 2) fixture_late(&window, thread, work, RTOP_RUNNING, end_ns - 250 * MS, 120 * MS + source);
  if (at % 25 == 24 && at > 40) fixture_late(&window, thread, work, RTOP_BLOCKED, end_ns - 4000 * MS, 4000 * MS);
  if (at % 17 != 16) assert_true(fixture_add(of, source, &window)); /* and some never come */
  rtop_window_destroy(&window);
}

static struct rtop_profile *open_crowd(const uint32_t *sources, uint32_t count, size_t bytes)
{
  struct rtop_profile *of = rtop_profile_create(bytes);
  struct rtop_symbols *symbols = rtop_profile_symbols(of);
  uint32_t unsampled = fixture_unsampled(symbols);
  uint32_t work = rtop_symbols_node(symbols, 0, fixture_frame(symbols, "Object#work", "/app/x.rb", 1), 1);
  for (int from = 0; from < CROWD_WINDOWS; from += CROWD_BATCH)
    for (uint32_t i = 0; i < count; i++)
      for (int at = from; at < from + CROWD_BATCH; at++) add_of_crowd(of, sources[i], at, work, unsampled);
  return of;
}

/* What a process is told to have done does not depend on who else is watched. */
static void test_a_crowd_beside_changes_nothing(void **state)
{
  (void)state;
  static const uint32_t probes[CROWD_PROBES] = { 0, 31, CROWD - 1 };
  uint32_t all[CROWD];
  for (uint32_t i = 0; i < CROWD; i++) all[i] = i;
  profile = open_crowd(all, CROWD, 64 << 20);
  for (int probe = 0; probe < CROWD_PROBES; probe++) {
    struct rtop_profile *alone = open_crowd(&probes[probe], 1, 64 << 20);
    int known = 0;
    for (int at = 0; at < CROWD_WINDOWS; at++) {
      uint64_t wall_ns[RTOP_STATES] = { 0 }, own_ns[RTOP_STATES] = { 0 };
      int64_t start_ns = at * 100 * MS + probes[probe] * 1000;
      bool there = rtop_profile_window_wall(profile, probes[probe], start_ns, start_ns + 100 * MS, wall_ns);
      assert_int_equal(there, rtop_profile_window_wall(alone, probes[probe], start_ns, start_ns + 100 * MS, own_ns));
      assert_memory_equal(wall_ns, own_ns, sizeof wall_ns);
      known += there;
    }
    assert_int_equal(known, CROWD_WINDOWS - CROWD_WINDOWS / 17);
    for (int64_t second = 0; second < 10; second++) {
      struct rtop_sum sum = { 0 }, own = { 0 };
      struct rtop_span span = fixture_span(second * 1000 * MS, (second + 1) * 1000 * MS);
      assert_true(rtop_profile_sum(profile, span, &sum) && rtop_profile_sum(alone, span, &own));
      rtop_profile_alone(profile, probes[probe], &sum);
      assert_memory_equal(&sum.total, &own.total, sizeof sum.total);
      rtop_sum_destroy(&sum);
      rtop_sum_destroy(&own);
    }
    rtop_profile_destroy(&alone);
  }
  /* With less memory than it takes, windows are put together and go while others come. */
  struct rtop_profile *small = open_crowd(all, CROWD, 1 << 20);
  assert_true(rtop_profile_bounds(small).end_ns == rtop_profile_bounds(profile).end_ns);
  rtop_profile_destroy(&small);
}

static void check_span(struct rtop_span span, int64_t start_ns, int64_t end_ns)
{
  assert_int_equal(span.start_ns, start_ns);
  assert_int_equal(span.end_ns, end_ns);
}

/* The last of one source, also when others have gone on for long; of one that never told anything that of all. */
static void test_last_of_one(void **state)
{
  (void)state;
  open_profile(16 << 20);
  for (int i = 0; i < 50; i++) tell(0, i * 100 * MS, 10 * MS);
  for (int i = 0; i < 8; i++) tell(1, 20 * MS + i * 100 * MS, 10 * MS);
  check_span(rtop_profile_last_alone(profile, 1, 500 * MS), 320 * MS, 820 * MS);
  check_span(rtop_profile_last_alone(profile, 1, 2000 * MS), 0, 820 * MS);
  check_span(rtop_profile_last_alone(profile, 1, 0), 0, 820 * MS);
  check_span(rtop_profile_last_alone(profile, 0, 500 * MS), 4500 * MS, 5000 * MS);
  check_span(rtop_profile_last_alone(profile, 7, 500 * MS), 4500 * MS, 5000 * MS);
  rtop_profile_keep_ns(profile, 1000 * MS);
  tell(0, 5000 * MS, 10 * MS);
  struct rtop_span held = rtop_profile_bounds(profile);
  assert_true(held.start_ns > 820 * MS); /* nothing is held of it */
  check_span(rtop_profile_last_alone(profile, 1, 500 * MS), held.start_ns, held.start_ns);
}

/* Of two processes each tells what its Ruby does not show: together it is all of that, not a sum of bits. */
static void test_what_two_do_not_show(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  open_profile(16 << 20);
  for (uint32_t source = 0; source < 3; source++) {
    fixture_window(&window, 0, 100 * MS);
    if (source > 0) rtop_window_set_counter(&window, RTOP_COUNTER_VM_UNKNOWN, source == 1 ? 12 : 10);
    assert_true(fixture_add(profile, source, &window));
  }
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_int_equal(sum.counters.vm_unknown, 14);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(test_a_crowd_beside_changes_nothing, tear_down),
    cmocka_unit_test_teardown(test_a_number_is_used_again, tear_down),
    cmocka_unit_test_teardown(test_last_of_one, tear_down),
    cmocka_unit_test_teardown(test_what_two_do_not_show, tear_down),
    cmocka_unit_test_teardown(test_thousands_of_them, tear_down),
    cmocka_unit_test_teardown(test_answers_are_bounded, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
