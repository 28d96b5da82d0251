/* The kernel's figures of a thread: the texts, hostile ones too, and our own process. */
#include "tui/task_stats.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

static void test_texts(void **state)
{
  (void)state;
  struct task_counts counts = { 0 };
  task_counts_parse_io(&counts, "rchar: 120\nwchar: 7\nsyscr: 3\n");
  assert_true(counts.has_io);
  assert_int_equal(counts.read_bytes, 120);
  assert_int_equal(counts.written_bytes, 7);
  task_counts_parse_status(&counts, "Name:\tvoluntary_ctxt_switches: 9\nvoluntary_ctxt_switches:\t41\n"
                                    "nonvoluntary_ctxt_switches:\t5\n");
  assert_true(counts.has_switches);
  assert_int_equal(counts.voluntary, 41);
  assert_int_equal(counts.involuntary, 5);
}

static void test_bad_texts(void **state)
{
  (void)state;
  static const char *const texts[] = {
    "", "\n", "\n\n\n", "rchar:", "rchar:\nwchar:\n", "rchar: x\nwchar: 1\n", "rchar: 1",
    "wchar: 1\nrchar: -4\n",
    "xrchar: 1\nxwchar: 1\n", "rchar",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct task_counts counts = { 0 };
    task_counts_parse_io(&counts, texts[i]);
    assert_false(counts.has_io);
    task_counts_parse_status(&counts, texts[i]);
    assert_false(counts.has_switches);
  }
}

static void test_own_thread(void **state)
{
  (void)state;
  static struct task_stats stats;
  char bytes[4096];
  uint32_t tid = (uint32_t)syscall(SYS_gettid);
  const struct task_rates *rates = task_stats_get(&stats, getpid(), tid, 1000000000);
  assert_non_null(rates);
  assert_false(rates->has_switches);   /* one reading makes no rate */
  int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  assert_true(zero >= 0);
  for (int i = 0; i < 256; i++) {
    assert_int_equal(read(zero, bytes, sizeof bytes), sizeof bytes);
  }
  close(zero);
  rates = task_stats_get(&stats, getpid(), tid, 1100000000);
  assert_false(rates->has_switches);   /* too soon for another reading */
  rates = task_stats_get(&stats, getpid(), tid, 2000000000);
  assert_true(rates->has_switches);
  if (rates->has_io) {                  /* the kernel may have no I/O accounting */
    assert_true(rates->read_bytes >= 1 << 20);
  }
}

static void test_nobody(void **state)
{
  (void)state;
  static struct task_stats stats;
  assert_null(task_stats_get(&stats, 0, 5, 1));
  assert_null(task_stats_get(&stats, 5, 0, 1));
  const struct task_rates *rates = task_stats_get(&stats, getpid(), UINT32_MAX, 1000000000);
  rates = task_stats_get(&stats, getpid(), UINT32_MAX, 2000000000);
  assert_non_null(rates);
  assert_false(rates->has_io || rates->has_switches);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_texts),
    cmocka_unit_test(test_bad_texts),
    cmocka_unit_test(test_own_thread),
    cmocka_unit_test(test_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
