/* Two processes: merged, apart, each alone. */
#include "model_fixture.h"
#include "screen_model.h"
#include "tui/screen.h"
#include <stdlib.h>

static struct ui ui;

static bool shows(const char *needle)
{
  char *text = model_screen_text();
  bool found = strstr(text, needle) != NULL;
  free(text);
  return found;
}

static struct rtop_profile *two_processes(void)
{
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
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
      assert_true(fixture_add(profile, source, &window));
      rtop_window_destroy(&window);
    }
  }
  return profile;
}

static void test_processes(void **state)
{
  (void)state;
  static const struct screen_case plain = { .rows = 24, .columns = 100 };
  struct rtop_profile *profile = two_processes();
  model_screen_open(&plain, &ui, profile);
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
  model_screen_close(&ui, &profile);
}

static void test_one_process(void **state)
{
  (void)state;
  static const struct screen_case plain = { .rows = 24, .columns = 80 };
  struct rtop_profile *profile = model_profile();
  model_screen_open(&plain, &ui, profile);
  model_press(&ui, 'H');
  assert_true(ui.apart == 0 && shows("one process is watched"));
  model_screen_close(&ui, &profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_processes),
      cmocka_unit_test(test_one_process) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
