/* Two processes: merged, apart, each alone. */
#include "model_fixture.h"
#include "screen_fixture.h"

static struct rtop_profile *two_processes(void)
{
  struct rtop_profile *made = rtop_profile_create(64 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(made);
  uint32_t node[2] = { rtop_symbols_node(symbols, 0, fixture_frame(symbols, "One#work", "/one.rb", 1), 1),
                       rtop_symbols_node(symbols, 0, fixture_frame(symbols, "Two#work", "/two.rb", 1), 1) };
  for (int i = 0; i < 100; i++) {
    for (uint32_t source = 0; source < 2; source++) {
      struct rtop_window window = { 0 };
      int64_t start_ns = MODEL_END_NS - (100 - i) * 100 * MS + source * 20 * MS;
      fixture_window(&window, start_ns, start_ns + 100 * MS);
      uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, node[source], 0);
      fixture_cell(&window, thread, node[source], RTOP_RUNNING, source == 0 ? 100 * MS : 25 * MS);
      if (source == 1) {
        fixture_cell(&window, thread, node[source], RTOP_BLOCKED, 75 * MS);
      }
      assert_true(fixture_add(made, source, &window));
      rtop_window_destroy(&window);
    }
  }
  return made;
}

static int open_two(void **state)
{
  static const struct screen_case wide = { .rows = 24, .columns = 100 };
  (void)state;
  open_case(&wide, two_processes());
  return 0;
}

static void test_processes(void **state)
{
  (void)state;
  ui.source.processes = ui.source.count = 2;
  ui.source.pids[0] = 4711;
  ui.source.pids[1] = 4712;
  model_press(&ui, '3');
  assert_true(!shows("4711 t1") && ui.methods.count >= 2);
  model_press(&ui, 'H');
  assert_true(shows("processes apart") && shows("4711 t1") && shows("4712 t1"));
  uint64_t all_ns = rtop_cost_wall(&ui.sum.total);
  model_press(&ui, '7');
  assert_true(shows("\n4711    ") && shows("\n4712    "));
  model_press(&ui, 'H');
  assert_true(shows("only process 4711"));
  for (int turn = 0; turn < 2; turn++) {
    uint64_t self_ns = 0;
    for (size_t i = 0; i < ui.methods.count; i++) {
      const char *label = rtop_symbols_get(rtop_profile_symbols(profile), ui.methods.rows[i].frame)->label;
      assert_true(ui.methods.rows[i].self_ns == 0 || strcmp(label, turn == 0 ? "One#work"
          : "Two#work") == 0);
      self_ns += ui.methods.rows[i].self_ns;
    }
    assert_true(self_ns > 0 && self_ns < all_ns);
    model_press(&ui, 'H');
  }
  assert_int_equal(ui.apart, 0);
  assert_true(shows("processes merged") && !shows("\n4712    "));
}

static void test_one_process(void **state)
{
  (void)state;
  model_press(&ui, 'H');
  assert_true(ui.apart == 0 && shows("one process is watched"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_processes, open_two, tear_down),
    cmocka_unit_test_setup_teardown(test_one_process, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
