/* Screens of allocation sites, against golden files, and what their keys ask for. */
#include "tests/tui/model_fixture.h"
#include "tests/tui/screen_fixture.h"

static const struct screen_case narrow = { .name = "sites-80x24", .rows = 24, .columns = 80, .keys = KEYS('M') },
                                wide = { .name = "sites-160x50", .rows = 50, .columns = 160, .keys = KEYS('M', 's') },
                                small = { .name = "sites-40x10", .rows = 10, .columns = 40, .keys = KEYS('M') };

static void number(struct rtop_window *window, uint32_t node, uint32_t what, uint32_t key, uint64_t value)
{
  struct rtop_exact *exact = rtop_window_add_exact(window);
  assert_non_null(exact);
  *exact = (struct rtop_exact){ node, what, key, value };
}

static uint32_t site(struct rtop_symbols *symbols, const char *class, const char *method, uint32_t line)
{
  uint32_t above = rtop_symbols_node(symbols, 0, fixture_frame(symbols, method, "/app/models/shop.rb", 10), line);
  uint32_t frame = rtop_symbols_frame(symbols, class, strlen(class), "", 0, RTOP_OBJECTS_NAMESPACE,
                                      strlen(RTOP_OBJECTS_NAMESPACE), 0, RTOP_SYMBOL_SPECIAL);
  return rtop_symbols_node(symbols, above, frame, 0);
}

static void add_site(struct rtop_window *window, uint32_t node, uint64_t objects, uint64_t bytes, uint64_t live)
{
  number(window, node, RTOP_SITES_OBJECTS, 0, objects);
  number(window, node, RTOP_SITES_OBJECTS, 1, objects / 4);
  number(window, node, RTOP_SITES_BYTES, 0, bytes);
  number(window, node, RTOP_SITES_SAMPLES, 0, objects / 100);
  number(window, node, RTOP_SITES_SQUARE, 0, objects * objects / 100);
  if (live == 0) return;
  number(window, node, RTOP_SITES_ALIVE, RTOP_SITES_JUDGED, objects);
  number(window, node, RTOP_SITES_ALIVE, RTOP_SITES_LIVE, live);
  number(window, node, RTOP_SITES_ALIVE, RTOP_SITES_LIVE_BYTES, live * 40);
}

static struct rtop_profile *sampled_profile(void)
{
  struct rtop_profile *made = model_profile();
  struct rtop_symbols *symbols = rtop_profile_symbols(made);
  struct rtop_window window = { .start_mono_ns = MODEL_END_NS, .end_mono_ns = MODEL_END_NS + 100 * MS };
  number(&window, 0, RTOP_SITES_STATE, 1, RTOP_SITES_DONE);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_TIME_NS, 5000 * MS);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_OWN_NS, 35 * MS);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_OBJECTS, 1000000);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_SEEN, 1000000);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_LOOKED, 250000);
  add_site(&window, site(symbols, "String", "Shop#order", 14), 600000, 24000000, 60000);
  add_site(&window, site(symbols, "ActiveModel::AttributeSet::Hash", "Shop::Price#total", 23), 300000, 48000000, 1);
  add_site(&window, site(symbols, "(internal)", "Shop#order", 14), 99000, 3960000, 0);
  add_site(&window, RTOP_NODE_FOLDED, 1000, 40000, 0);
  assert_true(fixture_add(made, 0, &window));
  rtop_window_destroy(&window);
  return made;
}

static int set_up_sampled(void **state)
{
  open_case(*state, sampled_profile());
  return 0;
}

static void test_screen(void **state)
{
  const struct screen_case *at = *state;
  model_crop_header(&ui);
  char *text = model_screen_text();
  golden_check(at->name, text);
  free(text);
  assert_int_equal(ui.view->id, VIEW_SITES);
}

/* Nothing was sampled: it begins; what was is shown first, and begins again there. */
static void test_keys(void **state)
{
  (void)state;
  model_press(&ui, 'M');
  assert_true(ui.wish.sites);
  assert_true(shows("nothing was sampled yet"));
  ui.wish.sites = false;
  model_press(&ui, 27);
  assert_int_equal(ui.view->id, VIEW_METHODS);
  model_press(&ui, '3');
  model_press(&ui, 'M');
  model_press(&ui, 'q');
  assert_int_equal(ui.view->id, VIEW_THREADS);
  assert_false(ui.wish.quit);
}

static void test_again(void **state)
{
  (void)state;
  assert_false(ui.wish.sites);
  model_press(&ui, 'M');
  assert_true(ui.wish.sites);
}

/* What came before it began is not shown. */
static void test_since_it_began(void **state)
{
  (void)state;
  assert_true(shows("Shop#order"));
  ui.sites_begin_ns = MODEL_END_NS + 100 * MS;
  ui.stale = true;
  model_redraw(&ui);
  assert_false(shows("Shop#order"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_prestate_setup_teardown(test_screen, set_up_sampled, tear_down, (void *)(uintptr_t)&narrow),
    cmocka_unit_test_prestate_setup_teardown(test_screen, set_up_sampled, tear_down, (void *)(uintptr_t)&wide),
    cmocka_unit_test_prestate_setup_teardown(test_screen, set_up_sampled, tear_down, (void *)(uintptr_t)&small),
    cmocka_unit_test_setup_teardown(test_keys, set_up, tear_down),
    cmocka_unit_test_prestate_setup_teardown(test_again, set_up_sampled, tear_down, (void *)(uintptr_t)&narrow),
    cmocka_unit_test_prestate_setup_teardown(test_since_it_began, set_up_sampled, tear_down,
                                             (void *)(uintptr_t)&narrow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
