#include "tests/tui/report_fixture.h"

#include "tui/report/stat.h"
#include <stdlib.h>
#include <string.h>

static char *text_of(const struct rtop_stat *stat)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  rtop_stat_write_text(stat, out);
  fclose(out);
  return text;
}

static struct rtop_stat whole(struct report_fixture *fixture)
{
  return (struct rtop_stat){
    .report = &fixture->report,
    .command = "ruby m.rb",
    .real_ns = 1234567890,
    .status = 3,
    .os = { .has_times = true,
            .has_memory = true,
            .has_switches = true,
            .has_disk = true,
            .user_ns = 1000000000,
            .sys_ns = 49999999,
            .faults_minor = 1234,
            .faults_major = 1,
            .rss_max_bytes = 1234567890,
            .voluntary = 1000000,
            .involuntary = 999,
            .disk_read_bytes = 1500000,
            .disk_written_bytes = 0 },
  };
}

static void test_text(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_stat stat = whole(&fixture);
  char *text = text_of(&stat);
  static const char *const lines[] = {
    "\n rperf-top stat: ruby m.rb\n",
    "\n         1,234.6 ms          real\n",
    "\n         1,000.0 ms          user\n",
    "\n            50.0 ms          sys\n",
    "\n           150.0 ms   37.5%  running",
    "\n            20.0 ms    5.0%  waiting",
    "\n           220.0 ms   55.0%  blocked",
    "\n            10.0 ms    2.5%  marking",
    "\n             0.0 ms    0.0%  sweeping",
    "\nBlocked 55% of thread time: other 55%\n    WAIT THREADS  LONGEST  WAITED FOR, BEHIND WHAT\n",
    "\n  200 ms       1        -  other in <main> (m.rb:1)\n",
    "\n               4             GC runs (4 minor, 0 major)\n",
    "\n              80             objects allocated\n",
    "\n               2             threads\n",
    "\n         1,234.6 MB          resident memory at most\n",
    "\n           1,235             page faults (1,234 minor, 1 major)\n",
    "\n       1,000,999             context switches (1,000,000 voluntary, 999 involuntary)\n",
    "\n             1.5 MB          disk I/O (1.5 MB read, 0.0 MB written)\n",
    "\n  20 samples, 0 ticks at 500 Hz (of 1000: budget), 2 samples dropped\n",
    "\n  profiling took 0.2 ms in the program",
  };
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    if (!strstr(text, lines[i])) fail_msg("there is no '%s' in\n%s", lines[i], text);
  free(text);
  report_fixture_destroy(&fixture);
}

/* A command that was no Ruby, or figures that may not be read: their lines are not there. */
static void test_unknown(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_stat stat = whole(&fixture);
  stat.report = NULL;
  stat.os.has_disk = false;
  char *text = text_of(&stat);
  assert_non_null(strstr(text, "real\n"));
  assert_null(strstr(text, "running"));
  assert_null(strstr(text, "disk"));
  assert_null(strstr(text, "samples"));
  free(text);
  stat.report = &fixture.report;
  stat.os = (struct rtop_stat_os){ 0 };
  text = text_of(&stat);
  assert_null(strstr(text, "user"));
  assert_non_null(strstr(text, "CPU\n"));
  free(text);
  report_fixture_destroy(&fixture);
}

/* What nobody measures is told as such, and counts for the share. */
static void test_cost(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_span_counters *counters = &fixture.report.sum.counters;
  *counters = (struct rtop_span_counters){ .cost_ns = 3000000, .publisher_cpu_ns = 1000000, .cpu_ns = 1000000000 };
  assert_int_equal(rtop_counters_cost_ns(counters), 4000000);
  struct rtop_stat stat = whole(&fixture);
  char *text = text_of(&stat);
  assert_non_null(strstr(text, "3.0 ms in the program and 1.0 ms beside it: 0.40% of its CPU time\n"));
  free(text);
  counters->whole_cost_ns = 10000000;
  assert_int_equal(rtop_counters_cost_ns(counters), 10000000);
  text = text_of(&stat);
  assert_non_null(strstr(text, "1.0 ms beside it, and about 6.0 ms in interruptions: 1.00% of its CPU time\n"));
  free(text);
  report_fixture_destroy(&fixture);
}

/* Serials say how many threads a process has had, also when early ones are forgotten. */
static void test_threads(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_stat stat = whole(&fixture);
  fixture.report.sum.threads[1].serial = 9;
  assert_int_equal(stat_threads(&stat), 9);
  fixture.report.sum.threads[1].source = 1;
  assert_int_equal(stat_threads(&stat), 10);
  report_fixture_destroy(&fixture);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_text),
    cmocka_unit_test(test_unknown),
    cmocka_unit_test(test_cost),
    cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
