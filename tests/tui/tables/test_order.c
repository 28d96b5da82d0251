#include "tests/tui/live_fixture.h"
#include "tui/tables/order.h"
#include "tui/term/draw.h"
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

/* Shares are read in tenths of a percent: what is read as the same stands by name, what is not in its order. */
static void test_what_nobody_sees_moves_nothing(void **state)
{
  struct order order = { .shares = true };
  struct table table;
  (void)state;
  fill(&table, (const uint64_t[]){ 500300000, 499700000 }, 2); /* both 50.0 */
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 3);
  check(&order, &table, "12");
  fill(&table, (const uint64_t[]){ 499700000, 500300000 }, 2);
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 3);
  check(&order, &table, "12");
  order.shares = false; /* the times themselves */
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 3);
  check(&order, &table, "21");
  order.shares = true;
  fill(&table, (const uint64_t[]){ 500000000, 501000000 }, 2); /* 50.0, 50.1 */
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 3);
  check(&order, &table, "21");
  order_apply(&order, &table.methods, RTOP_SORT_SELF, true, false, 3);
  check(&order, &table, "12");
  order_destroy(&order);
}

static void test_one_row_stands_first(void **state)
{
  struct order order = { .first = 3 };
  struct table table;
  (void)state;
  fill(&table, (const uint64_t[]){ 900000000, 500000000, 100000000 }, 3);
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 4);
  check(&order, &table, "312");
  assert_int_equal(order_place(&order, 3), 0);
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 4);
  check(&order, &table, "312");
  order.first = 7; /* no such row */
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 4);
  check(&order, &table, "123");
  order_destroy(&order);
}

/* What is shown as nothing stands at the end; while rows are held each keeps its side. */
static void test_folded(void **state)
{
  struct order order = { .fold_below = 500000, .kept = 5 };
  struct table table;
  (void)state;
  fill(&table, (const uint64_t[]){ 0, 900000000, 499999, 500000, 0, 0 }, 6);
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 7);
  check(&order, &table, "245316");
  assert_int_equal(order.folded, 3);
  fill(&table, (const uint64_t[]){ 800000000, 0, 0, 500000, 0, 0, 700000000, 0 }, 8);
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, true, 9);
  check(&order, &table, "24573168");
  assert_int_equal(order.folded, 4);
  order.first = 8;
  order.kept = 0;
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 9);
  assert_int_equal(order.folded, 4);
  assert_int_equal(table.rows[order.rows[0]].frame, 8);
  table.rows[2].self.wall_ns[RTOP_STATE_WAITING] = 100000000; /* it has none, but waits for it */
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 9);
  assert_int_equal(order.folded, 3);
  order.fold_below = 0;
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 9);
  assert_int_equal(order.folded, 0);
  order_destroy(&order);
}

static void test_parts(void **state)
{
  struct order busy = { .part = ORDER_BUSY }, off = { .part = ORDER_OFF };
  struct table table;
  (void)state;
  fill(&table, (const uint64_t[]){ 0, 20000000, 0, 300000000, 0 }, 5);
  for (int i = 0; i < 5; i++) table.rows[i].total_ns = table.rows[i].self_ns;
  table.rows[0].self.wall_ns[RTOP_STATE_BLOCKED] = table.rows[0].total.wall_ns[RTOP_STATE_BLOCKED] = 500000000;
  table.rows[1].self.wall_ns[RTOP_STATE_BLOCKED] = table.rows[1].total.wall_ns[RTOP_STATE_BLOCKED] = 900000000;
  table.rows[2].total.wall_ns[RTOP_STATE_BLOCKED] = 500000000; /* calls the first */
  order_apply(&busy, &table.methods, RTOP_SORT_SELF, false, false, 6);
  check(&busy, &table, "425");
  order_apply(&off, &table.methods, RTOP_SORT_BLOCKED, false, false, 6);
  check(&off, &table, "213");
  table.rows[2].self.allocations = 7; /* does something */
  order_apply(&busy, &table.methods, RTOP_SORT_SELF, false, false, 6);
  check(&busy, &table, "4235");
  order_destroy(&busy);
  order_destroy(&off);
}

enum { NOISY = 40 };

static struct rtop_methods noisy_methods(struct rtop_method_row *rows, const uint64_t *base, uint32_t *seed)
{
  for (int i = 0; i < NOISY; i++) {
    *seed = *seed * 1664525 + 1013904223;
    double noise = 0.95 + 0.1 * (double)(*seed >> 8) / (1 << 24);
    rows[i] = (struct rtop_method_row){ .frame = (uint32_t)i + 1, .self_ns = (uint64_t)((double)base[i] * noise) };
  }
  return (struct rtop_methods){ .rows = rows, .count = NOISY, .length_ns = SECOND_NS };
}

/* As it is read: a figure never stands above a larger one. */
static void assert_sorted(const struct order *order, const struct rtop_method_row *rows, bool reverse)
{
  char text[2][32];
  for (size_t i = 0; i + 1 < order->count; i++) {
    for (size_t k = 0; k < 2; k++)
      draw_percent(text[k], sizeof text[k], 100.0 * (double)rows[order->rows[i + k]].self_ns / SECOND_NS);
    double above = strtod(text[0], NULL), below = strtod(text[1], NULL);
    assert_true(reverse ? above <= below : above >= below);
  }
}

/* Whatever the figures do, held or not, either way round: what is sorted is sorted; every row stands once. */
static void test_any_figures_are_sorted(void **state)
{
  struct order order = { .shares = true };
  struct rtop_method_row rows[NOISY];
  uint64_t base[NOISY] = { 0 };
  uint32_t seed = 99;
  bool reverse = false;
  (void)state;
  for (int i = 0; i < 3000; i++) {
    unsigned seen[NOISY] = { 0 };
    seed = seed * 1664525 + 1013904223;
    int jumps = (int)(seed >> 8) % 4;
    for (int k = 0; k < jumps; k++) base[(seed >> (9 + k)) % NOISY] = (seed >> 3 >> k % 20) % SECOND_NS;
    if (seed >> 24 < 4) {
      reverse = !reverse;
      order_forget(&order);
    }
    struct rtop_methods methods = noisy_methods(rows, base, &seed);
    methods.count = NOISY - (seed >> 28);
    bool hold = seed >> 16 << 30 == 0;
    assert_true(order_apply(&order, &methods, RTOP_SORT_SELF, reverse, hold, NOISY + 1));
    assert_int_equal(order.count, methods.count);
    for (size_t k = 0; k < order.count; k++) seen[order.rows[k]]++;
    for (size_t k = 0; k < order.count; k++) assert_int_equal(seen[k], 1);
    if (!hold) assert_sorted(&order, rows, reverse);
  }
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
    cmocka_unit_test(test_what_nobody_sees_moves_nothing),
    cmocka_unit_test(test_one_row_stands_first),
    cmocka_unit_test(test_folded),
    cmocka_unit_test(test_parts),
    cmocka_unit_test(test_any_figures_are_sorted),
    cmocka_unit_test(test_rows_are_held),
    cmocka_unit_test(test_empty),
    cmocka_unit_test(test_rows_with_ranks_are_ordered_like_sorted_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
