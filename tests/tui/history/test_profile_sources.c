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

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(test_a_number_is_used_again, tear_down),
    cmocka_unit_test_teardown(test_thousands_of_them, tear_down),
    cmocka_unit_test_teardown(test_answers_are_bounded, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
