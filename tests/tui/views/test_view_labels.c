/* The view of labels where it is known how long blocks took. */
#include "tests/tui/model_fixture.h"
#include "tests/tui/screen_model.h"

#include "shm/base/latency.h"
#include <locale.h>

static struct ui ui;
static struct rtop_profile *profile;
static int64_t slower_ns;

static void number(struct rtop_window *window, uint32_t what, uint32_t cause, uint32_t bucket, uint64_t value)
{
  *rtop_window_add_exact(window) = (struct rtop_exact){ 0, what, rtop_work_key(0, cause, bucket), value };
}

/* A second more, in which ten blocks took 250 ms each and slept for four fifths of them. */
static bool waits; /* some behind others */

static uint32_t set_node(const char *set)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t frame = rtop_symbols_frame(symbols, set, strlen(set), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
  return rtop_symbols_node(symbols, 0, frame, 0);
}

/* A call into C below a method of the program. */
static uint32_t cache_node(void)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t method =
      rtop_symbols_frame(symbols, "Cache#fetch", 11, "/app/cache.rb", 13, "Cache", 5, 3, RTOP_SYMBOL_RUBY);
  uint32_t lock = rtop_symbols_frame(symbols, "Thread::Mutex#lock", 18, "", 0, "Thread::Mutex", 13, 0, RTOP_SYMBOL_C);
  return rtop_symbols_node(symbols, rtop_symbols_node(symbols, 0, method, 4), lock, 0);
}

static void add_work(uint64_t open, uint64_t oldest_ns)
{
  uint32_t node = set_node("endpoint=GET /orders/:id");
  struct rtop_window window = { .sequence = 99999,
                                .start_mono_ns = MODEL_END_NS,
                                .end_mono_ns = MODEL_END_NS + 100 * MS };
  number(&window, RTOP_WORK_ENDED, 0, 0, 10);
  number(&window, RTOP_WORK_TIME_NS, 0, 0, 2500 * MS);
  number(&window, RTOP_WORK_LONGEST_NS, 0, 0, 250 * MS);
  number(&window, RTOP_WORK_TIMES, 0, rtop_latency_bucket(250 * MS), 10);
  number(&window, RTOP_WORK_TIME_NS, RTOP_WORK_SLEEP, 0, 2000 * MS);
  number(&window, RTOP_WORK_TIME_NS, RTOP_WORK_GVL, 0, 400 * MS);
  number(&window, RTOP_WORK_TIME_NS, RTOP_WORK_RUNNING, 0, 100 * MS);
  number(&window, RTOP_WORK_OPEN, 0, 0, 1 + open);
  number(&window, RTOP_WORK_OLDEST_NS, 0, 0, oldest_ns);
  for (unsigned i = 0; i < 3; i++) {
    struct rtop_slow *slow = rtop_window_add_slow(&window);
    *slow = (struct rtop_slow){ .end_mono_ns = MODEL_END_NS + 10 * MS * (i + 1),
                                .flags = RTOP_SLOW_BLOCK | 1 << RTOP_SLOW_LABELS_SHIFT,
                                .total_ns = (150 + 50 * i) * MS };
    slow->work_ns[RTOP_WORK_SLEEP] = 120 * MS;
    slow->work_ns[RTOP_WORK_GVL] = slow->total_ns - 120 * MS;
  }
  if (waits) {
    *rtop_window_add_pair(&window) = (struct rtop_behind){ 0, 1, RTOP_PAIR_GVL, 0, 9, 340 * MS };
    *rtop_window_add_pair(&window) = (struct rtop_behind){ 0, 1, RTOP_PAIR_GC, 0, 9, 20 * MS };
    *rtop_window_add_pair(&window) = (struct rtop_behind){ 0, 2, RTOP_PAIR_LOCK, 3, 9, 120 * MS };
    *rtop_window_add_pair(&window) = (struct rtop_behind){ 1, 0, RTOP_PAIR_GVL, 0, 9, 900 * MS }; /* another one's */
  }
  const uint32_t nodes[] = { node, set_node("endpoint=GET /report,user=7"), set_node("job=nightly"), cache_node() };
  assert_true(rtop_profile_add(profile, 0, &window, nodes, 4, NULL));
  rtop_window_destroy(&window);
}

static void open_view(int columns, uint64_t open, uint64_t oldest_ns)
{
  const struct screen_case screen = { .rows = 24, .columns = columns };
  profile = model_profile();
  add_work(open, oldest_ns);
  model_screen_open(&screen, &ui, profile);
  ui.stalls.limits.request_ns = slower_ns;
  model_press(&ui, '9');
}

static void close_view(void)
{
  check_drawn_afresh(&ui);
  model_screen_close(&ui, &profile);
}

static void test_quantiles_and_causes(void **state)
{
  (void)state;
  static const int widths[] = { 80, 100, 160, 200 };
  for (int i = 0; i < 4; i++) {
    open_view(widths[i], 0, 0);
    assert_true(shows("P50"));
    assert_true(shows("P90") == (widths[i] >= 130));
    assert_true(shows("P99"));
    assert_true(shows("MAX"));
    assert_true(shows("WHERE ITS TIME GOES"));
    assert_true(shows("GET /orders/:id"));
    assert_true(shows("sleep 80% GVL 16%"));
    assert_true(shows("250"));
    close_view();
  }
}

static void test_what_is_open(void **state)
{
  (void)state;
  open_view(80, 3, 41000 * MS);
  assert_true(shows("3 open, oldest 41"));
  close_view();
  open_view(160, 1, 41000 * MS);
  assert_true(shows("1 open, for 41"));
  close_view();
  open_view(80, 1, 100 * MS); /* no longer than others took */
  assert_false(shows("open, for"));
  assert_true(shows("sleep 80%"));
  close_view();
}

/* The opened row says whom it waits behind, a mean of each of its ten blocks. */
static void test_waits_behind(void **state)
{
  (void)state;
  waits = true;
  open_view(200, 0, 0);
  assert_false(shows("waits behind"));
  model_press(&ui, 'D');
  assert_true(shows("waits behind, mean of a block: GET /report 34.0 ms (GVL), job=nightly 12.0 ms (lock in Cache#fetch), "
                    "GET /report 2.00 ms (its GC)"));
  assert_true(shows("SLOW  GET /orders/:id: the slowest 3, newest first"));
  model_press(&ui, 'D');
  assert_false(shows("waits behind"));
  close_view();
  open_view(80, 0, 0); /* too narrow for one row */
  model_press(&ui, 'D');
  assert_true(shows("waits behind, mean of a block: GET /report 34.0 ms (GVL)"));
  assert_true(shows("GET /report 2.00 ms (its GC)"));
  assert_true(shows("SLOW  GET /orders/:id: the slowest 3, newest first") && shows("250ms  GVL 52% sleep 48%"));
  close_view();
  waits = false;
}

/* A key opens a row into its slowest blocks; that key, or Esc, closes it. */
static void test_slow_blocks(void **state)
{
  (void)state;
  static const int widths[] = { 80, 120, 200 };
  for (int i = 0; i < 3; i++) {
    open_view(widths[i], 0, 0);
    assert_false(shows("SLOW "));
    model_press(&ui, 'D');
    assert_true(shows("SLOW  GET /orders/:id: the slowest 3, newest first"));
    assert_true(shows("250ms  GVL 52% sleep 48%"));
    assert_true(shows("200ms  sleep 60% GVL 40%"));
    assert_true(shows("no stack was seen meanwhile"));
    model_press(&ui, 'D');
    assert_false(shows("SLOW "));
    close_view();
    slower_ns = 200 * MS; /* somebody said what is slow: it is open at once */
    open_view(widths[i], 0, 0);
    assert_true(shows("SLOW  GET /orders/:id: 2 took 200ms or longer"));
    assert_false(shows("150ms"));
    model_press(&ui, 'D');
    assert_false(shows("SLOW "));
    close_view();
    slower_ns = 0;
  }
}

/* All of their time decides, unless the user wants what is busy. */
static void test_order(void **state)
{
  (void)state;
  open_view(80, 0, 0);
  assert_true(shows("TOTAL%v"));
  assert_false(shows("BUSY%"));
  close_view();
}

/* Narrow screens have what fits. */
static void test_narrow(void **state)
{
  (void)state;
  for (int columns = 20; columns < 80; columns += 7) {
    open_view(columns, 3, 41000 * MS);
    close_view();
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_quantiles_and_causes), cmocka_unit_test(test_what_is_open), cmocka_unit_test(test_order),
    cmocka_unit_test(test_slow_blocks),          cmocka_unit_test(test_waits_behind), cmocka_unit_test(test_narrow),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
