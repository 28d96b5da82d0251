/* The order of names, kept while frames come and are renamed: always that of a fresh sort. */
#include "tests/tui/model_fixture.h"
#include "tui/methods/name_order.h"
#include <stdlib.h>

static void check(const struct rtop_name_order *order, const struct rtop_symbols *symbols)
{
  assert_int_equal(rtop_symbols_frame_count(symbols), order->count);
  for (uint32_t i = 0; i < order->count; i++) {
    assert_int_equal(i, order->ranks[order->frames[i]]);
    if (i == 0) continue;
    const struct rtop_symbol *a = rtop_symbols_get(symbols, order->frames[i - 1]);
    const struct rtop_symbol *b = rtop_symbols_get(symbols, order->frames[i]);
    int names = strcmp(a->label, b->label), places = strcmp(a->path, b->path);
    if (places == 0) places = a->line < b->line ? -1 : a->line > b->line;
    int first = order->by_place ? places : names, second = order->by_place ? names : places;
    assert_true(first < 0 || (first == 0 && (second < 0 || (second == 0 && order->frames[i - 1] < order->frames[i]))));
  }
}

static void test_frames_come_and_are_renamed(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  struct rtop_name_order order = { 0 };
  uint32_t random = 7;
  assert_non_null(symbols);
  for (int i = 0; i < 300; i++) {
    char label[32], path[32];
    random = random * 1664525 + 1013904223;
    snprintf(label, sizeof label, "m%u", (random >> 20) % 50);
    snprintf(path, sizeof path, "/%u.rb", (random >> 12) % 5);
    fixture_frame(symbols, label, path, (random >> 8) % 9);
    if (random >> 29 == 0) rtop_symbols_relabel(symbols, 1 + (random >> 16) % 3, "aa#b", 1 + (random >> 9) % 4, "", 0);
    if (random >> 30) {
      assert_true(rtop_name_order_update(&order, symbols, i % 40 > 30));
      check(&order, symbols);
    }
  }
  rtop_name_order_destroy(&order);
  rtop_symbols_destroy(&symbols);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_frames_come_and_are_renamed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
