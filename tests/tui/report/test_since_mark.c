/* What changed since a mark: by more than chance and enough to matter, the label with most, its words. */
#include "tui/report/since_mark.h"
#include "tests/tui/requests_fixture.h"

static struct since_mark compare(const struct requests *before, const struct requests *now)
{
  static struct made past, present;
  struct since_mark since = { .marked = true, .time_ns = 1000000000, .mark = "deploy 3f2a1" };
  make(&past, before);
  make(&present, now);
  since_mark_compare(&since, &past.table, &present.table);
  work_numbers_destroy(&past.table.numbers);
  work_numbers_destroy(&present.table.numbers);
  return since;
}

static const struct requests usual[LABELS_MAX + 1] = { { "endpoint=GET /a", 1000, 0, 0 },
                                                       { "endpoint=GET /b", 1000, 100, 40000000 } };

static void check_words(const struct since_mark *since, const char *words)
{
  char text[SINCE_MARK_TEXT], little[12];
  since_mark_words(text, sizeof text, since, 313000000000);
  assert_string_equal(text, words);
  since_mark_words(little, sizeof little, since, 313000000000);
  assert_int_equal(strlen(little), *words ? sizeof little - 1 : 0);
}

static void test_same(void **state)
{
  struct since_mark since = compare(usual, usual);
  (void)state;
  assert_int_equal(since.judged, 2);
  assert_int_equal(since.changed, 0);
  check_words(&since, "since deploy 3f2a1, 5 m 12 s ago: no label's p50 or p99 changed by more than chance");
}

/* More than half of the requests are slow now: p50, of the label that lost more together. */
static void test_changed(void **state)
{
  static const struct requests now[LABELS_MAX + 1] = { { "endpoint=GET /a", 300, 700, 30000000 },
                                                       { "endpoint=GET /b", 100, 900, 200000000 } };
  struct since_mark since = compare(usual, now);
  (void)state;
  assert_int_equal(since.changed, 2);
  assert_int_equal(since.quantile, 0);
  assert_string_equal(since.label, "GET /b");
  assert_int_equal(since.before_count, 1100);
  assert_int_equal(since.now_count, 1000);
  assert_in_range(since.now_ns, 198000000, 202000000);
}

/* Only the slowest are slower. */
static void test_changed_p99(void **state)
{
  static const struct requests now[LABELS_MAX + 1] = { { "endpoint=GET /a", 900, 100, 90000000 } };
  struct since_mark since = compare(usual, now);
  (void)state;
  assert_int_equal(since.judged, 1);
  assert_int_equal(since.quantile, 2);
  check_words(&since, "since deploy 3f2a1, 5 m 12 s ago: GET /a p99 89.7 ms, before 10.0 ms");
}

/* One of twenty may be chance; a little more is not worth a word. */
static void test_chance_and_trifles(void **state)
{
  static const struct requests few[LABELS_MAX + 1] = { { "endpoint=GET /a", 19, 1, 900000000 } };
  static const struct requests before[LABELS_MAX + 1] = { { "endpoint=GET /a", 20, 0, 0 } };
  static const struct requests many[LABELS_MAX + 1] = { { "endpoint=GET /a", 9500, 500, 90000000 } };
  static const struct requests trifle[LABELS_MAX + 1] = { { "endpoint=GET /a", 0, 1000, 10400000 } };
  struct since_mark since = compare(before, few);
  (void)state;
  assert_int_equal(since.judged, 1);
  assert_int_equal(since.changed, 0);
  since = compare(before, many);
  assert_int_equal(since.changed, 0); /* twenty do not show what their p99 was */
  since = compare(usual, trifle);
  assert_int_equal(since.changed, 0);
}

static void test_nothing(void **state)
{
  static const struct requests none[LABELS_MAX + 1] = { { 0 } };
  struct since_mark since = compare(none, usual);
  (void)state;
  assert_int_equal(since.judged, 0);
  check_words(&since, "");
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_same), cmocka_unit_test(test_changed),
                                      cmocka_unit_test(test_changed_p99), cmocka_unit_test(test_chance_and_trifles),
                                      cmocka_unit_test(test_nothing) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
