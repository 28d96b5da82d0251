#include "tests/tui/export_fixture.h"

#include <inttypes.h>
#include <locale.h>
#include <string.h>

static json_t *rperf(struct report_fixture *fixture)
{
  char *text = export_fixture_text(fixture, RTOP_FILE_RPERF);
  json_t *file = export_fixture_json(text);
  /* rperf lists files by these two, without reading on. */
  assert_true(strncmp(text, "{\"meta\":{", 9) == 0);
  assert_true(strstr(text, "\n\"summary\":{") < strstr(text, "\n\"aggregated_samples\":["));
  free(text);
  return file;
}

static const char *label_of(const json_t *file, const json_t *sample, const char *key)
{
  const json_t *sets = json_object_get(file, "label_sets");
  size_t set = (size_t)json_integer_value(json_array_get(sample, 3));
  assert_in_range(set, 1, json_array_size(sets) - 1);
  return json_string_value(json_object_get(json_array_get(sets, set), key));
}

/* Nanoseconds of the samples with this label; NULL: of all. */
static uint64_t total(const json_t *file, const char *key, const char *value)
{
  const json_t *samples = json_object_get(file, "aggregated_samples");
  uint64_t sum = 0;
  for (size_t i = 0; i < json_array_size(samples); i++) {
    const json_t *sample = json_array_get(samples, i);
    const char *label = key ? label_of(file, sample, key) : NULL;
    assert_int_equal(json_array_size(sample), 4);
    assert_true(json_array_size(json_array_get(sample, 0)) > 0);
    if (!key || (value ? label && strcmp(label, value) == 0 : !label))
      sum += (uint64_t)json_integer_value(json_array_get(sample, 1));
  }
  return sum;
}

static void test_samples(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  json_t *file = rperf(&fixture);
  assert_int_equal(total(file, NULL, NULL), 400 * MS);
  assert_int_equal(total(file, "%GVL", "wait"), 20 * MS);
  assert_int_equal(total(file, "%GVL", "blocked"), 220 * MS);
  assert_int_equal(total(file, "%GC", "mark"), 10 * MS);
  assert_int_equal(total(file, "%GC", "sweep"), 0);
  assert_int_equal(total(file, "%thread", "t2"), 200 * MS);
  const json_t *samples = json_object_get(file, "aggregated_samples");
  for (size_t i = 0; i < json_array_size(samples); i++) {
    const json_t *frames = json_array_get(json_array_get(samples, i), 0);
    if (json_array_size(frames) < 3) continue;
    assert_string_equal(json_string_value(json_array_get(json_array_get(frames, 0), 0)), "<C method>");
    assert_string_equal(json_string_value(json_array_get(json_array_get(frames, 0), 1)), "String#gsub");
    assert_string_equal(json_string_value(json_array_get(json_array_get(frames, 2), 0)), "/app/m.rb");
    assert_string_equal(json_string_value(json_array_get(json_array_get(frames, 2), 1)), "<main>");
  }
  assert_string_equal(json_string_value(json_object_get(file, "mode")), "wall");
  assert_int_equal(json_integer_value(json_object_get(file, "duration_ns")), 200 * MS);
  assert_int_equal(json_integer_value(json_object_get(file, "start_time_ns")),
                   INT64_C(1700000000123456789) + 1000 * MS);
  const json_t *summary = json_object_get(file, "summary");
  const json_t *top = json_array_get(json_object_get(summary, "top_methods"), 0);
  assert_string_equal(json_string_value(json_object_get(top, "name")), "<main>");
  assert_true(json_real_value(json_object_get(top, "self_pct")) == 50.0);
  assert_int_equal(json_integer_value(json_object_get(summary, "gc_count_minor")), 4);
  json_decref(file);
  report_fixture_destroy(&fixture);
}

/* By the CPU clock there are no states: rperf has none there either. */
static void test_cpu(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.options.mode = RTOP_MODE_CPU;
  json_t *file = rperf(&fixture);
  assert_string_equal(json_string_value(json_object_get(file, "mode")), "cpu");
  assert_int_equal(total(file, NULL, NULL), 90 * MS + 1);
  assert_int_equal(total(file, "%GVL", NULL), 90 * MS + 1);
  json_decref(file);
  report_fixture_destroy(&fixture);
}

static const char *counted_in(enum rtop_mode mode, uint64_t *blocked_ns)
{
  static char counted[16];
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.options.mode = mode;
  json_t *file = rperf(&fixture);
  snprintf(counted, sizeof counted, "%s", json_string_value(json_object_get(json_object_get(file, "meta"), "counted")));
  *blocked_ns = total(file, "%GVL", "blocked");
  json_decref(file);
  report_fixture_destroy(&fixture);
  return counted;
}

/* rperf has no mode for busy time: what was left out is said in a key of its own. */
static void test_says_what_was_counted(void **state)
{
  uint64_t blocked_ns;
  (void)state;
  assert_string_equal(counted_in(RTOP_MODE_WALL, &blocked_ns), "wall");
  assert_true(blocked_ns > 0);
  assert_string_equal(counted_in(RTOP_MODE_BUSY, &blocked_ns), "busy");
  assert_true(blocked_ns == 0);
  assert_string_equal(counted_in(RTOP_MODE_CPU, &blocked_ns), "cpu");
}

static void test_several_processes(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.report.source_count = 2;
  fixture.report.source_pids[1] = 4712;
  fixture_window(&fixture.window, 1200 * MS, 1300 * MS);
  fixture_cell(&fixture.window, fixture_thread(&fixture.window, 9, RTOP_RUNNING, 1, 0), 1, RTOP_RUNNING, MS);
  fixture_add(fixture.profile, 1, &fixture.window);
  report_fixture_take(&fixture);
  json_t *file = rperf(&fixture);
  assert_int_equal(total(file, "%pid", "4711"), 400 * MS);
  assert_int_equal(total(file, "%pid", "4712"), MS);
  json_decref(file);
  report_fixture_destroy(&fixture);
}

/* Labels of the program stand beside rperf's own, and cannot take their place. */
static void test_labels_of_the_program(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  export_fixture_labels(&fixture, "%GVL=blocked,endpoint=/users,endpoint=twice");
  json_t *file = rperf(&fixture);
  assert_int_equal(total(file, NULL, NULL), 409 * MS);
  assert_int_equal(total(file, "endpoint", "/users"), 9 * MS);
  assert_int_equal(total(file, "%GVL", "blocked"), 220 * MS);
  const json_t *samples = json_object_get(file, "aggregated_samples");
  for (size_t i = 0; i < json_array_size(samples); i++) {
    const json_t *sample = json_array_get(samples, i);
    if (label_of(file, sample, "endpoint")) assert_int_equal(json_array_size(json_array_get(sample, 0)), 1);
  }
  json_decref(file);
  report_fixture_destroy(&fixture);
}

static void check_random(struct report_fixture *fixture, uint64_t seed)
{
  (void)seed;
  json_t *file = rperf(fixture);
  const struct rtop_cost *all = &fixture->report.sum.total;
  assert_int_equal(total(file, NULL, NULL), rtop_cost_wall(all));
  assert_int_equal(total(file, "%GVL", "wait"), all->wall_ns[RTOP_STATE_WAITING]);
  assert_int_equal(total(file, "%GC", "sweep"), all->wall_ns[RTOP_STATE_SWEEPING]);
  json_decref(file);
}

static void test_random(void **state)
{
  (void)state;
  export_fixture_each_random(check_random);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_samples),
    cmocka_unit_test(test_cpu),
    cmocka_unit_test(test_says_what_was_counted),
    cmocka_unit_test(test_several_processes),
    cmocka_unit_test(test_labels_of_the_program),
    cmocka_unit_test(test_random),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
