/* Marks of the program as the profile keeps them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tui/history/profile.h"
#include <stdio.h>
#include <string.h>

enum { MARKS_MAX = 1 << 14 };

static const struct rtop_span everything = { 0, INT64_MAX };

static void add(struct rtop_profile *profile, int64_t time_ns, const char *name)
{
  rtop_profile_add_mark(profile, 1, time_ns, name, strlen(name));
}

static void test_in_order_of_time(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  struct rtop_profile_mark marks[8];
  assert_int_equal(rtop_profile_marks(profile, everything, marks, 8), 0);
  add(profile, 30, "c");
  add(profile, 10, "a");
  add(profile, 20, "b");
  add(profile, 20, "b too");
  add(profile, 40, "");
  static const char *const names[] = { "a", "b", "b too", "c", "" };
  assert_int_equal(rtop_profile_marks(profile, everything, marks, 8), 5);
  for (int i = 0; i < 5; i++) {
    assert_string_equal(marks[i].name, names[i]);
    assert_int_equal(marks[i].source, 1);
  }
  assert_int_equal(marks[3].time_ns, 30);
  rtop_profile_destroy(&profile);
}

static void test_spans_and_capacity(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  struct rtop_profile_mark marks[8];
  for (int64_t i = 0; i < 10; i++) add(profile, 10 * i, "x");
  assert_int_equal(rtop_profile_marks(profile, (struct rtop_span){ 20, 50 }, marks, 8), 3);
  assert_int_equal(marks[0].time_ns, 20);
  assert_int_equal(marks[2].time_ns, 40);
  assert_int_equal(rtop_profile_marks(profile, (struct rtop_span){ 20, 50 }, marks, 2), 2);
  assert_int_equal(marks[0].time_ns, 30);
  assert_int_equal(rtop_profile_marks(profile, (struct rtop_span){ 91, 1000 }, marks, 8), 0);
  assert_int_equal(rtop_profile_marks(profile, (struct rtop_span){ 50, 50 }, marks, 8), 0);
  assert_int_equal(rtop_profile_marks(profile, (struct rtop_span){ 50, 20 }, marks, 8), 0);
  assert_int_equal(rtop_profile_marks(profile, everything, NULL, 0), 0);
  rtop_profile_destroy(&profile);
}

static void test_hostile_marks(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  struct rtop_profile_mark marks[4];
  add(profile, -1, "before time");
  add(profile, INT64_MAX, "after time");
  rtop_profile_add_mark(profile, 1, 5, "\x1b[31mred\n\xff", 10);
  assert_int_equal(rtop_profile_marks(profile, everything, marks, 4), 1);
  assert_null(strchr(marks[0].name, '\x1b'));
  assert_null(strchr(marks[0].name, '\n'));
  assert_non_null(strstr(marks[0].name, "red"));
  rtop_profile_destroy(&profile);
}

static void test_very_many(void **state)
{
  (void)state;
  static struct rtop_profile_mark marks[2 * MARKS_MAX];
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  for (int64_t i = 0; i < 3 * MARKS_MAX; i++) add(profile, i, i % 2 ? "odd" : "even");
  size_t kept = rtop_profile_marks(profile, everything, marks, 2 * MARKS_MAX);
  assert_true(kept <= MARKS_MAX && kept > MARKS_MAX / 2);
  for (size_t i = 0; i < kept; i++) {
    assert_int_equal(marks[i].time_ns, 3 * MARKS_MAX - (int64_t)kept + (int64_t)i);
    assert_string_equal(marks[i].name, marks[i].time_ns % 2 ? "odd" : "even");
  }
  rtop_profile_destroy(&profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_in_order_of_time),
    cmocka_unit_test(test_spans_and_capacity),
    cmocka_unit_test(test_hostile_marks),
    cmocka_unit_test(test_very_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
