/* Which threads are shown, and in which order. */
#include "tui/tables/thread_table.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { COUNT = 4 };
static struct rtop_symbols *symbols;
static struct rtop_thread_row rows[COUNT];
static struct rtop_sum sum;
static struct thread_table table;

static uint32_t node_of(const char *label)
{
  uint32_t frame = rtop_symbols_frame(symbols, label, strlen(label), "/x.rb", 5, "", 0, 1, RTOP_SYMBOL_RUBY);
  return rtop_symbols_node(symbols, 0, frame, 1);
}

static int set_up(void **state)
{
  (void)state;
  static const char *const names[COUNT] = { "main", "worker b", "worker a", "" };
  static const char *const leaf[COUNT] = { "Queue#pop", "Order#total", "Order#total", "IO.select" };
  symbols = rtop_symbols_create();
  for (uint32_t i = 0; i < COUNT; i++) {
    rows[i] = (struct rtop_thread_row){ .thread = i, .name = names[i], .serial = i + 1 };
    rows[i].node = node_of(leaf[i]);
    rows[i].cost.wall_ns[RTOP_STATE_WAITING] = i * 100000000;
    rows[i].cost.wall_ns[RTOP_STATE_BLOCKED] = (COUNT - i) * 100000000;
    rows[i].cost.cpu_ns = 500000000 + i; /* so close that it makes no difference */
  }
  sum = (struct rtop_sum){ .threads = rows, .thread_count = COUNT, .length_ns = 1000000000 };
  return symbols == NULL;
}

static int tear_down(void **state)
{
  (void)state;
  rtop_symbols_destroy(&symbols);
  thread_table_destroy(&table);
  return 0;
}

static void order(char *out, enum rtop_sort_key sort, bool reverse, const char *filter, bool invert)
{
  struct thread_table_options options = { sort, reverse, filter, invert, 0, false };
  assert_true(thread_table_build(&table, &sum, symbols, &options));
  for (size_t i = 0; i < table.count; i++) *out++ = (char)('1' + table.rows[i]);
  *out = '\0';
}

static void test_order(void **state)
{
  (void)state;
  char got[8];
  order(got, RTOP_SORT_WAITING, false, NULL, false);
  assert_string_equal(got, "4321");
  order(got, RTOP_SORT_BLOCKED, false, NULL, false);
  assert_string_equal(got, "1234");
  order(got, RTOP_SORT_BLOCKED, true, NULL, false);
  assert_string_equal(got, "4321");
  order(got, RTOP_SORT_NAME, false, NULL, false);
  assert_string_equal(got, "4132");
  order(got, RTOP_SORT_CPU, false, NULL, false);
  assert_string_equal(got, "1234");
  order(got, RTOP_SORT_SELF, false, NULL, false);
  assert_string_equal(got, "4321");
}

static void test_filter(void **state)
{
  (void)state;
  char got[8];
  order(got, RTOP_SORT_BLOCKED, false, "^worker", false);
  assert_string_equal(got, "23");
  order(got, RTOP_SORT_BLOCKED, false, "Order|select", false);
  assert_string_equal(got, "234");
  order(got, RTOP_SORT_BLOCKED, false, "Order", true);
  assert_string_equal(got, "14");
  order(got, RTOP_SORT_BLOCKED, false, "x\\.rb", false);
  assert_string_equal(got, "1234"); /* "name path", as among the methods */
  /* Who was in it within the span, and is elsewhere at its end, is shown, too. */
  struct rtop_sum_cell cells[] = {
    { .node = node_of("Cart#sum"), .thread = 3 },
    { .node = rtop_symbols_node(symbols, node_of("Cart#sum"), 1, 2), .thread = 0 },
  };
  sum.cells = cells;
  sum.cell_count = 2;
  order(got, RTOP_SORT_BLOCKED, false, "^Cart#sum", false);
  assert_string_equal(got, "14");
  order(got, RTOP_SORT_BLOCKED, false, "Cart", true);
  assert_string_equal(got, "1234");
  struct thread_table_options bad = { .filter = "(" };
  assert_false(thread_table_build(&table, &sum, symbols, &bad));
  assert_int_equal(table.count, 0);
}

static void times(uint32_t i, uint64_t held_ms, uint64_t blame_ms, uint64_t waiting_ms)
{
  rows[i].cost = (struct rtop_cost){ .blame_ns = blame_ms * 1000000 };
  rows[i].cost.wall_ns[RTOP_STATE_RUNNING] = held_ms * 500000;
  rows[i].cost.wall_ns[RTOP_STATE_MARKING] = held_ms * 300000;
  rows[i].cost.wall_ns[RTOP_STATE_SWEEPING] = held_ms * 200000;
  rows[i].cost.wall_ns[RTOP_STATE_WAITING] = waiting_ms * 1000000;
  rows[i].cost.wall_ns[RTOP_STATE_BLOCKED] = (1000 - held_ms - waiting_ms) * 1000000;
}

/* Blame, then the GVL, then waiting; whatever the figure that the methods are sorted by. */
static void test_culprits_first(void **state)
{
  (void)state;
  char got[8];
  times(0, 20, 0, 900); /* victims */
  times(1, 20, 0, 950);
  times(2, 500, 900, 0); /* its collections count */
  times(3, 460, 100, 500);
  order(got, RTOP_SORT_SELF, false, NULL, false);
  assert_string_equal(got, "3421");
  order(got, RTOP_SORT_SAMPLES, false, NULL, false);
  assert_string_equal(got, "3421");
  order(got, RTOP_SORT_BLAME, true, NULL, false);
  assert_string_equal(got, "1243");
  order(got, RTOP_SORT_RUNNING, false, NULL, false);
  assert_string_equal(got, "3412");
  assert_true(thread_table_key(&rows[2], RTOP_SORT_RUNNING) == 500e6);
}

/* Nobody holds the GVL, one holds a lock. */
static void test_who_is_inside_a_lock_comes_first(void **state)
{
  (void)state;
  char got[8];
  uint32_t call = node_of("App#call");
  uint32_t frame = rtop_symbols_frame(symbols, "Thread::Mutex#synchronize", 25, "", 0, "", 0, 0, RTOP_SYMBOL_C);
  uint32_t wants = rtop_symbols_node(symbols, call, frame, 0);
  for (uint32_t i = 0; i < COUNT; i++) {
    times(i, 0, 0, 0);
    rows[i].state = RTOP_STATE_BLOCKED;
    rows[i].node = wants;
  }
  rows[2].node = rtop_symbols_node(symbols, wants, rtop_symbols_get_node(symbols, call)->frame, 9);
  rows[0].cost.wall_ns[RTOP_STATE_BLOCKED] -= 1; /* came in a moment ago: not idle */
  rows[0].cost.wall_ns[RTOP_STATE_WAITING] = 1;
  order(got, RTOP_SORT_SELF, false, NULL, false);
  assert_string_equal(got, "3124");
  assert_int_equal(rows[2].behind.threads, 3);
}

/* Who sleeps with a lock that others want: above those that have nearly no blame, below those that have more; never quiet. */
static void test_who_has_a_lock_for_long_comes_first(void **state)
{
  (void)state;
  char got[8];
  times(0, 100, 20, 0);
  times(1, 0, 0, 0); /* waits for a lock of 3 */
  times(2, 0, 0, 0);
  times(3, 0, 0, 0); /* in its pool */
  for (uint32_t i = 1; i < COUNT; i++) rows[i].state = RTOP_STATE_BLOCKED;
  order(got, RTOP_SORT_SELF, false, NULL, false);
  assert_int_equal(got[0], '1');
  assert_true(thread_table_quiet(&rows[2], symbols, sum.length_ns));
  rows[1].lock = (struct rtop_lock){ RTOP_WANTS_MUTEX, 7, rows[2].serial };
  rows[1].state_age_ns = 10000000; /* for a hundredth of the span */
  order(got, RTOP_SORT_SELF, false, NULL, false);
  assert_string_equal(got, "1324");
  rows[1].state_age_ns = UINT64_MAX; /* for all of it */
  order(got, RTOP_SORT_SELF, false, NULL, false);
  assert_string_equal(got, "3124");
  assert_int_equal(rows[2].behind.wait_ns, sum.length_ns);
  assert_int_equal(rows[2].cost.blame_ns, 0); /* of the GVL it has none */
  assert_false(thread_table_quiet(&rows[2], symbols, sum.length_ns));
  struct thread_table_options options = { .sort = RTOP_SORT_SELF, .no_idle = true };
  assert_true(thread_table_build(&table, &sum, symbols, &options));
  assert_int_equal(table.count, COUNT - 1);
  times(0, 100, 3000, 0);
  order(got, RTOP_SORT_SELF, false, NULL, false);
  assert_string_equal(got, "1324");
  rows[1].ended = true; /* nobody waits any more */
  order(got, RTOP_SORT_SELF, false, NULL, false);
  assert_true(thread_table_quiet(&rows[2], symbols, sum.length_ns));
}

/* Whoever is read to have more blame stands above; among equals a little more or less of something else moves nobody. */
static void test_in_the_order_that_is_read(void **state)
{
  (void)state;
  char got[8];
  for (uint32_t i = 0; i < COUNT; i++) times(i, 300 + i, 200, 0);
  order(got, RTOP_SORT_SELF, false, NULL, false);
  assert_string_equal(got, "1234");
  times(2, 300, 210, 0);
  order(got, RTOP_SORT_SELF, false, NULL, false);
  assert_string_equal(got, "3124");
  times(3, 600, 200, 0);
  order(got, RTOP_SORT_SELF, false, NULL, false);
  assert_string_equal(got, "3412");
}

/* Off the GVL from end to end, and alive. */
static void test_idle(void **state)
{
  (void)state;
  const uint64_t length_ns = 1000000000;
  struct rtop_thread_row thread = { .state = RTOP_STATE_BLOCKED };
  thread.cost.wall_ns[RTOP_STATE_BLOCKED] = length_ns;
  assert_true(thread_table_idle(&thread, length_ns));
  assert_false(thread_table_idle(&thread, 0));
  assert_false(thread_table_idle(&thread, 2 * length_ns)); /* it came to be within the span */
  thread.cost.wall_ns[RTOP_STATE_WAITING] = 1;
  assert_false(thread_table_idle(&thread, length_ns));
  thread.cost.wall_ns[RTOP_STATE_WAITING] = 0;
  thread.state = RTOP_STATE_WAITING;
  assert_false(thread_table_idle(&thread, length_ns));
  thread.state = RTOP_STATE_BLOCKED;
  thread.ended = true;
  assert_false(thread_table_idle(&thread, length_ns));
}

/* Who waits for a lock all the time is no quiet one. */
static void test_quiet(void **state)
{
  static const struct {
    const char *label;
    bool quiet;
  } leaves[] = { { "Thread::Mutex#synchronize", false }, { "Monitor#enter", false }, { "Thread::Queue#pop", true } };
  (void)state;
  const uint64_t length_ns = 1000000000;
  struct rtop_thread_row thread = { .state = RTOP_STATE_BLOCKED };
  thread.cost.wall_ns[RTOP_STATE_BLOCKED] = length_ns;
  assert_true(thread_table_quiet(&thread, symbols, length_ns)); /* in an unknown place */
  for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++) {
    uint32_t frame =
        rtop_symbols_frame(symbols, leaves[i].label, (uint16_t)strlen(leaves[i].label), "", 0, "", 0, 0, RTOP_SYMBOL_C);
    thread.node = rtop_symbols_node(symbols, 0, frame, 0);
    assert_int_equal(thread_table_quiet(&thread, symbols, length_ns), leaves[i].quiet);
    assert_false(thread_table_quiet(&thread, symbols, 2 * length_ns));
  }
}

static void test_idle_ones_are_left_out(void **state)
{
  (void)state;
  struct thread_table_options options = { .sort = RTOP_SORT_NAME, .no_idle = true };
  rows[0].state = rows[1].state = RTOP_STATE_BLOCKED;
  rows[0].cost.wall_ns[RTOP_STATE_BLOCKED] = 1000000000;
  assert_true(thread_table_build(&table, &sum, symbols, &options));
  assert_int_equal(table.count, COUNT - 1);
  for (size_t i = 0; i < table.count; i++) assert_int_not_equal(table.rows[i], 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_idle),
    cmocka_unit_test_setup_teardown(test_quiet, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_idle_ones_are_left_out, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_culprits_first, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_who_is_inside_a_lock_comes_first, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_who_has_a_lock_for_long_comes_first, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_in_the_order_that_is_read, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_filter, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
