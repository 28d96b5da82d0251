#include "tests/tui/export_fixture.h"

#include <inttypes.h>
#include <locale.h>
#include <string.h>

static json_t *speedscope(struct report_fixture *fixture)
{
  char *text = export_fixture_text(fixture, RTOP_FILE_SPEEDSCOPE);
  json_t *file = export_fixture_json(text);
  free(text);
  return file;
}

/* Weights of a profile, one per stack; stacks name frames that there are. */
static uint64_t profile_total(const json_t *file, const json_t *profile)
{
  const json_t *samples = json_object_get(profile, "samples"), *weights = json_object_get(profile, "weights");
  size_t frames = json_array_size(json_object_get(json_object_get(file, "shared"), "frames"));
  uint64_t total = 0;
  assert_int_equal(json_array_size(samples), json_array_size(weights));
  for (size_t i = 0; i < json_array_size(samples); i++) {
    const json_t *stack = json_array_get(samples, i);
    assert_true(json_array_size(stack) > 0);
    for (size_t k = 0; k < json_array_size(stack); k++)
      assert_true((size_t)json_integer_value(json_array_get(stack, k)) < frames);
    total += (uint64_t)json_integer_value(json_array_get(weights, i));
  }
  assert_int_equal(total, json_integer_value(json_object_get(profile, "endValue")));
  return total;
}

static const json_t *profile_named(const json_t *file, const char *name)
{
  const json_t *profiles = json_object_get(file, "profiles");
  for (size_t i = 0; i < json_array_size(profiles); i++)
    if (strcmp(json_string_value(json_object_get(json_array_get(profiles, i), "name")), name) == 0)
      return json_array_get(profiles, i);
  return NULL;
}

static void test_profiles(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  json_t *file = speedscope(&fixture);
  assert_int_equal(profile_total(file, profile_named(file, "all threads")), 400 * MS);
  assert_int_equal(profile_total(file, profile_named(file, "running")), 150 * MS);
  assert_int_equal(profile_total(file, profile_named(file, "waiting for the GVL")), 20 * MS);
  assert_int_equal(profile_total(file, profile_named(file, "blocked")), 220 * MS);
  assert_int_equal(profile_total(file, profile_named(file, "marking")), 10 * MS);
  assert_null(profile_named(file, "sweeping"));
  assert_int_equal(profile_total(file, profile_named(file, "thread 1 t1")), 200 * MS);
  assert_int_equal(profile_total(file, profile_named(file, "thread 2 t2")), 200 * MS);
  const json_t *frames = json_object_get(json_object_get(file, "shared"), "frames");
  assert_int_equal(json_array_size(frames), 3);
  const json_t *stack = json_array_get(json_object_get(profile_named(file, "marking"), "samples"), 0);
  assert_int_equal(json_array_size(stack), 3);
  const json_t *root = json_array_get(frames, (size_t)json_integer_value(json_array_get(stack, 0)));
  assert_string_equal(json_string_value(json_object_get(root, "name")), "<main>");
  assert_string_equal(json_string_value(json_object_get(root, "file")), "/app/m.rb");
  assert_int_equal(json_integer_value(json_object_get(root, "line")), 1);
  json_decref(file);
  report_fixture_destroy(&fixture);
}

static void check_random(struct report_fixture *fixture, uint64_t seed)
{
  fixture->options.mode = seed % 2 ? RTOP_MODE_WALL : RTOP_MODE_CPU;
  json_t *file = speedscope(fixture);
  const struct rtop_cost *total = &fixture->report.sum.total;
  assert_int_equal(profile_total(file, profile_named(file, "all threads")),
                   seed % 2 ? rtop_cost_wall(total) : total->cpu_ns);
  const json_t *profiles = json_object_get(file, "profiles");
  uint64_t threads = 0, states = 0;
  for (size_t i = 1; i < json_array_size(profiles); i++) {
    const json_t *profile = json_array_get(profiles, i);
    bool thread = strncmp(json_string_value(json_object_get(profile, "name")), "thread ", 7) == 0;
    *(thread ? &threads : &states) += profile_total(file, profile);
  }
  assert_int_equal(threads, seed % 2 ? rtop_cost_wall(total) : total->cpu_ns);
  assert_int_equal(states, rtop_cost_wall(total));
  json_decref(file);
}

static void test_random(void **state)
{
  (void)state;
  export_fixture_each_random(check_random);
}

static void test_filtered(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.options.filter = "gsub";
  json_t *file = speedscope(&fixture);
  assert_int_equal(profile_total(file, profile_named(file, "all threads")), 50 * MS);
  json_decref(file);
  fixture.options.filter_invert = true;
  fixture.options.thread_filter = "t1";
  file = speedscope(&fixture);
  assert_int_equal(profile_total(file, profile_named(file, "all threads")), 150 * MS);
  json_decref(file);
  report_fixture_destroy(&fixture);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_profiles),
    cmocka_unit_test(test_random),
    cmocka_unit_test(test_filtered),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
