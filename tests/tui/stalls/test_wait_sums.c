/* What threads waited for: kinds, places, and for locks what their holders did, against figures known beforehand. */
#include "tests/tui/model_fixture.h"
#include "tui/stalls/wait_words.h"

#include <stdlib.h>

static struct rtop_profile *profile;
static struct rtop_window window;
static struct rtop_sum sum;
static struct wait_sums sums;
static uint32_t enter, hold, fill, pop, rest; /* nodes */

static uint32_t node_below(uint32_t parent, const char *label, const char *path)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  return rtop_symbols_node(symbols, parent, fixture_frame(symbols, label, path, 3), 0);
}

/* Bank#enter waits for a Mutex that Bank#report took, which works in Bank#hold, or Cache#fill, which calls lock. */
static int set_up(void **state)
{
  (void)state;
  profile = rtop_profile_create(64 << 20);
  uint32_t report = node_below(0, "Bank#report", "/app/bank.rb");
  enter = node_below(node_below(0, "Bank#enter", "/app/bank.rb"), "Thread::Mutex#synchronize", "");
  hold = node_below(node_below(node_below(report, "Thread::Mutex#synchronize", ""), "Bank#hold", "/app/bank.rb"),
                    "Kernel#sleep", "");
  fill = node_below(0, "Cache#fill", "/app/cache.rb");
  pop = node_below(node_below(0, "Pool#next", "/app/pool.rb"), "Thread::Queue#pop", "");
  rest = node_below(node_below(0, "Pool#next", "/app/pool.rb"), "IO#read", "");
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  wait_sums_destroy(&sums);
  rtop_sum_destroy(&sum);
  rtop_window_destroy(&window);
  rtop_profile_destroy(&profile);
  return 0;
}

static void build(void)
{
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_true(wait_sums_build(&sums, &sum, profile));
}

/* Thread `serial` waits all the window in Bank#enter for what `holder` has. */
static void waits(uint64_t serial, uint64_t holder, int64_t wait_ns)
{
  uint32_t at = fixture_thread(&window, serial, RTOP_BLOCKED, enter, 0);
  window.threads[at].state_age_ns = 250 * MS + serial;
  window.threads[at].lock_kind = RTOP_LOCK_MUTEX;
  window.threads[at].lock = 1;
  window.threads[at].lock_holder = holder;
  fixture_cell(&window, at, enter, RTOP_BLOCKED, (uint64_t)wait_ns);
}

static void does(uint64_t serial, uint32_t state, uint32_t node)
{
  fixture_cell(&window, fixture_thread(&window, serial, state, node, 0), node, state,
               (uint64_t)(window.end_mono_ns - window.start_mono_ns));
}

/* Window `at`: threads 1 and 2 wait, 3 has the lock there. */
static void add_window(int at, uint32_t holder_node, uint32_t holder_state)
{
  fixture_window(&window, (10 + at) * 100 * MS, (11 + at) * 100 * MS);
  waits(1, 3, 100 * MS);
  waits(2, 3, 80 * MS);
  does(3, holder_state, holder_node);
  does(4, RTOP_BLOCKED, at % 2 ? pop : rest);
  assert_true(fixture_add(profile, 0, &window));
}

static const char *label(uint32_t frame)
{
  return frame ? rtop_symbols_get(rtop_profile_symbols(profile), frame)->label : "";
}

static void assert_behind(size_t at, const char *frame, const char *took, int64_t wait_ns)
{
  const struct wait_behind *behind = &wait_row_behind(&sums, &sums.rows[0])[at];
  assert_true(at < sums.rows[0].behind_count);
  assert_string_equal(label(behind->frame), frame);
  assert_string_equal(label(behind->took), took);
  assert_in_range(behind->wait_ns, wait_ns - 1, wait_ns + 1);
}

/* Ten windows: in seven the holder is in Bank#hold, in three it runs in Cache#fill. */
static void test_behind_whom(void **state)
{
  (void)state;
  for (int at = 0; at < 10; at++) add_window(at, at < 7 ? hold : fill, at < 7 ? RTOP_BLOCKED : RTOP_RUNNING);
  build();
  const struct wait_row *row = &sums.rows[0];
  assert_int_equal(row->kind, RTOP_WAITS_MUTEX);
  assert_string_equal(label(row->place), "Bank#enter");
  assert_int_equal(row->wait_ns, 1800 * MS);
  assert_int_equal(row->threads, 2);
  assert_int_equal(row->longest_ns, 250 * MS + 2);
  assert_int_equal(row->seen, 10);
  assert_int_equal(row->behind_count, 2);
  assert_behind(0, "Bank#hold", "Bank#report", 1260 * MS);
  assert_behind(1, "Cache#fill", "", 540 * MS);
  assert_true(wait_row_behind(&sums, row)->known);
  assert_int_equal(wait_row_behind(&sums, row)->thread.serial, 3);
  assert_int_equal(sums.kind_ns[RTOP_WAITS_MUTEX], 1800 * MS);
  assert_int_equal(sums.kind_ns[RTOP_WAITS_QUEUE], 500 * MS);
  assert_int_equal(sums.kind_ns[RTOP_WAITS_IO], 500 * MS);
  assert_int_equal(sums.kind_ns[RTOP_WAITS_SLEEP], 700 * MS); /* the holder itself */
  assert_int_equal(sums.blocked_ns, 3500 * MS);
  assert_int_equal(sums.all_ns, 3800 * MS);
  assert_int_equal(sums.count, 4);
}

/* Nobody is told to have it, one that is not there, the waiter itself, one whose stack is not of now: no method. */
static void test_nobody_known(void **state)
{
  static const uint64_t holders[] = { 0, 99, UINT64_MAX, 1, 5 };
  (void)state;
  for (int at = 0; at < 5; at++) {
    fixture_window(&window, (10 + at) * 100 * MS, (11 + at) * 100 * MS);
    waits(1, holders[at], 100 * MS);
    does(5, RTOP_RUNNING, hold);
    window.threads[1].flags = RTOP_WINDOW_THREAD_STALE;
    assert_true(fixture_add(profile, 0, &window));
  }
  build();
  struct wait_line lines[2];
  assert_int_equal(wait_lines(&sums, rtop_profile_symbols(profile), 0, lines, 2), 2);
  assert_string_equal(lines[1].text, "  500 ms                     holder not known");
  assert_int_equal(sums.rows[0].seen, 5);
  assert_int_equal(sums.rows[0].behind_count, 1);
  assert_behind(0, "", "", 500 * MS);
  assert_false(wait_row_behind(&sums, sums.rows)->known); /* one of five */
}

/* Time without any instant is told, and nobody blamed; what a filter leaves out does not count. */
static void test_what_is_not_told(void **state)
{
  (void)state;
  fixture_window(&window, 1000 * MS, 1100 * MS);
  uint32_t at = fixture_thread(&window, 1, RTOP_RUNNING, fill, 0);
  fixture_cell(&window, at, enter, RTOP_BLOCKED, 60 * MS);
  assert_true(fixture_add(profile, 0, &window));
  build();
  assert_int_equal(sums.rows[0].wait_ns, 60 * MS);
  assert_true(sums.rows[0].seen == 0 && sums.rows[0].behind_count == 0 && sums.rows[0].longest_ns == 0);
  for (int i = 1; i < 5; i++) add_window(i, hold, RTOP_BLOCKED);
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  for (size_t i = 0; i < sum.thread_count; i++) sum.threads[i].hidden = sum.threads[i].serial == 1;
  assert_true(wait_sums_build(&sums, &sum, profile));
  assert_int_equal(sums.rows[0].wait_ns, 320 * MS);
  assert_true(sums.rows[0].threads == 1 && sums.rows[0].seen == 4);
  assert_behind(0, "Bank#hold", "Bank#report", 320 * MS); /* holders are told even if they are left out */
}

/* A window of a second stands for ten of a tenth, and a span that has a part of it gets its share. */
static void test_long_windows(void **state)
{
  (void)state;
  add_window(0, hold, RTOP_BLOCKED);
  fixture_window(&window, 1100 * MS, 2000 * MS);
  waits(1, 3, 900 * MS);
  does(3, RTOP_RUNNING, fill);
  assert_true(fixture_add(profile, 0, &window));
  build();
  assert_int_equal(sums.rows[0].wait_ns, 1080 * MS);
  assert_behind(0, "Cache#fill", "", 1080 * MS * 9 / 11);
  assert_behind(1, "Bank#hold", "Bank#report", 1080 * MS * 2 / 11);
  assert_true(rtop_profile_sum(profile, fixture_span(1000 * MS, 1400 * MS), &sum));
  assert_true(wait_sums_build(&sums, &sum, profile));
  assert_int_equal(sums.rows[0].wait_ns, 480 * MS);
  assert_behind(0, "Cache#fill", "", 480 * MS * 3 / 5);
}

/* What the lens hides is not hidden here. */
static void test_without_c(void **state)
{
  (void)state;
  const struct rtop_lens_look look = { .no_c = true };
  for (int at = 0; at < 4; at++) add_window(at, hold, RTOP_BLOCKED);
  assert_true(rtop_lens_set(rtop_profile_lens(profile), &look));
  build();
  assert_int_equal(sums.rows[0].kind, RTOP_WAITS_MUTEX);
  assert_behind(0, "Bank#hold", "Bank#report", 720 * MS);
}

/* Two threads that take turns: a method is to blame, none of them by name. Many methods: all are told apart as long as
 * there is room, and the sum stays. */
static void test_many_holders(void **state)
{
  enum { METHODS = 3000, WAITERS = 8 };
  (void)state;
  for (int at = 0; at < METHODS; at++) {
    char name[32];
    snprintf(name, sizeof name, "Many#m%d", at);
    fixture_window(&window, (10 + at) * 100 * MS, (11 + at) * 100 * MS);
    for (uint64_t i = 0; i < WAITERS; i++) waits(10 + i, 1 + (uint64_t)at % 2, 100 * MS);
    for (uint64_t i = 1; i <= 2; i++) does(i, RTOP_RUNNING, at < 2 ? fill : node_below(0, name, "/app/many.rb"));
    assert_true(fixture_add(profile, 0, &window));
  }
  build();
  const struct wait_row *row = &sums.rows[0];
  uint64_t all_ns = 0;
  assert_int_equal(row->behind_count, METHODS - 1);
  assert_string_equal(label(wait_row_behind(&sums, row)->frame), "Cache#fill");
  assert_false(wait_row_behind(&sums, row)->known);
  assert_int_equal(row->seen, METHODS);
  for (size_t i = 0; i < row->behind_count; i++) all_ns += wait_row_behind(&sums, row)[i].wait_ns;
  assert_in_range(all_ns, row->wait_ns - METHODS, row->wait_ns);
}

/* Of very many windows a part is looked at, the same one each time. */
static void test_long_spans(void **state)
{
  enum { WINDOWS = 4000, IDLE = 100 };
  (void)state;
  for (int at = 0; at < WINDOWS; at++) {
    fixture_window(&window, (10 + at) * 100 * MS, (11 + at) * 100 * MS);
    waits(1, 3, 100 * MS);
    does(3, RTOP_RUNNING, at % 4 ? hold : fill);
    for (uint64_t i = 0; i < IDLE; i++) fixture_thread(&window, 10 + i, RTOP_BLOCKED, pop, 0);
    assert_true(fixture_add(profile, 0, &window));
  }
  build();
  unsigned seen = sums.rows[0].seen;
  assert_in_range(seen, WINDOWS / 5, WINDOWS / 3); /* a quarter */
  assert_int_equal(sums.rows[0].wait_ns, WINDOWS * 100 * MS);
  const struct wait_behind behind = *wait_row_behind(&sums, &sums.rows[0]);
  assert_string_equal(label(behind.frame), "Bank#hold");
  assert_in_range(behind.wait_ns, WINDOWS * 70 * MS, WINDOWS * 80 * MS);
  build();
  assert_int_equal(sums.rows[0].seen, seen);
  assert_int_equal(wait_row_behind(&sums, &sums.rows[0])->wait_ns, behind.wait_ns);
}

/* Windows as long as numbers are: nothing runs over. */
static void test_very_long_windows(void **state)
{
  (void)state;
  for (int64_t at = 0; at < 4; at++) {
    fixture_window(&window, at << 58, (at + 1) << 58);
    for (uint64_t i = 0; i < 40; i++) waits(10 + i, 3, 100 * MS);
    does(3, RTOP_RUNNING, at ? fill : hold);
    assert_true(fixture_add(profile, 0, &window));
  }
  build();
  const struct wait_row *row = &sums.rows[0];
  assert_int_equal(row->wait_ns, 16000 * MS);
  assert_int_equal(row->seen, 4);
  assert_behind(0, "Cache#fill", "", 12000 * MS);
}

/* The same name, or the holder alone, is told with what tells it apart. */
static void test_names_that_many_have(void **state)
{
  struct wait_line lines[4];
  (void)state;
  enter = node_below(node_below(0, "block in <main>", "/app/run.rb"), "Monitor#enter", "");
  hold = node_below(0, "<main>", "/app/run.rb");
  add_window(0, hold, RTOP_RUNNING);
  build();
  assert_int_equal(wait_lines(&sums, rtop_profile_symbols(profile), 0, lines, 4), 3);
  assert_string_equal(lines[0].text, "  180 ms       2   250 ms  Monitor in block in <main> (run.rb:3)");
  assert_string_equal(lines[1].text, "  180 ms                     behind <main> (run.rb:3), t3");
  fixture_window(&window, 1100 * MS, 1200 * MS);
  waits(1, 3, 100 * MS);
  does(3, RTOP_RUNNING, hold);
  window.threads[1].flags = RTOP_WINDOW_THREAD_STALE;
  assert_true(fixture_add(profile, 0, &window));
  build();
  wait_lines(&sums, rtop_profile_symbols(profile), 0, lines, 4);
  assert_string_equal(lines[2].text, " 93.3 ms                     behind t3"); /* a third of 280 */
}

static void test_words(void **state)
{
  struct wait_line lines[8];
  char words[200];
  (void)state;
  for (int at = 0; at < 10; at++) add_window(at, at < 7 ? hold : fill, at < 7 ? RTOP_BLOCKED : RTOP_RUNNING);
  build();
  const struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  wait_kinds_words(words, sizeof words, &sums);
  assert_string_equal(words, "blocked 92% of thread time: locks 47%, sleep 18%, I/O 13%, queues 13%");
  assert_int_equal(wait_lines(&sums, symbols, 0, lines, 8), 6);
  assert_string_equal(lines[0].text, "  1.80 s       2   250 ms  Mutex in Bank#enter");
  assert_string_equal(lines[1].text, "  1.26 s                     behind Bank#hold < Bank#report, t3");
  assert_string_equal(lines[2].text, "  540 ms                     behind Cache#fill, t3");
  assert_string_equal(lines[3].text, "  700 ms       1        -  sleep in Bank#hold");
  assert_true(!lines[0].behind && lines[1].behind && lines[1].row == lines[0].row);
  assert_int_equal(wait_lines(&sums, symbols, 0, lines, 2), 2);
  assert_int_equal(wait_lines(&sums, symbols, 600 * MS, lines, 8), 4);
  assert_int_equal(wait_lines(&sums, symbols, 0, lines, 0), 0);
}

/* Every name is told by its class; who is not known is other. */
static void test_kinds(void **state)
{
  static const struct {
    const char *label;
    enum rtop_wait_kind kind;
  } cases[] = {
    { "Thread::Mutex#lock", RTOP_WAITS_MUTEX },
    { "Thread::Mutex#synchronize", RTOP_WAITS_MUTEX },
    { "Monitor#enter", RTOP_WAITS_MONITOR },
    { "Monitor#synchronize", RTOP_WAITS_MONITOR },
    { "Thread::Mutex#sleep", RTOP_WAITS_CONDITION },
    { "Thread::ConditionVariable#wait", RTOP_WAITS_CONDITION },
    { "Monitor#wait_for_cond", RTOP_WAITS_CONDITION },
    { "Thread::Queue#pop", RTOP_WAITS_QUEUE },
    { "Thread::SizedQueue#shift", RTOP_WAITS_QUEUE },
    { "Thread::SizedQueue#push", RTOP_WAITS_SIZED_ROOM },
    { "Thread::SizedQueue#<<", RTOP_WAITS_SIZED_ROOM },
    { "Kernel#sleep", RTOP_WAITS_SLEEP },
    { "Thread.stop", RTOP_WAITS_SLEEP },
    { "Thread#join", RTOP_WAITS_THREAD },
    { "Thread#value", RTOP_WAITS_THREAD },
    { "Process.wait", RTOP_WAITS_CHILD },
    { "Kernel#system", RTOP_WAITS_CHILD },
    { "Kernel#`", RTOP_WAITS_CHILD },
    { "IO#read", RTOP_WAITS_IO },
    { "IO.select", RTOP_WAITS_IO },
    { "IO#wait", RTOP_WAITS_IO },
    { "Kernel#gets", RTOP_WAITS_IO },
    { "File#flock", RTOP_WAITS_IO },
    { "ARGF.class#gets", RTOP_WAITS_IO },
    { "TCPServer#accept", RTOP_WAITS_IO },
    { "BasicSocket#recv", RTOP_WAITS_IO },
    { "OpenSSL::SSL::SSLSocket#sysread", RTOP_WAITS_IO },
    { "Mysql2::Client#_query", RTOP_WAITS_IO },
    { "Zlib::Deflate#deflate", RTOP_WAITS_OTHER },
    { "Kernel#require", RTOP_WAITS_OTHER },
    { "gets", RTOP_WAITS_OTHER },
    { "#", RTOP_WAITS_OTHER },
    { "", RTOP_WAITS_OTHER },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_int_equal(rtop_wait_kind_of(cases[i].label), cases[i].kind);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t own = fixture_frame(symbols, "Pump#sleep", "/app/pump.rb", 1);
  assert_int_equal(rtop_symbol_waits_for(rtop_symbols_get(symbols, own)), RTOP_WAITS_OTHER);
  assert_int_equal(rtop_symbol_waits_for(rtop_symbols_get(symbols, 0)), RTOP_WAITS_UNKNOWN);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_behind_whom, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_nobody_known, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_what_is_not_told, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_long_windows, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_without_c, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_many_holders, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_long_spans, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_very_long_windows, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_names_that_many_have, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_words, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_kinds, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
