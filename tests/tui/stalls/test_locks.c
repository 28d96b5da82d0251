/* Threads that wait for locks of one another: chains, circles, and numbers that make no sense. */
#include "tests/tui/model_fixture.h"
#include "tui/stalls/locks.h"

enum { COUNT = 400 };
static struct rtop_thread_row rows[COUNT];
static struct rtop_sum sum;
static struct rtop_symbols *symbols;

/* Thread i + 1 waits for lock i + 1 of thread i + 2; the last one runs. */
static int set_up(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < COUNT; i++) {
    rows[i] = (struct rtop_thread_row){
      .thread = i,
      .name = "",
      .serial = i + 1,
      .state = RTOP_STATE_BLOCKED,
      .state_age_ns = (uint64_t)(1000 * MS) + i,
      .lock = { RTOP_WANTS_MUTEX, i + 1, i + 2 },
    };
  }
  rows[COUNT - 1].state = RTOP_STATE_RUNNING;
  sum = (struct rtop_sum){ .threads = rows, .thread_count = COUNT };
  symbols = rtop_symbols_create();
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  rtop_symbols_destroy(&symbols);
  return 0;
}

static void wants(size_t row, uint32_t number, uint64_t holder)
{
  rows[row].lock = (struct rtop_lock){ RTOP_WANTS_MUTEX, number, holder };
}

static void test_who_has_it(void **state)
{
  (void)state;
  assert_int_equal(rtop_lock_holder(&sum, 0), 1);
  assert_int_equal(rtop_lock_holder(&sum, COUNT - 2), COUNT - 1);
  assert_true(rtop_lock_holder(&sum, COUNT - 1) == SIZE_MAX); /* it waits for nothing */
  wants(0, 1, 0);
  assert_true(rtop_lock_holder(&sum, 0) == SIZE_MAX);
  wants(0, 1, UINT64_MAX);
  assert_true(rtop_lock_holder(&sum, 0) == SIZE_MAX); /* there is no such thread */
  wants(0, 1, 1);
  assert_true(rtop_lock_holder(&sum, 0) == SIZE_MAX); /* itself */
  wants(0, 1, 3);
  rows[2].ended = true;
  assert_true(rtop_lock_holder(&sum, 0) == SIZE_MAX);
  rows[2].ended = false;
  rows[0].lock.wants = RTOP_WANTS_ITEM;
  assert_true(rtop_lock_holder(&sum, 0) == SIZE_MAX); /* nobody has a queue */
  wants(0, 1, 3);
  for (size_t i = 0; i < COUNT; i++) rows[i].source = i > 1;
  assert_true(rtop_lock_holder(&sum, 0) == SIZE_MAX); /* of another process */
}

static void test_chains(void **state)
{
  (void)state;
  struct rtop_lock_chain chain;
  rtop_lock_chain(&chain, &sum, symbols, COUNT - 3);
  assert_int_equal(chain.count, 3);
  for (unsigned i = 0; i < 3; i++) assert_int_equal(chain.rows[i], COUNT - 3 + i);
  assert_false(chain.circle || chain.longer);
  rtop_lock_chain(&chain, &sum, symbols, COUNT - 1);
  assert_int_equal(chain.count, 1);
  rtop_lock_chain(&chain, &sum, symbols, 0); /* four hundred: so many are followed */
  assert_int_equal(chain.count, RTOP_LOCK_CHAIN_MAX);
  assert_true(chain.longer && !chain.circle);
  assert_false(rtop_lock_deadlock(&chain, &sum, symbols));
}

static void test_circles(void **state)
{
  (void)state;
  struct rtop_lock_chain chain;
  wants(6, 7, 5); /* 5 waits for 6, 6 for 7, 7 for 5; the ones before wait behind them */
  rtop_lock_chain(&chain, &sum, symbols, 2);
  assert_int_equal(chain.count, 5);
  assert_true(chain.circle);
  assert_int_equal(chain.closes, 2);
  assert_true(rtop_lock_deadlock(&chain, &sum, symbols));
  assert_int_equal(chain.count, 3);
  for (unsigned i = 0; i < 3; i++) assert_int_equal(chain.rows[i], 4 + i);
  rows[5].state = RTOP_STATE_WAITING; /* it got what it wanted */
  assert_false(rtop_lock_deadlock(&chain, &sum, symbols));
  rows[5].state = RTOP_STATE_BLOCKED;
  rows[5].state_age_ns = (uint64_t)(20 * MS); /* threads are looked at one after the other */
  assert_false(rtop_lock_deadlock(&chain, &sum, symbols));
  rtop_lock_chain(&chain, &sum, symbols, 2);
  assert_false(chain.circle);
}

/* Who waits for another thread to end waits for no lock, but is part of a circle all the same. */
static void test_circles_of_threads_that_join(void **state)
{
  (void)state;
  struct rtop_lock_chain chain;
  rows[1].lock = (struct rtop_lock){ RTOP_WANTS_THREAD, 0, 1 }; /* the first wants its lock, and must end for it */
  assert_true(rtop_lock_holder(&sum, 1) == SIZE_MAX);
  assert_false(rtop_lock_waits(&rows[1]));
  rtop_lock_chain(&chain, &sum, symbols, 0);
  assert_int_equal(chain.count, 2);
  assert_true(chain.circle);
  assert_true(rtop_lock_deadlock(&chain, &sum, symbols));
  assert_int_equal(chain.count, 2);
  for (size_t i = 0; i < COUNT; i++) rows[i].lock = (struct rtop_lock){ RTOP_WANTS_THREAD, 0, i + 2 };
  assert_false(rtop_lock_deadlock(&chain, &sum, symbols));
  rows[20].lock.holder = 19; /* joins alone */
  assert_true(rtop_lock_deadlock(&chain, &sum, symbols));
  assert_int_equal(chain.count, 3);
  assert_int_equal(chain.rows[0], 18);
  rows[19].lock.holder = 0; /* with a limit, as far as is known */
  assert_false(rtop_lock_deadlock(&chain, &sum, symbols));
  rows[19].lock.holder = 21;
  rows[19].lock.wants = RTOP_WANTS_ITEM; /* of a queue, which anybody may fill */
  assert_false(rtop_lock_deadlock(&chain, &sum, symbols));
}

/* Timeout ends the wait of one, and then all of them go on. */
static void test_a_circle_for_now(void **state)
{
  (void)state;
  static const struct {
    const char *label;
    bool deadlock;
  } cases[] = { { "Timeout.timeout", false }, { "Timeout#timeout", false }, { "MyTimeout.timeout", true } };
  struct rtop_lock_chain chain;
  wants(6, 7, 5);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint32_t limits = rtop_symbols_node(symbols, 0, fixture_frame(symbols, cases[i].label, "/timeout.rb", 1), 186);
    uint32_t block = rtop_symbols_node(symbols, limits, fixture_frame(symbols, "block in Pool#stop", "/pool.rb", 1), 7);
    rows[5].node = rtop_symbols_node(symbols, block, fixture_frame(symbols, "Thread#join", "", 0), 0);
    assert_int_equal(rtop_lock_deadlock(&chain, &sum, symbols), cases[i].deadlock);
    rtop_lock_chain(&chain, &sum, symbols, 2);
    assert_int_equal(chain.circle, cases[i].deadlock);
    assert_int_equal(chain.longer, !cases[i].deadlock);
  }
}

/* Each lock once, with those that wait longest. */
static void test_counts(void **state)
{
  (void)state;
  struct rtop_lock_count locks[RTOP_LOCK_COUNTS_MAX];
  assert_int_equal(rtop_lock_counts(&sum, locks), RTOP_LOCK_COUNTS_MAX);
  for (size_t i = 0; i < COUNT; i++) wants(i, i % 2 ? 7 : 8, 1);
  rows[3].state_age_ns = (uint64_t)(9000 * MS);
  rows[4].lock.number = 0;
  assert_int_equal(rtop_lock_counts(&sum, locks), 2);
  assert_int_equal(locks[0].waiters, COUNT / 2 - 1); /* one has no number */
  assert_int_equal(locks[0].row, COUNT - 2);
  assert_int_equal(locks[1].waiters, COUNT / 2 - 1); /* one runs */
  assert_int_equal(locks[1].row, 3);
  assert_int_equal(rtop_lock_waiters(&sum, 1), COUNT / 2 - 1);
  assert_int_equal(rtop_lock_waiters(&sum, 4), 0);
}

/* From a window into the sum of a span, and into what looks at windows. */
static void test_from_a_window(void **state)
{
  (void)state;
  static const struct {
    uint32_t state, kind;
    enum rtop_wants wants;
  } cases[] = {
    { RTOP_BLOCKED, RTOP_LOCK_MUTEX, RTOP_WANTS_MUTEX },
    { RTOP_BLOCKED, RTOP_LOCK_CONDITION, RTOP_WANTS_CONDITION },
    { RTOP_BLOCKED, RTOP_LOCK_KIND_END, RTOP_WANTS_NOTHING },
    { RTOP_BLOCKED, UINT32_MAX, RTOP_WANTS_NOTHING },
    { RTOP_RUNNING, RTOP_LOCK_MUTEX, RTOP_WANTS_NOTHING },
  };
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  struct rtop_window window = { 0 };
  struct rtop_sum of = { 0 };
  fixture_window(&window, 1000 * MS, 1100 * MS);
  for (uint32_t i = 0; i < 5; i++) {
    uint32_t thread = fixture_thread(&window, i + 1, cases[i].state, 0, 0);
    window.threads[thread].lock_kind = cases[i].kind;
    window.threads[thread].lock = 40 + i;
    window.threads[thread].lock_holder = 50 + i;
  }
  assert_true(fixture_add(profile, 0, &window));
  assert_true(rtop_profile_sum(profile, fixture_span(1000 * MS, 1100 * MS), &of));
  assert_int_equal(of.thread_count, 5);
  for (uint32_t i = 0; i < 5; i++) {
    bool any = cases[i].wants != RTOP_WANTS_NOTHING;
    assert_int_equal(of.threads[i].lock.wants, cases[i].wants);
    assert_int_equal(of.threads[i].lock.number, any ? 40 + i : 0);
    assert_int_equal(of.threads[i].lock.holder, any ? 50 + i : 0);
  }
  rtop_sum_destroy(&of);
  rtop_window_destroy(&window);
  rtop_profile_destroy(&profile);
}

#define LOCK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    LOCK_TEST(test_who_has_it),
    LOCK_TEST(test_chains),
    LOCK_TEST(test_circles),
    LOCK_TEST(test_circles_of_threads_that_join),
    LOCK_TEST(test_a_circle_for_now),
    LOCK_TEST(test_counts),
    cmocka_unit_test(test_from_a_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
