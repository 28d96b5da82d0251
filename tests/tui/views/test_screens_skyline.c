/* The skyline: golden screens, and what its keys do. */
#include "shm/window/window.h"
#include "tests/tui/screen_fixture.h"

static const struct screen_case cases[] = {
  { .name = "skyline-80x24", .rows = 24, .columns = 80, .keys = KEYS('6') },
  { .name = "skyline-80x24-color", .rows = 24, .columns = 80, .attributes = true, .keys = KEYS('6') },
  { .name = "skyline-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true, .keys = KEYS('6') },
  { .name = "skyline-80x24-ascii", .rows = 24, .columns = 80, .ascii = true, .keys = KEYS('6') },
  { .name = "skyline-80x24-c-locale", .rows = 24, .columns = 80, .c_locale = true, .keys = KEYS('6') },
  { .name = "skyline-160x50", .rows = 50, .columns = 160, .keys = KEYS('6') },
  { .name = "skyline-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS('6') },
  { .name = "skyline-40x10", .rows = 10, .columns = 40, .keys = KEYS('6') },
  { .name = "skyline-20x5", .rows = 5, .columns = 20, .keys = KEYS('6') },
  { .name = "skyline-20x10", .rows = 10, .columns = 20, .keys = KEYS('6') },
  { .name = "skyline-19x4", .rows = 4, .columns = 19, .keys = KEYS('6') },
  { .name = "skyline-500x200", .rows = 200, .columns = 500, .keys = KEYS('6') },
  { .name = "skyline-higher", .rows = 24, .columns = 80, .keys = KEYS('6', '+', '+') },
  { .name = "skyline-classes", .rows = 24, .columns = 80, .keys = KEYS('6', 't') },
  { .name = "skyline-packages", .rows = 24, .columns = 80, .keys = KEYS('6', 't', 't') },
  { .name = "skyline-folded",
    .rows = 24,
    .columns = 80,
    .keys = KEYS('/', 's', 'p', 'a', 'w', 'n', '\r', '6', '\r', '\r') },
  { .name = "skyline-search",
    .rows = 24,
    .columns = 80,
    .attributes = true,
    .keys = KEYS('6', '/', 'o', 'r', 'd', 'e', 'r', '\r', 'n') },
};

static const struct screen_case plain = { .rows = 24, .columns = 80, .keys = KEYS('6') };

static void test_moving(void **state)
{
  (void)state;
  assert_true(shows("> Queue#pop"));
  model_press(&ui, FN(KEY_LEFT));
  assert_true(shows("> PG::Connection#exec_params"));
  model_press(&ui, FN(KEY_RIGHT));
  assert_true(shows("> Queue#pop"));
  model_press(&ui, FN(KEY_PPAGE)); /* the block before */
  assert_true(shows("> PG::Connection#exec_params"));
  model_press(&ui, FN(KEY_NPAGE));
  assert_true(shows("> Queue#pop"));
  model_press(&ui, FN(KEY_UP)); /* the street above */
  assert_true(shows("> Hash#[]") || shows("> Hash#"));
  model_press(&ui, FN(KEY_UP));
  model_press(&ui, FN(KEY_DOWN));
  assert_true(shows("> Queue#pop"));
  model_press(&ui, 'g');
  assert_true(shows("> fact"));
  model_press(&ui, FN(KEY_LEFT));
  assert_true(shows("> fact"));
  model_press(&ui, 'G');
  assert_true(shows("> 注文#合計を計算する"));
  model_press(&ui, FN(KEY_DOWN));
  assert_true(shows("> 注文#合計を計算する"));
  model_press(&ui, '1'); /* the method is selected there too */
  assert_true(shows(">  11.6"));
}

static void test_scale_and_levels(void **state)
{
  (void)state;
  model_press(&ui, '+');
  assert_true(shows("full height: 50% of one thread's time"));
  model_press(&ui, '-');
  model_press(&ui, '-');
  assert_true(shows("full height: 100% of one thread's time"));
  model_press(&ui, 't');
  ui.message_until_ns = 0; /* it lies over the selection */
  model_redraw(&ui);
  assert_true(shows("> class Queue"));
  model_press(&ui, '*');
  ui.message_until_ns = 0;
  model_redraw(&ui);
  assert_true(shows("> package Queue"));
  model_press(&ui, 't');
  ui.message_until_ns = 0;
  model_redraw(&ui);
  assert_true(shows("> Queue#pop"));
  model_type(&ui, "\r\r");
  assert_true(shows("> package Queue") && shows("+Queue"));
  model_type(&ui, "\r\r");
  assert_true(shows("> Queue#pop"));
}

/* A method that was never there rises: it has its mark, and who was there has not moved to the left. */
static void test_waking(void **state)
{
  (void)state;
  model_add_window(profile, MODEL_END_NS, "Zebra#gallop");
  ui.now_ns += 100000000;
  ui.stale = true;
  model_redraw(&ui);
  assert_true(shows("*"));
  ui.now_ns += INT64_C(5000000000);
  ui.stale = true;
  model_redraw(&ui);
  assert_false(shows("*"));
}

static void test_empty_city(void **state)
{
  (void)state;
  assert_true(shows("nobody is at home"));
  for (const char *key = "jkgGt*+-\rn\033"; *key != '\0'; key++) model_press(&ui, *key);
}

/* A method that was seen without time worth a building is not denied. */
static void test_no_buildings(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct rtop_window window = { .start_mono_ns = MODEL_END_NS - 100000000, .end_mono_ns = MODEL_END_NS };
  struct rtop_source_thread thread = { 1, "worker", 6, 77, true };
  uint32_t id = rtop_profile_thread(profile, 0, &thread);
  uint32_t frame = rtop_symbols_frame(symbols, "Idle#wake", 9, "/app/idle.rb", 12, "", 0, 1, RTOP_SYMBOL_RUBY);
  uint32_t node = rtop_symbols_node(symbols, 0, frame, 1);
  *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .node = 0, .serial = 1 };
  *rtop_window_add_cell(&window) = (struct rtop_cell){ .state = RTOP_RUNNING, .samples = 1, .wall_ns = 1000 };
  assert_true(rtop_profile_add(profile, 0, &window, &node, 1, &id));
  rtop_window_destroy(&window);
  ui.stale = true;
  model_redraw(&ui);
  assert_true(shows("no method had own time worth a building") && !shows("no method was seen"));
}

int main(void)
{
  const struct CMUnitTest keys[] = {
    ON_CASE(&plain, set_up_case, test_moving),        ON_CASE(&plain, set_up_case, test_scale_and_levels),
    ON_CASE(&plain, set_up_case, test_waking),        ON_CASE(&plain, set_up_empty, test_empty_city),
    ON_CASE(&plain, set_up_empty, test_no_buildings),
  };
  enum { CASES = sizeof cases / sizeof cases[0], ALL = CASES + sizeof keys / sizeof keys[0] };
  struct CMUnitTest tests[ALL];
  add_cases(tests, cases, CASES, test_case);
  memcpy(tests + CASES, keys, sizeof keys);
  return _cmocka_run_group_tests("screens of the skyline", tests, ALL, NULL, NULL);
}
