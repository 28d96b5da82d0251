#include "tests/shm/support.h"

#include "shm/base/memory_limit.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void put(const char *directory, const char *name, const char *text)
{
  char command[700], path[1200];
  snprintf(command, sizeof command, "mkdir -p '%s/%s'", support_directory(), directory);
  assert_int_equal(system(command), 0);
  snprintf(path, sizeof path, "%s/%s/%s", support_directory(), directory, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static uint64_t limit_of(const char *groups)
{
  return memory_limit_of(groups, support_directory());
}

static int clear(void **state)
{
  char command[256];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'/*", support_directory());
  return system(command);
}

static void test_version_2(void **state)
{
  (void)state;
  put("a/b", "memory.max", "max\n");
  assert_true(limit_of("0::/a/b\n") == UINT64_MAX);
  put("a", "memory.max", "67108864\n");
  assert_int_equal(limit_of("0::/a/b\n"), 64 << 20);
  assert_int_equal(limit_of("0::/a/b"), 64 << 20);
  put("a/b", "memory.max", "1000\n");
  assert_int_equal(limit_of("0::/a/b\n"), 1000);
  assert_true(limit_of("0::/\n") == UINT64_MAX);
  assert_true(limit_of("0::/other\n") == UINT64_MAX);
  put(".", "memory.max", "5000\n");
  assert_int_equal(limit_of("0::/\n"), 5000);
  assert_int_equal(limit_of("0::/not/here\n"), 5000);
  assert_int_equal(limit_of("0::/../elsewhere\n"), 5000);
}

static void test_version_1(void **state)
{
  (void)state;
  put("memory/docker/abc", "memory.limit_in_bytes", "62914560\n");
  put("memory/docker", "memory.limit_in_bytes", "9223372036854771712\n");
  static const char groups[] = "9:name=systemd:/\n5:cpu,memory:/docker/abc\n0::/\n";
  assert_int_equal(limit_of(groups), 60 << 20);
  assert_true(limit_of("5:cpu,memory:/docker\n") == UINT64_MAX);
  assert_true(limit_of("5:cpu:/docker/abc\n5:memoryx:/docker/abc\n") == UINT64_MAX);
  put("memory", "memory.limit_in_bytes", "7000\n");
  assert_int_equal(limit_of("5:memory,cpu:/the/machines/path\n"), 7000);
}

static void test_version_2_beside_1(void **state)
{
  (void)state;
  put("unified/a", "memory.max", "3000\n");
  assert_int_equal(limit_of("4:cpu:/\n0::/a\n"), 3000);
}

static void test_nonsense(void **state)
{
  (void)state;
  static const char *const texts[] = { "", "-5\n", "x\n", "12x\n", "99999999999999999999999\n", " 7\n" };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    put("a", "memory.max", texts[i]);
    assert_true(limit_of("0::/a\n") == UINT64_MAX);
  }
  static const char *const groups[] = { "", "\n\n", ":", "::", "0:", "0", "4:memory", ":memory:", "4:,memory,:/a" };
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) assert_true(limit_of(groups[i]) == UINT64_MAX);
  char deep[3000] = "0::";
  while (strlen(deep) < 2900) strcat(deep, "/deep");
  put("a", "memory.max", "5\n");
  assert_true(limit_of(deep) == UINT64_MAX);
}

static void test_own(void **state)
{
  (void)state;
  assert_true(memory_limit() > 0);
}

/* Of addresses, which sanitizers take. */
#if defined(__has_feature)
#define TERABYTES (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_THREAD__)
#define TERABYTES 1
#else
#define TERABYTES 0
#endif

#ifdef __GLIBC__
typedef __rlimit_resource_t limited;
#else
typedef int limited;
#endif

static uint64_t left_under(limited resource, uint64_t limit)
{
  struct rlimit before, lower;
  assert_int_equal(getrlimit(resource, &before), 0);
  lower = (struct rlimit){ .rlim_cur = limit, .rlim_max = before.rlim_max };
  assert_int_equal(setrlimit(resource, &lower), 0);
  uint64_t left = rtop_memory_left();
  assert_int_equal(setrlimit(resource, &before), 0);
  return left;
}

/* qemu keeps limits on memory from the program that it runs. */
static bool limits_take(void)
{
  struct rlimit before, lower, now;
  assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
  lower = (struct rlimit){ .rlim_cur = UINT64_C(1) << 30, .rlim_max = before.rlim_max };
  assert_int_equal(setrlimit(RLIMIT_DATA, &lower), 0);
  assert_int_equal(getrlimit(RLIMIT_DATA, &now), 0);
  assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
  return now.rlim_cur == lower.rlim_cur;
}

static void test_limits_of_the_process(void **state)
{
  (void)state;
  const uint64_t gigabyte = UINT64_C(1) << 30;
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY || getrlimit(RLIMIT_DATA, &limit) != 0 ||
      limit.rlim_cur != RLIM_INFINITY || !limits_take())
    skip();
  assert_true(rtop_memory_left() == UINT64_MAX);
  assert_true(left_under(RLIMIT_DATA, 4096) == 0);
#if !defined(__SANITIZE_ADDRESS__) && !TERABYTES
  assert_in_range(left_under(RLIMIT_DATA, gigabyte), gigabyte * 9 / 10, gigabyte - 1);
  assert_in_range(left_under(RLIMIT_AS, 4 * gigabyte), 3 * gigabyte, 4 * gigabyte - 1);
#endif
  assert_true(left_under(RLIMIT_AS, gigabyte / 4) == 0); /* a thread would take too much of it */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(test_version_2, clear),
    cmocka_unit_test_teardown(test_version_1, clear),
    cmocka_unit_test_teardown(test_version_2_beside_1, clear),
    cmocka_unit_test_teardown(test_nonsense, clear),
    cmocka_unit_test(test_own),
    cmocka_unit_test(test_limits_of_the_process),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
