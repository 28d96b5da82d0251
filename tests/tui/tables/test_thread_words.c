/* What is said of a stack that is not the one of now: never the method alone. */
#include "tests/tui/model_fixture.h"
#include "tui/tables/thread_words.h"

static struct rtop_symbols *symbols;
static struct rtop_thread_row thread;

static int set_up(void **state)
{
  (void)state;
  symbols = rtop_symbols_create();
  thread = (struct rtop_thread_row){ .state = RTOP_STATE_RUNNING };
  thread.node = rtop_symbols_node(symbols, 0, fixture_frame(symbols, "Order#total", "/x.rb", 1), 1);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  rtop_symbols_destroy(&symbols);
  return 0;
}

static void check(const char *words, const char *leaf, const char *brief)
{
  char text[200];
  thread_stack_words(text, sizeof text, &thread);
  assert_string_equal(text, words);
  thread_stack_leaf(text, sizeof text, &thread, symbols, false);
  assert_string_equal(text, leaf);
  thread_stack_leaf(text, sizeof text, &thread, symbols, true);
  assert_string_equal(text, brief);
}

static void test_the_stack_of_now(void **state)
{
  (void)state;
  check("", "Order#total", "Order#total");
  thread.stale = thread.ended = true;
  check("", "Order#total", "Order#total");
  thread = (struct rtop_thread_row){ 0 };
  check("", "-", "-");
}

static void test_running(void **state)
{
  (void)state;
  thread.stale = true;
  check("no safepoint", "no safepoint, last seen in Order#total", "? Order#total");
  thread.stack_age_ns = 812 * MS;
  check("no safepoint for 0.8 s", "no safepoint for 0.8 s, last seen in Order#total", "? Order#total");
  thread.state_age_ns = 300 * MS; /* it has slept since it was seen */
  check("no safepoint for 0.3 s", "no safepoint for 0.3 s, last seen in Order#total", "? Order#total");
  thread.state_age_ns = 0;
  thread.stack_age_ns = 12 * MS;
  thread.state = RTOP_STATE_MARKING;
  check("no safepoint for 12.0 ms", "no safepoint for 12.0 ms, last seen in Order#total", "? Order#total");
  thread.stack_age_ns = UINT64_MAX;
  thread.node = 0;
  char text[200];
  thread_stack_leaf(text, sizeof text, &thread, symbols, false);
  assert_non_null(strstr(text, "no safepoint for "));
  assert_null(strstr(text, "last seen"));
}

static void test_off_the_gvl(void **state)
{
  (void)state;
  thread.stale = true;
  thread.state = RTOP_STATE_BLOCKED;
  check("stack unknown", "stack unknown, last seen in Order#total", "? Order#total");
  thread.stack_age_ns = 2100 * MS;
  thread.state = RTOP_STATE_WAITING;
  check("stack unknown", "stack unknown, last seen in Order#total 2.1 s ago", "? Order#total");
  thread.node = 0;
  check("stack unknown", "stack unknown", "? -");
}

static void check_age(const char *words)
{
  char text[64];
  thread_stack_age(text, sizeof text, &thread);
  assert_string_equal(text, words);
}

/* How old a stack of now is. */
static void test_age(void **state)
{
  (void)state;
  check_age("stack of its last window");
  thread.stack_age_ns = 212 * MS;
  thread.state_age_ns = 3400 * MS;
  check_age("stack of 0.2 s ago");
  thread.state = RTOP_STATE_BLOCKED; /* since then nothing changed */
  check_age("in it for 3.4 s");
  thread.state = RTOP_STATE_WAITING;
  check_age("in it for 3.4 s");
  thread.stale = true;
  check_age("");
  thread.stale = false;
  thread.ended = true;
  check_age("");
  thread.ended = false;
  thread.node = 0;
  check_age("");
}

/* Of all threads that hold the GVL, unseen, the one that does so longest. */
static void test_unfinished(void **state)
{
  (void)state;
  struct rtop_thread_row rows[3] = { thread, thread, thread };
  struct rtop_sum sum = { .threads = rows, .thread_count = 3 };
  char text[200];
  assert_null(thread_unfinished(&sum));
  for (int i = 0; i < 3; i++) rows[i].stale = true;
  rows[0].stack_age_ns = 299 * MS; /* soon to come */
  assert_null(thread_unfinished(&sum));
  rows[0].stack_age_ns = 400 * MS;
  rows[1].state_age_ns = 2100 * MS;
  rows[1].stack_age_ns = 9000 * MS; /* it slept before */
  rows[2].state = RTOP_STATE_WAITING;
  rows[2].stack_age_ns = 5000 * MS;
  rows[0].name = rows[2].name = "";
  rows[1].name = "nightly";
  assert_ptr_equal(thread_unfinished(&sum), &rows[1]);
  thread_unfinished_words(text, sizeof text, &rows[1], symbols);
  assert_string_equal(text, "? Order#total, 2.1 s so far (nightly)");
  rows[1].hidden = true;
  assert_ptr_equal(thread_unfinished(&sum), &rows[0]);
  rows[0].native_id = 4711;
  thread_unfinished_words(text, sizeof text, &rows[0], symbols);
  assert_string_equal(text, "? Order#total, 0.4 s so far (4711)");
  rows[0].ended = true;
  assert_null(thread_unfinished(&sum));
}

/* The stack is the one of a sleep that is over: the thread holds the GVL, but has no core yet; no call lasts. When one
 * does, the sleep is not it. */
static void test_who_woke_up_is_in_no_call_yet(void **state)
{
  (void)state;
  char text[200];
  uint32_t sleeps = rtop_symbols_frame(symbols, "Kernel#sleep", 12, "", 0, "", 0, 0, RTOP_SYMBOL_C);
  struct rtop_thread_row row = { .state = RTOP_STATE_RUNNING, .stale = true, .name = "prices" };
  struct rtop_sum sum = { .threads = &row, .thread_count = 1 };
  row.node = rtop_symbols_node(symbols, thread.node, sleeps, 0);
  row.state_age_ns = 320 * MS;
  row.stack_age_ns = 420 * MS;
  assert_null(thread_unfinished(&sum));
  row.state_age_ns = 1100 * MS;
  row.stack_age_ns = 1200 * MS;
  assert_ptr_equal(thread_unfinished(&sum), &row);
  thread_unfinished_words(text, sizeof text, &row, symbols);
  assert_string_equal(text, "? Order#total, 1.1 s so far (prices)");
  row.node = rtop_symbols_node(symbols, 0, sleeps, 0);
  thread_unfinished_words(text, sizeof text, &row, symbols);
  assert_string_equal(text, "? -, 1.1 s so far (prices)");
  row.state_age_ns = 400 * MS; /* seen since it holds the GVL: a call of 0.4 s */
  row.stack_age_ns = 390 * MS;
  assert_ptr_equal(thread_unfinished(&sum), &row);
}

#define WORDS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    WORDS_TEST(test_the_stack_of_now), WORDS_TEST(test_running),
    WORDS_TEST(test_off_the_gvl),      WORDS_TEST(test_age),
    WORDS_TEST(test_unfinished),       WORDS_TEST(test_who_woke_up_is_in_no_call_yet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
