/* What a city says is what the rows of a live sum say, added up by hand. */
#include "tests/tui/live_fixture.h"
#include "tui/trees/city_impl.h"

static struct city city;
static int64_t now_ns;

static void update(int columns, enum rtop_mode mode)
{
  struct city_news news = {
    .methods = &m.methods, .sum = &m.sum, .symbols = m.symbols, .mode = mode, .now_ns = now_ns
  };
  assert_true(city_update(&city, &news, city_ground_of(columns, 5 + columns / 5)));
}

/* Storeys add up to the self time of the mode. */
static void check_parts(const struct city_building *home)
{
  uint64_t parts_ns = 0;
  for (int state = 0; state < RTOP_STATES; state++) parts_ns += home->part_ns[state];
  assert_int_equal(parts_ns, city.pulses[home - city.buildings].self_ns);
}

/* Nobody stands on another one's place, nobody outside, and the list is in the order of the places. */
static void check_places(void)
{
  int street = -1, x = 0;
  for (uint32_t i = 0; i < city.street_count; i++) {
    const struct city_building *home = &city.buildings[city.street[i]];
    const struct city_block *block = &city.blocks[home->block];
    assert_true(block->street > street || (block->street == street && home->x >= x));
    assert_true(block->street < city.streets && home->x >= block->x);
    assert_true(home->x + city.bar <= block->x + block->lot && block->x + block->lot <= city.planned.columns);
    street = block->street;
    x = home->x + city.bar;
    check_parts(home);
  }
  assert_true(city.streets * city.street_rows <= city.planned.rows);
}

/* What rows say, added up by hand. */
static void check_figures(void)
{
  uint64_t self_ns = 0, present = 0;
  for (size_t i = 0; i < m.methods.count; i++) {
    const struct rtop_method_row *row = &m.methods.rows[i];
    const struct city_building *home = city_of(&city, row->frame);
    assert_non_null(home);
    assert_true(home->present > 0);
    self_ns += row->self_ns;
    if (home->level == CITY_METHODS) {
      assert_true(city_ratio(&city, home) == rtop_method_ratio(row->most_ns, m.methods.length_ns));
      assert_int_equal(city.pulses[home - city.buildings].self_ns, row->self_ns);
    }
    if (home->level == CITY_METHODS && home->place > 0) {
      assert_int_equal(home->total_ns, row->total_ns);
      assert_int_equal(home->threads, row->threads);
    }
  }
  for (uint32_t i = 0; i < city.count; i++)
    present += city.buildings[i].level == CITY_METHODS ? city.buildings[i].present : 0;
  assert_int_equal(city.self_ns, self_ns);
  assert_int_equal(present, m.methods.count);
}

static bool is_on_stack(uint32_t group, enum city_level level, uint32_t node)
{
  for (; node; node = rtop_symbols_get_node(m.symbols, node)->parent) {
    const struct city_frame *known = &city.frames[rtop_symbols_get_node(m.symbols, node)->frame];
    if ((level == CITY_CLASSES ? known->kind : known->package) == group + 1) return true;
  }
  return false;
}

/* The time of a class or package on the stack of its busiest thread, cell by cell. */
static void check_group(uint32_t group)
{
  uint64_t most_ns = 0;
  for (uint32_t thread = 0; thread < m.sum.thread_count; thread++) {
    uint64_t wall_ns = 0;
    for (size_t i = 0; i < m.sum.cell_count; i++)
      if (m.sum.cells[i].thread == thread && is_on_stack(group, city.buildings[group].level, m.sum.cells[i].node))
        wall_ns += rtop_cost_wall(&m.sum.cells[i].cost);
    most_ns = wall_ns > most_ns ? wall_ns : most_ns;
  }
  assert_int_equal(city.pulses[group].most_ns, most_ns);
}

static void check_groups(void)
{
  for (uint32_t i = 0; i < city.street_count; i++)
    if (city.buildings[city.street[i]].level != CITY_METHODS) check_group(city.street[i]);
}

static void turn_what_is_shown(void)
{
  uint32_t block = city.block_count ? below(city.block_count) : 0;
  if (below(25) == 0) city_next_level(&city);
  else if (city.block_count && below(15) == 0) city_fold(&city, block);
}

static void refresh(int64_t length_ns, const struct rtop_methods_options *options)
{
  assert_true(rtop_live_sum(m.live, rtop_profile_last(m.profile, length_ns), &m.sum));
  assert_true(rtop_live_methods(m.live, &m.sum, &m.methods, options));
}

static void test_a_city_says_what_the_rows_say(void **state)
{
  (void)state;
  for (uint32_t seed = 1; seed <= 6; seed++) {
    int columns = 80;
    int64_t length_ns = 1000 * MS;
    open_model(16 << 20, seed * 2 + 1);
    now_ns = 1000000 * MS;
    for (int i = 0; i < 300; i++) {
      struct rtop_methods_options options = { .sort = RTOP_SORT_NAME, .mode = (enum rtop_mode)(i / 20 % RTOP_MODES) };
      options.filter = i % 60 > 50 ? "K[13]#" : NULL;
      options.min_percent = i % 70 > 65 ? 5 : 0;
      add_window(0);
      now_ns += (below(30) ? 100 : 4000) * MS;
      length_ns = below(40) ? length_ns : (1 + (int64_t)below(30)) * 100 * MS;
      columns = below(60) ? columns : 20 + (int)below(160);
      refresh(length_ns, &options);
      if (below(15) == 0) /* somebody else looked meanwhile */
        refresh(length_ns / 2, &options);
      turn_what_is_shown();
      for (int times = 1 + (below(20) == 0); times > 0; times--) {
        update(columns, options.mode);
        check_places();
        check_figures();
        check_groups();
      }
    }
    city_destroy(&city);
    close_model();
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_city_says_what_the_rows_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
