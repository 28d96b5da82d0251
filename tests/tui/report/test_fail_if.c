/* Conditions on latency: what is one, and of which labels it holds. */
#include "tui/report/fail_if.h"
#include "tests/tui/requests_fixture.h"
#include <stdlib.h>

static void test_conditions(void **state)
{
  static const struct {
    const char *text;
    struct fail_if is;
  } cases[] = {
    { "p99 > 300ms", { 2, false, 300e6 } }, { "p50>1.2x", { 0, true, 1.2 } },       { " p90  >  2 x ", { 1, true, 2 } },
    { "max > 1.5 s", { 3, false, 1.5e9 } }, { "p99 > 250us", { 2, false, 250e3 } },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fail_if condition;
    const char *why;
    if (!fail_if_parse(&condition, cases[i].text, &why)) fail_msg("%s: %s", cases[i].text, why);
    assert_int_equal(condition.quantile, cases[i].is.quantile);
    assert_int_equal(condition.compared, cases[i].is.compared);
    assert_true(condition.bound == cases[i].is.bound);
  }
}

static void test_what_is_none(void **state)
{
  static const char *const cases[] = {
    "",         "p99",        "p98 > 1s",   "p99 < 1s",  "p99 > ",       "p99 > 3",  "p99 > x",     "p99 > -1s",
    "p99 > 0x", "p99 > nanx", "p99 > infs", "p99 > 1sx", "p99 > 1s p50", "max > 2x", "p99 > 1 m s", "p99 > 1e999s"
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fail_if condition;
    const char *why = NULL;
    if (fail_if_parse(&condition, cases[i], &why)) fail_msg("%s is taken", cases[i]);
    assert_true(strlen(why) > 0);
  }
}

static struct fail_if_found judge(const char *text, const struct requests *now, const struct requests *before,
                                  char **said)
{
  static struct made left, right;
  struct fail_if condition;
  const char *why;
  size_t bytes;
  make(&left, now);
  if (before) make(&right, before);
  assert_true(fail_if_parse(&condition, text, &why));
  FILE *out = open_memstream(said, &bytes);
  struct fail_if_found found = fail_if_judge(&condition, &left.table, before ? &right.table : NULL, out);
  fclose(out);
  work_numbers_destroy(&left.table.numbers);
  if (before) work_numbers_destroy(&right.table.numbers);
  return found;
}

static void expect(const char *text, const struct requests *now, const struct requests *before, unsigned failed,
                   unsigned judged)
{
  char *said;
  struct fail_if_found found = judge(text, now, before, &said);
  if (found.failed != failed || found.judged != judged)
    fail_msg("%s: %u of %u for %u of %u: %s", text, found.failed, found.judged, failed, judged, said);
  free(said);
}

/* A hundred of a thousand took 40 ms: p99 is 40 ms however chance has it, p90 may be either. */
static void test_times(void **state)
{
  static const struct requests now[LABELS_MAX + 1] = { { "endpoint=GET /a", 900, 100, 40000000 },
                                                       { "endpoint=GET /b", 1000, 0, 0 } };
  (void)state;
  expect("p99 > 30ms", now, NULL, 1, 2);
  expect("p99 > 9ms", now, NULL, 2, 2);
  expect("p90 > 30ms", now, NULL, 0, 2);
  expect("max > 39ms", now, NULL, 1, 2);
  expect("max > 41ms", now, NULL, 0, 2);
  expect("p99 > 1.1x", now, NULL, 0, 0);
}

/* Of fifty requests two slow ones are no reason to fail by p99; of five thousand two hundred are. */
static void test_chance(void **state)
{
  static const struct requests usual[LABELS_MAX + 1] = { { "endpoint=GET /a", 5000, 20, 40000000 } };
  static const struct requests few[LABELS_MAX + 1] = { { "endpoint=GET /a", 48, 2, 40000000 } };
  static const struct requests many[LABELS_MAX + 1] = { { "endpoint=GET /a", 4800, 200, 40000000 } };
  (void)state;
  expect("p99 > 1.5x", few, usual, 0, 1);
  expect("p99 > 1.5x", many, usual, 1, 1);
  expect("p99 > 1.5x", usual, usual, 0, 1);
  expect("p99 > 5x", many, usual, 0, 1);
}

static void test_labels_are_compared_by_name(void **state)
{
  static const struct requests before[LABELS_MAX + 1] = { { "endpoint=GET /a", 1000, 0, 0 },
                                                          { "endpoint=GET /b", 0, 1000, 90000000 } };
  static const struct requests now[LABELS_MAX + 1] = { { "endpoint=GET /new", 0, 1000, 90000000 },
                                                       { "endpoint=GET /b", 0, 1000, 90000000 },
                                                       { "endpoint=GET /a", 0, 1000, 31000000 },
                                                       { "", 0, 1000, 90000000 } };
  char *said;
  (void)state;
  struct fail_if_found found = judge("p50 > 1.2x", now, before, &said);
  assert_int_equal(found.failed, 1);
  assert_int_equal(found.judged, 2);
  assert_non_null(strstr(said, "endpoint=GET /a: p50 31"));
  assert_non_null(strstr(said, " of 1000, 3.1"));
  assert_non_null(strstr(said, "of 1000 before; the limit is 1.2 times\n"));
  free(said);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_conditions),
    cmocka_unit_test(test_what_is_none),
    cmocka_unit_test(test_times),
    cmocka_unit_test(test_chance),
    cmocka_unit_test(test_labels_are_compared_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
