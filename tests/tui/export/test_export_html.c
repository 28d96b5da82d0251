#include "tests/tui/export_fixture.h"

#include <inttypes.h>
#include <locale.h>
#include <string.h>

/* What stands in the page as data. */
static json_t *page_data(const char *page)
{
  static const char begin[] = "id=\"data\">\n", end[] = "\n</script>";
  const char *from = strstr(page, begin);
  assert_non_null(from);
  from += strlen(begin);
  const char *to = strstr(from, end);
  assert_non_null(to);
  char *text = strndup(from, (size_t)(to - from));
  json_t *data = export_fixture_json(text);
  free(text);
  return data;
}

static json_t *html(struct report_fixture *fixture)
{
  char *page = export_fixture_text(fixture, RTOP_FILE_HTML);
  json_t *data = page_data(page);
  free(page);
  return data;
}

enum { CPU = 6 };

/* Microseconds of a figure in all slices, below a method by its name, or NULL: all. */
static int64_t sum_of(const json_t *data, int figure, const char *name)
{
  const json_t *slices = json_object_get(data, "slices"), *nodes = json_object_get(data, "nodes"),
               *frames = json_object_get(data, "frames");
  int64_t sum = 0;
  for (size_t i = 0; i < json_array_size(slices); i++) {
    const json_t *cells = json_object_get(json_array_get(slices, i), "cells");
    for (size_t k = 0; k < json_array_size(cells); k++) {
      const json_t *cell = json_array_get(cells, k);
      size_t node = (size_t)json_integer_value(json_array_get(cell, 0));
      bool below = !name;
      assert_true(node < json_array_size(nodes));
      while (node && !below) {
        const json_t *pair = json_array_get(nodes, node);
        const json_t *frame = json_array_get(frames, (size_t)json_integer_value(json_array_get(pair, 1)));
        assert_true((size_t)json_integer_value(json_array_get(pair, 0)) < node);
        below = strcmp(json_string_value(json_array_get(frame, 0)), name) == 0;
        node = (size_t)json_integer_value(json_array_get(pair, 0));
      }
      if (below) sum += json_integer_value(json_array_get(cell, (size_t)figure));
    }
  }
  return sum;
}

static int64_t wall_of(const json_t *data, const char *name)
{
  int64_t sum = 0;
  for (int state = 0; state < RTOP_STATES; state++) sum += sum_of(data, state + 1, name);
  return sum;
}

static void test_slices(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  json_t *data = html(&fixture);
  assert_int_equal(wall_of(data, NULL), 400000);
  assert_int_equal(sum_of(data, RTOP_STATE_RUNNING + 1, NULL), 150000);
  assert_int_equal(sum_of(data, RTOP_STATE_BLOCKED + 1, NULL), 220000);
  assert_int_equal(wall_of(data, "String#gsub"), 50000);
  assert_int_equal(sum_of(data, CPU, NULL), (int64_t)fixture.report.sum.total.cpu_ns / 1000);
  const json_t *slices = json_object_get(data, "slices");
  assert_int_equal(json_array_size(slices), 2);
  assert_int_equal(json_integer_value(json_object_get(json_array_get(slices, 0), "start")), 0);
  assert_int_equal(json_integer_value(json_object_get(json_array_get(slices, 1), "end")), 200000);
  assert_int_equal(json_integer_value(json_object_get(data, "length_us")), 200000);
  assert_string_equal(json_string_value(json_object_get(data, "figure")), "wall");
  json_decref(data);
  fixture.options.mode = RTOP_MODE_BUSY;
  data = html(&fixture);
  assert_string_equal(json_string_value(json_object_get(data, "figure")), "busy");
  json_decref(data);
  report_fixture_destroy(&fixture);
}

/* Names are written as data: none of them can end the script that they stand in, or begin another one. */
static void test_hostile_names(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  export_fixture_random(&fixture, 3, 4, 300);
  char *page = export_fixture_text(&fixture, RTOP_FILE_HTML), *data = strstr(page, "id=\"data\">\n");
  int scripts = 0;
  for (const char *at = page; (at = strstr(at, "<script")); at++) scripts++;
  assert_int_equal(scripts, 2);
  const char *end = strchr(data + 11, '<');
  assert_int_equal(strncmp(end, "</script>", 9), 0);
  json_t *json = page_data(page);
  assert_true(wall_of(json, "<script>&amp;</script>") > 0);
  json_decref(json);
  free(page);
  report_fixture_destroy(&fixture);
}

static void assert_near(int64_t found, uint64_t wanted_ns, int64_t tolerance_us)
{
  int64_t difference = found - (int64_t)(wanted_ns / 1000);
  if (difference < -tolerance_us || difference > tolerance_us)
    fail_msg("%" PRId64 " us instead of %" PRIu64 " ns", found, wanted_ns);
}

/* However many windows there are, and however they are put together, nothing is lost and nothing is twice. */
static void test_random(void **state)
{
  static const int window_counts[] = { 1, 3, 239, 240, 241, 500, 1000 };
  (void)state;
  for (size_t i = 0; i < sizeof window_counts / sizeof *window_counts; i++) {
    struct report_fixture fixture;
    report_fixture_setup(&fixture);
    export_fixture_random(&fixture, i + 1, window_counts[i], 10);
    json_t *data = html(&fixture);
    const struct rtop_cost *total = &fixture.report.sum.total;
    size_t slices = json_array_size(json_object_get(data, "slices"));
    assert_true(slices <= 240 && slices + 3 >= (size_t)(window_counts[i] < 240 ? window_counts[i] : 240));
    assert_near(wall_of(data, NULL), rtop_cost_wall(total), window_counts[i] * 10);
    for (int figure = 0; figure < RTOP_STATES; figure++)
      assert_near(sum_of(data, figure + 1, NULL), total->wall_ns[figure], window_counts[i] * 10);
    assert_near(sum_of(data, CPU, NULL), total->cpu_ns, window_counts[i] * 10);
    json_decref(data);
    report_fixture_destroy(&fixture);
  }
}

/* What a thread was found to have used after its time was told. */
static void test_cpu_without_time(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  uint64_t before_ns = fixture.report.sum.total.cpu_ns;
  fixture_window(&fixture.window, 2000 * MS, 2100 * MS);
  fixture_thread(&fixture.window, 7, RTOP_STATE_BLOCKED, 0, 0);
  fixture_cell(&fixture.window, 0, 1, RTOP_STATE_RUNNING, 0)->cpu_ns = 5 * MS;
  assert_true(fixture_add(fixture.profile, 0, &fixture.window));
  report_fixture_take(&fixture);
  json_t *data = html(&fixture);
  assert_int_equal(sum_of(data, CPU, NULL), (int64_t)(before_ns + 5 * MS) / 1000);
  json_decref(data);
  report_fixture_destroy(&fixture);
}

static void test_filtered(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.options.filter = "gsub";
  json_t *data = html(&fixture);
  assert_int_equal(wall_of(data, NULL), 50000);
  json_decref(data);
  fixture.options.filter_invert = true;
  fixture.options.thread_filter = "t1";
  data = html(&fixture);
  assert_int_equal(wall_of(data, NULL), 150000);
  json_decref(data);
  report_fixture_destroy(&fixture);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slices),           cmocka_unit_test(test_hostile_names), cmocka_unit_test(test_random),
    cmocka_unit_test(test_cpu_without_time), cmocka_unit_test(test_filtered),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
