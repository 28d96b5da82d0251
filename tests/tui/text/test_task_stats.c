/* The kernel's figures of a thread: the texts, hostile ones too, and our own process. */
#include "tui/text/task_stats.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
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
    "",
    "\n",
    "\n\n\n",
    "rchar:",
    "rchar:\nwchar:\n",
    "rchar: x\nwchar: 1\n",
    "rchar: 1",
    "wchar: 1\nrchar: -4\n",
    "xrchar: 1\nxwchar: 1\n",
    "rchar",
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
  assert_false(rates->has_switches); /* one reading makes no rate */
  int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  assert_true(zero >= 0);
  for (int i = 0; i < 256; i++) assert_int_equal(read(zero, bytes, sizeof bytes), sizeof bytes);
  close(zero);
  rates = task_stats_get(&stats, getpid(), tid, 1100000000);
  assert_false(rates->has_switches); /* too soon for another reading */
  rates = task_stats_get(&stats, getpid(), tid, 2000000000);
  assert_true(rates->has_switches);
  if (rates->has_io) /* the kernel may have no I/O accounting */
    assert_true(rates->read_bytes >= 1 << 20);
}

static struct task_counts own_counts(struct task_stats *stats, int64_t now_ns)
{
  uint32_t tid = (uint32_t)syscall(SYS_gettid);
  assert_non_null(task_stats_get(stats, getpid(), tid, now_ns));
  return stats->entry[tid % TASK_STATS_MAX].counts;
}

/* What the manual says of sockets: read and write count, recv and send do not. */
static void test_sockets(void **state)
{
  (void)state;
  static struct task_stats stats;
  enum { MUCH = 50000 };
  char bytes[MUCH] = { 0 };
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  struct task_counts before = own_counts(&stats, 1000000000);
  assert_int_equal(write(ends[0], bytes, MUCH), MUCH);
  assert_int_equal(read(ends[1], bytes, MUCH), MUCH);
  struct task_counts between = own_counts(&stats, 2000000000);
  assert_int_equal(send(ends[0], bytes, MUCH, 0), MUCH);
  assert_int_equal(recv(ends[1], bytes, MUCH, 0), MUCH);
  struct task_counts after = own_counts(&stats, 3000000000);
  close(ends[0]);
  close(ends[1]);
  if (!before.has_io) skip();
  assert_int_equal(between.written_bytes - before.written_bytes, MUCH);
  assert_true(between.read_bytes - before.read_bytes >= MUCH);
  assert_int_equal(after.written_bytes, between.written_bytes);
  assert_true(after.read_bytes - between.read_bytes < MUCH);
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
    cmocka_unit_test(test_texts),   cmocka_unit_test(test_bad_texts), cmocka_unit_test(test_own_thread),
    cmocka_unit_test(test_sockets), cmocka_unit_test(test_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
