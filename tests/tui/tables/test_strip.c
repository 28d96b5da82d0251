#include "tests/tui/screen_model.h"
#include "tui/tables/strip.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static bool near(double a, double b)
{
  return fabs(a - b) < 0.01;
}

static void test_cells(void **state)
{
  struct strip strip = { 0 };
  struct rtop_profile *profile = model_profile();
  (void)state;
  assert_true(strip_build(&strip, profile, MODEL_END_NS, 100, MODEL_END_NS, STRIP_ALL_SOURCES));
  assert_int_equal(strip.cells, 100);
  assert_true(strip.has_gap);
  int unknown = 0;
  for (int i = 0; i < 100; i++) {
    unknown += strip.busy[i] < 0;
    assert_true(strip.busy[i] <= 1);
  }
  /* 75 seconds of windows, two to three of them a gap; what was before is not known. */
  assert_in_range(unknown, 26, 29);
  assert_true(strip.busy[0] < 0 && strip.busy[99] > 0.8);
  assert_true(near(strip.minor_per_minute, 120));
  assert_true(strip.major_per_minute > 1.5 && strip.major_per_minute < 2.5);
  strip_destroy(&strip);
  rtop_profile_destroy(&profile);
}

/* A complete cell keeps its height while it moves to the left. */
static void test_cells_do_not_shimmer(void **state)
{
  struct strip now = { 0 }, later = { 0 };
  struct rtop_profile *profile = model_profile();
  (void)state;
  assert_true(strip_build(&now, profile, MODEL_END_NS - 500000000, 60, MODEL_END_NS, STRIP_ALL_SOURCES));
  assert_true(strip_build(&later, profile, MODEL_END_NS - 500000000 + 4 * STRIP_CELL_NS / 10, 60, MODEL_END_NS,
                          STRIP_ALL_SOURCES));
  for (int i = 0; i < 59; i++) assert_true(now.busy[i] == later.busy[i]);
  assert_true(
      strip_build(&later, profile, MODEL_END_NS - 500000000 - STRIP_CELL_NS, 60, MODEL_END_NS, STRIP_ALL_SOURCES));
  for (int i = 0; i < 58; i++) assert_true(now.busy[i] == later.busy[i + 1]);
  strip_destroy(&now);
  strip_destroy(&later);
  rtop_profile_destroy(&profile);
}

static void test_empty_profile(void **state)
{
  struct strip strip = { 0 };
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  (void)state;
  assert_true(strip_build(&strip, profile, 0, 100000, 0, STRIP_ALL_SOURCES));
  assert_int_equal(strip.cells, STRIP_CELLS_MAX);
  assert_true(strip.busy[0] < 0 && strip.busy[STRIP_CELLS_MAX - 1] < 0);
  strip_destroy(&strip);
  rtop_profile_destroy(&profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cells),
    cmocka_unit_test(test_cells_do_not_shimmer),
    cmocka_unit_test(test_empty_profile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
