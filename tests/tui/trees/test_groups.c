#include "tests/tui/tree_fixture.h"

#include "tui/trees/groups_map.h"

struct grouped {
  struct forest forest;
  struct rtop_groups groups;
  struct rtop_groups_look look;
};

static uint32_t open_grouped(struct grouped *grouped)
{
  *grouped = (struct grouped){ .look = { .sort = RTOP_SORT_TOTAL }, .groups = { .levels = 99 } };
  forest_open(&grouped->forest);
  return fixture_thread(&grouped->forest.window, 1, RTOP_RUNNING, 0, 0);
}

static void close_grouped(struct grouped *grouped)
{
  rtop_groups_destroy(&grouped->groups);
  forest_close(&grouped->forest);
}

/* Rows as "depth label total_ms", ">" before the label of a reference, "*" after a recursive one. */
static const char *text_of(struct grouped *grouped)
{
  static char text[2048];
  size_t used = 0;
  assert_true(rtop_groups_take(&grouped->groups, &grouped->forest.tree, grouped->forest.symbols, &grouped->look));
  assert_true(rtop_groups_build(&grouped->groups, grouped->forest.symbols, &grouped->look));
  text[0] = '\0';
  for (size_t i = 0; i < grouped->groups.count; i++) {
    const struct rtop_group_row *row = &grouped->groups.rows[i];
    struct rtop_groups_cost cost = rtop_groups_cost(&grouped->groups, row);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%u %s%s%s %d", i > 0 ? ", " : "", row->depth,
                             row->reference ? ">" : "",
                             row->key == 0 ? "(below)" : forest_label(&grouped->forest, row->frame),
                             row->recursive ? "*" : "", (int)(cost.total_ns / MS));
    assert_true(used < sizeof text);
  }
  return text;
}

static void test_two_callers_make_a_group(void **state)
{
  (void)state;
  struct grouped grouped;
  uint32_t thread = open_grouped(&grouped);
  forest_add(&grouped.forest, thread, "main a log write", RTOP_RUNNING, 10);
  forest_add(&grouped.forest, thread, "main b log write", RTOP_RUNNING, 20);
  forest_add(&grouped.forest, thread, "main b log", RTOP_RUNNING, 1);
  forest_add(&grouped.forest, thread, "main b", RTOP_RUNNING, 2);
  forest_build(&grouped.forest, false);
  assert_string_equal(text_of(&grouped), "0 main 33, 1 b 23, 2 >log 21, 1 a 10, 2 >log 10, 0 log 31, 1 write 30");
  assert_int_equal(grouped.groups.group_count, 2);
  assert_int_equal(grouped.groups.rows[5].callers, 2);
  struct rtop_groups_cost of_log = rtop_groups_cost(&grouped.groups, &grouped.groups.rows[5]);
  struct rtop_groups_cost of_reference = rtop_groups_cost(&grouped.groups, &grouped.groups.rows[2]);
  assert_int_equal(of_log.self_ns / MS, 1);
  assert_int_equal(of_reference.self_ns, 0);
  assert_int_equal(grouped.groups.most_ns, 33 * MS);
  close_grouped(&grouped);
}

/* A method that threads start with and that is called, too, has a group as well. */
static void test_called_by_nobody_and_somebody(void **state)
{
  (void)state;
  struct grouped grouped;
  uint32_t thread = open_grouped(&grouped);
  forest_add(&grouped.forest, thread, "work", RTOP_RUNNING, 5);
  forest_add(&grouped.forest, thread, "main work", RTOP_RUNNING, 20);
  forest_build(&grouped.forest, false);
  assert_string_equal(text_of(&grouped), "0 work 25, 0 main 20, 1 >work 20");
  close_grouped(&grouped);
}

static void test_recursion_counts_once(void **state)
{
  (void)state;
  struct grouped grouped;
  uint32_t thread = open_grouped(&grouped);
  forest_add(&grouped.forest, thread, "main f f f", RTOP_RUNNING, 30);
  forest_add(&grouped.forest, thread, "main f", RTOP_RUNNING, 6);
  forest_add(&grouped.forest, thread, "main p q p q", RTOP_RUNNING, 8);
  forest_build(&grouped.forest, false);
  /* p has two callers: main and, around the circle, q. */
  assert_string_equal(text_of(&grouped), "0 main 44, 1 f* 36, 1 >p 8, 0 p 8, 1 q 8, 2 >p 8");
  close_grouped(&grouped);
}

static void test_threshold(void **state)
{
  (void)state;
  struct grouped grouped;
  uint32_t thread = open_grouped(&grouped);
  forest_add(&grouped.forest, thread, "main big", RTOP_RUNNING, 50);
  forest_add(&grouped.forest, thread, "main little", RTOP_RUNNING, 2);
  forest_add(&grouped.forest, thread, "lost", RTOP_RUNNING, 3);
  forest_build(&grouped.forest, false);
  grouped.look.least_percent = 5;
  assert_string_equal(text_of(&grouped), "0 main 52, 1 big 50, 0 (below) 3");
  assert_int_equal(grouped.groups.hidden, 2);
  assert_int_equal(grouped.groups.rows[0].below, 1);
  close_grouped(&grouped);
}

static void test_reveal(void **state)
{
  (void)state;
  struct grouped grouped;
  uint32_t thread = open_grouped(&grouped);
  forest_add(&grouped.forest, thread, "main a log write flush", RTOP_RUNNING, 10);
  forest_add(&grouped.forest, thread, "main b log write", RTOP_RUNNING, 20);
  forest_add(&grouped.forest, thread, "main", RTOP_RUNNING, 5);
  forest_build(&grouped.forest, false);
  grouped.groups.levels = 0;
  assert_string_equal(text_of(&grouped), "0 main 35, 0 log 30");
  uint64_t key = rtop_groups_reveal(&grouped.groups, forest_frame(&grouped.forest, "flush"));
  assert_string_equal(text_of(&grouped), "0 main 35, 0 log 30, 1 write 30, 2 flush 10");
  assert_int_equal(grouped.groups.rows[3].key, key);
  uint32_t log = forest_frame(&grouped.forest, "log");
  assert_int_equal(rtop_groups_reveal(&grouped.groups, log), rtop_groups_root_key(log));
  assert_int_equal(rtop_groups_reveal(&grouped.groups, forest_frame(&grouped.forest, "nowhere")), 0);
  assert_int_equal(rtop_groups_reveal(&grouped.groups, 1u << 30), 0);
  close_grouped(&grouped);
}

static void test_the_next_sum_starts_afresh(void **state)
{
  (void)state;
  struct grouped grouped;
  uint32_t thread = open_grouped(&grouped);
  forest_add(&grouped.forest, thread, "main a log", RTOP_RUNNING, 10);
  forest_add(&grouped.forest, thread, "main b log", RTOP_RUNNING, 20);
  forest_build(&grouped.forest, false);
  assert_int_equal(grouped.groups.group_count, 0);
  text_of(&grouped);
  assert_int_equal(grouped.groups.group_count, 2);
  grouped.forest.options.filter = "^a ";
  forest_build(&grouped.forest, false);
  assert_string_equal(text_of(&grouped), "0 main 10, 1 a 10, 2 log 10");
  close_grouped(&grouped);
}

static void fill_rows(struct rtop_group_row *rows, size_t count, unsigned *seed)
{
  for (size_t i = 0; i < count; i++)
    rows[i] =
        (struct rtop_group_row){ .key = 0, .depth = i == 0 ? 0 : (uint32_t)rand_r(seed) % (rows[i - 1].depth + 2) };
}

/* The nearest row before that is less deep. */
static size_t caller_of(const struct rtop_group_row *rows, size_t place)
{
  size_t at = place;
  while (at > 0 && rows[at].depth >= rows[place].depth) at--;
  return at;
}

/* What stays on top is what the first row below it is in: from the root, without a gap. */
static void test_callers_stay_on_top(void **state)
{
  (void)state;
  unsigned seed = 7;
  struct rtop_group_row rows[60];
  for (int round = 0; round < 500; round++) {
    struct rtop_groups groups = { .rows = rows, .count = 1 + (size_t)rand_r(&seed) % 60 };
    fill_rows(rows, groups.count, &seed);
    for (size_t top = 0; top < groups.count; top++) {
      size_t places[RTOP_GROUPS_ABOVE_MAX], most = 1 + (size_t)round % RTOP_GROUPS_ABOVE_MAX;
      size_t above = rtop_groups_above(&groups, top, most, places), first = top + above;
      assert_true(above <= most && above <= rows[top].depth + above);
      for (size_t i = 0; i < above; i++) {
        assert_true(places[i] < first && (i == 0 ? rows[places[0]].depth == 0 : places[i] > places[i - 1]));
        if (i > 1) assert_int_equal(caller_of(rows, places[i]), places[i - 1]);
      }
      if (first >= groups.count || above == 0) continue;
      if (rows[first].depth >= above && (above > 1 || rows[first].depth == 1))
        assert_int_equal(caller_of(rows, first), places[above - 1]);
    }
    size_t none[RTOP_GROUPS_ABOVE_MAX];
    assert_int_equal(rtop_groups_above(&groups, 0, 8, none), 0);
  }
}

/* Every row is in one row of the map, in order, however high it is. */
static void test_the_map_has_all_rows(void **state)
{
  (void)state;
  unsigned seed = 3;
  struct rtop_group_row rows[60];
  for (size_t count = 1; count <= 60; count++) {
    struct rtop_groups groups = { .rows = rows, .count = count };
    fill_rows(rows, count, &seed);
    for (size_t high = 1; high < 70; high++) {
      size_t next = 0;
      for (size_t row = 0; row < high; row++) {
        struct rtop_groups_band band = rtop_groups_band(&groups, RTOP_GROUPS_BY_TIME, row, high);
        assert_int_equal(band.first, next);
        next = band.end;
        for (size_t place = band.first; place < band.end; place++) assert_true(band.depth <= rows[place].depth);
      }
      assert_int_equal(next, count);
    }
  }
}

static void test_bars_of_time_and_of_samples(void **state)
{
  (void)state;
  struct grouped grouped;
  uint32_t thread = open_grouped(&grouped);
  forest_add(&grouped.forest, thread, "main a", RTOP_RUNNING, 10);
  forest_add(&grouped.forest, thread, "main b", RTOP_RUNNING, 30);
  forest_build(&grouped.forest, false);
  text_of(&grouped);
  struct rtop_groups_cost cost = rtop_groups_cost(&grouped.groups, &grouped.groups.rows[0]);
  assert_int_equal(rtop_groups_most(&grouped.groups, RTOP_GROUPS_BY_TIME), cost.total_ns);
  assert_int_equal(rtop_groups_most(&grouped.groups, RTOP_GROUPS_BY_SAMPLES), cost.total_samples);
  assert_int_equal(rtop_groups_band(&grouped.groups, RTOP_GROUPS_BY_TIME, 1, 3).most, 30 * MS);
  close_grouped(&grouped);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_callers_stay_on_top),
    cmocka_unit_test(test_the_map_has_all_rows),
    cmocka_unit_test(test_bars_of_time_and_of_samples),
    cmocka_unit_test(test_two_callers_make_a_group),
    cmocka_unit_test(test_called_by_nobody_and_somebody),
    cmocka_unit_test(test_recursion_counts_once),
    cmocka_unit_test(test_threshold),
    cmocka_unit_test(test_reveal),
    cmocka_unit_test(test_the_next_sum_starts_afresh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
