/* The city: places that stay, what sleeps and wakes, groups, and five thousand methods. */
#include "tui/trees/city.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { METHODS_MAX = 6000 };
#define SECOND INT64_C(1000000000)

static struct rtop_symbols *symbols;
static struct city city;
static struct rtop_method_row rows[METHODS_MAX];
static struct rtop_sum sum;
static size_t count;

static int set_up(void **state)
{
  (void)state;
  symbols = rtop_symbols_create();
  memset(&sum, 0, sizeof sum);
  sum.length_ns = (uint64_t)SECOND;
  return symbols == NULL;
}

static int tear_down(void **state)
{
  (void)state;
  city_destroy(&city);
  rtop_symbols_destroy(&symbols);
  return 0;
}

static uint32_t frame_of(const char *space, const char *name)
{
  char label[128];
  snprintf(label, sizeof label, "%s#%s", space, name);
  return rtop_symbols_frame(symbols, label, strlen(label), "/x.rb", 5, space, strlen(space), 1, RTOP_SYMBOL_RUBY);
}

static void seen(const char *space, const char *name, double self)
{
  rows[count] =
      (struct rtop_method_row){ .frame = frame_of(space, name), .most_ns = (uint64_t)(self * (double)SECOND) };
  rows[count].self_ns = rows[count].total_ns = (uint64_t)(self * (double)SECOND);
  rows[count].total.wall_ns[RTOP_STATE_WAITING] = rows[count].self_ns;
  count++;
}

static void update(int64_t now_ns, int columns)
{
  struct rtop_methods methods = { .rows = rows, .count = count, .length_ns = (uint64_t)SECOND };
  struct city_news news = { .methods = &methods, .sum = &sum, .symbols = symbols, .now_ns = now_ns };
  assert_true(city_update(&city, &news, columns));
  count = 0;
}

static const struct city_building *home(const char *space, const char *name)
{
  const struct city_building *building = city_of(&city, frame_of(space, name));
  assert_non_null(building);
  return building;
}

/* Buildings stand side by side, in order, none over another, each within its lot. */
static void check_street(void)
{
  int x = 0;
  for (uint32_t i = 0; i < city.street_count; i++) {
    const struct city_building *building = &city.buildings[city.street[i]];
    const struct city_block *block = &city.blocks[building->block];
    assert_true(building->width > 0 && building->x >= x);
    assert_true(building->x >= block->x && building->x + building->width <= block->x + block->lot);
    x = building->x + building->width;
  }
  assert_true(x <= city.columns);
}

static void busy(bool with_late)
{
  seen("App::Order", "total", 0.4);
  seen("App::Order", "tax", 0.1);
  seen("Json", "generate", 0.2);
  if (with_late) {
    seen("App::Late", "riser", 0.05);
    seen("Zip", "pack", 0.05);
  }
}

static void test_places_stay(void **state)
{
  (void)state;
  busy(false);
  update(100 * SECOND, 80);
  check_street();
  int total_x = home("App::Order", "total")->x, tax_x = home("App::Order", "tax")->x;
  int json_x = home("Json", "generate")->x;
  assert_true(total_x < tax_x && tax_x < json_x);
  assert_true(home("App::Order", "total")->width > home("App::Order", "tax")->width);
  assert_int_equal(city_state(home("Json", "generate")), RTOP_STATE_WAITING);
  busy(true); /* two wake up: who was there stays, or makes room */
  update(101 * SECOND, 80);
  check_street();
  assert_int_equal(home("App::Order", "total")->x, total_x);
  assert_int_equal(home("App::Order", "tax")->x, tax_x);
  assert_true(home("App::Late", "riser")->x > tax_x);
  assert_true(home("App::Late", "riser")->x < home("Json", "generate")->x);
  assert_true(home("Zip", "pack")->x > home("Json", "generate")->x);
  json_x = home("Json", "generate")->x;
  for (int64_t at = 102; at < 109; at++) { /* figures sway: nothing moves */
    busy(at % 2 == 0);
    update(at * SECOND, 80);
    assert_int_equal(home("Json", "generate")->x, json_x);
    assert_int_equal(home("App::Order", "tax")->x, tax_x);
  }
  assert_null(city_of(&city, frame_of("Never", "seen")));
}

static void test_sleep_and_wake(void **state)
{
  (void)state;
  busy(true);
  update(100 * SECOND, 80);
  assert_false(city_awake(home("Zip", "pack"), 100 * SECOND)); /* everybody is new at first */
  for (int64_t at = 101; at < 135; at++) {
    busy(false);
    update(at * SECOND, 80);
  }
  assert_int_equal(home("Zip", "pack")->width, 0);
  assert_int_equal(home("App::Late", "riser")->width, 0);
  assert_true(home("App::Order", "total")->width > 0);
  int total_x = home("App::Order", "total")->x;
  busy(true);
  update(135 * SECOND, 80);
  check_street();
  assert_true(home("Zip", "pack")->width > 0);
  assert_true(city_awake(home("Zip", "pack"), 135 * SECOND));
  assert_false(city_awake(home("Json", "generate"), 135 * SECOND));
  assert_false(city_awake(home("Zip", "pack"), 139 * SECOND));
  assert_int_equal(home("App::Order", "total")->x, total_x);
  busy(true); /* a refresh after a minute: nobody slept in between */
  update(195 * SECOND, 80);
  assert_false(city_awake(home("Json", "generate"), 195 * SECOND));
}

static uint32_t node(uint32_t parent, const char *space, const char *name)
{
  return rtop_symbols_node(symbols, parent, frame_of(space, name), 1);
}

/* A group is on the stack when any of its methods is; the busiest thread counts. */
static void test_groups(void **state)
{
  (void)state;
  uint32_t total = node(0, "App::Order", "total"), tax = node(total, "App::Tax", "rate");
  struct rtop_sum_cell cells[] = {
    { .node = total, .thread = 0 },
    { .node = tax, .thread = 0 },
    { .node = tax, .thread = 1 },
  };
  cells[0].cost.wall_ns[0] = 300000000;
  cells[1].cost.wall_ns[0] = 400000000;
  cells[2].cost.wall_ns[0] = 200000000;
  sum.cells = cells;
  sum.cell_count = 3;
  for (int level = 0; level < 4; level++) {
    seen("App::Order", "total", 0.3);
    seen("App::Tax", "rate", 0.4);
    seen("Json", "generate", 0.2);
    update((100 + level) * SECOND, 80);
    check_street();
    const struct city_building *order = home("App::Order", "total"), *rate = home("App::Tax", "rate");
    int wanted[] = { 3, 3, 2, 3 };
    assert_int_equal(city.street_count, wanted[level]);
    if (level == 1) {
      assert_string_equal(order->name, "App::Order");
      assert_true(city_ratio(&city, order) > 0.699 && city_ratio(&city, order) < 0.701);
      assert_true(city_ratio(&city, rate) > 0.399 && city_ratio(&city, rate) < 0.401);
    } else if (level == 2) {
      assert_ptr_equal(order, rate);
      assert_string_equal(order->name, "App");
      assert_true(city_ratio(&city, order) > 0.699 && city_ratio(&city, order) < 0.701);
      assert_true(city_self(&city, order) > 0.699 && city_self(&city, order) < 0.701);
      assert_int_equal(order->frame, frame_of("App::Tax", "rate"));
    } else {
      assert_null(order->name);
    }
    city_next_level(&city);
  }
  city_next_level(&city);
  city_next_level(&city); /* methods again; then one block alone is folded */
  assert_int_equal(city.level, CITY_METHODS);
  city_fold(&city, home("Json", "generate")->block);
  city_fold(&city, home("App::Tax", "rate")->block);
  seen("App::Order", "total", 0.3);
  seen("App::Tax", "rate", 0.4);
  seen("Json", "generate", 0.2);
  update(110 * SECOND, 80);
  assert_int_equal(city.street_count, 2);
  assert_ptr_equal(home("App::Order", "total"), home("App::Tax", "rate"));
  sum.cell_count = 0;
}

static void many(size_t methods, bool all)
{
  for (size_t i = 0; i < methods; i++) {
    char space[32], name[32];
    snprintf(space, sizeof space, "Space%zu::Class%zu", i % 200, i % 600);
    snprintf(name, sizeof name, "method_%zu", i);
    if (all || i % 250 == 0) seen(space, name, i % 250 == 0 ? 0.04 : 0.0001);
  }
}

/* Quiet ones shrink, so that the busy ones are seen at once; their order is the old one. */
static void test_five_thousand(void **state)
{
  (void)state;
  many(5000, true);
  update(100 * SECOND, 80);
  check_street();
  assert_int_equal(city.street_count, 20); /* all are awake, but most of them barely */
  assert_int_equal(city.block_count, 200);
  many(5000, true);
  seen("Space7::Class7", "method_7", 0.3); /* one of them rises: it is there at once */
  update(101 * SECOND, 80);
  assert_int_equal(city.street_count, 21);
  assert_true(home("Space7::Class7", "method_7")->width > 0);
  for (int64_t at = 102; at < 145; at++) {
    many(5000, false);
    update(at * SECOND, 80);
  }
  check_street();
  assert_int_equal(city.street_count, 20);
  assert_true(city.columns <= 80);
  uint32_t last = 0;
  int x = -1;
  for (uint32_t i = 0; i < city.street_count; i++) {
    const struct city_building *building = &city.buildings[city.street[i]];
    assert_true(i == 0 || building->block > last || building->x > x);
    last = building->block;
    x = building->x;
  }
}

static void test_no_width_is_too_small(void **state)
{
  (void)state;
  static const int widths[] = { 500, 1, 20, 80, 160, 2 };
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
    busy(true);
    update((int64_t)(100 + i) * SECOND, widths[i]);
    check_street();
    assert_int_equal(city.street_count, 5);
  }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
    TEST(test_places_stay),   TEST(test_sleep_and_wake),        TEST(test_groups),
    TEST(test_five_thousand), TEST(test_no_width_is_too_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
