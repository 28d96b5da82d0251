/* A process that makes methods all the time: what the viewer holds stays the same, and what it shows stays right. */
#include "tests/tui/model_fixture.h"
#include "tests/tui/allocated.h"

#include "tui/history/profile_windows.h"
#include "tui/methods/live.h"

enum { NEW = 400, SECOND = 10 };

struct maker {
  struct rtop_profile *profile;
  struct rtop_symbols *symbols;
  int64_t round;
};

static void maker_open(struct maker *maker, size_t memory)
{
  *maker = (struct maker){ .profile = rtop_profile_create(memory) };
  maker->symbols = rtop_profile_symbols(maker->profile);
}

static void made_name(char *out, size_t bytes, int64_t round, int i)
{
  snprintf(out, bytes, "Maker#made_method_%d_of_%d_of_the_day", i, (int)round);
}

/* A window in which NEW methods that are new were called by one that is always there. */
static void maker_window(struct maker *maker)
{
  struct rtop_window window = { 0 };
  struct rtop_source_thread main_thread = { .serial = 1, .name = "main", .name_bytes = 4 };
  uint32_t thread = rtop_profile_thread(maker->profile, 0, &main_thread), nodes[NEW];
  uint32_t caller =
      rtop_symbols_node(maker->symbols, 0, fixture_frame(maker->symbols, "Maker#run", "/app/run.rb", 1), 1);
  for (int i = 0; i < NEW; i++) {
    char label[64];
    made_name(label, sizeof label, maker->round, i);
    nodes[i] = rtop_symbols_node(maker->symbols, caller, fixture_frame(maker->symbols, label, "/app/made.rb", 1), 1);
  }
  window.start_mono_ns = ++maker->round * 100 * MS;
  window.end_mono_ns = window.start_mono_ns + 100 * MS;
  rtop_window_add_thread(&window)->serial = 1;
  for (uint32_t i = 0; i < NEW; i++)
    *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = i, .wall_ns = 250000, .samples = 1 };
  assert_true(rtop_profile_add(maker->profile, 0, &window, nodes, NEW, &thread));
  rtop_window_destroy(&window);
}

/* Every cell of the last second is one of the methods that were made in it. */
static void assert_last_second(const struct maker *maker, const struct rtop_sum *sum)
{
  assert_int_equal(sum->cell_count, NEW * SECOND);
  for (size_t i = 0; i < sum->cell_count; i++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(maker->symbols, sum->cells[i].node);
    int method, round;
    assert_int_equal(
        sscanf(rtop_symbols_get(maker->symbols, call->frame)->label, "Maker#made_method_%d_of_%d", &method, &round), 2);
    assert_in_range(round, maker->round - SECOND, maker->round - 1);
    assert_int_equal(sum->cells[i].cost.wall_ns[RTOP_STATE_RUNNING], 250000);
    assert_string_equal(
        rtop_symbols_get(maker->symbols, rtop_symbols_get_node(maker->symbols, call->parent)->frame)->label,
        "Maker#run");
  }
}

static void test_a_long_watch_is_flat(void **state)
{
  (void)state;
  enum { MEMORY = 6 << 20, WARM = 300, ROUNDS = 1500 };
  struct maker maker;
  maker_open(&maker, MEMORY);
  struct rtop_live *live = rtop_live_create(maker.profile);
  struct rtop_sum sum = { 0 };
  size_t warm = 0, most = 0;
  while (maker.round < ROUNDS) {
    maker_window(&maker);
    rtop_profile_forget(maker.profile);
    if (maker.round % 50) continue;
    assert_true(rtop_live_sum(live, rtop_profile_last(maker.profile, 1000 * MS), &sum));
    assert_last_second(&maker, &sum);
    size_t bytes = allocated_bytes();
    if (maker.round <= WARM) warm = bytes > warm ? bytes : warm;
    else most = bytes > most ? bytes : most;
  }
  assert_true(most <= warm + (1 << 20));
  assert_true(rtop_symbols_frame_count(maker.symbols) < ROUNDS * NEW / 10);
  assert_true(maker.profile->memory.bytes + rtop_symbols_bytes(maker.symbols) < MEMORY + (4 << 20));
  rtop_sum_destroy(&sum);
  rtop_live_destroy(&live);
  rtop_profile_destroy(&maker.profile);
}

static void keep_sum(void *context, struct rtop_symbols *symbols)
{
  rtop_sum_keep(context, symbols);
}

/* A screen that was frozen long ago. */
static void test_what_is_shown_stays(void **state)
{
  (void)state;
  struct maker maker;
  struct rtop_sum sum = { 0 };
  maker_open(&maker, 6 << 20);
  assert_true(rtop_profile_add_keeper(maker.profile, &(struct rtop_profile_keeper){ &sum, keep_sum }));
  for (int i = 0; i < SECOND; i++) maker_window(&maker);
  assert_true(rtop_profile_sum(maker.profile, rtop_profile_last(maker.profile, 1000 * MS), &sum));
  int64_t then = maker.round;
  while (maker.round < 600) {
    maker_window(&maker);
    rtop_profile_forget(maker.profile);
  }
  assert_true(rtop_symbols_reuses(maker.symbols) > 0);
  maker.round = then;
  assert_last_second(&maker, &sum);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&maker.profile);
}

/* Who shows the last seconds only holds no more than these. */
static void test_a_short_history(void **state)
{
  (void)state;
  struct maker maker;
  maker_open(&maker, 48 << 20);
  rtop_profile_keep_ns(maker.profile, 2000 * MS);
  for (int i = 0; i < 200; i++) {
    maker_window(&maker);
    rtop_profile_forget(maker.profile);
  }
  struct rtop_span held = rtop_profile_bounds(maker.profile);
  assert_int_equal(held.end_ns, (maker.round + 1) * 100 * MS);
  assert_in_range(held.end_ns - held.start_ns, 2000 * MS, 2100 * MS);
  assert_true(rtop_symbols_bytes(maker.symbols) < 8 << 20);
  rtop_profile_destroy(&maker.profile);
}

/* Of a sum over everything every name is shown; a recorder has said which id is which. */
static void test_who_needs_all_names_has_them(void **state)
{
  (void)state;
  for (int sums = 0; sums < 2; sums++) {
    struct maker maker;
    struct rtop_profile_tap tap = { 0 };
    maker_open(&maker, 6 << 20);
    if (sums) rtop_profile_keep_sums(maker.profile);
    for (int i = 0; i < 200; i++) {
      maker_window(&maker);
      if (sums) assert_false(rtop_profile_forget(maker.profile));
    }
    rtop_profile_set_tap(maker.profile, &tap);
    assert_int_equal(rtop_profile_forget(maker.profile), !sums);
    assert_true(rtop_symbols_frame_count(maker.symbols) > 200 * NEW);
    rtop_profile_destroy(&maker.profile);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_long_watch_is_flat),
    cmocka_unit_test(test_what_is_shown_stays),
    cmocka_unit_test(test_a_short_history),
    cmocka_unit_test(test_who_needs_all_names_has_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
