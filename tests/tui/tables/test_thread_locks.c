/* Who is inside the lock that others wait for: told when it is known, and only then. */
#include "tests/tui/model_fixture.h"
#include "tui/tables/thread_locks.h"

enum { COUNT = 5 };
static struct rtop_symbols *symbols;
static struct rtop_thread_row rows[COUNT];
static struct rtop_sum sum;
static uint32_t call_node, sleeping;

static uint32_t add(uint32_t parent, const char *label, const char *path, uint32_t line)
{
  return rtop_symbols_node(symbols, parent, fixture_frame(symbols, label, path, 1), line);
}

/* App#call, from a line: the lock is taken there. */
static uint32_t lock_from(uint32_t line)
{
  return add(add(0, "App#call", "/app/app.rb", line), "Thread::Mutex#synchronize", "", 0);
}

/* The first thread is inside, in Kernel#sleep; the others wait. */
static int set_up(void **state)
{
  static const char *const names[COUNT] = { "puma 002", "puma 001", "puma 003", "", "main" };
  (void)state;
  symbols = rtop_symbols_create();
  call_node = lock_from(7);
  sleeping = add(add(call_node, "Report#write", "/app/report.rb", 3), "Kernel#sleep", "<internal:kernel>", 0);
  for (uint32_t i = 0; i < COUNT; i++) {
    rows[i] = (struct rtop_thread_row){
      .thread = i,
      .name = names[i],
      .serial = i + 1,
      .native_id = 100 + i,
      .state = RTOP_STATE_BLOCKED,
      .state_age_ns = (uint64_t)(1300 * MS),
      .node = i == 0 ? sleeping : call_node,
    };
  }
  sum = (struct rtop_sum){ .threads = rows, .thread_count = COUNT, .length_ns = 1000 * MS };
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  rtop_symbols_destroy(&symbols);
  return 0;
}

static void check(size_t row, const char *words)
{
  char text[800];
  thread_lock_words(text, sizeof text, &sum, symbols, row);
  assert_string_equal(text, words);
}

static unsigned waiting_for(size_t row)
{
  thread_locks_note(&sum, symbols);
  return rows[row].behind.threads;
}

static void test_one_is_inside(void **state)
{
  (void)state;
  check(1, "waits 1.3 s for the lock of App#call; puma 002 is inside it, in Kernel#sleep < Report#write");
  check(0, "blocked 1.3 s in Kernel#sleep < Report#write");
  assert_int_equal(waiting_for(0), 4);
  for (size_t i = 1; i < COUNT; i++) assert_int_equal(waiting_for(i), 0);
  rows[0].state = RTOP_STATE_RUNNING; /* it need not be blocked */
  check(1, "waits 1.3 s for the lock of App#call; puma 002 is inside it, in Kernel#sleep < Report#write");
  rows[0].stale = true;
  check(1, "waits 1.3 s for the lock of App#call; puma 002 was last seen inside it, in Kernel#sleep < Report#write");
  rows[0].name = "";
  rows[1].state_age_ns = 0;
  check(1, "waits for the lock of App#call; thread 100 was last seen inside it, in Kernel#sleep < Report#write");
}

/* Several could have it, or nobody seems to. */
static void test_nobody_is_named(void **state)
{
  (void)state;
  rows[2].node = sleeping;
  check(1, "waits 1.3 s for the lock of App#call; 2 threads are inside it");
  assert_int_equal(waiting_for(0) + waiting_for(2), 0);
  rows[0].node = rows[2].node = call_node;
  check(1, "waits 1.3 s for the lock of App#call; who has it is not known");
  rows[0].node = sleeping;
  rows[0].ended = true;
  check(1, "waits 1.3 s for the lock of App#call; who has it is not known");
  rows[0].ended = false;
  rows[0].source = 1; /* another process */
  check(1, "waits 1.3 s for the lock of App#call; who has it is not known");
}

/* The same method from another line is another lock, and so is the same line of another method. */
static void test_another_place(void **state)
{
  (void)state;
  rows[0].node = add(lock_from(8), "Kernel#sleep", "<internal:kernel>", 0);
  check(1, "waits 1.3 s for the lock of App#call; who has it is not known");
  uint32_t other = add(add(0, "Other#call", "/app/app.rb", 7), "Thread::Mutex#synchronize", "", 0);
  rows[0].node = add(other, "Kernel#sleep", "<internal:kernel>", 0);
  check(1, "waits 1.3 s for the lock of App#call; who has it is not known");
  assert_int_equal(waiting_for(0), 0);
}

/* Who waits for a condition let go of the lock. */
static void test_a_condition(void **state)
{
  (void)state;
  rows[0].node = add(call_node, "Thread::ConditionVariable#wait", "", 0);
  check(1, "waits 1.3 s for the lock of App#call; who has it is not known");
  rows[2].node = sleeping; /* this one may have it; two are in there */
  check(1, "waits 1.3 s for the lock of App#call; 2 threads are inside it");
  rows[0].node = add(rows[0].node, "Thread::Mutex#sleep", "", 0);
  check(0, "blocked 1.3 s in Thread::Mutex#sleep < App#call");
}

/* Every use of a Monitor goes through one line of monitor.rb: what counts is who called that. */
static void test_monitors(void **state)
{
  (void)state;
  uint32_t nodes[2];
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t from = add(0, i == 0 ? "Pool#checkout" : "Cache#fetch", "/app/pool.rb", 9);
    uint32_t wrapper = add(from, "MonitorMixin#mon_synchronize", "/ruby/lib/3.3.0/monitor.rb", 202);
    nodes[i] = add(wrapper, "Monitor#synchronize", "", 0);
  }
  rows[0].node = add(nodes[1], "Kernel#sleep", "<internal:kernel>", 0);
  rows[1].node = nodes[0];
  check(1, "waits 1.3 s for the lock of Pool#checkout; who has it is not known");
  rows[0].node = add(nodes[0], "Kernel#sleep", "<internal:kernel>", 0);
  check(1, "waits 1.3 s for the lock of Pool#checkout; puma 002 is inside it, in Kernel#sleep < Pool#checkout");
}

/* Mutex#lock leaves no trace of who has it; a queue has no owner; a method of the program with such a name is none. */
static void test_other_waits(void **state)
{
  (void)state;
  rows[1].node = add(add(0, "App#call", "/app/app.rb", 7), "Thread::Mutex#lock", "", 0);
  check(1, "waits 1.3 s for the lock of App#call; who has it is not known");
  rows[1].node = add(add(0, "Worker#run", "/app/w.rb", 7), "Thread::Queue#pop", "<internal:thread_sync>", 0);
  check(1, "blocked 1.3 s in Thread::Queue#pop < Worker#run");
  rows[1].node = add(0, "My::Mutex#synchronize", "/app/m.rb", 7);
  check(1, "blocked 1.3 s in My::Mutex#synchronize");
  rows[1].node = add(0, "Thread::Mutex#synchronize", "", 0);
  check(1, "waits 1.3 s for a lock; who has it is not known");
  rows[1].state = RTOP_STATE_WAITING;
  check(1, "");
  rows[1].state = RTOP_STATE_BLOCKED;
  rows[1].stale = true;
  check(1, "");
  rows[1].stale = false;
  rows[1].node = 0;
  check(1, "");
}

/* Names are what a stranger made them; ids may be of nothing. */
static void test_hostile_names(void **state)
{
  (void)state;
  char text[40], name[200];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  memcpy(name, "\033[2J\n", 5);
  rows[0].name = name;
  thread_lock_words(text, sizeof text, &sum, symbols, 1);
  assert_true(strlen(text) < sizeof text);
  char whole[800];
  thread_lock_words(whole, sizeof whole, &sum, symbols, 1);
  assert_true(strpbrk(whole, "\033\n") == NULL && strstr(whole, "?[2J?nnn") != NULL);
  rows[0].node = rows[1].node = UINT32_MAX;
  check(1, "blocked 1.3 s in (root)");
  assert_int_equal(waiting_for(0), 0);
}

#define LOCKS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void wants(size_t row, enum rtop_wants what, uint32_t number, uint64_t holder)
{
  rows[row].lock = (struct rtop_lock){ what, number, holder };
}

/* What the process says of locks counts, not what stacks look like. */
static void test_told(void **state)
{
  (void)state;
  wants(1, RTOP_WANTS_MUTEX, 3, 3);
  rows[2].state = RTOP_STATE_RUNNING;
  rows[2].node = add(add(0, "App#call", "/app/app.rb", 9), "Report#sum", "/app/report.rb", 2);
  check(1, "waits 1.3 s for Mutex #3 in App#call; puma 003 has it, and is in Report#sum");
  assert_int_equal(waiting_for(2), 1);
  assert_int_equal(waiting_for(0), 2); /* of these nothing is told */
  rows[2].stale = true;
  check(1, "waits 1.3 s for Mutex #3 in App#call; puma 003 has it, last seen in Report#sum");
  rows[1].stale = true; /* its stack is not needed to know what it waits for */
  check(1, "waits 1.3 s for Mutex #3; puma 003 has it, last seen in Report#sum");
  wants(1, RTOP_WANTS_MONITOR, 0, 0);
  check(1, "waits 1.3 s for a Monitor; who has it is not known");
  wants(1, RTOP_WANTS_MONITOR, 7, 99);
  check(1, "waits 1.3 s for Monitor #7; who has it is not known");
}

static void test_told_chain(void **state)
{
  (void)state;
  wants(1, RTOP_WANTS_MUTEX, 3, 3);
  wants(2, RTOP_WANTS_MONITOR, 5, 4);
  wants(3, RTOP_WANTS_MUTEX, 6, 1);
  check(1,
        "waits 1.3 s for Mutex #3 in App#call; puma 003 has it, waits for Monitor #5; thread 103 has that, waits for "
        "Mutex #6; puma 002 has that, and is in Kernel#sleep < Report#write");
  wants(0, RTOP_WANTS_MUTEX, 8, 3);
  check(1,
        "waits 1.3 s for Mutex #3 in App#call; puma 003 has it, waits for Monitor #5; thread 103 has that, waits for "
        "Mutex #6; puma 002 has that, waits for Mutex #8; puma 003 has that: deadlock");
  struct rtop_lock_chain circle;
  char text[800];
  assert_true(rtop_lock_deadlock(&circle, &sum, symbols));
  thread_deadlock_words(text, sizeof text, &sum, symbols, &circle);
  assert_string_equal(text,
                      "deadlock: puma 002 waits for Mutex #8 in Report#write, puma 003 has it; puma 003 waits for "
                      "Monitor #5 in App#call, thread 103 has it; thread 103 waits for Mutex #6 in App#call, "
                      "puma 002 has it");
  thread_deadlock_words(text, 20, &sum, symbols, &circle);
  assert_string_equal(text, "deadlock: puma 002~");
}

/* Nobody has these. */
static void test_told_of_queues(void **state)
{
  (void)state;
  uint32_t pop = add(add(0, "Worker#run", "/app/w.rb", 7), "Thread::Queue#pop", "<internal:thread_sync>", 0);
  rows[1].node = rows[2].node = pop;
  wants(1, RTOP_WANTS_ITEM, 4, 1);
  check(1, "blocked 1.3 s in Thread::Queue#pop < Worker#run; Queue #4");
  wants(2, RTOP_WANTS_ITEM, 4, 0);
  check(1, "blocked 1.3 s in Thread::Queue#pop < Worker#run; Queue #4, 2 threads wait for it");
  wants(1, RTOP_WANTS_ROOM, 4, 0);
  check(1, "blocked 1.3 s in Thread::Queue#pop < Worker#run; SizedQueue #4");
  wants(1, RTOP_WANTS_CONDITION, 4, 0);
  check(1, "blocked 1.3 s in Thread::Queue#pop < Worker#run; Mutex #4 for a condition");
  wants(1, RTOP_WANTS_CONDITION, 0, 0);
  check(1, "blocked 1.3 s in Thread::Queue#pop < Worker#run; a condition");
}

/* The end of a thread is no lock. */
static void test_told_of_an_end(void **state)
{
  (void)state;
  uint32_t join = add(add(0, "Pool#stop", "/app/pool.rb", 7), "Thread#join", "", 0);
  rows[1].node = join;
  wants(1, RTOP_WANTS_THREAD, 0, 0);
  check(1, "blocked 1.3 s in Thread#join < Pool#stop; a thread to end");
  wants(1, RTOP_WANTS_THREAD, 0, rows[2].serial);
  wants(2, RTOP_WANTS_MUTEX, 8, rows[1].serial);
  struct rtop_lock_chain circle;
  char text[2000];
  assert_true(rtop_lock_deadlock(&circle, &sum, symbols));
  thread_deadlock_words(text, sizeof text, &sum, symbols, &circle);
  assert_string_equal(text, "deadlock: puma 001 waits for a thread to end, puma 003 is it; "
                            "puma 003 waits for Mutex #8 in App#call, puma 001 has it");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    LOCKS_TEST(test_one_is_inside),  LOCKS_TEST(test_nobody_is_named),
    LOCKS_TEST(test_another_place),  LOCKS_TEST(test_a_condition),
    LOCKS_TEST(test_monitors),       LOCKS_TEST(test_other_waits),
    LOCKS_TEST(test_hostile_names),  LOCKS_TEST(test_told),
    LOCKS_TEST(test_told_chain),     LOCKS_TEST(test_told_of_queues),
    LOCKS_TEST(test_told_of_an_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
