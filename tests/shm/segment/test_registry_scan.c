#include "tests/shm/support.h"

#include "shm/segment/registry_scan.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_names(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    bool right;
    uid_t uid;
    pid_t pid;
  } names[] = {
    { "rperf-top.1000.42.0123456789abcdef", true, 1000, 42 },
    { "rperf-top.0.1.ffffffffffffffff", true, 0, 1 },
    { "rperf-top.4294967295.2147483647.0000000000000000", true, UINT32_MAX, INT32_MAX },
    { "rperf-top.4294967296.1.0123456789abcdef", false, 0, 0 },
    { "rperf-top.1.2147483648.0123456789abcdef", false, 0, 0 },
    { "rperf-top.99999999999999999999999.1.0123456789abcdef", false, 0, 0 },
    { "rperf-top.-1.1.0123456789abcdef", false, 0, 0 },
    { "rperf-top.+1.1.0123456789abcdef", false, 0, 0 },
    { "rperf-top. 1.1.0123456789abcdef", false, 0, 0 },
    { "rperf-top.01.1.0123456789abcdef", false, 0, 0 },
    { "rperf-top.1.0x1.0123456789abcdef", false, 0, 0 },
    { "rperf-top.1.1.0123456789ABCDEF", false, 0, 0 },
    { "rperf-top.1.1.0123456789abcde", false, 0, 0 },
    { "rperf-top.1.1.0123456789abcdef0", false, 0, 0 },
    { "rperf-top.1.1.0123456789abcdef.ctl", false, 0, 0 },
    { "rperf-top.1.1.0123456789abcde/", false, 0, 0 },
    { "rperf-top.1.1", false, 0, 0 },
    { "rperf-top.1", false, 0, 0 },
    { "rperf-top.", false, 0, 0 },
    { "rperf-top", false, 0, 0 },
    { ".rperf-top.0123456789abcdef", false, 0, 0 },
    { "Rperf-top.1.1.0123456789abcdef", false, 0, 0 },
    { "", false, 0, 0 },
    { ".", false, 0, 0 },
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    uid_t uid = 7;
    pid_t pid = 7;
    if (registry_name_parse(names[i].name, &uid, &pid) != names[i].right) fail_msg("%s", names[i].name);
    if (names[i].right) {
      assert_int_equal(uid, names[i].uid);
      assert_int_equal(pid, names[i].pid);
    }
  }
}

struct visits {
  size_t count, limit;
};

static bool visit(int directory_fd, const char *name, void *argument)
{
  struct visits *visits = argument;
  assert_true(directory_fd >= 0);
  assert_true(strlen(name) > 0);
  return ++visits->count < visits->limit;
}

static void test_scan_visits_until_told(void **state)
{
  (void)state;
  for (int i = 0; i < 10; i++) {
    char name[32];
    snprintf(name, sizeof name, "file%d", i);
    close(open(support_path(name), O_CREAT | O_RDWR, 0600));
  }
  struct visits all = { .limit = 1000 }, some = { .limit = 3 };
  registry_scan(registry_open_directory(support_directory()), visit, &all);
  registry_scan(registry_open_directory(support_directory()), visit, &some);
  assert_int_equal(all.count, 12);
  assert_int_equal(some.count, 3);
  registry_scan(-1, visit, &all);
  assert_int_equal(registry_open_directory(support_path("missing")), -1);
  assert_int_equal(registry_open_directory(support_path("file1")), -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_names),
    cmocka_unit_test_teardown(test_scan_visits_until_told, support_empty),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
