#include "tests/tui/export_fixture.h"

#include <inttypes.h>
#include <locale.h>
#include <string.h>

static json_t *trace(struct report_fixture *fixture)
{
  char *text = export_fixture_text(fixture, RTOP_FILE_TRACE);
  json_t *file = export_fixture_json(text);
  free(text);
  return file;
}

static double number(const json_t *object, const char *key)
{
  const json_t *value = json_object_get(object, key);
  assert_true(json_is_number(value));
  return json_number_value(value);
}

static bool is(const json_t *event, const char *phase, const char *name)
{
  return strcmp(json_string_value(json_object_get(event, "ph")), phase) == 0 &&
         (!name || strcmp(json_string_value(json_object_get(event, "name")), name) == 0);
}

/* The sum of an argument over all slices. */
static double argument(const json_t *file, const char *key)
{
  const json_t *events = json_object_get(file, "traceEvents");
  double sum = 0;
  for (size_t i = 0; i < json_array_size(events); i++) {
    const json_t *arguments = json_object_get(json_array_get(events, i), "args");
    if (is(json_array_get(events, i), "X", NULL) && json_object_get(arguments, key)) sum += number(arguments, key);
  }
  return sum;
}

enum { STACK_MAX = 300 };

/* Slices of a thread, as they stand in the file, open and close like brackets. Nanoseconds, so that rounding
 * of the file's decimals is seen as what it is. */
static void check_nesting(const json_t *file, double tid)
{
  const json_t *events = json_object_get(file, "traceEvents");
  int64_t ends[STACK_MAX], last = -1;
  size_t depth = 0;
  for (size_t i = 0; i < json_array_size(events); i++) {
    const json_t *event = json_array_get(events, i);
    if (!is(event, "X", NULL) || number(event, "tid") != tid) continue;
    int64_t start = (int64_t)(number(event, "ts") * 1000 + 0.5);
    int64_t end = start + (int64_t)(number(event, "dur") * 1000 + 0.5);
    assert_true(start >= last);
    last = start;
    while (depth > 0 && start >= ends[depth - 1]) depth--;
    assert_true(depth == 0 || end <= ends[depth - 1]);
    assert_true(depth < STACK_MAX);
    ends[depth++] = end;
  }
}

static void test_slices(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  json_t *file = trace(&fixture);
  const json_t *events = json_object_get(file, "traceEvents");
  int running = 0, blocked = 0, main_frames = 0, price = 0;
  for (size_t i = 0; i < json_array_size(events); i++) {
    const json_t *event = json_array_get(events, i);
    if (is(event, "X", "running") && number(event, "tid") == 101) {
      running++; /* both windows: 150 of 200 ms */
      assert_true(number(event, "ts") == 0 && number(event, "dur") == 200000);
      assert_true(number(json_object_get(event, "args"), "running_ms") == 150);
      assert_true(number(json_object_get(event, "args"), "marking_ms") == 10);
      assert_true(number(json_object_get(event, "args"), "cpu_ms") == 90.000001);
    } else if (is(event, "X", "blocked")) {
      blocked++;
      assert_true(number(event, "tid") == 102 && number(event, "dur") == 200000);
    } else if (is(event, "X", "<main>")) {
      main_frames++;
      assert_string_equal(json_string_value(json_object_get(json_object_get(event, "args"), "at")), "/app/m.rb:1");
    } else if (is(event, "X", "Price#total")) {
      price++; /* also while gsub was half of it, but not more */
      assert_true(number(event, "dur") == 200000);
    } else {
      assert_false(is(event, "X", NULL));
    }
  }
  assert_int_equal(running, 1);
  assert_int_equal(blocked, 1);
  assert_int_equal(main_frames, 2);
  assert_int_equal(price, 1);
  check_nesting(file, 101);
  json_decref(file);
  report_fixture_destroy(&fixture);
}

static void test_counters_marks_and_gaps(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  export_fixture_labels(&fixture, "a=b");
  rtop_profile_add_gap(fixture.profile, 0, 1300 * MS, 1400 * MS);
  rtop_profile_add_mark(fixture.profile, 0, 1150 * MS, "dep\"loy", 7);
  report_fixture_take(&fixture);
  json_t *file = trace(&fixture);
  const json_t *events = json_object_get(file, "traceEvents");
  int gvl = 0, marks = 0, gaps = 0;
  for (size_t i = 0; i < json_array_size(events); i++) {
    const json_t *event = json_array_get(events, i);
    const json_t *arguments = json_object_get(event, "args");
    if (is(event, "C", "GVL, threads")) {
      gvl++;
      if (number(event, "ts") == 0) assert_true(number(arguments, "running") == 1 && number(arguments, "blocked") == 1);
      if (number(event, "ts") == 100000)
        assert_true(number(arguments, "running") == 0.5 && number(arguments, "waiting") == 0.2);
    } else if (is(event, "C", "GC runs")) {
      assert_true(number(arguments, "minor") == (number(event, "ts") < 200000 ? 2 : 0));
    } else if (is(event, "i", NULL)) {
      marks++;
      assert_string_equal(json_string_value(json_object_get(event, "name")), "dep\"loy");
      assert_true(number(event, "ts") == 150000);
    } else if (is(event, "X", "gap: nothing is known")) {
      gaps++;
      assert_true(number(event, "dur") == 100000);
    }
  }
  assert_true(gvl >= 3);
  assert_int_equal(marks, 1);
  assert_int_equal(gaps, 1);
  json_decref(file);
  report_fixture_destroy(&fixture);
}

static bool near(double milliseconds, uint64_t nanoseconds)
{
  double difference = milliseconds - (double)nanoseconds / 1e6;
  return difference < 0.01 && difference > -0.01;
}

static void test_random(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct report_fixture fixture;
    report_fixture_setup(&fixture);
    export_fixture_random(&fixture, seed, 12, 60);
    json_t *file = trace(&fixture);
    const struct rtop_cost *all = &fixture.report.sum.total;
    assert_true(near(argument(file, "running_ms"), all->wall_ns[RTOP_STATE_RUNNING]));
    assert_true(near(argument(file, "sweeping_ms"), all->wall_ns[RTOP_STATE_SWEEPING]));
    for (int i = 1; i <= 8; i++) check_nesting(file, 100 + i);
    json_decref(file);
    report_fixture_destroy(&fixture);
  }
}

static void test_filtered(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.options.filter = "gsub";
  json_t *file = trace(&fixture);
  assert_true(near(argument(file, "blocked_ms"), 20 * MS));
  assert_true(near(argument(file, "running_ms"), 0));
  json_decref(file);
  fixture.options.filter = NULL;
  fixture.options.thread_filter = "t2";
  file = trace(&fixture);
  assert_true(near(argument(file, "blocked_ms"), 200 * MS));
  assert_true(near(argument(file, "running_ms"), 0));
  json_decref(file);
  report_fixture_destroy(&fixture);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slices),
    cmocka_unit_test(test_counters_marks_and_gaps),
    cmocka_unit_test(test_random),
    cmocka_unit_test(test_filtered),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
