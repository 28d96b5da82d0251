#include "tui/text/time_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define S INT64_C(1000000000)
/* 2026-11-20 14:32:07 UTC */
#define END (INT64_C(1795185127) * S)

static const struct time_base base = { END - 7200 * S, END, END - 100 * S };

static int64_t parsed(const char *text)
{
  int64_t time_ns = -1;
  const char *problem = time_text_parse(text, &base, &time_ns);
  if (problem != NULL) fail_msg("'%s': %s", text, problem);
  return time_ns;
}

static void test_clock(void **state)
{
  (void)state;
  assert_int_equal(parsed("14:31:52"), END - 15 * S);
  assert_int_equal(parsed(" 14:31:52.5 "), END - 15 * S + S / 2);
  assert_int_equal(parsed("14:31"), END - 67 * S);
  assert_int_equal(parsed("9:05"), END - 19627 * S);
  /* Later than anything held: yesterday's. Just behind the end is a slow typist's now. */
  assert_int_equal(parsed("23:00:00"), END - 55927 * S);
  assert_int_equal(parsed("14:32:30"), END + 23 * S);
}

static void test_date(void **state)
{
  (void)state;
  assert_int_equal(parsed("2026-11-20T14:32:07"), END);
  assert_int_equal(parsed("2026-11-20 14:32:07Z"), END);
  assert_int_equal(parsed("2026-11-20T15:32:07+01:00"), END);
  assert_int_equal(parsed("2026-11-20T09:02:07-0530"), END);
  assert_int_equal(parsed("2026-11-19"), END - 86400 * S - 52327 * S);
}

static void test_relative(void **state)
{
  (void)state;
  assert_int_equal(parsed("-90s"), base.cursor_ns - 90 * S);
  assert_int_equal(parsed("-90"), base.cursor_ns - 90 * S);
  assert_int_equal(parsed("+5"), base.cursor_ns + 5 * S);
  assert_int_equal(parsed("+0.1"), base.cursor_ns + S / 10);
  assert_int_equal(parsed("-1h30m"), base.cursor_ns - 5400 * S);
  assert_int_equal(parsed("-1m30.5s"), base.cursor_ns - 90 * S - S / 2);
  assert_int_equal(parsed("start"), base.start_ns);
  assert_int_equal(parsed("end"), END);
  assert_int_equal(parsed("now"), END);
}

/* Times of day are local: with another zone the same instant has another name. */
static void test_zone(void **state)
{
  (void)state;
  setenv("TZ", "XYZ-2", 1);
  tzset();
  assert_int_equal(parsed("16:31:52"), END - 15 * S);
  assert_int_equal(parsed("2026-11-20T16:32:07"), END);
  assert_int_equal(parsed("2026-11-20T14:32:07Z"), END);
  setenv("TZ", "UTC", 1);
  tzset();
}

static void test_nonsense(void **state)
{
  static const char *const nonsense[] = {
    "",
    " ",
    "x",
    "14",
    "14:",
    "14:3x",
    "25:00",
    "14:61",
    "14:30:99",
    "-",
    "+",
    "-x",
    "--5",
    "-5y",
    "+1e9",
    "-0x10",
    "2026-13-01",
    "2026-11-20T",
    "2026-11-20T25:00",
    "2026-11-20T10:00+x",
    "2026-11-20x",
    "-99999999999999999999",
    "14:31:52 later",
    "-5 s",
    "1:2:3:4",
    "2026-11-20T10:00Zz",
    "+nan",
    "-inf",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  };
  (void)state;
  for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
    int64_t time_ns;
    if (time_text_parse(nonsense[i], &base, &time_ns) == NULL) fail_msg("'%s' was taken", nonsense[i]);
  }
}

static void test_written(void **state)
{
  char text[16];
  (void)state;
  time_text_clock(text, sizeof text, END, false);
  assert_string_equal(text, "14:32:07");
  time_text_clock(text, sizeof text, END + 4 * S / 10, true);
  assert_string_equal(text, "14:32:07.4");
  static const struct {
    int64_t seconds;
    const char *text;
  } ages[] = {
    { -5, "0s" },       { 0, "0s" },       { 99, "99s" },        { 100, "1m40s" },
    { 5999, "99m59s" }, { 6000, "1h40m" }, { 359999, "99h59m" }, { 360000, "4d04h" },
  };
  for (size_t i = 0; i < sizeof ages / sizeof ages[0]; i++) {
    time_text_age(text, sizeof text, ages[i].seconds * S);
    assert_string_equal(text, ages[i].text);
  }
}

int main(void)
{
  setenv("TZ", "UTC", 1);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_clock), cmocka_unit_test(test_date),     cmocka_unit_test(test_relative),
    cmocka_unit_test(test_zone),  cmocka_unit_test(test_nonsense), cmocka_unit_test(test_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
