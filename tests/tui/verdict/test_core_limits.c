/* What limits a process: the kernel's texts, hostile ones too, words, and our own process. */
#include "tui/verdict/core_limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void test_quotas(void **state)
{
  double quota;
  (void)state;
  assert_true(core_limits_parse_quota("50000 100000\n", &quota) && quota == 0.5);
  assert_true(core_limits_parse_quota("max 100000\n", &quota) && quota == 0);
  static const char *const none[] = { "", "\n", "50000", "50000 0", "50000 x", "-1 100000", "x", "5 -1" };
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) assert_false(core_limits_parse_quota(none[i], &quota));
}

static void check_words(const struct core_limits *limits, bool throttled, const char *words)
{
  char text[80], little[5];
  core_limits_words(text, sizeof text, limits, 0.12, 0.98, throttled);
  assert_string_equal(text, words);
  core_limits_words(little, sizeof little, limits, 0.12, 0.98, throttled);
  assert_int_equal(strlen(little), sizeof little - 1);
}

static void test_words(void **state)
{
  struct core_limits limits = { .load = 29.2, .cores = 2 };
  (void)state;
  check_words(&limits, false, "0.12 of 0.98 cores, load 29 on 2");
  check_words(&limits, true, "0.12 of 0.98 cores"); /* by a quota that is not known */
  limits.quota = 0.5;
  check_words(&limits, false, "0.12 of 0.98 cores, load 29 on 2");
  check_words(&limits, true, "0.12 of 0.98 cores, quota 0.5");
  limits.load = 0;
  check_words(&limits, false, "0.12 of 0.98 cores");
}

static void test_what_is_missed(void **state)
{
  (void)state;
  assert_true(core_limits_misses(0.12, 0.98));
  assert_false(core_limits_misses(0.12, 0.2)); /* too little to matter */
  assert_false(core_limits_misses(7.3, 8));
  assert_false(core_limits_misses(1, 0.5));
  assert_true(core_limits_misses(6, 8));
}

static void test_own_process(void **state)
{
  struct core_limits limits = { 0 };
  (void)state;
  core_limits_update(&limits, 0, 5);
  assert_int_equal(limits.cores, 0);
  core_limits_update(&limits, getpid(), 5);
  assert_true(limits.cores >= 1 && limits.load >= 0 && limits.quota >= 0);
  limits.cores = 0;
  core_limits_update(&limits, getpid(), 6); /* not read again so soon */
  assert_int_equal(limits.cores, 0);
  core_limits_update(&limits, getpid(), 1000000005);
  assert_true(limits.cores >= 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_quotas),
    cmocka_unit_test(test_words),
    cmocka_unit_test(test_what_is_missed),
    cmocka_unit_test(test_own_process),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
