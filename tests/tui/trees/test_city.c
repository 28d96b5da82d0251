/* The city: places that stay, what sleeps and wakes, groups, and five thousand methods. */
#include "tui/trees/city_names.h"
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
  rows[count].self.wall_ns[RTOP_STATE_WAITING] = rows[count].self_ns;
  count++;
}

/* Self time by state, in shares. */
static void seen_in(const char *space, const char *name, double running, double waiting)
{
  seen(space, name, running + waiting);
  rows[count - 1].self.wall_ns[RTOP_STATE_RUNNING] = (uint64_t)(running * (double)SECOND);
  rows[count - 1].self.wall_ns[RTOP_STATE_WAITING] = (uint64_t)(waiting * (double)SECOND);
}

static bool by_ratio;

static void update_on(int64_t now_ns, int columns, int street_rows)
{
  struct rtop_methods methods = { .rows = rows, .count = count, .length_ns = (uint64_t)SECOND };
  struct city_news news = {
    .methods = &methods, .sum = &sum, .symbols = symbols, .by_ratio = by_ratio, .now_ns = now_ns
  };
  assert_true(city_update(&city, &news, city_ground_of(columns, street_rows)));
  count = 0;
}

static void update(int64_t now_ns, int columns)
{
  update_on(now_ns, columns, 16);
}

static const struct city_building *home(const char *space, const char *name)
{
  const struct city_building *building = city_of(&city, frame_of(space, name));
  assert_non_null(building);
  return building;
}

/* Buildings stand side by side, in order, none over another, each within its lot, lots within their street. */
static void check_streets(void)
{
  int x = 0, street = 0;
  for (uint32_t i = 0; i < city.street_count; i++) {
    const struct city_building *building = &city.buildings[city.street[i]];
    const struct city_block *block = &city.blocks[building->block];
    x = block->street == street ? x : 0;
    assert_true(block->street >= street && block->street < city.streets);
    assert_true(building->place > 0 && building->x >= x);
    assert_true(building->x >= block->x && building->x + city.bar <= block->x + block->lot);
    x = building->x + city.bar;
    street = block->street;
  }
  for (uint32_t i = 0; i < city.block_count; i++) {
    const struct city_block *block = &city.blocks[i];
    assert_true(block->lot == 0 || (block->x >= 0 && block->x + block->lot <= city.planned.columns));
    for (uint32_t k = 0; k < i; k++) {
      const struct city_block *other = &city.blocks[k];
      bool apart = block->lot == 0 || other->lot == 0 || block->street != other->street ||
                   block->x >= other->x + other->lot || other->x >= block->x + block->lot;
      assert_true(apart);
    }
  }
  assert_true(city.streets * city.street_rows <= city.planned.rows);
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
  check_streets();
  int total_x = home("App::Order", "total")->x, tax_x = home("App::Order", "tax")->x;
  int json_x = home("Json", "generate")->x;
  assert_true(total_x < tax_x && tax_x < json_x);
  busy(true); /* two wake up: who was there stays, or makes room */
  update(101 * SECOND, 80);
  check_streets();
  assert_int_equal(home("App::Order", "total")->x, total_x);
  assert_int_equal(home("App::Order", "tax")->x, tax_x);
  assert_true(home("App::Late", "riser")->x > tax_x);
  assert_true(home("App::Late", "riser")->x < home("Json", "generate")->x);
  assert_true(home("Zip", "pack")->x > home("Json", "generate")->x);
  assert_int_equal(home("Json", "generate")->x, json_x);
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
  assert_true(home("Zip", "pack")->place > 0); /* bare ground, as long as there is room */
  assert_int_equal(home("Zip", "pack")->present, 0);
  int total_x = home("App::Order", "total")->x, pack_x = home("Zip", "pack")->x;
  busy(true);
  update(135 * SECOND, 80);
  check_streets();
  assert_int_equal(home("Zip", "pack")->x, pack_x);
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
    check_streets();
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

/* Those that never do anything are left out, so that the busy ones are seen at once; their order is the old one. */
static void test_five_thousand(void **state)
{
  (void)state;
  many(5000, true);
  update(100 * SECOND, 80);
  check_streets();
  assert_int_equal(city.street_count, 20); /* all are awake, but most of them barely */
  assert_int_equal(city.block_count, 200);
  many(5000, true);
  seen("Space7::Class7", "method_7", 0.3); /* one of them rises: it is there at once */
  update(101 * SECOND, 80);
  assert_int_equal(city.street_count, 21);
  assert_true(home("Space7::Class7", "method_7")->place > 0);
  for (int64_t at = 102; at < 145; at++) {
    many(5000, false);
    update(at * SECOND, 80);
  }
  check_streets();
  assert_int_equal(city.street_count, 21); /* what rose keeps its lot: there is room */
}

static void test_no_width_is_too_small(void **state)
{
  (void)state;
  static const int widths[] = { 500, 1, 20, 80, 160, 2 };
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
    busy(true);
    update((int64_t)(100 + i) * SECOND, widths[i]);
    check_streets();
    assert_true(city.street_count == 5 || widths[i] < 80);
  }
}

/* Storeys: what runs below what waits, exact to the step; the scale is that of what runs. */
static void test_heights(void **state)
{
  (void)state;
  int tops[RTOP_STATES];
  bool cut;
  seen_in("Integer", "**", 0.5, 0.25);
  seen_in("Victims", "wait", 0, 9);
  update(100 * SECOND, 80);
  assert_true(city.full == 1);
  city_heights(&city, home("Integer", "**"), city.full, 80, tops, &cut);
  assert_int_equal(city_storeys[0], RTOP_STATE_RUNNING);
  assert_int_equal(city_storeys[3], RTOP_STATE_WAITING);
  const int wanted[RTOP_STATES] = { 40, 40, 40, 60, 60 };
  assert_memory_equal(tops, wanted, sizeof tops);
  assert_false(cut);
  city_heights(&city, home("Victims", "wait"), city.full, 80, tops, &cut);
  assert_int_equal(tops[2], 0);
  assert_int_equal(tops[3], 80);
  assert_true(cut); /* nine threads wait: that does not make who runs any lower */
}

/* What callers spend below them makes them no higher. */
static void test_callers_are_low(void **state)
{
  (void)state;
  int tops[RTOP_STATES];
  bool cut;
  seen_in("Integer", "**", 0.9, 0);
  seen_in("Puma", "run", 0, 0);
  rows[count - 1].total_ns = rows[count - 1].most_ns = (uint64_t)SECOND;
  update(100 * SECOND, 80);
  city_heights(&city, home("Puma", "run"), city.full, 80, tops, &cut);
  assert_int_equal(tops[RTOP_STATES - 1], 0);
  assert_true(city_ratio(&city, home("Puma", "run")) > 0.99);
}

/* Up at once, down with a plan and not before what was high is forgotten. */
static void test_the_scale_is_calm(void **state)
{
  (void)state;
  seen_in("Json", "generate", 0.03, 0);
  update(100 * SECOND, 80);
  assert_true(city.full > 0.029 && city.full < 0.031);
  seen_in("Json", "generate", 0.3, 0);
  update(101 * SECOND, 80);
  assert_true(city.full > 0.299 && city.full < 0.301);
  for (int64_t at = 102; at < 140; at++) {
    seen_in("Json", "generate", at % 3 == 0 ? 0.04 : 0.02, 0);
    update(at * SECOND, 80);
    assert_true(at < 110 ? city.full > 0.29 : at < 125 || city.full < 0.041);
  }
}

/* However small the ground is: who is shown is the highest, and who is not is counted. */
static void test_the_highest_are_shown(void **state)
{
  (void)state;
  for (int columns = 20; columns < 200; columns += 9) {
    many(3000, true);
    seen_in("Zzz", "last", 0.9, 0);
    update_on((int64_t)(100 + columns) * SECOND, columns, 5 + columns / 10);
    check_streets();
    assert_true(home("Zzz", "last")->place > 0);
    uint32_t hidden = city.hidden;
    for (uint32_t i = 0; i < city.block_count; i++) hidden += city.blocks[i].lot > 0 ? city.blocks[i].hidden : 0;
    assert_int_equal(hidden + city.street_count, 3001);
  }
}

/* Newcomers take places that are free; nobody else moves, while there is room. */
static void test_newcomers_move_nobody(void **state)
{
  (void)state;
  int x[3];
  for (int64_t at = 0; at < 5; at++) {
    char name[16];
    busy(true);
    snprintf(name, sizeof name, "new%d", (int)at);
    if (at > 0) seen("App::Order", name, 0.01);
    update((100 + at) * SECOND, 160);
    check_streets();
    int now[3] = { home("App::Order", "total")->x, home("Json", "generate")->x, home("Zip", "pack")->x };
    if (at == 0) memcpy(x, now, sizeof x);
    assert_memory_equal(x, now, sizeof x);
  }
}

/* Names: inside, over no building and no other name, of the highest ones, in whatever city. */
static void test_names_cover_nobody(void **state)
{
  int placed = 0;
  (void)state;
  for (unsigned round = 0; round < 200; round++) {
    struct city_name_place names[5];
    for (unsigned i = 0; i < 5 + round % 40; i++) {
      char space[16], name[16];
      snprintf(space, sizeof space, "Space%u", (i * 7 + round) % 13);
      snprintf(name, sizeof name, "m%u", i);
      unsigned height = (i * 37 + round * 11) % 101;
      seen_in(space, name, height / 100.0, (i * 13 % 50) / 100.0);
    }
    update_on((int64_t)(100 + round) * SECOND, 30 + (int)round, 5 + (int)round % 37);
    struct city_sky sky = city_sky_of(&city, 1 + (int)round % 3);
    int found = city_highest(&city, names, 5);
    for (int i = 0; i < found; i++) names[i].wanted = 10 + i * 4;
    city_place_names(&city, &sky, names, found);
    for (int i = 0; i < found; i++) {
      const struct city_name_place *name = &names[i];
      const struct city_block *block = &city.blocks[city.buildings[name->building].block];
      assert_true(i == 0 || city.pulses[names[i - 1].building].self_ns >= city.pulses[name->building].self_ns);
      if (name->columns == 0) continue;
      placed++;
      assert_true(name->x >= 0 && name->x + name->columns <= city.planned.columns);
      assert_true(name->row >= 0 && name->row < sky.rows);
      for (uint32_t k = 0; k < city.street_count; k++) {
        const struct city_building *other = &city.buildings[city.street[k]];
        bool apart = city.blocks[other->block].street != block->street || other->x >= name->x + name->columns ||
                     other->x + city.bar <= name->x || name->row < sky.rows - city_rows(&city, other, &sky);
        assert_true(apart);
      }
      for (int k = 0; k < i; k++) {
        bool apart = names[k].columns == 0 || names[k].row != name->row ||
                     city.blocks[city.buildings[names[k].building].block].street != block->street ||
                     names[k].x >= name->x + name->columns || name->x >= names[k].x + names[k].columns;
        assert_true(apart);
      }
    }
  }
  assert_true(placed > 700);
}

/* Who calls and does nothing itself is as high as it was on a stack, and is shown by ratio alone. */
static void test_heights_by_ratio(void **state)
{
  (void)state;
  struct city_name_place names[4];
  int tops[RTOP_STATES];
  bool cut;
  for (int turn = 0; turn < 3; turn++) {
    by_ratio = turn == 1;
    seen_in("Works", "a", 0.4, 0.1);
    rows[count - 1].most_ns = (uint64_t)SECOND / 4;
    seen("Calls", "b", 0);
    rows[count - 1].most_ns = (uint64_t)SECOND;
    update((turn + 1) * SECOND, 60);
    const struct city_building *works = home("Works", "a"), *calls = home("Calls", "b");
    assert_true(city_height(&city, works) == (by_ratio ? 0.25 : 0.5));
    assert_true(city_height(&city, calls) == (by_ratio ? 1 : 0));
    assert_int_equal(city_highest(&city, names, 4), by_ratio ? 2 : 1);
    assert_ptr_equal(&city.buildings[names[0].building], by_ratio ? calls : works);
    assert_int_equal(calls->place > 0, by_ratio); /* else it is bare ground that nothing ever stood on */
    if (by_ratio) {
      city_heights(&city, calls, 1, 8, tops, &cut);
      assert_int_equal(tops[0], 8);
      assert_int_equal(tops[RTOP_STATES - 1], tops[0]);
    }
    check_streets();
  }
  by_ratio = false;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
    TEST(test_heights_by_ratio),
    TEST(test_places_stay),
    TEST(test_sleep_and_wake),
    TEST(test_groups),
    TEST(test_five_thousand),
    TEST(test_no_width_is_too_small),
    TEST(test_heights),
    TEST(test_callers_are_low),
    TEST(test_the_scale_is_calm),
    TEST(test_the_highest_are_shown),
    TEST(test_newcomers_move_nobody),
    TEST(test_names_cover_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
