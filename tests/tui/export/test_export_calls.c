/* All calls in files: exact counts and times in every format that can, and a refusal by those that cannot. */
#include "tests/tui/exact_fixture.h"
#include "tui/export/export.h"

#include <errno.h>
#include <jansson.h>
#include <pprof.pb-c.h>
#include <stdlib.h>

static struct exact_world world;
static struct rtop_methods_options options;

static int setup(void **state)
{
  (void)state;
  exact_world_begin(&world);
  for (int at = 0; at < 3; at++) exact_world_add(&world, 0, at, RTOP_WHOLE_DONE);
  exact_world_sum(&world, WHOLE_ALL_SOURCES);
  options = (struct rtop_methods_options){ .sort = RTOP_SORT_SELF };
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  exact_world_end(&world);
  return 0;
}

/* What is written: of bytes, to be freed. */
static struct {
  char *bytes;
  size_t count;
} written;

static bool export_calls(enum rtop_file_format format)
{
  static const pid_t pids[] = { 4711 };
  const struct rtop_export given = {
    .profile = world.profile,
    .sum = &world.sum,
    .calls = &world.numbers.head,
    .options = &options,
    .command = "ruby shop.rb",
    .ruby = "3.3.8",
    .pids = pids,
    .pid_count = 1,
  };
  FILE *out = open_memstream(&written.bytes, &written.count);
  bool fine = rtop_export_write(&given, (struct rtop_file_kind){ format, false }, out);
  int problem = errno;
  assert_int_equal(fclose(out), 0);
  errno = problem;
  return fine;
}

static char *text_of(enum rtop_file_format format)
{
  assert_true(export_calls(format));
  return written.bytes;
}

static void check_text(enum rtop_file_format format, const char *wanted)
{
  char *text = text_of(format);
  assert_string_equal(text, wanted);
  free(text);
}

static void check_part(const char *text, const char *part)
{
  if (!strstr(text, part)) fail_msg("'%s' is not in:\n%s", part, text);
}

static void test_csv(void **state)
{
  (void)state;
  check_text(RTOP_FILE_CSV, "method,path,line,kind,calls,self,total,mean\r\n"
                            "Work#do,/app/a.rb,3,ruby,24,0.165000000,0.180000000,0.007500000\r\n"
                            "Work#rest,/app/a.rb,3,ruby,33,0.045000000,0.045000000,0.001363636\r\n"
                            "Work#top,/app/a.rb,3,ruby,3,0.030000000,0.240000000,0.080000000\r\n");
  options.sort = RTOP_SORT_COUNT;
  char *text = text_of(RTOP_FILE_CSV);
  assert_true(strstr(text, "Work#rest") < strstr(text, "Work#do") &&
              strstr(text, "Work#do") < strstr(text, "Work#top"));
  free(text);
}

/* By their own time, or by their number where that is the order. */
static void test_collapsed(void **state)
{
  (void)state;
  check_text(RTOP_FILE_COLLAPSED, "Work#top 30000\n"
                                  "Work#top;Work#rest 30000\n"
                                  "Work#top;Work#do 60000\n"
                                  "Work#top;Work#do;Work#do 105000\n"
                                  "Work#top;Work#do;Work#do;Work#rest 15000\n");
  options.sort = RTOP_SORT_COUNT;
  check_text(RTOP_FILE_COLLAPSED, "Work#top 3\n"
                                  "Work#top;Work#rest 12\n"
                                  "Work#top;Work#do 6\n"
                                  "Work#top;Work#do;Work#do 18\n"
                                  "Work#top;Work#do;Work#do;Work#rest 21\n");
}

static void test_pprof(void **state)
{
  int64_t calls = 0, self_ns = 0;
  (void)state;
  assert_true(export_calls(RTOP_FILE_PPROF));
  Rtop__Pprof__Profile *file = rtop__pprof__profile__unpack(NULL, written.count, (uint8_t *)written.bytes);
  assert_non_null(file);
  char **strings = file->string_table;
  assert_int_equal(file->n_sample_type, 2);
  assert_string_equal(strings[file->sample_type[0]->type], "calls");
  assert_string_equal(strings[file->sample_type[0]->unit], "count");
  assert_string_equal(strings[file->sample_type[1]->type], "self");
  assert_string_equal(strings[file->sample_type[1]->unit], "nanoseconds");
  assert_string_equal(strings[file->default_sample_type], "self");
  assert_int_equal(file->n_sample, 5);
  for (size_t i = 0; i < file->n_sample; i++) {
    assert_int_equal(file->sample[i]->n_value, 2);
    assert_int_equal(file->sample[i]->n_label, 0);
    calls += file->sample[i]->value[0];
    self_ns += file->sample[i]->value[1];
  }
  assert_int_equal(calls, 60);
  assert_int_equal(self_ns, 240 * MS);
  assert_int_equal(file->duration_nanos, 300 * MS);
  rtop__pprof__profile__free_unpacked(file, NULL);
  free(written.bytes);
}

static void test_text(void **state)
{
  (void)state;
  char *text = text_of(RTOP_FILE_TEXT);
  check_part(text, "rperf-top, all calls of process 4711: ruby shop.rb\n");
  check_part(text, "exact: 0.300 s, 60 calls, own cost of 150 ns a call taken off the times\n");
  check_part(text, "6 calls whose end was not seen\n15 calls that found no room in the tables\n");
  check_part(text, "\n          24     0.165  68.8%     0.180  75.0%   7.50 ms  Work#do ");
  free(text);
}

/* The page has calls in each cell of its one slice. */
static void test_html(void **state)
{
  (void)state;
  char *text = text_of(RTOP_FILE_HTML), *from = strstr(text, "id=\"data\">") + strlen("id=\"data\">");
  *strstr(from, "</script>") = '\0';
  json_error_t error;
  json_t *data = json_loads(from, JSON_REJECT_DUPLICATES, &error);
  if (!data) fail_msg("line %d: %s", error.line, error.text);
  assert_int_equal(json_integer_value(json_object_get(json_object_get(data, "calls"), "count")), 60);
  assert_int_equal(json_integer_value(json_object_get(json_object_get(data, "calls"), "own_ns")), 150);
  assert_int_equal(json_array_size(json_object_get(data, "slices")), 1);
  json_t *cells = json_object_get(json_array_get(json_object_get(data, "slices"), 0), "cells"), *cell;
  size_t at;
  json_int_t calls = 0, self_us = 0;
  json_array_foreach(cells, at, cell)
  {
    assert_int_equal(json_array_size(cell), 1 + RTOP_STATES + 1 + 1);
    self_us += json_integer_value(json_array_get(cell, 1));
    calls += json_integer_value(json_array_get(cell, RTOP_STATES + 2));
  }
  assert_int_equal(calls, 60);
  assert_int_equal(self_us, 240000);
  json_decref(data);
  free(text);
}

static void test_stacks(void **state)
{
  (void)state;
  char *text = text_of(RTOP_FILE_SPEEDSCOPE);
  check_part(text, "\"endValue\":240000000");
  assert_null(strstr(text, "\"running\""));
  free(text);
  text = text_of(RTOP_FILE_SVG);
  check_part(text, "exact own time of all threads: 0.240 s");
  free(text);
}

static void test_filter(void **state)
{
  (void)state;
  options.filter = "rest";
  check_text(RTOP_FILE_COLLAPSED, "Work#top;Work#rest 30000\n"
                                  "Work#top;Work#do;Work#do;Work#rest 15000\n");
}

/* Nothing is written that would look like samples. */
static void test_formats_that_cannot(void **state)
{
  (void)state;
  for (int format = 0; format < RTOP_FILE_FORMATS; format++) {
    bool can = format != RTOP_FILE_TRACE && format != RTOP_FILE_RPERF;
    assert_int_equal(rtop_file_format_shows_calls((enum rtop_file_format)format), can);
    assert_int_equal(export_calls((enum rtop_file_format)format), can);
    if (!can) {
      assert_int_equal(errno, ENOTSUP);
      assert_string_equal(rtop_export_problem(errno, world.profile), "this format has no place for counts of calls");
      assert_int_equal(written.count, 0);
    }
    free(written.bytes);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(test_csv),  TEST(test_collapsed), TEST(test_pprof),  TEST(test_text),
    TEST(test_html), TEST(test_stacks),    TEST(test_filter), TEST(test_formats_that_cannot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
