/* Names that come and go: who gets a series, and do the figures hold? */
#include "tui/metrics/metrics_top.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct metrics_item *find(const struct metrics_top *top, const char *first)
{
  const struct metrics_item *item = NULL;
  while ((item = metrics_top_next(top, item)) && strcmp(item->first, first) != 0)
    ;
  return item;
}

static uint64_t value(const struct metrics_top *top, const char *first)
{
  const struct metrics_item *item = find(top, first);
  return item ? metrics_item_value(item, 0) : 0;
}

static uint64_t sum(const struct metrics_top *top, size_t *count)
{
  uint64_t all = top->other[0];
  *count = 0;
  for (const struct metrics_item *item = NULL; (item = metrics_top_next(top, item)); ++*count)
    all += metrics_item_value(item, 0);
  return all;
}

static void test_the_first_look_names_its_top(void **state)
{
  (void)state;
  struct metrics_top top = { .size = 2, .figures = 2, .ranked = 2 };
  size_t count;
  metrics_top_begin(&top);
  metrics_top_add(&top, "small", "/a", 0, 1, 0);
  metrics_top_add(&top, "large", "/a", 0, 70, 30);
  metrics_top_add(&top, "middle", "/a", 0, 10, 0);
  metrics_top_end(&top);
  assert_int_equal(value(&top, "large"), 100);
  assert_int_equal(value(&top, "middle"), 10);
  assert_null(find(&top, "small"));
  assert_int_equal(top.other[0], 1);
  assert_int_equal(sum(&top, &count), 111);

  /* What was pending comes again; the small one becomes large and is counted from then on. */
  metrics_top_begin(&top);
  metrics_top_add(&top, "large", "/a", 0, 30, 5);
  metrics_top_add(&top, "small", "/a", 0, 1000, 0);
  metrics_top_end(&top);
  assert_int_equal(value(&top, "large"), 105);
  assert_int_equal(value(&top, "small"), 1000);
  assert_int_equal(value(&top, "middle"), 10);
  assert_int_equal(top.other[0], 1);
  metrics_top_destroy(&top);
}

static void test_same_names_of_other_files_are_others(void **state)
{
  (void)state;
  struct metrics_top top = { .size = 5, .figures = 2, .ranked = 2 };
  size_t count;
  metrics_top_begin(&top);
  metrics_top_add(&top, "a", "bc", 0, 3, 0);
  metrics_top_add(&top, "ab", "c", 0, 4, 0);
  metrics_top_add(&top, METRICS_OTHER, "", 0, 5, 0);
  metrics_top_add(&top, METRICS_OTHER, "/a", 0, 6, 0);
  metrics_top_add(&top, "a", "bc", 1, 9, 0);
  metrics_top_add(&top, "only", "counted", 1, 2, 0);
  metrics_top_end(&top);
  assert_int_equal(value(&top, "a"), 3);
  assert_int_equal(metrics_item_value(find(&top, "a"), 1), 9);
  assert_int_equal(value(&top, "ab"), 4);
  assert_int_equal(metrics_item_value(find(&top, "only"), 1), 2);
  assert_int_equal(top.other[0], 5);
  assert_int_equal(value(&top, METRICS_OTHER), 6);
  assert_int_equal(sum(&top, &count), 18);
  metrics_top_destroy(&top);
}

static void test_long_names_are_cut_and_stay_one(void **state)
{
  (void)state;
  struct metrics_top top = { .size = 5, .figures = 2, .ranked = 2 };
  char name[4000];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  metrics_top_begin(&top);
  metrics_top_add(&top, name, name, 0, 3, 0);
  name[2000] = 'y';
  metrics_top_add(&top, name, name, 0, 4, 0);
  metrics_top_end(&top);
  const struct metrics_item *item = metrics_top_next(&top, NULL);
  assert_int_equal(strlen(item->first), METRICS_TEXT_BYTES - 1);
  assert_int_equal(strlen(item->second), METRICS_TEXT_BYTES - 1);
  assert_int_equal(metrics_item_value(item, 0), 7);
  assert_null(metrics_top_next(&top, item));
  metrics_top_destroy(&top);
}

/* Thousands of names, hot by turns: never more than so many series, none ever falls, none ever goes, and all of them
 * together are what was added. */
static void test_nothing_falls_and_nothing_is_lost(void **state)
{
  (void)state;
  enum { SIZE = 7, LOOKS = 400, NAMES = 5000 };
  struct metrics_top top = { .size = SIZE, .figures = 2, .ranked = 2 };
  uint64_t added = 0, pending = 0, before[METRICS_PLACES * SIZE] = { 0 }, other = 0;
  char names[METRICS_PLACES * SIZE][32];
  size_t known = 0, count;
  srandom(4711);
  for (int look = 0; look < LOOKS; look++) {
    metrics_top_begin(&top);
    long hot = random() % NAMES;
    uint64_t now = 0;
    for (int i = 0; i < 60; i++) {
      char name[32];
      uint64_t settled = (uint64_t)random() % 100, open = (uint64_t)random() % 10;
      snprintf(name, sizeof name, "n%ld", random() % 3 ? (hot + random() % 9) % NAMES : random() % NAMES);
      metrics_top_add(&top, name, "", 0, settled, open);
      added += settled;
      now += open;
    }
    pending = now;
    metrics_top_end(&top);
    /* What is shown may hold pending time that did not come again. */
    assert_true(sum(&top, &count) >= added + pending);
    assert_true(count <= METRICS_PLACES * SIZE);
    assert_true(top.other[0] >= other);
    other = top.other[0];
    for (size_t i = 0; i < known; i++) {
      assert_non_null(find(&top, names[i]));
      assert_true(value(&top, names[i]) >= before[i]);
      before[i] = value(&top, names[i]);
    }
    for (const struct metrics_item *item = NULL; (item = metrics_top_next(&top, item));) {
      size_t i = 0;
      while (i < known && strcmp(names[i], item->first) != 0) i++;
      if (i == known) snprintf(names[known++], sizeof names[0], "%s", item->first);
      before[i] = metrics_item_value(item, 0);
    }
  }
  assert_int_equal(known, METRICS_PLACES * SIZE);
  /* Each name holds back at most what was pending of it at one look. */
  assert_true(sum(&top, &count) <= added + LOOKS * 60 * 10);
  metrics_top_destroy(&top);
}

/* Without anything pending the sum is exact, however many names there were. */
static void test_the_sum_is_exact(void **state)
{
  (void)state;
  struct metrics_top top = { .size = 3, .figures = 2, .ranked = 2 };
  uint64_t added = 0;
  size_t count;
  for (int look = 0; look < 30; look++) {
    metrics_top_begin(&top);
    for (int i = 0; i < 900; i++) {
      char name[32];
      snprintf(name, sizeof name, "n%d", look * 300 + i);
      metrics_top_add(&top, name, "/app", 0, (uint64_t)i, 0);
      added += (uint64_t)i;
    }
    metrics_top_end(&top);
    assert_int_equal(sum(&top, &count), added);
    assert_true(count >= 3 && count <= 12);
  }
  metrics_top_destroy(&top);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_first_look_names_its_top),
    cmocka_unit_test(test_same_names_of_other_files_are_others),
    cmocka_unit_test(test_long_names_are_cut_and_stay_one),
    cmocka_unit_test(test_nothing_falls_and_nothing_is_lost),
    cmocka_unit_test(test_the_sum_is_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
