#include "tests/tui/export_fixture.h"

#include <locale.h>
#include <pprof.pb-c.h>
#include <string.h>

static Rtop__Pprof__Profile *pprof(struct report_fixture *fixture)
{
  struct rtop_export given = export_fixture_given(fixture);
  struct export_text text = export_fixture_take(&given, RTOP_FILE_PPROF, false);
  Rtop__Pprof__Profile *profile = rtop__pprof__profile__unpack(NULL, text.count, (uint8_t *)text.bytes);
  assert_non_null(profile);
  free(text.bytes);
  return profile;
}

static const char *string_at(const Rtop__Pprof__Profile *profile, int64_t number)
{
  assert_in_range(number, 0, (int64_t)profile->n_string_table - 1);
  return profile->string_table[number];
}

/* Everything that is pointed to is there, under the number that it should have. */
static void check(const Rtop__Pprof__Profile *profile)
{
  assert_string_equal(string_at(profile, 0), "");
  assert_int_equal(profile->n_mapping, 1);
  for (size_t i = 0; i < profile->n_function; i++) {
    assert_int_equal(profile->function[i]->id, i + 1);
    string_at(profile, profile->function[i]->name);
    string_at(profile, profile->function[i]->filename);
  }
  for (size_t i = 0; i < profile->n_location; i++) {
    const Rtop__Pprof__Location *location = profile->location[i];
    assert_int_equal(location->id, i + 1);
    assert_int_equal(location->mapping_id, 1);
    assert_int_equal(location->n_line, 1);
    assert_in_range(location->line[0]->function_id, 1, profile->n_function);
  }
  for (size_t i = 0; i < profile->n_sample; i++) {
    const Rtop__Pprof__Sample *sample = profile->sample[i];
    assert_int_equal(sample->n_value, profile->n_sample_type);
    assert_true(sample->n_location_id > 0);
    for (size_t k = 0; k < sample->n_location_id; k++) assert_in_range(sample->location_id[k], 1, profile->n_location);
    for (size_t k = 0; k < sample->n_label; k++) assert_true(*string_at(profile, sample->label[k]->key));
  }
}

static const char *label(const Rtop__Pprof__Profile *profile, const Rtop__Pprof__Sample *sample, const char *key)
{
  for (size_t i = 0; i < sample->n_label; i++)
    if (strcmp(string_at(profile, sample->label[i]->key), key) == 0) return string_at(profile, sample->label[i]->str);
  return NULL;
}

/* The sum of a value; of one state, or of all (NULL). */
static uint64_t total(const Rtop__Pprof__Profile *profile, const char *type, const char *state)
{
  size_t at = 0;
  uint64_t sum = 0;
  while (at < profile->n_sample_type && strcmp(string_at(profile, profile->sample_type[at]->type), type) != 0) at++;
  assert_true(at < profile->n_sample_type);
  for (size_t i = 0; i < profile->n_sample; i++)
    if (!state || strcmp(label(profile, profile->sample[i], "state"), state) == 0)
      sum += (uint64_t)profile->sample[i]->value[at];
  return sum;
}

static const char *name_at(const Rtop__Pprof__Profile *profile, const Rtop__Pprof__Sample *sample, size_t depth)
{
  const Rtop__Pprof__Location *location = profile->location[sample->location_id[depth] - 1];
  return string_at(profile, profile->function[location->line[0]->function_id - 1]->name);
}

static void test_values(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  Rtop__Pprof__Profile *profile = pprof(&fixture);
  check(profile);
  assert_int_equal(total(profile, "wall", NULL), 400 * MS);
  assert_int_equal(total(profile, "wall", "running"), 150 * MS);
  assert_int_equal(total(profile, "wall", "waiting"), 20 * MS);
  assert_int_equal(total(profile, "wall", "blocked"), 220 * MS);
  assert_int_equal(total(profile, "wall", "marking"), 10 * MS);
  assert_int_equal(total(profile, "cpu", NULL), 90 * MS + 1);
  assert_int_equal(total(profile, "cpu", "running"), 90 * MS + 1);
  assert_int_equal(total(profile, "allocations", "running"), 77);
  assert_int_equal(total(profile, "blame", NULL), 3 * MS);
  assert_string_equal(string_at(profile, profile->default_sample_type), "wall");
  assert_string_equal(string_at(profile, profile->period_type->type), "wall");
  assert_int_equal(profile->period, 2 * MS);
  assert_int_equal(profile->duration_nanos, 200 * MS);
  assert_int_equal(profile->time_nanos, INT64_C(1700000000123456789) + 1000 * MS);
  rtop__pprof__profile__free_unpacked(profile, NULL);
  report_fixture_destroy(&fixture);
}

static void test_stacks_and_labels(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.options.mode = RTOP_MODE_CPU;
  fixture.options.filter = "gsub";
  Rtop__Pprof__Profile *profile = pprof(&fixture);
  check(profile);
  assert_string_equal(string_at(profile, profile->default_sample_type), "cpu");
  assert_int_equal(profile->n_sample, 3); /* waiting, blocked, marking */
  const Rtop__Pprof__Sample *sample = profile->sample[0];
  assert_int_equal(sample->n_location_id, 3);
  assert_string_equal(name_at(profile, sample, 0), "String#gsub");
  assert_string_equal(name_at(profile, sample, 1), "Price#total");
  assert_string_equal(name_at(profile, sample, 2), "<main>");
  const Rtop__Pprof__Location *price = profile->location[sample->location_id[1] - 1];
  assert_int_equal(price->line[0]->line, 6);
  const Rtop__Pprof__Function *function = profile->function[price->line[0]->function_id - 1];
  assert_int_equal(function->start_line, 4);
  assert_string_equal(string_at(profile, function->filename), "/app/p;r.rb");
  assert_string_equal(label(profile, sample, "thread"), "t1");
  assert_string_equal(label(profile, sample, "state"), "waiting");
  assert_int_equal(sample->label[3]->num, 4711);
  rtop__pprof__profile__free_unpacked(profile, NULL);
  report_fixture_destroy(&fixture);
}

/* Labels of the program are labels there, and no frame. */
static void test_labels_of_the_program(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  export_fixture_labels(&fixture, "endpoint=/users,shop=a\\,b");
  Rtop__Pprof__Profile *profile = pprof(&fixture);
  check(profile);
  assert_int_equal(total(profile, "wall", NULL), 409 * MS);
  uint64_t found_ns = 0;
  for (size_t i = 0; i < profile->n_sample; i++) {
    const Rtop__Pprof__Sample *sample = profile->sample[i];
    const char *endpoint = label(profile, sample, "endpoint");
    if (!endpoint) continue;
    found_ns += (uint64_t)sample->value[2];
    assert_string_equal(endpoint, "/users");
    assert_string_equal(label(profile, sample, "shop"), "a,b");
    assert_int_equal(sample->n_location_id, 1);
    assert_string_equal(name_at(profile, sample, 0), sample->value[2] == 7 * MS ? "serve" : "(root)");
  }
  assert_int_equal(found_ns, 9 * MS);
  rtop__pprof__profile__free_unpacked(profile, NULL);
  report_fixture_destroy(&fixture);
}

static void check_random(struct report_fixture *fixture, uint64_t seed)
{
  (void)seed;
  Rtop__Pprof__Profile *profile = pprof(fixture);
  const struct rtop_cost *all = &fixture->report.sum.total;
  check(profile);
  assert_int_equal(total(profile, "wall", NULL), rtop_cost_wall(all));
  assert_int_equal(total(profile, "wall", "sweeping"), all->wall_ns[RTOP_STATE_SWEEPING]);
  assert_int_equal(total(profile, "cpu", NULL), all->cpu_ns);
  assert_int_equal(total(profile, "samples", NULL), all->samples);
  assert_int_equal(total(profile, "blame", NULL), all->blame_ns);
  assert_int_equal(total(profile, "allocations", NULL), all->allocations);
  rtop__pprof__profile__free_unpacked(profile, NULL);
}

static void test_random(void **state)
{
  (void)state;
  export_fixture_each_random(check_random);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_values),
    cmocka_unit_test(test_stacks_and_labels),
    cmocka_unit_test(test_labels_of_the_program),
    cmocka_unit_test(test_random),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
