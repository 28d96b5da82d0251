/* The exceptions that a method raises, in its details. */
#include "tests/tui/screen_fixture.h"

#include "shm/window/window.h"

enum { WINDOW_NS = 100000000, PLACES = 5 };

static uint32_t frame_of(const struct rtop_symbols *symbols, const char *label)
{
  for (uint32_t i = 1; i < rtop_symbols_frame_count(symbols); i++)
    if (strcmp(rtop_symbols_get(symbols, i)->label, label) == 0) return i;
  fail_msg("%s is not there", label);
  return 0;
}

/* A window more at the end: `places` lines of a method each raise, the first 40 times, by what it calls in C. */
static void add_raises(struct rtop_profile *of, const char *method, uint32_t places)
{
  static const char class[] = "Shop::Missing", space[] = "(exceptions)";
  struct rtop_symbols *symbols = rtop_profile_symbols(of);
  struct rtop_window window = { .start_mono_ns = MODEL_END_NS, .end_mono_ns = MODEL_END_NS + WINDOW_NS };
  uint32_t name =
      rtop_symbols_frame(symbols, class, sizeof class - 1, "", 0, space, sizeof space - 1, 0, RTOP_SYMBOL_SPECIAL);
  uint32_t raise = rtop_symbols_frame(symbols, "Kernel#raise", 12, "", 0, "", 0, 0, RTOP_SYMBOL_C);
  uint32_t nodes[2 + PLACES] = { 0, rtop_symbols_node(symbols, 0, name, 0) };
  for (uint32_t i = 0; i < places; i++) {
    uint32_t line = rtop_symbols_node(symbols, 0, frame_of(symbols, method), 21 + i);
    nodes[2 + i] = rtop_symbols_node(symbols, line, raise, 0);
    *rtop_window_add_raised(&window) =
        (struct rtop_raised){ MODEL_END_NS, MODEL_END_NS + 1, 2, 1, 2 + i, i ? 30 - i : 40 };
  }
  rtop_window_set_counter(&window, RTOP_COUNTER_EXCEPTIONS, 100);
  rtop_window_set_counter(&window, RTOP_COUNTER_RAISES_UNTOLD, 0);
  assert_true(rtop_profile_add(of, 0, &window, nodes, 2 + places, NULL));
  rtop_window_destroy(&window);
}

static int set_up_raises(void **state)
{
  const struct screen_case narrow = { .rows = 30,
                                      .columns = 80,
                                      .keys = KEYS('/', 'i', 'n', 'd', 'e', 'x', '\r', '\r', '\r') };
  struct rtop_profile *of = model_profile();
  uint32_t places = (uint32_t)(uintptr_t)*state;
  if (places) add_raises(of, "OrdersController#index", places);
  open_case(&narrow, of);
  return 0;
}

static void test_what_and_where(void **state)
{
  (void)state;
  assert_true(shows("raises Shop::Missing 40/s at orders_controller.rb:21"));
  assert_false(shows("raises Shop::Missing 29/s"));
  assert_true(shows("  100 Shop::Missing/s in OrdersController#index")); /* in the header, for it is one of all */
}

static void test_the_most_frequent_ones(void **state)
{
  (void)state;
  assert_true(shows("raises Shop::Missing 40/s at orders_controller.rb:21"));
  assert_true(shows("raises Shop::Missing 28/s at orders_controller.rb:23"));
  assert_false(shows("orders_controller.rb:24"));
  assert_true(shows("raises 2 more"));
  assert_true(shows("  100 raised/s: 27% Shop::Missing in OrdersController#index"));
}

static void test_none(void **state)
{
  (void)state;
  assert_true(shows("CALLERS"));
  assert_false(shows("raises") || shows("Shop::Missing/s"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    ON_CASE(1, set_up_raises, test_what_and_where),
    ON_CASE(PLACES, set_up_raises, test_the_most_frequent_ones),
    ON_CASE(0, set_up_raises, test_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
