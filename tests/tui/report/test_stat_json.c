#include "tests/tui/report_fixture.h"

#include "tui/report/stat.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *json_of(const struct rtop_stat *stat)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_true(rtop_stat_write_json(stat, out));
  fclose(out);
  assert_ptr_equal(strchr(text, '\n'), text + bytes - 1);
  json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(object);
  free(text);
  return object;
}

static double number(const json_t *object, const char *key)
{
  const json_t *value = json_object_get(object, key);
  if (!json_is_number(value)) fail_msg("%s is no number", key);
  return json_number_value(value);
}

static void test_object(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_stat stat = { .report = &fixture.report,
                            .command = "a \"b\"",
                            .real_ns = 1500000000,
                            .status = 3,
                            .os = { .has_times = true, .user_ns = 7, .faults_major = 2 } };
  json_t *object = json_of(&stat);
  assert_string_equal(json_string_value(json_object_get(object, "schema")), "rperf-top-stat/1");
  assert_string_equal(json_string_value(json_object_get(object, "command")), "a \"b\"");
  assert_true(number(object, "status") == 3 && number(object, "real") == 1.5);
  assert_true(number(object, "user") == 7e-9 && number(object, "blocked") == 0.22);
  assert_true(number(json_object_get(object, "page_faults"), "major") == 2);
  assert_true(number(json_object_get(object, "gc"), "minor") == 4);
  assert_true(number(json_object_get(object, "sampler"), "dropped") == 2);
  assert_null(json_object_get(object, "max_rss"));
  assert_null(json_object_get(object, "disk"));
  json_decref(object);
  stat.report = NULL;
  stat.status = -1;
  object = json_of(&stat);
  assert_null(json_object_get(object, "status"));
  assert_null(json_object_get(object, "running"));
  json_decref(object);
  report_fixture_destroy(&fixture);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_object),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
