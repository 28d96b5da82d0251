#include "tui/report/stat_os.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static void test_parse(void **state)
{
  (void)state;
  struct rtop_stat_os os = { 0 };
  const char *text = "4711 (a) b) S) S 1 4711 4711 0 -1 4194304 120 7 3 1 150 25 0 0 20 0 5 0 12345 1 2\n";
  assert_true(stat_os_parse_stat(&os, text, 100));
  assert_true(os.has_times);
  assert_int_equal(os.faults_minor, 120);
  assert_int_equal(os.faults_major, 3);
  assert_int_equal(os.user_ns, 1500000000);
  assert_int_equal(os.sys_ns, 250000000);
  static const char *const bad[] = { "", "4711", "4711 (a", "4711 (a) S 1 2", "4711 (a) S x x x x x x x x x x x x" };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(stat_os_parse_stat(&os, bad[i], 100));
  assert_false(stat_os_parse_stat(&os, text, 0));
}

static void test_ourselves(void **state)
{
  (void)state;
  struct rtop_stat_os before, now, sum;
  assert_true(rtop_stat_os_read(&before, getpid()));
  assert_true(before.has_times && before.has_memory && before.has_switches);
  assert_true(before.rss_max_bytes > 100000);
  /* Until the kernel counts a tick of ours, at most a minute. */
  volatile uint64_t work = 0;
  time_t end = time(NULL) + 60;
  do {
    for (int i = 0; i < 10000000; i++) work = work + (uint64_t)i;
    assert_true(rtop_stat_os_read(&now, getpid()));
  } while (now.user_ns == before.user_ns && time(NULL) < end);
  rtop_stat_os_start(&sum);
  rtop_stat_os_add(&sum, &before, &now);
  assert_true(sum.has_times && sum.user_ns > 0 && sum.user_ns == now.user_ns - before.user_ns);
  assert_int_equal(sum.rss_max_bytes, now.rss_max_bytes);
}

static void test_gone(void **state)
{
  (void)state;
  struct rtop_stat_os os;
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_false(rtop_stat_os_read(&os, pid));
}

/* One process of which something is not known makes it unknown for all. */
static void test_sums(void **state)
{
  (void)state;
  struct rtop_stat_os sum, zero = { 0 };
  struct rtop_stat_os one = { .has_times = true, .has_disk = true, .user_ns = 5, .disk_read_bytes = 7 };
  struct rtop_stat_os two = { .has_times = true, .user_ns = 9 };
  zero.has_times = zero.has_disk = true;
  rtop_stat_os_start(&sum);
  rtop_stat_os_add(&sum, &zero, &one);
  assert_true(sum.has_disk && !sum.has_memory);
  rtop_stat_os_add(&sum, &one, &two);
  assert_true(sum.has_times && !sum.has_disk);
  assert_int_equal(sum.user_ns, 9);
  rtop_stat_os_add(&sum, &two, &one); /* a counter that runs backwards is somebody else's */
  assert_int_equal(sum.user_ns, 9);
}

static void test_usage(void **state)
{
  (void)state;
  struct rtop_stat_os os;
  struct rusage usage = { .ru_utime = { 1, 500000 },
                          .ru_stime = { 0, 3 },
                          .ru_maxrss = 1000,
                          .ru_minflt = 4,
                          .ru_majflt = 5,
                          .ru_nvcsw = 6,
                          .ru_nivcsw = 7,
                          .ru_inblock = 8,
                          .ru_oublock = 16 };
  rtop_stat_os_usage(&os, &usage);
  assert_true(os.has_times && os.has_memory && os.has_switches && os.has_disk);
  assert_int_equal(os.user_ns, 1500000000);
  assert_int_equal(os.sys_ns, 3000);
  assert_int_equal(os.rss_max_bytes, 1024000);
  assert_int_equal(os.faults_minor + os.faults_major * 10, 54);
  assert_int_equal(os.voluntary + os.involuntary * 10, 76);
  assert_int_equal(os.disk_read_bytes, 4096);
  assert_int_equal(os.disk_written_bytes, 8192);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_parse), cmocka_unit_test(test_ourselves), cmocka_unit_test(test_gone),
    cmocka_unit_test(test_sums),  cmocka_unit_test(test_usage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
