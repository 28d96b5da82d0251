#include "tests/tui/live_fixture.h"
#include "tui/tables/order.h"
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { SECOND_NS = 1000000000 };

/* Rows as rtop_methods_build would give them: by name, which here is by frame. */
struct table {
  struct rtop_methods methods;
  struct rtop_method_row rows[8];
};

static void fill(struct table *table, const uint64_t *self_ns, size_t count)
{
  memset(table, 0, sizeof *table);
  for (size_t i = 0; i < count; i++) {
    table->rows[i].frame = (uint32_t)i + 1;
    table->rows[i].self_ns = self_ns[i];
  }
  table->methods.rows = table->rows;
  table->methods.count = count;
  table->methods.length_ns = SECOND_NS;
}

static void check(const struct order *order, const struct table *table, const char *frames)
{
  assert_int_equal(order->count, strlen(frames));
  for (size_t i = 0; i < order->count; i++) assert_int_equal(table->rows[order->rows[i]].frame, frames[i] - '0');
}

static void test_sorted_and_stable(void **state)
{
  struct order order = { 0 };
  struct table table;
  (void)state;
  fill(&table, (const uint64_t[]){ 5, 900000000, 5, 300000000, 0 }, 5);
  assert_true(order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 6));
  check(&order, &table, "24135");
  order_forget(&order);
  assert_true(order_apply(&order, &table.methods, RTOP_SORT_SELF, true, false, 6));
  check(&order, &table, "51342");
  order_forget(&order);
  assert_true(order_apply(&order, &table.methods, RTOP_SORT_NAME, false, false, 6));
  check(&order, &table, "12345");
  order_forget(&order);
  assert_true(order_apply(&order, &table.methods, RTOP_SORT_NAME, true, false, 6));
  check(&order, &table, "54321");
  order_destroy(&order);
}

static void test_small_differences_do_not_swap(void **state)
{
  struct order order = { 0 };
  struct table table;
  (void)state;
  fill(&table, (const uint64_t[]){ 500000000, 499900000 }, 2);
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 3);
  check(&order, &table, "12");
  fill(&table, (const uint64_t[]){ 499900000, 500000000 }, 2);
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 3);
  check(&order, &table, "12");
  fill(&table, (const uint64_t[]){ 499900000, 502000000 }, 2); /* more than a tenth of a point */
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 3);
  check(&order, &table, "21");
  fill(&table, (const uint64_t[]){ 500000000, 499900000 }, 2);
  order_forget(&order);
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 3);
  check(&order, &table, "12");
  order_destroy(&order);
}

static void test_rows_are_held(void **state)
{
  struct order order = { 0 };
  struct table table;
  (void)state;
  fill(&table, (const uint64_t[]){ 900000000, 500000000, 100000000 }, 3);
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 4);
  check(&order, &table, "123");
  fill(&table, (const uint64_t[]){ 100000000, 500000000, 900000000, 950000000 }, 4);
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, true, 5);
  check(&order, &table, "1234"); /* the new one comes last, however large */
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 5);
  check(&order, &table, "4321");
  order_destroy(&order);
}

static void test_empty(void **state)
{
  struct order order = { 0 };
  struct table table;
  (void)state;
  fill(&table, NULL, 0);
  assert_true(order_apply(&order, &table.methods, RTOP_SORT_SELF, false, true, 0));
  assert_int_equal(order.count, 0);
  order_forget(&order);
  order_destroy(&order);
}

static int by_rank(const void *left, const void *right)
{
  uint32_t a = m.methods.ranks[((const struct rtop_method_row *)left)->frame];
  uint32_t b = m.methods.ranks[((const struct rtop_method_row *)right)->frame];
  return a < b ? -1 : a > b;
}

/* The rows of a live sum stand in no order, but their ranks are known: that is as good as rows sorted by name. */
static void test_rows_with_ranks_are_ordered_like_sorted_ones(void **state)
{
  static const enum rtop_sort_key keys[] = { RTOP_SORT_SELF, RTOP_SORT_TOTAL,   RTOP_SORT_RATIO,
                                             RTOP_SORT_NAME, RTOP_SORT_THREADS, RTOP_SORT_TOTAL_CPU };
  struct order ranked = { 0 }, sorted = { 0 };
  struct rtop_method_row rows[FRAMES + 2];
  enum rtop_sort_key sort = RTOP_SORT_SELF;
  (void)state;
  open_model(1 << 30, 21);
  for (int i = 0; i < 600; i++) {
    add_window(0);
    if (below(40) == 0) {
      sort = keys[below(sizeof keys / sizeof keys[0])];
      order_forget(&ranked);
      order_forget(&sorted);
    }
    int64_t length_ns = below(20) ? 1000 * MS : 3000 * MS;
    struct rtop_methods_options options = { .sort = RTOP_SORT_NAME };
    options.mode = below(50) ? RTOP_MODE_WALL : RTOP_MODE_CPU;
    assert_true(rtop_live_sum(m.live, fixture_span(m.end_ns - length_ns, m.end_ns), &m.sum));
    assert_true(rtop_live_methods(m.live, &m.sum, &m.methods, &options));
    if (below(15) == 0) continue; /* another view was shown meanwhile */
    assert_non_null(m.methods.ranks);
    assert_true(m.methods.count <= FRAMES + 2);
    memcpy(rows, m.methods.rows, m.methods.count * sizeof *rows);
    qsort(rows, m.methods.count, sizeof *rows, by_rank);
    struct rtop_methods all = m.methods;
    all.rows = rows;
    all.ranks = NULL;
    bool hold = below(4) != 0, reverse = i % 100 > 80;
    assert_int_equal(order_leaps(&ranked, &m.methods, sort, FRAMES + 2), order_leaps(&sorted, &all, sort, FRAMES + 2));
    assert_true(order_apply(&ranked, &m.methods, sort, reverse, hold, FRAMES + 2));
    assert_true(order_apply(&sorted, &all, sort, reverse, hold, FRAMES + 2));
    assert_int_equal(ranked.count, sorted.count);
    assert_int_equal(ranked.count, m.methods.count);
    for (size_t k = 0; k < ranked.count; k++) {
      assert_int_equal(m.methods.rows[ranked.rows[k]].frame, rows[sorted.rows[k]].frame);
      assert_int_equal(order_place(&ranked, m.methods.rows[ranked.rows[k]].frame), k);
    }
  }
  order_destroy(&ranked);
  order_destroy(&sorted);
  close_model();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sorted_and_stable),
    cmocka_unit_test(test_small_differences_do_not_swap),
    cmocka_unit_test(test_rows_are_held),
    cmocka_unit_test(test_empty),
    cmocka_unit_test(test_rows_with_ranks_are_ordered_like_sorted_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
