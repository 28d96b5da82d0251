/* A report over two hand-made windows: what JSON, text and exports are made of. */
#ifndef RTOP_TESTS_REPORT_FIXTURE_H
#define RTOP_TESTS_REPORT_FIXTURE_H

#include "model_fixture.h"
#include "tui/report/report.h"

struct report_fixture {
  struct rtop_profile *profile;
  struct rtop_window window;
  struct rtop_methods_options options;
  struct rtop_report report;
};

FIXTURE void report_fixture_take(struct report_fixture *fixture)
{
  struct rtop_report *report = &fixture->report;
  report->symbols = rtop_profile_symbols(fixture->profile);
  report->options = &fixture->options;
  assert_true(rtop_profile_sum(fixture->profile, rtop_profile_bounds(fixture->profile), &report->sum));
  assert_true(rtop_methods_build(&report->methods, &report->sum, report->symbols, &fixture->options));
  assert_true(rtop_report_judge(report, fixture->profile));
  assert_true(wait_sums_build(&report->waits, &report->sum, fixture->profile));
}

/* main > Price#total > String#gsub; main runs 150 ms and marks 10, gsub waits 20 and is blocked 20. A
 * second thread sleeps all the time, its name is not nice. */
FIXTURE void report_fixture_setup(struct report_fixture *fixture)
{
  memset(fixture, 0, sizeof *fixture);
  fixture->profile = rtop_profile_create(64 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(fixture->profile);
  uint32_t top = rtop_symbols_node(symbols, 0, fixture_frame(symbols, "<main>", "/app/m.rb", 1), 9);
  uint32_t total = fixture_frame(symbols, "Price#total", "/app/p;r.rb", 4);
  uint32_t price = rtop_symbols_node(symbols, top, total, 6);
  uint32_t gsub = rtop_symbols_node(symbols, price, fixture_frame(symbols, "String#gsub", "", 0), 0);
  for (int i = 0; i < 2; i++) {
    struct rtop_window *window = &fixture->window;
    fixture_window(window, (10 + i) * 100 * MS, (11 + i) * 100 * MS);
    uint32_t one = fixture_thread(window, 1, i ? RTOP_BLOCKED : RTOP_RUNNING, i ? gsub : price, 0);
    uint32_t two = fixture_thread(window, 2, RTOP_BLOCKED, top, 0);
    if (i == 0) fixture_cell(window, one, price, RTOP_RUNNING, 100 * MS)->cpu_ns = 90 * MS + 1;
    else {
      fixture_cell(window, one, price, RTOP_RUNNING, 50 * MS)->allocations = 77;
      fixture_cell(window, one, gsub, RTOP_WAITING, 20 * MS)->blame_ns = 3 * MS;
      fixture_cell(window, one, gsub, RTOP_BLOCKED, 20 * MS);
      fixture_cell(window, one, gsub, RTOP_MARKING, 10 * MS);
    }
    fixture_cell(window, two, top, RTOP_BLOCKED, 100 * MS);
    rtop_window_set_counter(window, RTOP_COUNTER_SAMPLES, 10);
    rtop_window_set_counter(window, RTOP_COUNTER_SAMPLES_DROPPED, 1);
    rtop_window_set_counter(window, RTOP_COUNTER_COST_NS, 100000);
    rtop_window_set_counter(window, RTOP_COUNTER_RATE_HZ, 500);
    rtop_window_set_counter(window, RTOP_COUNTER_RATE_WANTED_HZ, 1000);
    rtop_window_set_counter(window, RTOP_COUNTER_GC_MINOR, 2);
    rtop_window_set_counter(window, RTOP_COUNTER_ALLOCATIONS, 40);
    rtop_window_set_counter(window, RTOP_COUNTER_GVL_RELEASES, 300);
    if (i == 0) rtop_window_set_counter(window, RTOP_COUNTER_GVL_COARSE, 200);
    rtop_window_set_counter(window, RTOP_COUNTER_FIBERS_WAITING, i == 0 ? 9 : 30);
    assert_true(fixture_add(fixture->profile, 0, window));
  }
  struct rtop_report *report = &fixture->report;
  report->state = RTOP_FEED_LIVE;
  report->clock_offset_ns = INT64_C(1700000000123456789);
  report->command = "ruby m.rb";
  report->ruby = "3.3.8";
  report->source_pids[0] = 4711;
  report->source_count = 1;
  fixture->options.sort = RTOP_SORT_SELF;
  report_fixture_take(fixture);
}

/* A third window: 30 ms of Price#total for "GET /a,b" (a formula for a spreadsheet, under another key), which began twice
 * and was off the GVL for 20 of them; the second thread, without labels, blocked for 100. */
FIXTURE void report_fixture_labels(struct report_fixture *fixture)
{
  static const char set[] = "endpoint=GET /a\\,b,tenant==1+1";
  struct rtop_symbols *symbols = rtop_profile_symbols(fixture->profile);
  struct rtop_report *report = &fixture->report;
  uint32_t frame = rtop_symbols_frame(symbols, set, strlen(set), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
  uint32_t labels = rtop_symbols_node(symbols, 0, frame, 0);
  uint32_t price = rtop_symbols_node(symbols, labels, fixture_frame(symbols, "Price#total", "/app/p;r.rb", 4), 6);
  fixture_window(&fixture->window, 1200 * MS, 1300 * MS);
  uint32_t one = fixture_thread(&fixture->window, 1, RTOP_RUNNING, price, 0);
  uint32_t two = fixture_thread(&fixture->window, 2, RTOP_BLOCKED, 0, 0);
  fixture_cell(&fixture->window, one, price, RTOP_RUNNING, 10 * MS);
  fixture_cell(&fixture->window, one, price, RTOP_BLOCKED, 20 * MS);
  fixture_cell(&fixture->window, two, 0, RTOP_BLOCKED, 100 * MS);
  for (uint32_t label = 0; label < 2; label++)
    *rtop_window_add_begun(&fixture->window) = (struct rtop_begun){ .node = labels, .label = label, .count = 2 };
  assert_true(fixture_add(fixture->profile, 0, &fixture->window));
  report_fixture_take(fixture);
  const struct label_table_options options = { .sort = RTOP_SORT_SELF, .mode = fixture->options.mode };
  assert_true(rtop_profile_sum_sets(fixture->profile, report->sum.span, &report->sets_sum));
  assert_true(rtop_methods_leave_out(fixture->options.thread_filter, &report->sets_sum));
  assert_true(label_table_build(&report->labels, fixture->profile, &report->sets_sum, &options));
}

/* A third window: in the first thread three fibers called "Reading" and one of Price#total wait. */
FIXTURE void report_fixture_fibers(struct report_fixture *fixture)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(fixture->profile);
  uint32_t frame = rtop_symbols_frame(symbols, "Reading", 7, "", 0, "(fibers)", 8, 0, RTOP_SYMBOL_SPECIAL);
  uint32_t name = rtop_symbols_node(symbols, 0, frame, 0);
  uint32_t price = rtop_symbols_node(symbols, 0, fixture_frame(symbols, "Price#total", "/app/p;r.rb", 4), 6);
  uint32_t gsub = rtop_symbols_node(symbols, price, fixture_frame(symbols, "String#gsub", "", 0), 0);
  fixture_window(&fixture->window, 1200 * MS, 1300 * MS);
  fixture_thread(&fixture->window, 1, RTOP_BLOCKED, price, 0);
  *rtop_window_add_fibers(&fixture->window) = (struct rtop_fibers){ 1, name, gsub, 4, 3, 270 * MS, 1500 * MS };
  *rtop_window_add_fibers(&fixture->window) = (struct rtop_fibers){ 1, 0, gsub, 1, 1, 90 * MS, 80 * MS };
  *rtop_window_add_fibers(&fixture->window) = (struct rtop_fibers){ 1, 0, 0, 2, 0, 0, 0 };
  assert_true(fixture_add(fixture->profile, 0, &fixture->window));
  report_fixture_take(fixture);
  assert_true(fiber_table_build(&fixture->report.fibers, fixture->profile, &fixture->report.sum));
}

/* A third window: 30 exceptions of one class in line 6 of Price#total, by two threads, 4 in what it calls in C, 5 that
 * found no room, and 2 of which nothing is told. */
FIXTURE void report_fixture_raised(struct report_fixture *fixture)
{
  static const char space[] = "(exceptions)";
  struct rtop_symbols *symbols = rtop_profile_symbols(fixture->profile);
  uint32_t frames[2], names[2];
  frames[0] = rtop_symbols_frame(symbols, "Shop::Missing", 13, "", 0, space, 12, 0, RTOP_SYMBOL_SPECIAL);
  frames[1] = rtop_symbols_frame(symbols, "KeyError", 8, "", 0, space, 12, 0, RTOP_SYMBOL_SPECIAL);
  for (int i = 0; i < 2; i++) names[i] = rtop_symbols_node(symbols, 0, frames[i], 0);
  uint32_t price = rtop_symbols_node(symbols, 0, fixture_frame(symbols, "Price#total", "/app/p;r.rb", 4), 6);
  uint32_t raise = rtop_symbols_node(symbols, price, fixture_frame(symbols, "Kernel#raise", "", 0), 0);
  uint32_t fetch = rtop_symbols_node(symbols, price, fixture_frame(symbols, "Hash#fetch", "", 0), 0);
  uint32_t others = rtop_symbols_frame(symbols, "(folded)", 8, "", 0, "", 0, 0, RTOP_SYMBOL_SPECIAL);
  fixture_window(&fixture->window, 1200 * MS, 1300 * MS);
  fixture_thread(&fixture->window, 1, RTOP_RUNNING, price, 0);
  const struct rtop_raised rows[] = {
    { 1210 * MS, 1250 * MS, 1, names[0], raise, 10 },
    { 1190 * MS, 1240 * MS, 2, names[0], raise, 20 },
    { 1260 * MS, 1260 * MS, 1, names[1], fetch, 4 },
    { 1200 * MS, 1300 * MS, 0, 0, rtop_symbols_node(symbols, 0, others, 0), 5 },
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) *rtop_window_add_raised(&fixture->window) = rows[i];
  rtop_window_set_counter(&fixture->window, RTOP_COUNTER_EXCEPTIONS, 41);
  rtop_window_set_counter(&fixture->window, RTOP_COUNTER_RAISES_UNTOLD, 2);
  assert_true(fixture_add(fixture->profile, 0, &fixture->window));
  report_fixture_take(fixture);
  assert_true(raised_list_build(&fixture->report.raised, fixture->profile, fixture->report.sum.span));
}

/* A third window: the first thread waits for a Mutex that the second one has; `deadlock`: and that one for one of the
 * first. */
FIXTURE void report_fixture_locks(struct report_fixture *fixture, bool deadlock)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(fixture->profile);
  uint32_t price = rtop_symbols_node(symbols, 0, fixture_frame(symbols, "Price#total", "/app/p;r.rb", 4), 6);
  uint32_t lock = rtop_symbols_node(symbols, price, fixture_frame(symbols, "Thread::Mutex#lock", "", 0), 0);
  fixture_window(&fixture->window, 1200 * MS, 1300 * MS);
  for (uint64_t serial = 1; serial <= 2; serial++) {
    bool waits = serial == 1 || deadlock;
    uint32_t at = fixture_thread(&fixture->window, serial, RTOP_BLOCKED, waits ? lock : price, 0);
    fixture->window.threads[at].state_age_ns = (uint64_t)(2500 * MS);
    fixture->window.threads[at].lock_kind = waits ? RTOP_LOCK_MUTEX : RTOP_LOCK_NONE;
    fixture->window.threads[at].lock = (uint32_t)serial;
    fixture->window.threads[at].lock_holder = 3 - serial;
    fixture_cell(&fixture->window, at, waits ? lock : price, RTOP_BLOCKED, 100 * MS);
  }
  rtop_window_set_counter(&fixture->window, RTOP_COUNTER_LOCK_WAITS, 5);
  assert_true(fixture_add(fixture->profile, 0, &fixture->window));
  report_fixture_take(fixture);
}

FIXTURE void report_fixture_destroy(struct report_fixture *fixture)
{
  rtop_window_destroy(&fixture->window);
  rtop_report_destroy(&fixture->report);
  rtop_profile_destroy(&fixture->profile);
}

#endif
