#include "tests/tui/report_fixture.h"

#include "shm/base/vm_parts.h"
#include <locale.h>
#include <stdlib.h>

static void test_batch_text(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  for (int columns = 40; columns <= 160; columns += 40) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    rtop_report_write_text(&fixture.report, out, columns);
    fclose(out);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "SELF%v"));
    assert_non_null(strstr(text, "   75.0   100.0    0.0"));
    assert_non_null(strstr(text, "[live]"));
    assert_memory_equal(text, "running: 80% Price#total, t1\nrperf-top  4711 ", columns > 40 ? 45 : 29);
    assert_non_null(strstr(text, "\nGVL held 80%  0.75 running  0.10 waiting  1.10 blocked "));
    assert_non_null(strstr(text, " blocked  30 fibers wait   "));
    assert_non_null(strstr(text, "  storm: 200 GVL releases timed by ticks\n"));
    assert_string_equal(text + bytes - 2, "\n\n");
    char *table = strstr(text, "  SELF%");
    for (char *line = strtok(table, "\n"); line && columns >= 80; line = strtok(NULL, "\n"))
      assert_true((int)strlen(line) <= columns);
    free(text);
  }
  report_fixture_destroy(&fixture);
}

static char *written_in(const struct rtop_report *report, int columns)
{
  static char *text;
  static size_t bytes;
  free(text);
  FILE *out = open_memstream(&text, &bytes);
  rtop_report_write_text(report, out, columns);
  fclose(out);
  return text;
}

static const char *written_waits(const struct rtop_report *report)
{
  const char *waits = strstr(written_in(report, 100), "    WAIT");
  assert_non_null(waits);
  return waits;
}

static char *written(const struct rtop_report *report)
{
  return written_in(report, 100);
}

static void test_what_is_not_available(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  assert_null(strstr(written(&fixture.report), "vailable"));
  fixture.report.sum.counters.vm_unknown = RTOP_VM_BIT(RTOP_VM_FIBERS) | RTOP_VM_BIT(RTOP_VM_LOCKS);
  assert_non_null(
      strstr(written(&fixture.report), "\nNot available on this Ruby: stacks of waiting fibers, lock owners\n"));
  report_fixture_destroy(&fixture);
}

static void test_labels(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  assert_null(strstr(written(&fixture.report), "LABEL"));
  fixture.options.mode = RTOP_MODE_BUSY;
  report_fixture_labels(&fixture);
  assert_non_null(strstr(written(&fixture.report),
                         "\n  SELF%  TOTAL%  WAIT%  BLOCK%   COUNT     EACH  LABEL\n"
                         "    3.3    10.0    0.0     6.7       2  15.0 ms  endpoint=GET /a,b\n"
                         "    3.3    10.0    0.0     6.7       2  15.0 ms  tenant==1+1\n\n"));
  const char *text = written_in(&fixture.report, 60);
  assert_non_null(strstr(text, "15.0 ms  endpoint=GE"));
  assert_null(strstr(text, "endpoint=GET /a"));
  report_fixture_destroy(&fixture);
  report_fixture_setup(&fixture);
  fixture.options.thread_filter = "t2"; /* counts are of all threads: they say nothing of this one */
  report_fixture_labels(&fixture);
  assert_non_null(strstr(written(&fixture.report), "    0.0     0.0    0.0     0.0       -        -  tenant==1+1\n"));
  report_fixture_destroy(&fixture);
}

static void test_fibers(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  assert_null(strstr(written(&fixture.report), "FIBERS"));
  report_fixture_fibers(&fixture);
  assert_non_null(strstr(written(&fixture.report),
                         "\n  ALIVE WAITING  SHARE%  LONGEST  FIBERS OF t1\n"
                         "      4       3    75.0   1.50 s  Reading                                     String#gsub\n"
                         "      1       1    25.0  80.0 ms  Price#total                p;r.rb:4         String#gsub\n"
                         "      2       0     0.0     0 ns  (not known)                                 \n\n"));
  report_fixture_destroy(&fixture);
}

static void test_exceptions(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  assert_null(strstr(written(&fixture.report), "EXCEPTION"));
  report_fixture_raised(&fixture);
  assert_non_null(strstr(written(&fixture.report),
                         "\n  COUNT     PER S  EXCEPTION\n"
                         "     30     100.0  Shop::Missing at p;r.rb:6 in Price#total\n"
                         "      5      16.7  (others)\n"
                         "      4      13.3  KeyError at p;r.rb:6 in Price#total, by Hash#fetch\n"
                         "      2            (elsewhere)\n"
                         "\n"));
  report_fixture_destroy(&fixture);
}

/* Said above the table: who is without a safepoint first, three by name. */
static void test_old_stacks(void **state)
{
  (void)state;
  struct report_fixture fixture;
  char *text = NULL;
  size_t bytes = 0;
  report_fixture_setup(&fixture);
  struct rtop_sum *sum = &fixture.report.sum;
  struct rtop_thread_row rows[5] = { sum->threads[0], sum->threads[1], sum->threads[1], sum->threads[1],
                                     sum->threads[1] },
                         *kept = sum->threads;
  for (int i = 1; i < 5; i++) rows[i].stale = true;
  rows[2].state = RTOP_STATE_RUNNING;
  rows[2].stack_age_ns = 800 * MS;
  sum->threads = rows;
  sum->thread_count = 5;
  FILE *out = open_memstream(&text, &bytes);
  rtop_report_write_text(&fixture.report, out, 100);
  fclose(out);
  assert_non_null(strstr(text, "\nOld t2 (102): no safepoint for 0.8 s, last seen in <main>\n"
                               "Old t2 (102): stack unknown, last seen in <main>\n"
                               "Old t2 (102): stack unknown, last seen in <main>\n"
                               "Old stacks of 1 more thread\n"));
  free(text);
  sum->threads = kept;
  sum->thread_count = 2;
  report_fixture_destroy(&fixture);
}

static void test_how_it_ended(void **state)
{
  (void)state;
  struct report_fixture fixture;
  char *text = NULL;
  size_t bytes = 0;
  setenv("TZ", "UTC", 1);
  report_fixture_setup(&fixture);
  fixture.report.state = RTOP_FEED_DEAD;
  fixture.report.has_end = true;
  fixture.report.end = (struct rtop_feed_end){ .cause = "memory",
                                               .text = "killed: out of memory",
                                               .real_ns = INT64_C(1763600000250000000),
                                               .lived_ns = INT64_C(12500000000) };
  FILE *out = open_memstream(&text, &bytes);
  rtop_report_write_text(&fixture.report, out, 100);
  fclose(out);
  assert_non_null(strstr(text, "[dead]\nEND killed: out of memory  last window 2025-11-20 00:53:20, after 12.5 s\n"));
  free(text);
  report_fixture_destroy(&fixture);
}

/* Valid until the next call. */
static void test_losses(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.report.losses[RTOP_LOSS_SAMPLES] = 5; /* told of the frame */
  assert_null(strstr(written(&fixture.report), "No room"));
  fixture.report.losses[RTOP_LOSS_NODES] = 12000;
  fixture.report.losses[RTOP_LOSS_LABELS] = 3;
  assert_non_null(strstr(written(&fixture.report), "\nNo room since the start for: 12000 nodes, 3 labels\n"));
  report_fixture_destroy(&fixture);
}

/* What the rows are sorted by can be read, whatever it is. */
static void test_the_figure_sorted_by_is_there(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.options.sort = RTOP_SORT_CPU;
  report_fixture_take(&fixture);
  char *text = written(&fixture.report);
  assert_non_null(strstr(text, "CPU%v METHOD"));
  assert_non_null(strstr(text, "    385   45.0  Price#total"));
  fixture.options.sort = RTOP_SORT_RATIO;
  report_fixture_take(&fixture);
  fixture.report.methods.rows[0].most_ns = fixture.report.sum.length_ns / 4;
  text = written(&fixture.report);
  assert_non_null(strstr(text, "RATIO%v METHOD"));
  assert_non_null(strstr(text, " 25.0  "));
  fixture.options.sort = RTOP_SORT_HISTORY;
  report_fixture_take(&fixture);
  fixture.report.methods.rows[0].history = 0.615;
  text = written(&fixture.report);
  assert_non_null(strstr(text, "PEAK%v METHOD"));
  assert_non_null(strstr(text, " 61.5 "));
  fixture.options.sort = RTOP_SORT_DELTA;
  report_fixture_take(&fixture);
  text = written(&fixture.report); /* nothing to compare with */
  assert_non_null(strstr(text, "DELTAv METHOD"));
  assert_non_null(strstr(text, "       - "));
  report_fixture_destroy(&fixture);
}

/* The second window against the first: gsub came, main is as it was. */
static void test_change_against_the_frame_before(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_report *report = &fixture.report;
  fixture.options.sort = RTOP_SORT_DELTA;
  struct rtop_span bounds = rtop_profile_bounds(fixture.profile);
  struct rtop_span last = { bounds.end_ns - 100 * MS, bounds.end_ns };
  assert_true(rtop_profile_sum(fixture.profile, last, &report->sum));
  assert_true(rtop_methods_build(&report->methods, &report->sum, report->symbols, report->options));
  assert_true(rtop_report_compare(report, fixture.profile, NULL));
  assert_true(report->compared && report->before_ns == 100 * MS);
  char *text = written(report);
  assert_non_null(strstr(text, "+50.0  String#gsub"));
  assert_non_null(strstr(strstr(text, "String#gsub"), " 0.0  <main>"));
  assert_non_null(strstr(strstr(text, "<main>"), "-50.0  Price#total"));
  /* The other way round gsub is gone, and has a row. */
  struct rtop_span first = { bounds.start_ns, bounds.start_ns + 100 * MS };
  struct rtop_profile *other = rtop_profile_create(64 << 20);
  assert_true(rtop_profile_sum(fixture.profile, first, &report->sum));
  assert_true(rtop_methods_build(&report->methods, &report->sum, report->symbols, report->options));
  assert_true(rtop_report_compare(report, fixture.profile, other));
  assert_false(report->compared); /* nothing is known before */
  assert_true(rtop_report_compare(report, fixture.profile, fixture.profile));
  assert_true(report->compared && report->before_ns == 200 * MS);
  text = written(report);
  assert_non_null(strstr(text, "      -       -      -       -   -25.0  String#gsub"));
  /* However little is to be shown: it was much. By self it stands behind the others. */
  fixture.options.min_percent = 10;
  fixture.options.sort = RTOP_SORT_SELF;
  assert_true(rtop_methods_build(&report->methods, &report->sum, report->symbols, report->options));
  assert_true(rtop_report_compare(report, fixture.profile, fixture.profile));
  text = written(report);
  assert_non_null(strstr(strstr(text, "Price#total"), "      -       -      -       -   -25.0  String#gsub"));
  fixture.options.min_percent = 60;
  assert_true(rtop_methods_build(&report->methods, &report->sum, report->symbols, report->options));
  assert_true(rtop_report_compare(report, fixture.profile, fixture.profile));
  assert_null(strstr(written(report), "String#gsub"));
  rtop_profile_destroy(&other);
  report_fixture_destroy(&fixture);
}

/* One line for a lock; a deadlock first, with the stacks of all. */
static void test_locks(void **state)
{
  (void)state;
  for (int deadlock = 0; deadlock < 2; deadlock++) {
    struct report_fixture fixture;
    report_fixture_setup(&fixture);
    assert_null(strstr(written(&fixture.report), "\nLock"));
    report_fixture_locks(&fixture, deadlock);
    const char *text = written(&fixture.report);
    assert_non_null(strstr(text, "  5 waits for locks "));
    if (deadlock) {
      assert_non_null(strstr(text, "\nDEADLOCK: these threads wait for one another, and none can go on\n"
                                   "  t1 (101) waits 2.5 s for Mutex #1, which t2 has\n"
                                   "    Thread::Mutex#lock  <C>\n"
                                   "    Price#total  p;r.rb:6\n"
                                   "  t2 (102) waits 2.5 s for Mutex #2, which t1 has\n"
                                   "    Thread::Mutex#lock  <C>\n"
                                   "    Price#total  p;r.rb:6\n"));
      assert_null(strstr(text, "\nLock"));
    } else {
      assert_null(strstr(text, "DEADLOCK"));
      assert_non_null(
          strstr(text, "\nLock t1 waits 2.5 s for Mutex #1 in Price#total; t2 has it, and is in Price#total\n"));
      assert_non_null(
          strstr(written_in(&fixture.report, 60),
                 "\nLock t1 waits 2.5 s for Mutex #1 in Price#total\n  t2 has it, and is in Price#total\n"));
      /* Of the blocked 420 of 600 ms: 100 for the lock; t2 is in <main> at first. */
      assert_non_null(strstr(written(&fixture.report), "\nBlocked 70% of thread time: other 53%, locks 17%\n"));
      assert_non_null(strstr(written_waits(&fixture.report), "    WAIT THREADS  LONGEST  WAITED FOR, BEHIND WHAT\n"
                                                             "  100 ms       1   2.50 s  Mutex in Price#total\n"
                                                             "  100 ms                     behind Price#total, t2\n"));
    }
    report_fixture_destroy(&fixture);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_batch_text),
    cmocka_unit_test(test_labels),
    cmocka_unit_test(test_what_is_not_available),
    cmocka_unit_test(test_exceptions),
    cmocka_unit_test(test_fibers),
    cmocka_unit_test(test_old_stacks),
    cmocka_unit_test(test_how_it_ended),
    cmocka_unit_test(test_losses),
    cmocka_unit_test(test_locks),
    cmocka_unit_test(test_the_figure_sorted_by_is_there),
    cmocka_unit_test(test_change_against_the_frame_before),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
