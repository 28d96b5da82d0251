#include "tests/tui/live_fixture.h"
#include "tui/tables/order.h"
#include <math.h>
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
  fill(&table, (const uint64_t[]){ 499900000, 560000000 }, 2); /* more than a tenth of it */
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 3);
  check(&order, &table, "21");
  fill(&table, (const uint64_t[]){ 500000000, 499900000 }, 2);
  order_forget(&order);
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 3);
  check(&order, &table, "12");
  order_destroy(&order);
}

/* What differs for good by less than the tolerance stands right after some time. */
static void test_lasting_differences_are_sorted(void **state)
{
  struct order order = { 0 };
  struct table table;
  int times = 0;
  (void)state;
  fill(&table, (const uint64_t[]){ 500000000, 480000000 }, 2);
  order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 3);
  fill(&table, (const uint64_t[]){ 464000000, 500000000 }, 2);
  do order_apply(&order, &table.methods, RTOP_SORT_SELF, false, false, 3);
  while (table.rows[order.rows[0]].frame == 1 && ++times < 20);
  assert_in_range(times, 1, 10);
  check(&order, &table, "21");
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
  check(&busy, &table, "4253");
  order_destroy(&busy);
  order_destroy(&off);
}

enum { NOISY = 40, REFRESHES = 60 };

static struct rtop_methods noisy_methods(struct rtop_method_row *rows, const uint64_t *base, uint32_t *seed)
{
  for (int i = 0; i < NOISY; i++) {
    *seed = *seed * 1664525 + 1013904223;
    double noise = 0.95 + 0.1 * (double)(*seed >> 8) / (1 << 24);
    rows[i] = (struct rtop_method_row){ .frame = (uint32_t)i + 1, .self_ns = (uint64_t)((double)base[i] * noise) };
  }
  return (struct rtop_methods){ .rows = rows, .count = NOISY, .length_ns = SECOND_NS };
}

/* Nothing stands above what exceeds it by more than a tenth, wherever both stand. */
static void assert_sorted(const struct order *order, const struct rtop_method_row *rows, bool reverse)
{
  for (size_t i = 0; i < order->count; i++) {
    for (size_t k = i + 1; k < order->count; k++) {
      double above = (double)rows[order->rows[reverse ? k : i]].self_ns;
      double below = (double)rows[order->rows[reverse ? i : k]].self_ns;
      double tenth = below / 10 > SECOND_NS / 200 ? below / 10 : SECOND_NS / 200;
      assert_true(above >= below - tenth);
    }
  }
}

static unsigned moved(const uint32_t *before, const struct order *order)
{
  unsigned rows = 0;
  for (size_t i = 0; i < order->count; i++) rows += before[i] != order->rows[i];
  return rows;
}

static int by_self(const void *left, const void *right, void *rows)
{
  const struct rtop_method_row *all = rows;
  uint64_t a = all[*(const uint32_t *)left].self_ns, b = all[*(const uint32_t *)right].self_ns;
  return (a < b) - (a > b);
}

/* Rows of nearly the same size, five per cent of noise: how many rows stand elsewhere from time to time, by the plain
 * sort and by the calm one? */
static void test_noise_moves_little(void **state)
{
  struct order order = { 0 };
  struct rtop_method_row rows[NOISY];
  uint64_t base[NOISY];
  uint32_t before[NOISY] = { 0 }, plain_before[NOISY] = { 0 }, plain[NOISY], seed = 7;
  unsigned calm_moves = 0, plain_moves = 0;
  (void)state;
  for (int i = 0; i < NOISY; i++) base[i] = 400000000 - (uint64_t)i / 4 * 30000000;
  for (int refresh = 0; refresh < REFRESHES; refresh++) {
    struct rtop_methods methods = noisy_methods(rows, base, &seed);
    assert_true(order_apply(&order, &methods, RTOP_SORT_SELF, false, false, NOISY + 1));
    assert_sorted(&order, rows, false);
    for (uint32_t i = 0; i < NOISY; i++) plain[i] = i;
    qsort_r(plain, NOISY, sizeof *plain, by_self, rows);
    struct order sorted = { .rows = plain, .count = NOISY };
    if (refresh > 0) {
      calm_moves += moved(before, &order);
      plain_moves += moved(plain_before, &sorted);
    }
    memcpy(before, order.rows, sizeof before);
    memcpy(plain_before, plain, sizeof plain);
  }
  print_message("%d refreshes of %d rows: %u rows elsewhere, %u by the plain sort\n", REFRESHES, NOISY, calm_moves,
                plain_moves);
  assert_true(calm_moves * 5 < plain_moves);
  order_destroy(&order);
}

/* Whatever the figures do, held or not, either way round: what is sorted is sorted; every row stands once. */
static void test_any_figures_are_sorted(void **state)
{
  struct order order = { 0 };
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

/* What is shown is true within what chance makes of the samples, and sorted; without samples it is what it is. */
static void test_what_is_shown_is_sorted(void **state)
{
  struct order order = { 0 };
  struct rtop_method_row rows[NOISY];
  uint64_t base[NOISY];
  uint32_t seed = 21;
  (void)state;
  for (int i = 0; i < NOISY; i++) base[i] = i < 8 ? 400000000 - (uint64_t)i * 40000000 : (uint64_t)(NOISY - i) * 400000;
  for (int refresh = 0; refresh < 400; refresh++) {
    struct rtop_methods methods = noisy_methods(rows, base, &seed);
    order.samples = refresh % 50 == 0 ? 0 : 200;
    if (refresh % 7 == 0) rows[seed % NOISY].self_ns = 0;
    assert_true(order_apply(&order, &methods, RTOP_SORT_SELF, false, refresh % 11 == 0, NOISY + 1));
    for (size_t i = 0; i < order.count; i++) {
      const struct rtop_method_row *row = &rows[order.rows[i]];
      double shown = order.values[row->frame] / SECOND_NS, share = (double)row->self_ns / SECOND_NS;
      assert_true(fabs(shown - share) <= rtop_calm_noise(share, order.samples) + 1e-12);
      for (size_t k = i + 1; k < order.count && refresh % 11 != 0; k++) {
        double below = order.values[rows[order.rows[k]].frame] / SECOND_NS;
        assert_true(shown >= rtop_calm_least_above(below, 0.005, 10) - 1e-12);
        assert_true(shown > 0 || below == 0);
      }
    }
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

/* Of many rows those are calm that somebody looks at, the others strictly in order; each stands somewhere, once. */
static void test_many_rows_are_calm_at_the_top(void **state)
{
  enum { MANY = 3000 };
  static struct rtop_method_row rows[MANY];
  static bool seen[MANY];
  struct rtop_methods methods = { .rows = rows, .count = MANY, .length_ns = SECOND_NS };
  struct order order = { 0 };
  (void)state;
  for (uint32_t i = 0; i < MANY; i++)
    rows[i] = (struct rtop_method_row){ .frame = i + 1, .self_ns = 9000000 - 1000 * i };
  assert_true(order_apply(&order, &methods, RTOP_SORT_SELF, false, false, MANY + 1));
  for (uint32_t i = 0; i < MANY; i += 2) { /* neighbours change places, by less than a tenth */
    uint64_t self_ns = rows[i].self_ns;
    rows[i].self_ns = rows[i + 1].self_ns;
    rows[i + 1].self_ns = self_ns;
  }
  assert_true(order_apply(&order, &methods, RTOP_SORT_SELF, false, false, MANY + 1));
  assert_int_equal(order.count, MANY);
  for (uint32_t i = 0; i < MANY; i++) {
    assert_false(seen[order.rows[i]]);
    seen[order.rows[i]] = true;
    assert_int_equal(order.rows[i], i < 1000 ? i : i ^ 1);
    assert_int_equal(order_place(&order, rows[order.rows[i]].frame), i);
  }
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
    cmocka_unit_test(test_small_differences_do_not_swap),
    cmocka_unit_test(test_lasting_differences_are_sorted),
    cmocka_unit_test(test_one_row_stands_first),
    cmocka_unit_test(test_folded),
    cmocka_unit_test(test_parts),
    cmocka_unit_test(test_noise_moves_little),
    cmocka_unit_test(test_any_figures_are_sorted),
    cmocka_unit_test(test_what_is_shown_is_sorted),
    cmocka_unit_test(test_rows_are_held),
    cmocka_unit_test(test_many_rows_are_calm_at_the_top),
    cmocka_unit_test(test_empty),
    cmocka_unit_test(test_rows_with_ranks_are_ordered_like_sorted_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
