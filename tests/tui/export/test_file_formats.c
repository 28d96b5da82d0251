#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "tui/export/file_formats.h"

static void test_kinds(void **state)
{
  (void)state;
  static const struct {
    const char *path;
    enum rtop_file_format format;
    bool gzip;
  } good[] = {
    { "a.collapsed", RTOP_FILE_COLLAPSED, false },
    { "/x.y/a.b.txt", RTOP_FILE_TEXT, false },
    { "a.trace.json", RTOP_FILE_TRACE, false },
    { "a.json.gz", RTOP_FILE_RPERF, true },
    { "a.json", RTOP_FILE_RPERF, false },
    { "a.pb.gz", RTOP_FILE_PPROF, true },
    { "a.pb", RTOP_FILE_PPROF, false },
    { "a.svg", RTOP_FILE_SVG, false },
    { "a.csv", RTOP_FILE_CSV, false },
    { "a.txt.gz", RTOP_FILE_TEXT, true },
    { "/a/b.speedscope.json", RTOP_FILE_SPEEDSCOPE, false },
    { "b.speedscope.json.gz", RTOP_FILE_SPEEDSCOPE, true },
  };
  static const char *const bad[] = {
    "a", "/x.txt/a", "/x/.txt", ".csv.gz", "a.gz", "a.txt.", "", "a.txt.gz.gz", "a.png"
  };
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    struct rtop_file_kind kind;
    assert_true(rtop_file_kind(good[i].path, &kind));
    assert_int_equal(kind.format, good[i].format);
    assert_int_equal(kind.gzip, good[i].gzip);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct rtop_file_kind kind;
    assert_false(rtop_file_kind(bad[i], &kind));
  }
}

static void test_differences(void **state)
{
  (void)state;
  assert_true(rtop_file_format_shows_difference(RTOP_FILE_TEXT) && rtop_file_format_shows_difference(RTOP_FILE_CSV));
  assert_true(rtop_file_format_shows_difference(RTOP_FILE_SVG));
  assert_true(rtop_file_format_shows_difference(RTOP_FILE_COLLAPSED));
  assert_false(rtop_file_format_shows_difference(RTOP_FILE_PPROF));
  assert_false(rtop_file_format_shows_difference(RTOP_FILE_FORMATS));
}

/* Every format has a name of its own and an ending that leads to it. */
static void test_names(void **state)
{
  (void)state;
  for (int i = 0; i < RTOP_FILE_FORMATS; i++) {
    enum rtop_file_format format = RTOP_FILE_FORMATS;
    const char *name = rtop_file_format_name((enum rtop_file_format)i);
    assert_true(*name);
    assert_true(rtop_file_format_parse(name, &format));
    assert_int_equal(format, i);
  }
  enum rtop_file_format format;
  assert_false(rtop_file_format_parse("png", &format));
  assert_false(rtop_file_format_parse("", &format));
}

/* The sentence names an ending of every format. */
static void test_endings(void **state)
{
  (void)state;
  bool seen[RTOP_FILE_FORMATS] = { false };
  for (const char *at = rtop_file_endings(); *at; at += strspn(at, ", ")) {
    char path[64] = "x";
    struct rtop_file_kind kind;
    size_t length = strcspn(at, ", ");
    strncat(path, at, length);
    at += length;
    if (path[1] != '.') continue; /* "or" */
    assert_true(rtop_file_kind(path, &kind));
    assert_false(kind.gzip);
    seen[kind.format] = true;
  }
  for (int i = 0; i < RTOP_FILE_FORMATS; i++) assert_true(seen[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_kinds),
    cmocka_unit_test(test_differences),
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_endings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
