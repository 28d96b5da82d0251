#include "tui/text/calm.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 200 };

static void test_noise(void **state)
{
  (void)state;
  assert_true(rtop_calm_noise(0.5, 0) == 0);
  assert_float_equal(rtop_calm_noise(0, SAMPLES), 0.00707, 0.00001);   /* a sample or two */
  assert_float_equal(rtop_calm_noise(0.3, SAMPLES), 0.05523, 0.00001); /* 60 samples */
  assert_float_equal(rtop_calm_noise(0.3, 60 * SAMPLES), 0.00707, 0.00001);
}

static void test_figures_stay_within_their_tolerance(void **state)
{
  struct rtop_calm calm = { 0 };
  (void)state;
  uint64_t key = rtop_calm_key(7, 1);
  assert_true(rtop_calm_keep(&calm, key, 10, 2) == 10);
  assert_true(rtop_calm_keep(&calm, key, 12, 2) == 10);
  assert_true(rtop_calm_keep(&calm, rtop_calm_key(7, 2), 12, 2) == 12);
  assert_true(rtop_calm_keep(&calm, rtop_calm_key(8, 1), 12, 2) == 12);
  assert_true(rtop_calm_keep(&calm, key, 12.1, 2) == 12.1);
  assert_true(rtop_calm_keep(&calm, key, 10.5, 2) == 12.1);
  assert_true(rtop_calm_keep(&calm, key, 10.5, 0) == 10.5);
  rtop_calm_forget(&calm);
  assert_true(rtop_calm_keep(&calm, key, 11, 2) == 11);
  rtop_calm_forget(&calm);
}

/* However many are asked for: what is asked for at each step stays, the rest does not pile up. */
static void test_memory_is_bounded(void **state)
{
  struct rtop_calm calm = { 0 };
  (void)state;
  uint64_t next = 1000;
  rtop_calm_keep(&calm, rtop_calm_key(1, 1), 10, 2);
  for (int step = 0; step < 500; step++) {
    for (int i = 0; i < 100; i++, next++) rtop_calm_keep(&calm, rtop_calm_key(next, 1), 1, 1);
    assert_true(rtop_calm_keep(&calm, rtop_calm_key(1, 1), 10 + step % 3, 2) == 10);
    rtop_calm_step(&calm);
    assert_true(calm.count < 9000);
  }
  rtop_calm_forget(&calm);
}

static int by_worth(const void *left, const void *right)
{
  const struct rtop_calm_row *a = left, *b = right;
  return (a->worth < b->worth) - (a->worth > b->worth);
}

enum { ROWS = 24 };

/* Nothing stands above what is worth more by more than the tolerance, nor a nothing above something; rows that may
 * stand as they stood do. */
static void test_any_rows_are_in_order(void **state)
{
  (void)state;
  uint32_t seed = 3, out[ROWS];
  uint64_t heap[ROWS];
  for (int round = 0; round < 3000; round++) {
    struct rtop_calm_row rows[ROWS];
    unsigned seen[ROWS] = { 0 };
    bool fits = true;
    for (int i = 0; i < ROWS; i++) {
      seed = seed * 1664525 + 1013904223;
      double worth = (double)(seed >> 8) / (1 << 24);
      rows[i] = (struct rtop_calm_row){ .worth = seed % 5 ? worth * worth * worth : 0, .rank = seed >> 4 & 63 };
    }
    qsort(rows, ROWS, sizeof *rows, by_worth);
    rtop_calm_order(rows, ROWS, 0.005, 10, heap, out);
    for (int i = 0; i < ROWS; i++) {
      seen[out[i]]++;
      for (int k = i + 1; k < ROWS; k++) {
        double above = rows[out[i]].worth, below = rows[out[k]].worth;
        assert_true(above >= below * 0.9 || above >= below - 0.005);
        assert_true(above > 0 || below == 0);
      }
    }
    for (int i = 0; i < ROWS; i++) assert_int_equal(seen[i], 1);
    for (uint32_t i = 0; i < ROWS; i++) rows[out[i]].rank = i;
    uint32_t again[ROWS];
    rtop_calm_order(rows, ROWS, 0.005, 10, heap, again);
    for (int i = 0; i < ROWS; i++) fits = fits && again[i] == out[i];
    assert_true(fits);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_noise),
    cmocka_unit_test(test_figures_stay_within_their_tolerance),
    cmocka_unit_test(test_memory_is_bounded),
    cmocka_unit_test(test_any_rows_are_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
