/* Histories with one thing wrong in them, and histories with nothing wrong. */
#include "tests/tui/model_fixture.h"
#include "tui/stalls/stalls.h"

#include <stdlib.h>

enum { MAIN, POP, WORK, SLEEP, LOCK, JOIN, LOOP, DEEP, UNPACK, UNSAMPLED, NODES };

static struct rtop_profile *profile;
static struct rtop_symbols *symbols;
static struct stalls stalls;
static struct stall_limits limits;
static uint32_t node[NODES];
static int64_t now_ms;

static uint32_t call(uint32_t parent, const char *label, const char *path)
{
  return rtop_symbols_node(symbols, parent, fixture_frame(symbols, label, path, 1), 1);
}

static int set_up(void **state)
{
  (void)state;
  profile = rtop_profile_create(64 << 20);
  symbols = rtop_profile_symbols(profile);
  limits = STALL_LIMITS_USUAL;
  now_ms = 10000;
  node[MAIN] = call(0, "<main>", "/app/main.rb");
  node[POP] = call(node[MAIN], "Thread::Queue#pop", "<internal:thread_sync>");
  node[WORK] = call(node[MAIN], "Order#total", "/app/order.rb");
  node[DEEP] = call(call(node[WORK], "Order#price", "/app/order.rb"), "Tax#of", "/app/tax.rb");
  node[SLEEP] = call(node[DEEP], "Kernel#sleep", "");
  node[LOCK] = call(node[DEEP], "Thread::Mutex#lock", "");
  node[JOIN] = call(node[DEEP], "Thread#join", "");
  node[LOOP] = call(node[DEEP], "Tax#loop", "/app/tax.rb");
  node[UNPACK] = call(node[DEEP], "String#unpack", "");
  node[UNSAMPLED] = fixture_unsampled(symbols);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  stalls_destroy(&stalls);
  rtop_profile_destroy(&profile);
  return 0;
}

struct doing {
  uint32_t state, node;
  int64_t since_ms; /* of the state */
  bool provisional;
  uint64_t gc_ms;  /* of a running thread's window */
  uint64_t holder; /* waits for a Mutex of that thread, from 1 */
};

/* A window of 100 ms in which every thread does one thing; what is running holds the GVL for all of it. */
static void window(const struct doing *doing, size_t count)
{
  struct rtop_window made = { 0 };
  fixture_window(&made, now_ms * MS, (now_ms + 100) * MS);
  now_ms += 100;
  for (size_t i = 0; i < count; i++) {
    uint64_t wall_ns = 100 * MS;
    uint32_t thread = fixture_thread(&made, i + 1, doing[i].state, doing[i].node, doing[i].provisional ? wall_ns : 0);
    made.threads[thread].state_age_ns = (uint64_t)((now_ms - doing[i].since_ms) * MS);
    made.threads[thread].lock_kind = doing[i].holder ? RTOP_LOCK_MUTEX : RTOP_LOCK_NONE;
    made.threads[thread].lock = made.threads[thread].lock_kind;
    made.threads[thread].lock_holder = doing[i].holder;
    if (doing[i].provisional) continue;
    uint64_t gc_ns = doing[i].gc_ms * (uint64_t)MS;
    if (wall_ns > gc_ns) fixture_cell(&made, thread, doing[i].node, doing[i].state, wall_ns - gc_ns)->blame_ns = 1;
    if (gc_ns) fixture_cell(&made, thread, doing[i].node, RTOP_MARKING, gc_ns);
  }
  assert_true(fixture_add(profile, 0, &made));
  rtop_window_destroy(&made);
  stalls_update(&stalls, profile, symbols, &limits);
}

static void windows(int count, struct doing doing)
{
  doing.since_ms = now_ms;
  for (int i = 0; i < count; i++) window(&doing, 1);
}

static void runs(int count)
{
  windows(count, (struct doing){ .state = RTOP_RUNNING, .node = node[WORK] });
}
static void waits_in(int where, int count)
{
  windows(count, (struct doing){ .state = RTOP_BLOCKED, .node = node[where] });
}

static const struct stall *only(enum stall_cause cause, int64_t start_ms, int64_t end_ms)
{
  if (stalls.count != 1) fail_msg("%zu stalls", stalls.count);
  assert_int_equal(stalls.list[0].cause, cause);
  assert_int_equal(stalls.list[0].start_ns / MS, start_ms);
  assert_int_equal(stalls.list[0].end_ns / MS, end_ms);
  return &stalls.list[0];
}

static void check_words(const struct stall *stall, const char *wanted)
{
  char words[300];
  stall_words(stall, symbols, words, sizeof words);
  assert_string_equal(words, wanted);
}

static void test_nothing_wrong(void **state)
{
  (void)state;
  for (int i = 0; i < 5; i++) {
    waits_in(POP, 40); /* a pool's thread at rest */
    runs(2);
    waits_in(SLEEP, 9); /* shorter than the threshold */
  }
  assert_int_equal(stalls.count, 0);
}

/* Of a strange file: windows that are years apart, and one that lasts for years, are looked at one by one. */
static void test_years_without_windows(void **state)
{
  (void)state;
  static const int64_t year_ms = INT64_C(31557600000);
  struct doing doing = { .state = RTOP_RUNNING, .node = node[WORK] };
  for (int i = 0; i < 5; i++) {
    struct rtop_window made = { 0 };
    int64_t length_ms = i == 3 ? 20 * year_ms : 100;
    fixture_window(&made, now_ms * MS, (now_ms + length_ms) * MS);
    uint32_t thread = fixture_thread(&made, 1, doing.state, doing.node, 0);
    fixture_cell(&made, thread, doing.node, doing.state, 100 * MS);
    assert_true(fixture_add(profile, 0, &made));
    rtop_window_destroy(&made);
    now_ms += length_ms + 3 * year_ms;
  }
  int looks = 1;
  while (stalls_update(&stalls, profile, symbols, &limits) && looks < 1000) looks++;
  assert_in_range(looks, 1, 20);
  runs(11);
  waits_in(SLEEP, 15); /* what comes then is seen as ever */
  assert_int_equal(stalls.count, 1);
}

static void test_sleep_within_work(void **state)
{
  (void)state;
  waits_in(POP, 30);
  runs(2);
  waits_in(SLEEP, 23);
  const struct stall *stall = only(STALL_BLOCKED, 13200, 15500);
  assert_true(stall->open);
  check_words(stall, "blocked 2.3 s Kernel#sleep < Tax#of (t1)");
  runs(1);
  assert_false(only(STALL_BLOCKED, 13200, 15500)->open);
  waits_in(SLEEP, 15); /* again: the same place is no rest while there is a nearer one */
  assert_int_equal(stalls.count, 2);
  assert_true(stalls.list[0].start_ns < stalls.list[1].start_ns);
}

static void test_lock(void **state)
{
  (void)state;
  waits_in(LOCK, 800); /* nobody waits for work in a lock: never withdrawn */
  check_words(only(STALL_BLOCKED, 10000, 90000), "blocked 80.0 s Thread::Mutex#lock < Tax#of (t1)");
}

static void test_rest(void **state)
{
  (void)state;
  waits_in(JOIN, 100); /* waits for another thread */
  assert_int_equal(stalls.count, 0);
  waits_in(SLEEP, 30); /* deep in the stack, for the first time: it may be work */
  assert_int_equal(stalls.count, 1);
  runs(1);
  waits_in(SLEEP, 30); /* it has come back, and waits nowhere else */
  assert_int_equal(stalls.count, 1);
}

#define GEMS "/usr/lib/ruby/gems/3.3.0/gems/"

/* Methods of a gem, one below the other. */
static uint32_t of_gem(uint32_t parent, unsigned depth)
{
  for (unsigned i = 0; i < depth; i++) {
    char label[32];
    snprintf(label, sizeof label, "Server#step%u", i);
    parent = call(parent, label, GEMS "server-1.0/lib/server.rb");
  }
  return parent;
}

/* A server's program, which the script of a gem's command has loaded: it has loops of its own, as deep as it likes, and
 * some in C, which nobody knows by name. */
static void test_a_server_at_rest(void **state)
{
  (void)state;
  uint32_t program = call(call(0, "<main>", "/usr/local/bin/server"), "<top (required)>", GEMS "server-1.0/bin/server");
  uint32_t deep = of_gem(program, 4);
  uint32_t loops[] = { call(deep, "IO#wait_readable", ""), call(deep, "IO.select", ""), call(deep, "Poller#poll_c", ""),
                       call(deep, "Kernel#sleep", "") };
  for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
    windows(50, (struct doing){ .state = RTOP_BLOCKED, .node = loops[i] });
    if (stalls.count) fail_msg("loop %zu", i);
    windows(2, (struct doing){ .state = RTOP_RUNNING, .node = deep });
  }
  uint32_t lock = call(deep, "Thread::Mutex#synchronize", ""); /* no work comes by way of a lock */
  windows(20, (struct doing){ .state = RTOP_BLOCKED, .node = lock });
  check_words(only(STALL_BLOCKED, now_ms - 2000, now_ms),
              "blocked 2.0 s Thread::Mutex#synchronize < Server#step3 (t1)");
}

/* Its pool's threads rest in their queue, so whatever else they wait for is work: a gem's query for a gem. */
static void test_a_gem_within_a_request(void **state)
{
  (void)state;
  uint32_t pool = of_gem(0, 2), deep = of_gem(pool, 4);
  uint32_t waits[] = { call(deep, "IO#wait_readable", ""), call(deep, "Driver#query_c", "") };
  for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
    windows(20, (struct doing){ .state = RTOP_BLOCKED, .node = call(pool, "Thread::Queue#pop", "") });
    windows(1, (struct doing){ .state = RTOP_RUNNING, .node = deep });
    windows(15, (struct doing){ .state = RTOP_BLOCKED, .node = waits[i] });
    assert_int_equal(stalls.count, i + 1);
  }
  check_words(&stalls.list[0], "blocked 1.5 s IO#wait_readable < Server#step3 (t1)");
}

/* A gem asks its server for jobs deeper in its stack than a job sleeps in its own: only the job is work. */
static void test_a_gem_that_asks_for_jobs(void **state)
{
  (void)state;
  uint32_t loop = of_gem(0, 2), fetch = call(of_gem(loop, 6), "IO#wait_readable", "");
  uint32_t job = call(call(of_gem(loop, 2), "Mail#perform", "/app/mail.rb"), "Kernel#sleep", "");
  windows(20, (struct doing){ .state = RTOP_BLOCKED, .node = fetch });
  assert_int_equal(stalls.count, 0);
  windows(12, (struct doing){ .state = RTOP_BLOCKED, .node = job });
  for (int i = 0; i < 3; i++) {
    windows(1, (struct doing){ .state = RTOP_RUNNING, .node = loop });
    windows(20, (struct doing){ .state = RTOP_BLOCKED, .node = fetch });
  }
  check_words(only(STALL_BLOCKED, 12000, 13200), "blocked 1.2 s Kernel#sleep < Mail#perform (t1)");
}

static void test_a_minute_is_rest(void **state)
{
  (void)state;
  waits_in(SLEEP, 500);
  assert_int_equal(stalls.count, 1);
  waits_in(SLEEP, 0);
  struct doing doing = { .state = RTOP_BLOCKED, .node = node[SLEEP], .since_ms = 10000 };
  for (int i = 0; i < 105; i++) window(&doing, 1);
  assert_int_equal(stalls.count, 0);
}

static bool nobody_looks; /* at the history, until it is known */

/* A thread runs, and nobody sees where. As it was told before version 1.2, or as it is since. */
static void holds(int count, int64_t since_ms, bool as_before)
{
  struct rtop_window made = { 0 };
  for (int i = 0; i < count; i++) {
    fixture_window(&made, now_ms * MS, (now_ms + 100) * MS);
    now_ms += 100;
    uint64_t length_ns = (uint64_t)(now_ms - since_ms < 100 ? now_ms - since_ms : 100) * MS;
    uint32_t thread = fixture_thread(&made, 1, RTOP_RUNNING, node[LOOP], as_before ? length_ns : 0);
    made.threads[thread].state_age_ns = (uint64_t)(now_ms - since_ms + 700) * MS;
    if (!as_before) {
      made.threads[thread].flags |= RTOP_WINDOW_THREAD_STALE;
      made.threads[thread].stack_age_ns = (uint64_t)(now_ms - since_ms) * MS;
      fixture_cell(&made, thread, node[UNSAMPLED], RTOP_RUNNING, length_ns);
    }
    if (length_ns < 100 * MS) fixture_cell(&made, thread, node[WORK], RTOP_RUNNING, 100 * MS - length_ns);
    assert_true(fixture_add(profile, 0, &made));
    if (!nobody_looks) stalls_update(&stalls, profile, symbols, &limits);
  }
  rtop_window_destroy(&made);
}

/* A window in which it becomes known that the thread was there. */
static void becomes_known(int64_t start_ms, int64_t end_ms, uint32_t where, uint32_t state)
{
  struct rtop_window made = { 0 };
  fixture_window(&made, now_ms * MS, (now_ms + 100) * MS);
  uint32_t thread = fixture_thread(&made, 1, RTOP_RUNNING, node[WORK], 0);
  fixture_late(&made, thread, where, state, start_ms * MS, (uint64_t)(end_ms - start_ms) * MS);
  int64_t here_ms = end_ms > now_ms ? end_ms - now_ms : 0;
  if (here_ms) fixture_cell(&made, thread, node[UNSAMPLED], state, (uint64_t)here_ms * MS);
  if (here_ms < 100) fixture_cell(&made, thread, node[WORK], RTOP_RUNNING, (uint64_t)(100 - here_ms) * MS);
  now_ms += 100;
  assert_true(fixture_add(profile, 0, &made));
  stalls_update(&stalls, profile, symbols, &limits);
  rtop_window_destroy(&made);
}

/* The same list comes out when all is looked at afterwards. */
static void check_at_once(void)
{
  struct stalls at_once = { 0 };
  while (stalls_update(&at_once, profile, symbols, &limits))
    ;
  assert_int_equal(at_once.count, stalls.count);
  for (size_t i = 0; i < stalls.count; i++) {
    char live[300], then[300];
    stall_words(&stalls.list[i], symbols, live, sizeof live);
    stall_words(&at_once.list[i], symbols, then, sizeof then);
    assert_string_equal(live, then);
  }
  stalls_destroy(&at_once);
}

static void check_no_safepoint(bool as_before)
{
  runs(5);
  holds(5, 10530, as_before);
  assert_int_equal(stalls.count, 0);
  holds(2, 10530, as_before);
  check_words(only(STALL_NO_SAFEPOINT, 10530, 11200), "no-safepoint 0.7 s last seen in Tax#loop (t1)");
  assert_true(stalls.list[0].open);
  uint64_t id = stalls.list[0].id;
  becomes_known(10530, 11240, node[UNPACK], RTOP_RUNNING);
  check_words(only(STALL_NO_SAFEPOINT, 10530, 11240), "no-safepoint 0.7 s String#unpack < Tax#of (t1)");
  assert_true(stalls.list[0].id == id && !stalls.list[0].open);
  runs(5);
  only(STALL_NO_SAFEPOINT, 10530, 11240);
  check_at_once();
  struct rtop_sum sum = { 0 };
  assert_true(rtop_profile_sum(profile, fixture_span(10800 * MS, 10900 * MS), &sum));
  assert_int_equal(sum.threads[0].node, node[UNPACK]);
  assert_false(sum.threads[0].stale);
  rtop_sum_destroy(&sum);
}

static void test_no_safepoint_and_then_the_truth(void **state)
{
  (void)state;
  check_no_safepoint(false);
}

/* Windows come together, on a machine that is busy: some are corrected when they are looked at, the last one is not,
 * for the call ended before it. Still it is the one stall, the one that the user went to. */
static void test_no_safepoint_looked_at_late(void **state)
{
  (void)state;
  runs(5);
  holds(7, 10530, false);
  uint64_t id = only(STALL_NO_SAFEPOINT, 10530, 11200)->id;
  nobody_looks = true;
  holds(4, 10530, false);
  nobody_looks = false;
  becomes_known(10530, 11490, node[UNPACK], RTOP_RUNNING);
  check_words(only(STALL_NO_SAFEPOINT, 10530, 11490), "no-safepoint 1.0 s String#unpack < Tax#of (t1)");
  assert_true(stalls.list[0].id == id && !stalls.list[0].open);
  runs(5);
  only(STALL_NO_SAFEPOINT, 10530, 11490);
  check_at_once();
}

static void test_no_safepoint_as_it_was_told_before(void **state)
{
  (void)state;
  check_no_safepoint(true);
}

/* A window that the process began, and ended only after a stop. */
static void stops(int64_t length_ms)
{
  struct rtop_window made = { 0 };
  fixture_window(&made, now_ms * MS, (now_ms + length_ms + 100) * MS);
  rtop_window_set_counter(&made, RTOP_COUNTER_STOPPED_NS, (uint64_t)(length_ms * MS));
  now_ms += length_ms + 100;
  uint32_t thread = fixture_thread(&made, 1, RTOP_RUNNING, node[WORK], 0);
  fixture_cell(&made, thread, node[WORK], RTOP_RUNNING, (uint64_t)(length_ms + 100) * MS);
  assert_true(fixture_add(profile, 0, &made));
  rtop_window_destroy(&made);
  stalls_update(&stalls, profile, symbols, &limits);
}

/* Whoever ran when it was stopped did not hold the GVL for longer than the process ran. */
static void test_a_process_that_is_stopped(void **state)
{
  (void)state;
  runs(5);
  stops(1200);
  holds(3, 10450, false);
  becomes_known(10450, 12110, node[UNPACK], RTOP_RUNNING);
  check_words(only(STALL_STOPPED, 10500, 11700), "stopped 1.2 s");
  assert_false(stalls.list[0].open);
  check_at_once();
  runs(5);
  holds(7, 12690, false); /* the next call is as long as any other */
  assert_int_equal(stalls.count, 2);
  check_words(&stalls.list[1], "no-safepoint 0.7 s last seen in Tax#loop (t1)");
}

static void test_stops_not_looked_for(void **state)
{
  (void)state;
  limits.stopped_ns = 0;
  runs(5);
  stops(1200);
  holds(3, 10450, false);
  becomes_known(10450, 12110, node[UNPACK], RTOP_RUNNING);
  assert_int_equal(stalls.count, 0);
}

/* It was over before anybody could see that it lasted; told in two records, the last part in a cell. */
static void test_a_short_one_does_not_vanish(void **state)
{
  (void)state;
  runs(5);
  holds(4, 10590, false);
  assert_int_equal(stalls.count, 0);
  becomes_known(10590, 10960, node[UNPACK], RTOP_RUNNING);
  assert_int_equal(stalls.count, 0);
  runs(3);
  holds(5, 11390, false);
  becomes_known(11390, 11920, node[UNPACK], RTOP_RUNNING);
  check_words(only(STALL_NO_SAFEPOINT, 11390, 11920), "no-safepoint 0.5 s String#unpack < Tax#of (t1)");
  check_at_once();
}

/* There were safepoints after all, or nobody ever tells. */
static void test_what_was_only_thought(void **state)
{
  (void)state;
  runs(5);
  holds(7, 10500, false);
  assert_int_equal(stalls.count, 1);
  becomes_known(10500, 10700, node[UNPACK], RTOP_RUNNING);
  assert_int_equal(stalls.count, 0);
  runs(3);
  holds(7, now_ms, false);
  runs(3);
  assert_int_equal(stalls.count, 1);
  assert_true(stalls.list[0].last_seen && !stalls.list[0].open);
}

/* A window in which the thread is blocked since then, nobody knows where; it was seen in this node before. */
static void blocked_somewhere(int64_t since_ms, uint32_t last)
{
  struct rtop_window made = { 0 };
  fixture_window(&made, now_ms * MS, (now_ms + 100) * MS);
  now_ms += 100;
  uint32_t thread = fixture_thread(&made, 1, RTOP_BLOCKED, last, 0);
  made.threads[thread].flags |= RTOP_WINDOW_THREAD_STALE;
  made.threads[thread].state_age_ns = (uint64_t)(now_ms - since_ms) * MS;
  made.threads[thread].stack_age_ns = made.threads[thread].state_age_ns + 5;
  fixture_cell(&made, thread, node[UNSAMPLED], RTOP_BLOCKED, 100 * MS);
  assert_true(fixture_add(profile, 0, &made));
  rtop_window_destroy(&made);
  stalls_update(&stalls, profile, symbols, &limits);
}

/* Blocked without a stack: found when the stack is; said of what lasts very long, as it is. */
static void test_blocked_without_a_stack(void **state)
{
  (void)state;
  runs(15);
  int64_t since_ms = now_ms;
  for (int i = 0; i < 60; i++) {
    blocked_somewhere(since_ms, node[WORK]);
    assert_int_equal(stalls.count, i >= 49);
  }
  check_words(&stalls.list[0], "blocked 6.0 s last seen in Order#total (t1)");
  becomes_known(since_ms, since_ms + 6000, node[LOCK], RTOP_BLOCKED);
  check_words(only(STALL_BLOCKED, 11500, 17500), "blocked 6.0 s Thread::Mutex#lock < Tax#of (t1)");
  assert_false(stalls.list[0].open);
}

/* A forked child that has only waited since it was born, in its parent's stack or in none. */
static void test_blocked_and_never_seen(void **state)
{
  (void)state;
  int64_t since_ms = now_ms;
  for (int i = 0; i < 100; i++) {
    blocked_somewhere(since_ms, i < 50 ? 0 : node[WORK]);
    assert_int_equal(stalls.count, 0);
  }
}

static void test_gc(void **state)
{
  (void)state;
  struct doing work = { .state = RTOP_RUNNING, .node = node[WORK] };
  for (int i = 0; i < 30; i++) {
    work.gc_ms = 40; /* a busy collector is no long collection */
    window(&work, 1);
  }
  assert_int_equal(stalls.count, 0);
  static const uint64_t pause_ms[] = { 30, 100, 100, 60 };
  for (int i = 0; i < 4; i++) {
    work.gc_ms = pause_ms[i];
    window(&work, 1);
  }
  const struct stall *stall = only(STALL_GC, 13070, 13400);
  assert_int_equal(stall->amount / 1e6, 290);
  check_words(stall, "gc 290 ms Order#total");
  work.gc_ms = 0;
  window(&work, 1);
  assert_false(stalls.list[0].open);
}

/* One cause, one stall: who waits for the GVL while it is collected for a second waits for that. */
static void test_who_waits_for_a_collection(void **state)
{
  (void)state;
  struct doing threads[6] = { { .state = RTOP_RUNNING, .node = node[WORK] } };
  for (int i = 1; i < 6; i++)
    threads[i] = (struct doing){ .state = RTOP_WAITING, .node = node[LOOP], .since_ms = now_ms };
  runs(12);
  threads[0].gc_ms = 100;
  for (int i = 0; i < 15; i++) window(threads, 6);
  threads[0].gc_ms = 0;
  window(threads, 1);
  check_words(only(STALL_GC, 11200, 12700), "gc 1500 ms Order#total");
}

/* A method that takes over, and lets much be collected. */
static void test_collections_of_a_method(void **state)
{
  (void)state;
  runs(15);
  for (int i = 0; i < 30; i++) {
    windows(1, (struct doing){ .state = RTOP_RUNNING, .node = node[LOOP], .gc_ms = i % 8 < 3 ? 100 : 0 });
    if (i == 5) only(STALL_GC, 11500, 11800); /* more is not known yet */
  }
  assert_int_equal(stalls.count, 1);
  assert_int_equal(stalls.list[0].cause, STALL_METHOD);
  assert_string_equal(rtop_symbols_get(symbols, stalls.list[0].frame)->label, "Tax#loop");
}

static void test_waiting(void **state)
{
  (void)state;
  struct doing threads[6] = { { .state = RTOP_RUNNING, .node = node[LOOP] } };
  for (int i = 1; i < 6; i++)
    threads[i] = (struct doing){ .state = RTOP_WAITING, .node = node[WORK], .since_ms = now_ms };
  limits.method = false;
  for (int i = 0; i < 20; i++) window(threads, 4);
  assert_int_equal(stalls.count, 0);
  for (int i = 0; i < 20; i++) window(threads, 6);
  const struct stall *stall = only(STALL_WAITING, 11500, 14000);
  assert_true(stall->open && stall->amount > 4.99);
  for (int i = 0; i < 20; i++) window(threads, 2);
  assert_false(stalls.list[0].open);
}

static void test_method_takes_over(void **state)
{
  (void)state;
  runs(15);
  windows(30, (struct doing){ .state = RTOP_RUNNING, .node = node[LOOP] });
  const struct stall *stall = &stalls.list[0];
  assert_int_equal(stalls.count, 1);
  assert_int_equal(stall->cause, STALL_METHOD);
  assert_string_equal(rtop_symbols_get(symbols, stall->frame)->label, "Tax#loop");
  assert_true(stall->open && stall->amount >= 0.9 && stall->end_ns == now_ms * MS);
  runs(20);
  assert_false(stalls.list[0].open);
  assert_int_equal(stalls.list[0].end_ns / MS, 14500); /* not until it has less than half of a second */
}

/* The newest time of each window is not sampled when it comes, and is never more than nine tenths known. */
static void test_a_method_takes_over_that_is_sampled_later(void **state)
{
  (void)state;
  struct rtop_window made = { 0 };
  for (int i = 0; i < 45; i++, now_ms += 100) {
    uint32_t runs = node[i < 15 ? WORK : LOOP];
    fixture_window(&made, now_ms * MS, (now_ms + 100) * MS);
    uint32_t thread = fixture_thread(&made, 1, RTOP_RUNNING, runs, 0);
    fixture_cell(&made, thread, node[UNSAMPLED], RTOP_RUNNING, 15 * MS);
    fixture_cell(&made, thread, runs, RTOP_RUNNING, 85 * MS);
    if (i > 0) fixture_late(&made, thread, node[i < 16 ? WORK : LOOP], RTOP_RUNNING, (now_ms - 15) * MS, 15 * MS);
    assert_true(fixture_add(profile, 0, &made));
    stalls_update(&stalls, profile, symbols, &limits);
  }
  assert_int_equal(stalls.count, 1);
  assert_int_equal(stalls.list[0].cause, STALL_METHOD);
  assert_string_equal(rtop_symbols_get(symbols, stalls.list[0].frame)->label, "Tax#loop");
  assert_true(stalls.list[0].open && stalls.list[0].amount <= 1);
  rtop_window_destroy(&made);
}

/* Windows in which a method that calls itself has so much of the GVL, and all of the program the rest. */
static void has_share(int count, double share, int64_t length_ms)
{
  struct rtop_window made = { 0 };
  for (int i = 0; i < count; i++, now_ms += length_ms) {
    uint64_t loop_ns = (uint64_t)(share * (double)length_ms * 1e6);
    fixture_window(&made, now_ms * MS, (now_ms + length_ms) * MS);
    uint32_t thread = fixture_thread(&made, 1, RTOP_RUNNING, node[WORK], 0);
    fixture_cell(&made, thread, node[LOOP], RTOP_RUNNING, loop_ns);
    fixture_cell(&made, thread, node[WORK], RTOP_RUNNING, (uint64_t)(length_ms * MS) - loop_ns);
    assert_true(fixture_add(profile, 0, &made));
    stalls_update(&stalls, profile, symbols, &limits);
  }
  rtop_window_destroy(&made);
}

static void is_missing(int64_t length_ms)
{
  rtop_profile_add_gap(profile, 0, now_ms * MS, (now_ms + length_ms) * MS);
  now_ms += length_ms;
}

/* One method, and since then. */
static void check_took_over(int64_t start_ms)
{
  const struct stall *stall = only(STALL_METHOD, start_ms, now_ms);
  assert_string_equal(rtop_symbols_get(symbols, stall->frame)->label, "Tax#loop");
  assert_true(stall->open);
  check_at_once();
}

/* As early as it can be: the second before is the first that anybody knows of. */
static void test_method_of_a_fresh_program(void **state)
{
  (void)state;
  runs(10);
  has_share(9, 1, 100);
  assert_int_equal(stalls.count, 0);
  has_share(1, 1, 100);
  check_took_over(11000);
}

/* Others still get a part of the first second: by the time that the method has nine tenths of one, it had most of the
 * one before, too. */
static void test_method_takes_over_slowly(void **state)
{
  (void)state;
  runs(30);
  has_share(10, 0.85, 100);
  assert_int_equal(stalls.count, 0);
  has_share(20, 0.96, 100);
  check_took_over(13000);
}

/* Over three seconds; it began when it had half. */
static void test_method_rises_for_seconds(void **state)
{
  (void)state;
  runs(62);
  has_share(14, 0.3, 100);
  has_share(10, 0.7, 100);
  assert_int_equal(stalls.count, 0);
  has_share(12, 0.95, 100);
  check_took_over(17600);
  has_share(8, 0.1, 100); /* it comes back while it is still known when it rose: told before */
  has_share(12, 0.95, 100);
  assert_int_equal(stalls.count, 1);
}

static void test_method_rises_with_little_history(void **state)
{
  (void)state;
  runs(22);
  has_share(5, 0.85, 100);
  has_share(10, 0.96, 100);
  check_took_over(12200);
}

/* Longer than that it is how things are; the same where it had time before, and where nobody knows. */
static void test_method_rises_too_slowly(void **state)
{
  (void)state;
  runs(50);
  has_share(40, 0.8, 100);
  has_share(30, 0.96, 100);
  runs(26); /* a calm not much longer than the rise */
  has_share(15, 0.8, 100);
  has_share(20, 0.96, 100);
  assert_int_equal(stalls.count, 0);
  is_missing(3000);
  has_share(10, 0.85, 100);
  has_share(30, 0.96, 100);
  assert_int_equal(stalls.count, 0);
}

/* A steady load whose methods take turns, faster and slower: from nearly nothing to nearly all, and back. */
static void test_methods_that_take_turns(void **state)
{
  (void)state;
  for (int period = 10; period <= 120; period += 5) {
    for (int i = 0; i < 4 * period; i++) {
      double part = (double)(i % period) / period, up = part < 0.5 ? 2 * part : 2 - 2 * part;
      has_share(1, up * up * (3 - 2 * up), 100);
    }
    if (stalls.count) fail_msg("turns of %d windows", period);
  }
}

/* What is missing for a moment, or is longer than usual, hides nothing; more does. */
static void test_method_takes_over_where_windows_are_missing(void **state)
{
  (void)state;
  runs(30);
  is_missing(200);
  has_share(6, 0.85, 100);
  is_missing(150);
  has_share(2, 0.9, 350);
  has_share(20, 0.96, 100);
  is_missing(100);
  has_share(5, 0.96, 100);
  check_took_over(13200);
}

static void test_method_takes_over_where_much_is_missing(void **state)
{
  (void)state;
  for (int pieces = 1; pieces <= 3; pieces += 2) {
    runs(30);
    for (int i = 0; i < pieces; i++) {
      is_missing(600 / pieces);
      has_share(2, 0.96, 100);
    }
    has_share(30, 0.96, 100);
    assert_int_equal(stalls.count, 0);
  }
  has_share(1, 0.96, 600);
  runs(30); /* and it starts afresh, whatever was missing before */
  is_missing(200);
  has_share(12, 1, 100);
  assert_int_equal(stalls.count, 1);
}

/* An unwatched process sleeps, in windows of a second; the last one ends when a thread wakes up, `ran_ms` later. */
static void sleeps(int count, int64_t last_ms, uint64_t ran_ms)
{
  struct rtop_window made = { 0 };
  for (int i = 0; i < count; i++) {
    int64_t length_ms = i == count - 1 ? last_ms : 1000;
    uint64_t ran_ns = i == count - 1 ? ran_ms * (uint64_t)MS : 0;
    fixture_window(&made, now_ms * MS, (now_ms + length_ms) * MS);
    now_ms += length_ms;
    uint32_t thread = fixture_thread(&made, 1, ran_ns ? RTOP_RUNNING : RTOP_BLOCKED, node[POP], 0);
    fixture_cell(&made, thread, node[POP], RTOP_BLOCKED, (uint64_t)(length_ms * MS) - ran_ns);
    if (ran_ns) fixture_cell(&made, thread, node[LOOP], RTOP_RUNNING, ran_ns);
    assert_true(fixture_add(profile, 0, &made));
    stalls_update(&stalls, profile, symbols, &limits);
  }
  rtop_window_destroy(&made);
}

/* A window in which the process slept counts as usual ones without anything: the method took over in the first second
 * of which it has nine tenths. */
static void test_method_takes_over_after_a_sleep(void **state)
{
  (void)state;
  sleeps(3, 1000, 0);
  has_share(50, 1, 100);
  check_took_over(12900);
  sleeps(30, 700, 5);
  assert_int_equal(stalls.count, 1);
  assert_false(stalls.list[0].open);
  int64_t start_ms = now_ms - 100;
  has_share(50, 1, 100);
  assert_int_equal(stalls.count, 2);
  assert_int_equal(stalls.list[1].cause, STALL_METHOD);
  assert_int_equal(stalls.list[1].start_ns / MS, start_ms);
}

/* Longer windows, and those with more work, are merged ones: nobody knows what came first in them. */
static void test_merged_windows_are_no_sleep(void **state)
{
  (void)state;
  sleeps(3, 1000, 100);
  has_share(30, 1, 100);
  assert_int_equal(stalls.count, 0);
  sleeps(1, 10000, 0);
  has_share(30, 1, 100);
  assert_int_equal(stalls.count, 0);
}

/* All of the server is busy with one call, first with the little that others leave: it is the call, not who
 * calls it, nor what is written in C below it. */
static void test_the_method_that_explains_it(void **state)
{
  (void)state;
  uint32_t server = call(node[MAIN], "Server#call", "/gems/server.rb");
  uint32_t small = call(server, "Ok#get", "/app/ok.rb");
  uint32_t reindex = call(call(server, "Billing.close_month", "/app/b.rb"), "Billing.reindex", "/app/b.rb");
  uint32_t gsub = call(reindex, "String#gsub", "");
  uint32_t times = call(gsub, "Integer#times", "<internal:numeric>");
  waits_in(POP, 12);
  for (int i = 0; i < 2; i++) windows(1, (struct doing){ .state = RTOP_RUNNING, .node = small });
  for (int i = 0; i < 14; i++) windows(1, (struct doing){ .state = RTOP_RUNNING, .node = times });
  assert_int_equal(stalls.count, 1);
  check_words(&stalls.list[0], "method 1.7 s Billing.reindex");
}

/* What holds the GVL is named once: not as waiting and as a method too. */
static void test_one_cause_is_one_stall(void **state)
{
  (void)state;
  struct doing threads[6] = { { .state = RTOP_RUNNING, .node = node[LOOP] } };
  runs(15);
  for (int i = 1; i < 6; i++)
    threads[i] = (struct doing){ .state = RTOP_WAITING, .node = node[WORK], .since_ms = now_ms };
  for (int i = 0; i < 30; i++) window(threads, 6);
  assert_int_equal(stalls.count, 1);
  assert_int_equal(stalls.list[0].cause, STALL_WAITING);
  char words[300];
  stall_words(&stalls.list[0], symbols, words, sizeof words);
  assert_non_null(strstr(words, "GVL held"));
  assert_non_null(strstr(words, "5.0 threads wait"));
}

/* Five threads wait for the GVL, most of the time behind one that is in this node. */
static void held_by(int count, uint64_t holder, uint32_t where, int64_t blame_ms)
{
  struct rtop_window made = { 0 };
  for (int i = 0; i < count; i++, now_ms += 100) {
    fixture_window(&made, now_ms * MS, (now_ms + 100) * MS);
    for (uint64_t serial = 1; serial <= 6; serial++) {
      bool holds = serial == holder;
      uint32_t state = holds ? RTOP_RUNNING : RTOP_WAITING, in = holds ? where : node[WORK];
      uint32_t thread = fixture_thread(&made, serial, state, in, 0);
      fixture_cell(&made, thread, in, state, 100 * MS)->blame_ns = holds ? (uint64_t)(blame_ms * MS) : 0;
    }
    assert_true(fixture_add(profile, 0, &made));
    stalls_update(&stalls, profile, symbols, &limits);
  }
  rtop_window_destroy(&made);
}

/* All of the stall is told, with the second before it was found. */
static void test_who_held_the_gvl(void **state)
{
  (void)state;
  uint32_t other = call(node[UNPACK], "Tax#round", "/app/tax.rb");
  runs(5);
  held_by(10, 2, node[LOOP], 400);
  check_words(only(STALL_WAITING, 10300, 11500), "GVL held 1.2 s by Tax#loop, 80% of it by t2, 5.0 threads wait");
  held_by(5, 3, node[LOOP], 400);
  check_words(&stalls.list[0], "GVL held 1.7 s by Tax#loop, 80% of it by t2, 5.0 threads wait");
  held_by(5, 3, node[LOOP], 400); /* each has half */
  check_words(&stalls.list[0], "GVL held 2.2 s by Tax#loop, 80% of it, 5.0 threads wait");
  held_by(30, 3, other, 500);
  check_words(&stalls.list[0], "GVL held 5.2 s by Tax#loop, 60% of it by t3 in Tax#round, 5.0 threads wait");
  held_by(30, 4, other, 500);
  check_words(&stalls.list[0], "GVL held 8.2 s by Tax#loop, 75% of it in Tax#round, 5.0 threads wait");
  runs(20);
  check_words(only(STALL_WAITING, 10300, stalls.list[0].end_ns / MS), "GVL held 8.4 s by Tax#loop, 75% of it in "
                                                                      "Tax#round, 5.0 threads wait");
  check_at_once();
}

/* Of which nobody is told, or too little: 19 %. */
static void test_nobody_held_the_gvl(void **state)
{
  (void)state;
  runs(5);
  held_by(12, 2, node[LOOP], 0);
  check_words(&stalls.list[0], "GVL held 1.4 s by ?, 5.0 threads wait");
  held_by(20, 2, node[LOOP], 150);
  assert_true(stalls.list[0].behind.share == 0);
}

static void blocked_threads(int count, const struct doing *doing, size_t threads)
{
  for (int i = 0; i < count; i++) window(doing, threads);
}

/* One sleeps with a lock, others want it: one entry, whoever comes first. Many at one place: one entry. */
static void test_those_that_wait_for_a_lock_are_told_with_its_holder(void **state)
{
  (void)state;
  uint32_t held = call(call(node[WORK], "Thread::Mutex#synchronize", ""), "Inventory.fetch", "/app/i.rb");
  uint32_t sleeps = call(held, "Process.spawn", "");
  uint32_t wants = call(call(node[MAIN], "Inventory.lookup", "/app/i.rb"), "Thread::Mutex#synchronize", "");
  struct doing threads[4];
  for (int i = 0; i < 4; i++) threads[i] = (struct doing){ .state = RTOP_BLOCKED, .node = wants, .since_ms = now_ms };
  threads[2].node = sleeps;
  blocked_threads(15, threads, 4);
  assert_int_equal(stalls.count, 1);
  check_words(&stalls.list[0], "blocked 1.5 s Process.spawn < Inventory.fetch (t3 +3)");
  for (int i = 0; i < 4; i++) threads[i] = (struct doing){ .state = RTOP_RUNNING, .node = node[WORK] };
  limits.method = false;
  blocked_threads(3, threads, 4);
  assert_false(stalls.list[0].open);
  for (int i = 0; i < 3; i++)
    threads[i] = (struct doing){ .state = RTOP_BLOCKED, .node = node[LOCK], .since_ms = now_ms };
  blocked_threads(15, threads, 4);
  assert_int_equal(stalls.count, 2);
  check_words(&stalls.list[1], "blocked 1.5 s Thread::Mutex#lock < Tax#of (t1 +2)");
}

/* The process tells who has the lock: another thread than the one whose stack looks like it. */
static void test_a_lock_and_who_has_it(void **state)
{
  (void)state;
  uint32_t held = call(call(node[WORK], "Thread::Mutex#synchronize", ""), "Inventory.fetch", "/app/i.rb");
  struct doing threads[4];
  for (int i = 0; i < 4; i++) threads[i] = (struct doing){ .state = RTOP_RUNNING, .node = node[WORK] };
  threads[0] = (struct doing){ .state = RTOP_BLOCKED, .node = node[LOCK], .since_ms = now_ms, .holder = 3 };
  threads[1] = (struct doing){ .state = RTOP_BLOCKED, .node = call(held, "Process.spawn", ""), .since_ms = now_ms };
  blocked_threads(12, threads, 4);
  assert_int_equal(stalls.count, 2);
  check_words(&stalls.list[0], "blocked 1.2 s Thread::Mutex#lock < Tax#of, held by t3 in Order#total (t1)");
  /* It goes to another one; then they wait for each other, and a third one behind them. */
  threads[0].holder = 4;
  blocked_threads(1, threads, 4);
  check_words(&stalls.list[0], "blocked 1.3 s Thread::Mutex#lock < Tax#of, held by t4 in Order#total (t1)");
  threads[3] = (struct doing){ .state = RTOP_BLOCKED, .node = node[SLEEP], .since_ms = now_ms, .holder = 1 };
  blocked_threads(1, threads, 4);
  check_words(&stalls.list[0],
              "blocked 1.4 s Thread::Mutex#lock < Tax#of, in a deadlock with t4 in Kernel#sleep < Tax#of (t1)");
  /* A timeout will end one of the waits: no deadlock, as the report of locks says. */
  threads[3].node = call(call(node[MAIN], "Timeout.timeout", "/ruby/timeout.rb"), "Thread::Mutex#lock", "");
  blocked_threads(1, threads, 4);
  char words[400];
  stall_words(&stalls.list[0], symbols, words, sizeof words);
  assert_non_null(strstr(words, ", held by t4 in "));
  threads[0].holder = 99;
  blocked_threads(1, threads, 4);
  assert_non_null(strstr(stalls.list[0].holder, "t4")); /* who had it last, as far as is known */
}

/* Those that wait for a lock of one that is blocked itself are told with it, whatever stacks look like. */
static void test_those_that_wait_for_a_blocked_holder(void **state)
{
  (void)state;
  uint32_t wants = call(call(node[MAIN], "Inventory.lookup", "/app/i.rb"), "Thread::Mutex#lock", "");
  struct doing threads[4];
  for (int i = 0; i < 4; i++)
    threads[i] = (struct doing){ .state = RTOP_BLOCKED, .node = wants, .since_ms = now_ms, .holder = 4 };
  threads[3] = (struct doing){ .state = RTOP_BLOCKED, .node = node[SLEEP], .since_ms = now_ms };
  blocked_threads(15, threads, 4);
  assert_int_equal(stalls.count, 1);
  check_words(&stalls.list[0], "blocked 1.5 s Kernel#sleep < Tax#of (t4 +3)");
}

/* A timer's thread sits deep in a library until something is due. It waits for nothing nearer to the root; one that
 * does waits within its work, unless it comes back to the place again and again. */
static void test_who_waits_for_a_condition(void **state)
{
  (void)state;
  uint32_t deep = call(call(node[DEEP], "Event#wait", "/gems/event.rb"), "Thread::Mutex#sleep", "");
  waits_in((int)(node[SLEEP] = deep, SLEEP), 300);
  assert_int_equal(stalls.count, 0);
  runs(1);
  waits_in(POP, 20);
  runs(1);
  waits_in(SLEEP, 20);
  assert_int_equal(stalls.count, 1);
  assert_int_equal(stalls.list[0].cause, STALL_BLOCKED);
  runs(1);
  waits_in(SLEEP, 20);
  assert_int_equal(stalls.count, 0);
  runs(1);
  waits_in(POP, 20);
  runs(1);
  waits_in(SLEEP, 20);
  assert_int_equal(stalls.count, 1);
}

/* The collection that nobody could place at first is that of who made the garbage. */
static void test_gc_is_blamed_when_it_is_known(void **state)
{
  (void)state;
  struct rtop_window made = { 0 };
  runs(5);
  for (int i = 0; i < 3; i++, now_ms += 100) {
    fixture_window(&made, now_ms * MS, (now_ms + 100) * MS);
    uint32_t thread = fixture_thread(&made, 1, RTOP_MARKING, node[WORK], 0);
    fixture_cell(&made, thread, node[UNSAMPLED], RTOP_MARKING, 99 * MS);
    fixture_cell(&made, thread, node[WORK], RTOP_MARKING, 1 * MS);
    assert_true(fixture_add(profile, 0, &made));
    stalls_update(&stalls, profile, symbols, &limits);
  }
  becomes_known(10500, 10800, node[UNPACK], RTOP_MARKING);
  check_words(only(STALL_GC, 10500, 10800), "gc 300 ms String#unpack < Tax#of");
  rtop_window_destroy(&made);
}

/* A stack counts once for a method, however often that is on it; all its places count together. */
static void test_method_counts_once_per_stack(void **state)
{
  (void)state;
  uint32_t again = call(node[LOOP], "Tax#loop", "/app/tax.rb");
  uint32_t other = call(node[MAIN], "Tax#loop", "/app/tax.rb");
  runs(20);
  for (int i = 0; i < 20; i++) windows(1, (struct doing){ .state = RTOP_RUNNING, .node = i % 2 ? again : node[WORK] });
  assert_int_equal(stalls.count, 0);
  runs(20);
  for (int i = 0; i < 20; i++) windows(1, (struct doing){ .state = RTOP_RUNNING, .node = i % 2 ? again : other });
  assert_int_equal(stalls.count, 1);
  assert_string_equal(rtop_symbols_get(symbols, stalls.list[0].frame)->label, "Tax#loop");
  assert_true(stalls.list[0].amount >= 0.9 && stalls.list[0].amount <= 1);
}

/* What was there when the viewer came is no news; a gap and merged windows neither. */
static void test_no_history_no_jump(void **state)
{
  (void)state;
  runs(19);
  assert_int_equal(stalls.count, 0);
  rtop_profile_add_gap(profile, 0, now_ms * MS, (now_ms + 3000) * MS);
  now_ms += 3000;
  windows(19, (struct doing){ .state = RTOP_RUNNING, .node = node[LOOP] });
  assert_int_equal(stalls.count, 0);
}

static void test_limits(void **state)
{
  (void)state;
  limits = (struct stall_limits){ 0 };
  runs(12);
  waits_in(LOCK, 50);
  windows(30, (struct doing){ .state = RTOP_RUNNING, .node = node[LOOP], .provisional = true });
  windows(30, (struct doing){ .state = RTOP_RUNNING, .node = node[LOOP], .gc_ms = 100 });
  assert_int_equal(stalls.count, 0);
  limits.blocked_ns = 300 * MS;
  waits_in(LOCK, 4);
  assert_int_equal(stalls.count, 1);
}

static void test_marks_and_jumps(void **state)
{
  (void)state;
  runs(20);
  rtop_profile_add_mark(profile, 0, 10500 * MS, "deploy", 6);
  rtop_profile_add_mark(profile, 0, 11500 * MS, "hostile\x1b[2J", 11);
  stalls_destroy(&stalls);
  stalls_update(&stalls, profile, symbols, &limits);
  assert_int_equal(stalls.count, 2);
  check_words(&stalls.list[0], "mark deploy");
  assert_null(strchr(stalls.list[1].mark, 27));
  const struct stall *near = stalls_near(&stalls, STALL_ALL_SOURCES, 11000 * MS, 1, 1000 * MS);
  assert_ptr_equal(near, &stalls.list[1]);
  assert_ptr_equal(stalls_near(&stalls, STALL_ALL_SOURCES, 11000 * MS, -1, 1000 * MS), &stalls.list[0]);
  assert_null(stalls_near(&stalls, STALL_ALL_SOURCES, stall_instant(near, 1000 * MS), 1, 1000 * MS));
  assert_ptr_equal(stalls_at(&stalls, STALL_ALL_SOURCES, fixture_span(10500 * MS, 10600 * MS)), &stalls.list[0]);
  assert_null(stalls_at(&stalls, STALL_ALL_SOURCES, fixture_span(10600 * MS, 10700 * MS)));
}

/* Every window is looked at once, whenever the calls come: in pieces and at once are the same. */
static void test_pieces(void **state)
{
  (void)state;
  struct stalls at_once = { 0 };
  srandom(5);
  for (int round = 0; round < 60; round++) {
    int kind = (int)(random() % 5), length = 1 + (int)(random() % 30);
    if (kind == 0) waits_in(POP, length);
    else if (kind == 1) waits_in(SLEEP, length);
    else if (kind == 2) windows(length, (struct doing){ .state = RTOP_RUNNING, .node = node[LOOP] });
    else runs(length);
  }
  for (int i = 0; stalls_update(&at_once, profile, symbols, &limits); i++) assert_true(i < 100);
  assert_true(stalls.count > 5 && stalls.count == at_once.count);
  for (size_t i = 0; i < stalls.count; i++) {
    assert_int_equal(stalls.list[i].cause, at_once.list[i].cause);
    assert_int_equal(stalls.list[i].start_ns, at_once.list[i].start_ns);
    assert_int_equal(stalls.list[i].end_ns, at_once.list[i].end_ns);
  }
  uint64_t found = stalls.found;
  stalls_update(&stalls, profile, symbols, &limits);
  assert_int_equal(stalls.found, found);
  stalls_destroy(&at_once);
}

static void test_bounded(void **state)
{
  (void)state;
  limits.blocked_ns = 100 * MS;
  for (int i = 0; i < 5000; i++) {
    waits_in(LOCK, 1);
    runs(1);
  }
  assert_true(stalls.found >= 4000 && stalls.count <= 2048);
  for (size_t i = 1; i < stalls.count; i++) assert_true(stalls.list[i - 1].start_ns <= stalls.list[i].start_ns);
}

/* Threads of a server that come to one place for `ms` of each window, a few ms at a time, and run between. */
struct waits {
  int windows, threads;
  uint32_t where;
  uint64_t ms, run_ms;
  bool one;       /* in one wait that goes on */
  int64_t age_ms; /* of the wait at the window's end; 0: 3 */
  int between;    /* in every so many windows the thread is between two requests for a moment; 0: never */
};

static const char server_path[] = "/usr/lib/ruby/gems/3.3.0/gems/puma-6/lib/puma/server.rb";

/* It writes the answer. */
static uint32_t answer(void)
{
  return call(call(0, "Puma::Server#run", server_path), "IO#syswrite", "");
}

static void short_waits(struct waits waits)
{
  struct rtop_window made = { 0 };
  int64_t since_ms = now_ms;
  for (int i = 0; i < waits.windows; i++, now_ms += 100) {
    fixture_window(&made, now_ms * MS, (now_ms + 100) * MS);
    for (int k = 0; k < waits.threads; k++) {
      uint32_t thread = fixture_thread(&made, (uint32_t)k + 1, RTOP_BLOCKED, waits.where, 0);
      int64_t age_ms = waits.age_ms ? waits.age_ms : 3;
      made.threads[thread].state_age_ns = (uint64_t)((waits.one ? now_ms + 100 - since_ms : age_ms) * MS);
      if (waits.between && i % waits.between == 0) fixture_cell(&made, thread, answer(), RTOP_BLOCKED, MS / 20);
      if (waits.ms) fixture_cell(&made, thread, waits.where, RTOP_BLOCKED, waits.ms * (uint64_t)MS);
      if (waits.run_ms) fixture_cell(&made, thread, node[WORK], RTOP_RUNNING, waits.run_ms * (uint64_t)MS);
    }
    assert_true(fixture_add(profile, 0, &made));
    stalls_update(&stalls, profile, symbols, &limits);
  }
  rtop_window_destroy(&made);
}

/* A server's thread in a request. */
static uint32_t request(void)
{
  return call(call(0, "Puma::Server#run", server_path), "Orders#index", "/app/orders.rb");
}
static uint32_t query(void)
{
  return call(call(request(), "LineItem.for_order", "/app/line_item.rb"), "IO#gets", "");
}

static void idle(int count)
{
  uint32_t pool = call(call(0, "Puma::Server#run", server_path), "Thread::ConditionVariable#wait", "");
  short_waits((struct waits){ .windows = count, .threads = 3, .where = pool, .ms = 100, .one = true });
}

static void test_many_short_waits(void **state)
{
  (void)state;
  idle(20);
  short_waits((struct waits){ .windows = 8, .threads = 3, .where = query(), .ms = 80, .run_ms = 5 });
  assert_int_equal(stalls.count, 0); /* not yet for a second */
  short_waits((struct waits){ .windows = 12, .threads = 3, .where = query(), .ms = 80, .run_ms = 5 });
  assert_true(stalls.list[0].open);
  idle(20);
  assert_int_equal(stalls.count, 1);
  assert_false(stalls.list[0].open);
  assert_int_equal(stalls.list[0].end_ns / MS, 14000);
  assert_int_equal(stalls.list[0].start_ns / MS, 12000);
  check_words(&stalls.list[0], "many short waits 2.0 s in IO#gets < LineItem.for_order, 2.4 threads");
  check_at_once();
}

static void test_many_waits_after_a_sleep(void **state)
{
  (void)state;
  sleeps(3, 700, 5);
  short_waits((struct waits){ .windows = 30, .threads = 3, .where = query(), .ms = 80, .run_ms = 5 });
  only(STALL_MANY_WAITS, 12700, 15700);
}

/* The first second has less than it takes, and more than a fifth of it. */
static void test_many_waits_that_come_slowly(void **state)
{
  (void)state;
  idle(30);
  short_waits((struct waits){ .windows = 10, .threads = 1, .where = query(), .ms = 40, .run_ms = 5 });
  assert_int_equal(stalls.count, 0);
  short_waits((struct waits){ .windows = 12, .threads = 1, .where = query(), .ms = 80, .run_ms = 5 });
  only(STALL_MANY_WAITS, 13000, 15200);
  assert_true(stalls.list[0].open);
  check_at_once();
  idle(20);
  for (int ms = 10; ms <= 90; ms += 2) /* and so slowly that it is how things are */
    short_waits((struct waits){ .windows = 2, .threads = 1, .where = query(), .ms = (uint64_t)ms, .run_ms = 5 });
  assert_int_equal(stalls.count, 1);
}

/* A load that grows over seconds serves as well as one that is there at once. */
static void test_a_load_that_grows(void **state)
{
  (void)state;
  idle(30);
  for (int threads = 1; threads <= 5; threads++)
    short_waits(
        (struct waits){ .windows = 5, .threads = threads, .where = query(), .ms = 85, .run_ms = 5, .between = 1 });
  short_waits((struct waits){ .windows = 30, .threads = 5, .where = query(), .ms = 85, .run_ms = 5, .between = 1 });
  assert_int_equal(stalls.count, 0);
}

static void test_many_waits_where_windows_are_missing(void **state)
{
  (void)state;
  idle(20);
  is_missing(200);
  short_waits((struct waits){ .windows = 6, .threads = 3, .where = query(), .ms = 80, .run_ms = 5 });
  is_missing(200);
  short_waits((struct waits){ .windows = 6, .threads = 3, .where = query(), .ms = 80, .run_ms = 5 });
  only(STALL_MANY_WAITS, 12200, 13600);
  assert_true(stalls.list[0].open);
}

/* Half of a single thread's time is enough, a little less is not. */
static void test_waits_of_one_thread(void **state)
{
  (void)state;
  idle(20);
  short_waits((struct waits){ .windows = 15, .threads = 1, .where = query(), .ms = 49, .run_ms = 40 });
  idle(20);
  assert_int_equal(stalls.count, 0);
  short_waits((struct waits){ .windows = 15, .threads = 1, .where = query(), .ms = 52, .run_ms = 40 });
  assert_int_equal(stalls.count, 1);
  idle(20);
  short_waits((struct waits){ .windows = 15, .threads = 1, .where = query(), .ms = 52, .run_ms = 60 });
  assert_int_equal(stalls.count, 1); /* more time runs: the place has not most of the work */
}

static void test_many_queue_for_a_short_lock(void **state)
{
  (void)state;
  uint32_t lock = call(call(request(), "Inventory#count", "/app/i.rb"), "Thread::Mutex#synchronize", "");
  idle(20);
  short_waits((struct waits){ .windows = 20, .threads = 4, .where = lock, .ms = 70, .run_ms = 10 });
  check_words(only(STALL_MANY_WAITS, 12000, 14000),
              "many short waits 2.0 s in Thread::Mutex#synchronize < Inventory#count, 2.8 threads");
}

/* Threads that queue for a lock, a moment each; thread 9 runs in this node. */
static void queue(int count, uint64_t holder, uint32_t where)
{
  uint32_t lock = call(call(request(), "Stock#count", "/app/stock.rb"), "Thread::Mutex#synchronize", "");
  struct rtop_window made = { 0 };
  for (int i = 0; i < count; i++, now_ms += 100) {
    fixture_window(&made, now_ms * MS, (now_ms + 100) * MS);
    for (uint64_t serial = 1; serial <= 4; serial++) {
      uint32_t thread = fixture_thread(&made, serial, RTOP_BLOCKED, lock, 0);
      made.threads[thread].state_age_ns = 3 * MS;
      made.threads[thread].lock_kind = RTOP_LOCK_MUTEX;
      made.threads[thread].lock = 1;
      made.threads[thread].lock_holder = holder;
      fixture_cell(&made, thread, lock, RTOP_BLOCKED, 70 * MS);
    }
    fixture_cell(&made, fixture_thread(&made, 9, RTOP_RUNNING, where, 0), where, RTOP_RUNNING, 50 * MS);
    assert_true(fixture_add(profile, 0, &made));
    stalls_update(&stalls, profile, symbols, &limits);
  }
  rtop_window_destroy(&made);
}

static uint32_t fills(const char *method)
{
  uint32_t took = call(call(request(), "Stock#load", "/app/stock.rb"), "Thread::Mutex#synchronize", "");
  return call(took, method, "/app/stock.rb");
}

static void test_whom_many_queued_behind(void **state)
{
  (void)state;
  limits.method = false;
  idle(20);
  queue(15, 9, fills("Stock#fill"));
  check_words(only(STALL_MANY_WAITS, 12000, 13500),
              "many short waits 1.5 s in Thread::Mutex#synchronize < Stock#count, 100% of it behind t9 in Stock#fill < "
              "Stock#load, 2.8 threads");
  queue(5, 0, fills("Stock#fill"));  /* nobody told who has it, */
  queue(5, 2, fills("Stock#fill"));  /* or one of those that wait, */
  queue(5, 99, fills("Stock#fill")); /* or one that is not there */
  char words[300];
  stall_words(&stalls.list[0], symbols, words, sizeof words);
  assert_non_null(strstr(words, ", 50% of it behind t9 in Stock#fill < Stock#load, "));
  idle(20);
  only(STALL_MANY_WAITS, 12000, 15000);
  check_at_once();
}

/* More methods than are told apart: the one that has most of the time is among them. */
static void test_whom_many_queued_behind_one_of_many(void **state)
{
  char name[32], words[300];
  (void)state;
  limits.method = false;
  idle(20);
  queue(2, 9, fills("Stock#fill"));
  for (int i = 0; i < 3 * 40; i++) {
    snprintf(name, sizeof name, "Stock#m%d", i);
    queue(1, 9, i % 3 == 0 ? fills(name) : fills("Stock#fill"));
  }
  assert_int_equal(stalls.count, 1);
  stall_words(&stalls.list[0], symbols, words, sizeof words);
  if (!strstr(words, ", 67% of it behind t9 in Stock#fill < Stock#load, ")) fail_msg("%s", words);
}

static void test_words_of_threads_without_a_name(void **state)
{
  (void)state;
  uint32_t own = rtop_symbols_get_node(symbols, node[LOOP])->frame;
  struct stall stall = { .cause = STALL_WAITING, .frame = own, .thread = "", .holder = "", .mark = "" };
  stall.behind.share = 0.5;
  stall.behind.thread = "";
  stall.behind.native_id = 77;
  check_words(&stall, "GVL held 0.0 s by Tax#loop, 50% of it by thread 77, 0.0 threads wait");
  stall.cause = STALL_MANY_WAITS;
  check_words(&stall, "many short waits 0.0 s in Tax#loop, 50% of it behind thread 77, 0.0 threads");
  stall.behind.frame = own;
  stall.behind.thread = NULL;
  check_words(&stall, "many short waits 0.0 s in Tax#loop, 50% of it behind Tax#loop, 0.0 threads");
}

static uint32_t request_node(const char *set)
{
  uint32_t frame = rtop_symbols_frame(symbols, set, strlen(set), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
  return rtop_symbols_node(symbols, 0, frame, 0);
}

/* A request that ends with the next window, in which its thread sleeps. */
static void ends_request(uint32_t set, int64_t took_ms)
{
  struct rtop_window made = { 0 };
  fixture_window(&made, now_ms * MS, (now_ms + 100) * MS);
  now_ms += 100;
  uint32_t thread = fixture_thread(&made, 1, RTOP_BLOCKED, node[SLEEP], 0);
  fixture_cell(&made, thread, node[SLEEP], RTOP_BLOCKED, 100 * MS);
  struct rtop_slow *slow = rtop_window_add_slow(&made);
  *slow = (struct rtop_slow){ .end_mono_ns = now_ms * MS,
                              .serial = 1,
                              .node = set,
                              .stack = set,
                              .flags = RTOP_SLOW_BLOCK | 1u << RTOP_SLOW_LABELS_SHIFT,
                              .total_ns = (uint64_t)(took_ms * MS) };
  slow->work_ns[RTOP_WORK_SLEEP] = slow->total_ns;
  assert_true(fixture_add(profile, 0, &made));
  rtop_window_destroy(&made);
  stalls_update(&stalls, profile, symbols, &limits);
}

/* They are found when they are asked for, from the threshold on, with the method where most of their time was spent. */
static void test_slow_requests(void **state)
{
  (void)state;
  uint32_t set = request_node("endpoint=GET /a,user=7");
  char words[300];
  runs(3);
  waits_in(SLEEP, 4);
  ends_request(set, 450);
  assert_int_equal(stalls.count, 0);
  limits.request_ns = 400 * MS;
  waits_in(SLEEP, 4);
  ends_request(set, 399);
  assert_int_equal(stalls.count, 0);
  waits_in(SLEEP, 4);
  ends_request(set, 400);
  const struct stall *stall = only(STALL_REQUEST, now_ms - 400, now_ms);
  assert_false(stall->open);
  assert_int_equal(stall->serial, 1);
  assert_true(stall_request_is_off_gvl(stall));
  check_words(stall, "request 0.4 s endpoint=GET /a: Kernel#sleep < Tax#of (t1)");
  stall_sentence(stall, symbols, words, sizeof words);
  assert_string_equal(words, "endpoint=GET /a took 0.4 s in t1, longest in Kernel#sleep < Tax#of");
  waits_in(POP, 15); /* it is looked at again */
  only(STALL_REQUEST, stall->start_ns / MS, stall->end_ns / MS);
}

/* Thousands of them leave room for other stalls, and the newest stay. */
static void test_slow_requests_are_bounded(void **state)
{
  (void)state;
  uint32_t set = request_node("endpoint=GET /a");
  waits_in(SLEEP, 15);
  assert_int_equal(stalls.count, 1);
  assert_int_equal(stalls.list[0].cause, STALL_BLOCKED);
  limits.request_ns = 1;
  for (int i = 0; i < 600; i++) ends_request(set, 50);
  size_t requests = 0;
  for (size_t i = 0; i < stalls.count; i++) requests += stalls.list[i].cause == STALL_REQUEST;
  assert_int_equal(requests, 256);
  assert_int_equal(stalls.list[0].cause, STALL_BLOCKED);
  assert_int_equal(stalls.list[stalls.count - 1].end_ns, now_ms * MS);
}

/* Files say anything: lengths and ends that no clock has are no stalls. */
static void test_requests_of_any_length(void **state)
{
  (void)state;
  uint32_t set = request_node("endpoint=GET /a");
  limits.request_ns = 1;
  runs(3);
  ends_request(set, INT64_MAX / MS);
  ends_request(0, 300);
  for (size_t i = 0; i < stalls.count; i++) {
    char words[300];
    stall_sentence(&stalls.list[i], symbols, words, sizeof words);
    assert_true(stalls.list[i].start_ns <= stalls.list[i].end_ns && words[0] != '\0');
  }
}

/* A kind of stall each, as somebody is told of it. */
static void test_sentences(void **state)
{
  static const struct {
    enum stall_cause cause;
    double amount;
    const char *past, *now;
  } cases[] = {
    { STALL_BLOCKED, 0, "t1 was blocked for 8.1 s in Tax#loop", "t1 is blocked for 8.1 s so far in Tax#loop" },
    { STALL_NO_SAFEPOINT, 0, "Tax#loop held the GVL for 8.1 s without a pause (t1)",
      "Tax#loop held the GVL for 8.1 s so far without a pause (t1)" },
    { STALL_WAITING, 4.25, "4.2 threads waited for the GVL for 8.1 s, held by Tax#loop",
      "4.2 threads waited for the GVL for 8.1 s so far, held by Tax#loop" },
    { STALL_GC, 300e6, "a collection held everything up for 300 ms in Tax#loop",
      "a collection held everything up for 300 ms in Tax#loop" },
    { STALL_METHOD, 0.9, "Tax#loop took over the GVL for 8.1 s", "Tax#loop took over the GVL for 8.1 s so far" },
    { STALL_MANY_WAITS, 2, "2.0 threads waited again and again for 8.1 s in Tax#loop",
      "2.0 threads waited again and again for 8.1 s so far in Tax#loop" },
    { STALL_STOPPED, 0, "the process did not run for 8.1 s", "the process did not run for 8.1 s so far" },
    { STALL_REQUEST, 0, "endpoint=GET / took 8.1 s in t1, longest in Tax#loop",
      "endpoint=GET / took 8.1 s in t1, longest in Tax#loop" },
    { STALL_MARK, 0, "mark deploy", "mark deploy" },
  };
  (void)state;
  char words[400];
  struct stall stall = { .end_ns = INT64_C(8100000000), .thread = "t1", .holder = "", .mark = "deploy" };
  stall.frame = rtop_symbols_get_node(symbols, node[LOOP])->frame;
  stall.request = (struct rtop_slow_call){ .node = request_node("endpoint=GET /"), .own = 1 };
  for (size_t i = 0; i < STALL_CAUSES; i++) {
    stall.cause = cases[i].cause;
    stall.amount = cases[i].amount;
    for (int open = 0; open < 2; open++) {
      stall.open = open;
      stall_sentence(&stall, symbols, words, sizeof words);
      assert_string_equal(words, open ? cases[i].now : cases[i].past);
    }
  }
  static_assert(sizeof cases / sizeof *cases == STALL_CAUSES, "each kind has its sentence");
}

static void test_sentences_of_several_and_of_nobody(void **state)
{
  (void)state;
  char words[400];
  struct stall stall = { .end_ns = 2000000000, .thread = "t1", .holder = "", .mark = "", .others = 4 };
  stall.frame = rtop_symbols_get_node(symbols, node[LOOP])->frame;
  stall_sentence(&stall, symbols, words, sizeof words);
  assert_string_equal(words, "t1 and 4 others were blocked for 2.0 s in Tax#loop");
  stall.open = stall.last_seen = true;
  stall.others = 1;
  stall_sentence(&stall, symbols, words, sizeof words);
  assert_string_equal(words, "t1 and 1 other are blocked for 2.0 s so far, last seen in Tax#loop");
  stall.cause = STALL_NO_SAFEPOINT;
  stall_sentence(&stall, symbols, words, sizeof words);
  assert_string_equal(words, "something held the GVL for 2.0 s so far without a pause (t1), last seen in Tax#loop");
  stall.frame = 0;
  stall.thread = "";
  stall.open = stall.last_seen = false;
  stall_sentence(&stall, symbols, words, sizeof words);
  assert_string_equal(words, "something held the GVL for 2.0 s without a pause");
}

/* A collection of a moment harms less than a thread that is blocked for as long, four of them more than one. */
static void test_harm(void **state)
{
  (void)state;
  struct stall stall = { .end_ns = 2000000000, .amount = 300e6, .cause = STALL_GC };
  assert_float_equal(stall_harm(&stall), 0.3, 1e-6);
  stall.cause = STALL_BLOCKED;
  assert_float_equal(stall_harm(&stall), 2, 1e-6);
  stall.others = 3;
  assert_float_equal(stall_harm(&stall), 8, 1e-6);
  stall.cause = STALL_WAITING;
  stall.amount = 4.5;
  assert_float_equal(stall_harm(&stall), 9, 1e-6);
  stall.cause = STALL_MARK;
  assert_float_equal(stall_harm(&stall), 0, 1e-6);
}

/* What was always so is no stall, nor what the server does with its usual load, nor what lasts long each time. */
static void test_waits_of_a_healthy_server(void **state)
{
  (void)state;
  uint32_t long_poll = call(call(request(), "Feed#wait", "/app/feed.rb"), "IO#wait_readable", "");
  for (int i = 0; i < 5; i++)
    short_waits((struct waits){ .windows = 20, .threads = 3, .where = query(), .ms = 80, .run_ms = 10 });
  idle(30);
  assert_int_equal(stalls.count, 0); /* it was so from the start */
  for (int i = 0; i < 60; i++) {     /* light load: a request now and then, longer ones too */
    short_waits((struct waits){ .windows = 1 + i % 6, .threads = 1 + i % 2, .where = query(), .ms = 60, .run_ms = 10 });
    idle(3 + i % 4);
  }
  assert_int_equal(stalls.count, 0);
  limits.blocked_ns = 0;
  short_waits((struct waits){ .windows = 30, .threads = 3, .where = long_poll, .ms = 100, .one = true });
  assert_int_equal(stalls.count, 0);
}

/* Load begins, and every request has one query: whoever comes out of it several times a second serves. */
static void test_a_load_that_begins(void **state)
{
  (void)state;
  idle(20);
  short_waits((struct waits){ .windows = 50, .threads = 5, .where = query(), .ms = 85, .run_ms = 5, .between = 1 });
  idle(20);
  short_waits((struct waits){ .windows = 50, .threads = 5, .where = query(), .ms = 90, .run_ms = 5, .age_ms = 60 });
  idle(20); /* two queries, each of half the request: seen in half of the windows */
  for (int i = 0; i < 50; i++) {
    short_waits((struct waits){ .windows = 1, .threads = 5, .where = query(), .ms = 90, .run_ms = 5, .age_ms = 60 });
    short_waits((struct waits){ .windows = 1, .threads = 5, .where = query(), .ms = 90, .run_ms = 5, .between = 1 });
  }
  assert_int_equal(stalls.count, 0);
}

/* A request of half a second with hundreds of queries, and the next one: from where one query each was usual. */
static void test_requests_of_many_queries(void **state)
{
  (void)state;
  short_waits((struct waits){ .windows = 50, .threads = 3, .where = query(), .ms = 80, .run_ms = 5, .between = 1 });
  assert_int_equal(stalls.count, 0);
  short_waits((struct waits){ .windows = 20, .threads = 3, .where = query(), .ms = 90, .run_ms = 5, .between = 5 });
  if (stalls.count != 1) fail_msg("%zu stalls", stalls.count);
  assert_int_equal(stalls.list[0].cause, STALL_MANY_WAITS);
  assert_true(stalls.list[0].open);
}

/* A pool's, a gem's and a worker's own ways of waiting are no work, however often. */
static void test_short_rests(void **state)
{
  (void)state;
  uint32_t gem = call(0, "Timer#run", "/usr/lib/ruby/gems/3.3.0/gems/concurrent-ruby-1.2/lib/timer.rb");
  uint32_t own =
      call(call(call(node[MAIN], "Poller#run", "/app/p.rb"), "Poller#tick", "/app/p.rb"), "Poller#pause", "/app/p.rb");
  uint32_t places[] = { call(gem, "Thread::Mutex#sleep", ""), call(gem, "Hiredis#read", ""),      node[POP],
                        call(own, "Kernel#sleep", ""),        call(own, "Thread::Queue#pop", ""), node[JOIN] };
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    runs(20);
    limits.method = false;
    short_waits((struct waits){ .windows = 20, .threads = 3, .where = places[i], .ms = 95, .run_ms = 1 });
    if (stalls.count) fail_msg("place %zu", i);
  }
  runs(20); /* and as it is called within a request it is work */
  short_waits((struct waits){ .windows = 20, .threads = 3, .where = call(request(), "Kernel#sleep", ""), .ms = 95 });
  assert_int_equal(stalls.count, 1);
}

/* After a minute it is how things are: the stall ends, and comes again only after it was over. */
static void test_waits_of_a_minute(void **state)
{
  (void)state;
  idle(20);
  short_waits((struct waits){ .windows = 900, .threads = 2, .where = query(), .ms = 80, .run_ms = 5 });
  only(STALL_MANY_WAITS, 12000, 72000);
  assert_false(stalls.list[0].open);
  idle(20);
  short_waits((struct waits){ .windows = 20, .threads = 2, .where = query(), .ms = 80, .run_ms = 5 });
  assert_int_equal(stalls.count, 2);
}

static void test_waits_not_looked_for(void **state)
{
  (void)state;
  limits.many_waits = 0;
  idle(20);
  short_waits((struct waits){ .windows = 30, .threads = 3, .where = query(), .ms = 80, .run_ms = 5 });
  assert_int_equal(stalls.count, 0);
}

/* Two processes with the same stall: one is killed after three seconds, the other goes on. */
static void one_of_two_is_killed(enum stall_cause cause, uint32_t threads, uint32_t state)
{
  struct rtop_window made = { 0 };
  int64_t since_ms = now_ms;
  for (int i = 0; i < 100; i++, now_ms += 100) {
    fixture_window(&made, now_ms * MS, (now_ms + 100) * MS);
    for (uint32_t k = 0; k < threads; k++) {
      uint32_t thread = fixture_thread(&made, k + 1, state, node[LOCK], 0);
      made.threads[thread].state_age_ns = (uint64_t)((now_ms + 100 - since_ms) * MS);
      fixture_cell(&made, thread, node[LOCK], state, 100 * MS);
    }
    for (uint32_t source = i < 30 ? 0 : 1; source < 2; source++) assert_true(fixture_add(profile, source, &made));
    stalls_update(&stalls, profile, symbols, &limits);
    if (i < 60 && i >= 10) assert_true(stalls.count == 2 && stalls.list[0].open && stalls.list[1].open);
  }
  rtop_window_destroy(&made);
  assert_int_equal(stalls.count, 2);
  for (size_t i = 0; i < 2; i++) {
    const struct stall *stall = &stalls.list[i];
    assert_int_equal(stall->cause, cause);
    assert_int_equal(stall->open, stall->source == 1);
    assert_int_equal(stall->end_ns / MS, stall->source == 1 ? 20000 : 13000);
  }
}

static void test_a_killed_process_ends_its_stalls(void **state)
{
  (void)state;
  one_of_two_is_killed(STALL_BLOCKED, 1, RTOP_BLOCKED);
}

static void test_a_killed_process_waits_no_more(void **state)
{
  (void)state;
  one_of_two_is_killed(STALL_WAITING, 5, RTOP_WAITING);
}

#define STALL_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    STALL_TEST(test_nothing_wrong),
    STALL_TEST(test_years_without_windows),
    STALL_TEST(test_sleep_within_work),
    STALL_TEST(test_lock),
    STALL_TEST(test_rest),
    STALL_TEST(test_a_server_at_rest),
    STALL_TEST(test_a_gem_within_a_request),
    STALL_TEST(test_a_gem_that_asks_for_jobs),
    STALL_TEST(test_a_minute_is_rest),
    STALL_TEST(test_no_safepoint_and_then_the_truth),
    STALL_TEST(test_no_safepoint_as_it_was_told_before),
    STALL_TEST(test_no_safepoint_looked_at_late),
    STALL_TEST(test_a_process_that_is_stopped),
    STALL_TEST(test_stops_not_looked_for),
    STALL_TEST(test_a_short_one_does_not_vanish),
    STALL_TEST(test_what_was_only_thought),
    STALL_TEST(test_blocked_without_a_stack),
    STALL_TEST(test_blocked_and_never_seen),
    STALL_TEST(test_gc),
    STALL_TEST(test_waiting),
    STALL_TEST(test_who_waits_for_a_collection),
    STALL_TEST(test_collections_of_a_method),
    STALL_TEST(test_method_takes_over),
    STALL_TEST(test_a_method_takes_over_that_is_sampled_later),
    STALL_TEST(test_method_of_a_fresh_program),
    STALL_TEST(test_method_takes_over_slowly),
    STALL_TEST(test_method_rises_for_seconds),
    STALL_TEST(test_method_rises_with_little_history),
    STALL_TEST(test_method_rises_too_slowly),
    STALL_TEST(test_methods_that_take_turns),
    STALL_TEST(test_method_takes_over_where_windows_are_missing),
    STALL_TEST(test_method_takes_over_where_much_is_missing),
    STALL_TEST(test_method_takes_over_after_a_sleep),
    STALL_TEST(test_merged_windows_are_no_sleep),
    STALL_TEST(test_many_waits_after_a_sleep),
    STALL_TEST(test_method_counts_once_per_stack),
    STALL_TEST(test_the_method_that_explains_it),
    STALL_TEST(test_one_cause_is_one_stall),
    STALL_TEST(test_who_held_the_gvl),
    STALL_TEST(test_nobody_held_the_gvl),
    STALL_TEST(test_who_waits_for_a_condition),
    STALL_TEST(test_those_that_wait_for_a_lock_are_told_with_its_holder),
    STALL_TEST(test_a_lock_and_who_has_it),
    STALL_TEST(test_those_that_wait_for_a_blocked_holder),
    STALL_TEST(test_gc_is_blamed_when_it_is_known),
    STALL_TEST(test_no_history_no_jump),
    STALL_TEST(test_limits),
    STALL_TEST(test_marks_and_jumps),
    STALL_TEST(test_pieces),
    STALL_TEST(test_bounded),
    STALL_TEST(test_many_short_waits),
    STALL_TEST(test_many_waits_that_come_slowly),
    STALL_TEST(test_a_load_that_grows),
    STALL_TEST(test_many_waits_where_windows_are_missing),
    STALL_TEST(test_waits_of_one_thread),
    STALL_TEST(test_many_queue_for_a_short_lock),
    STALL_TEST(test_whom_many_queued_behind),
    STALL_TEST(test_whom_many_queued_behind_one_of_many),
    STALL_TEST(test_words_of_threads_without_a_name),
    STALL_TEST(test_slow_requests),
    STALL_TEST(test_slow_requests_are_bounded),
    STALL_TEST(test_requests_of_any_length),
    STALL_TEST(test_sentences),
    STALL_TEST(test_sentences_of_several_and_of_nobody),
    STALL_TEST(test_harm),
    STALL_TEST(test_waits_of_a_healthy_server),
    STALL_TEST(test_a_load_that_begins),
    STALL_TEST(test_requests_of_many_queries),
    STALL_TEST(test_short_rests),
    STALL_TEST(test_a_killed_process_ends_its_stalls),
    STALL_TEST(test_a_killed_process_waits_no_more),
    STALL_TEST(test_waits_of_a_minute),
    STALL_TEST(test_waits_not_looked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
