#include "shm/window/window.h"
#include "tui/text/clock_shift.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void test_how_far(void **state)
{
  (void)state;
  const int64_t hour_ns = INT64_C(3600000000000), real_ns = INT64_C(1700000000000000000);
  assert_int_equal(rtop_clock_shift_ns(real_ns, real_ns), 0);
  assert_int_equal(rtop_clock_shift_ns(real_ns + hour_ns, real_ns), hour_ns);
  assert_int_equal(rtop_clock_shift_ns(real_ns - hour_ns, real_ns), -hour_ns);
  assert_int_equal(rtop_clock_shift_ns(real_ns + RTOP_CLOCK_SAME_NS - 1, real_ns), 0);
  assert_int_equal(rtop_clock_shift_ns(real_ns - RTOP_CLOCK_SAME_NS + 1, real_ns), 0);
  assert_int_equal(rtop_clock_shift_ns(real_ns + RTOP_CLOCK_SAME_NS, real_ns), RTOP_CLOCK_SAME_NS);
}

static void test_hostile_numbers(void **state)
{
  (void)state;
  assert_int_equal(rtop_clock_shift_ns(INT64_MAX, -2), 0);
  assert_int_equal(rtop_clock_shift_ns(INT64_MIN, 1), 0);
  assert_int_equal(rtop_clock_shifted(INT64_MAX - 1, 5), INT64_MAX);
  assert_int_equal(rtop_clock_shifted(INT64_MIN + 1, -5), INT64_MIN);
  assert_int_equal(rtop_clock_shifted(7, -5), 2);
}

static void test_every_time_of_a_window(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 100, .end_mono_ns = 200 };
  rtop_window_add_late(&window)->start_mono_ns = 50;
  rtop_window_add_mark(&window)->mono_ns = 150;
  rtop_window_add_slow(&window)->end_mono_ns = 160;
  *rtop_window_add_raised(&window) = (struct rtop_raised){ .first_mono_ns = 90, .last_mono_ns = 170 };
  rtop_clock_shift_window(&window, 0);
  assert_int_equal(window.start_mono_ns, 100);
  rtop_clock_shift_window(&window, 1000);
  assert_int_equal(window.start_mono_ns, 1100);
  assert_int_equal(window.end_mono_ns, 1200);
  assert_int_equal(window.late[0].start_mono_ns, 1050);
  assert_int_equal(window.marks[0].mono_ns, 1150);
  assert_int_equal(window.slow[0].end_mono_ns, 1160);
  assert_int_equal(window.raised[0].first_mono_ns, 1090);
  assert_int_equal(window.raised[0].last_mono_ns, 1170);
  rtop_window_destroy(&window);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_how_far),
    cmocka_unit_test(test_hostile_numbers),
    cmocka_unit_test(test_every_time_of_a_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
