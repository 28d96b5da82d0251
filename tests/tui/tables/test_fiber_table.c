/* Fibers as rows: of which kind they are, how many, for how long, over windows of any kind. */
#include "tests/tui/model_fixture.h"
#include "tui/tables/fiber_order.h"

static struct rtop_symbols *symbols;
static struct fiber_table table;
static struct rtop_sum sum;

static uint32_t call(uint32_t parent, const char *label, const char *path, uint32_t line)
{
  return rtop_symbols_node(symbols, parent, fixture_frame(symbols, label, path, line), line);
}

static uint32_t special(const char *label, const char *space)
{
  uint32_t frame =
      rtop_symbols_frame(symbols, label, strlen(label), "", 0, space, strlen(space), 0, RTOP_SYMBOL_SPECIAL);
  return rtop_symbols_node(symbols, 0, frame, 0);
}

/* A task of async that runs a block of the program, which waits in a method of C. */
static uint32_t task_in(uint32_t root, const char *label, const char *path, const char *leaf)
{
  uint32_t made = call(root, "block in Async::Task#schedule", "/g/gems/async-2.46.0/lib/async/task.rb", 520);
  uint32_t run = call(made, "Async::Task#run", "/g/gems/async-2.46.0/lib/async/task.rb", 219);
  return call(call(run, label, path, 7), leaf, "", 0);
}

static int setup(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  assert_non_null(profile);
  symbols = rtop_profile_symbols(profile);
  *state = profile;
  return 0;
}

static int teardown(void **state)
{
  struct rtop_profile *profile = *state;
  fiber_table_destroy(&table);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
  return 0;
}

static void add(struct rtop_profile *profile, uint32_t source, int64_t start_ms, int64_t end_ms,
                const struct rtop_fibers *fibers, size_t count)
{
  struct rtop_window window = { .start_mono_ns = start_ms * MS, .end_mono_ns = end_ms * MS };
  for (uint64_t serial = 1; serial < 3; serial++) fixture_thread(&window, serial, RTOP_BLOCKED, 0, 0);
  for (size_t i = 0; i < count; i++) *rtop_window_add_fibers(&window) = fibers[i];
  assert_true(fixture_add(profile, source, &window));
  rtop_window_destroy(&window);
}

static void build(struct rtop_profile *profile, int64_t start_ms, int64_t end_ms)
{
  assert_true(rtop_profile_sum(profile, (struct rtop_span){ start_ms * MS, end_ms * MS }, &sum));
  assert_true(fiber_table_build(&table, profile, &sum));
}

static void expect(size_t at, const char *name, const char *wait, uint32_t alive, uint64_t wait_ms)
{
  assert_in_range(at, 0, table.count - 1);
  assert_string_equal(fiber_row_name(&table.rows[at], symbols), name);
  assert_string_equal(fiber_row_wait(&table.rows[at], symbols), wait);
  assert_int_equal(table.rows[at].alive, alive);
  assert_int_equal(table.rows[at].wait_ns, wait_ms * MS);
}

/* Of the code that made the fiber nothing is told: that is the same for all. */
static void test_kinds(void **state)
{
  uint32_t labels = special("a=1", "(labels)"), name = special("Reading", "(fibers)");
  const struct rtop_fibers fibers[] = {
    { 1, 0, task_in(0, "block in serve", "/app/serve.rb", "Kernel#sleep"), 3, 3, 300 * MS, 90 * MS },
    { 1, 0, task_in(labels, "block in serve", "/app/serve.rb", "IO#read"), 2, 1, 100 * MS, 95 * MS },
    { 1, 0, task_in(0, "block in Puma", "/g/gems/puma-6.0.0/lib/p.rb", "IO#read"), 1, 1, 40 * MS, 40 * MS },
    { 1, name, task_in(0, "block in serve", "/app/serve.rb", "IO#read"), 4, 4, 400 * MS, 10 * MS },
    { 1, 0, 0, 5, 5, 50 * MS, 10 * MS },
    { 1, labels, call(0, "block in <main>", "/app/m.rb", 3), 1, 1, 30 * MS, 10 * MS },
    { 1, 0, special("(folded)", ""), 9, 9, 20 * MS, 10 * MS },
    { 1, 0, call(0, "Async::Task#run", "/g/gems/async-2.46.0/lib/async/task.rb", 219), 1, 0, 60 * MS, 10 * MS },
    { 2, name, 0, 1, 1, 100 * MS, 100 * MS },
    { 7, 0, 0, 1, 1, 100 * MS, 100 * MS }, /* of a thread that no window lists */
  };
  add(*state, 0, 0, 100, fibers, sizeof fibers / sizeof fibers[0]);
  build(*state, 0, 100);
  assert_int_equal(table.count, 8);
  bool serve_first = strcmp(fiber_row_name(&table.rows[0], symbols), "block in serve") == 0;
  expect(serve_first ? 0 : 1, "block in serve", "Kernel#sleep", 5, 400);
  expect(serve_first ? 1 : 0, "Reading", "IO#read", 4, 400);
  assert_int_equal(table.rows[serve_first ? 0 : 1].waiting, 4);
  assert_int_equal(table.rows[serve_first ? 0 : 1].longest_ns, 95 * MS);
  assert_true(table.rows[serve_first ? 1 : 0].named && !table.rows[serve_first ? 0 : 1].named);
  assert_float_equal(table.rows[0].share, 0.4, 0.0001);
  expect(2, "Async::Task#run", "Async::Task#run", 1, 60);
  expect(3, "(not known)", "", 5, 50);
  expect(4, "block in Puma", "IO#read", 1, 40);
  expect(5, "block in <main>", "block in <main>", 1, 30);
  expect(6, "(folded)", "(folded)", 9, 20);
  expect(7, "Reading", "", 1, 100);
  assert_float_equal(table.rows[7].share, 1, 0.0001);
  size_t from = 99;
  assert_int_equal(fiber_table_of(&table, 0, 1, &from), 7);
  assert_int_equal(from, 0);
  assert_int_equal(fiber_table_of(&table, 0, 2, &from), 1);
  assert_int_equal(from, 7);
  assert_int_equal(fiber_table_of(&table, 1, 1, &from), 0);
}

/* How many there are is of the end of the span, for each process; who is gone is still told. */
static void test_over_windows(void **state)
{
  uint32_t a = call(0, "block in a", "/app/a.rb", 1), b = call(0, "block in b", "/app/a.rb", 2);
  for (int at = 0; at < 10; at++) {
    const struct rtop_fibers fibers[] = { { 1, 0, a, 10, 9, 100 * MS, (uint64_t)at * 100 * MS },
                                          { 1, 0, b, 3, 3, 300 * MS, 50 * MS } };
    add(*state, 0, at * 100, at * 100 + 100, fibers, at < 5 ? 2 : 1);
    add(*state, 1, at * 100, at * 100 + 100, fibers + 1, 1);
  }
  build(*state, 0, 1000);
  assert_int_equal(table.count, 3);
  expect(0, "block in b", "block in b", 0, 1500);
  expect(1, "block in a", "block in a", 10, 1000);
  expect(2, "block in b", "block in b", 3, 3000);
  assert_int_equal(table.rows[1].longest_ns, 900 * MS);
  assert_int_equal(table.rows[2].source, 1);
  build(*state, 200, 400);
  expect(0, "block in b", "block in b", 3, 600);
  sum.threads[0].hidden = true;
  assert_true(fiber_table_build(&table, *state, &sum));
  for (size_t i = 0; i < table.count; i++)
    assert_false(table.rows[i].source == sum.threads[0].source && table.rows[i].serial == sum.threads[0].serial);
}

static void order(enum fiber_sort sort, bool reverse, const char *filter, bool invert)
{
  assert_true(fiber_order(&table, symbols, &(struct fiber_order){ sort, reverse, filter, invert }));
}

/* Each thread's own, in any order; of a thread that has none that match, all. */
static void test_order(void **state)
{
  uint32_t a = call(0, "A#run", "/app/a.rb", 1), b = call(0, "B#run", "/app/b.rb", 2);
  uint32_t wait = call(call(0, "C#run", "/app/c.rb", 3), "IO#read", "", 0);
  const struct rtop_fibers fibers[] = { { 1, 0, a, 10, 1, 100 * MS, 30 * MS },
                                        { 1, 0, b, 3, 3, 300 * MS, 20 * MS },
                                        { 1, 0, wait, 5, 2, 200 * MS, 90 * MS },
                                        { 2, 0, a, 7, 7, 100 * MS, 30 * MS } };
  static const struct {
    enum fiber_sort sort;
    bool reverse;
    const char *first, *last;
  } cases[] = {
    { FIBER_SORT_SHARE, false, "B#run", "A#run" },   { FIBER_SORT_ALIVE, false, "A#run", "B#run" },
    { FIBER_SORT_WAITING, false, "B#run", "A#run" }, { FIBER_SORT_LONGEST, false, "C#run", "B#run" },
    { FIBER_SORT_NAME, false, "A#run", "C#run" },    { FIBER_SORT_NAME, true, "C#run", "A#run" },
    { FIBER_SORT_SHARE, true, "A#run", "B#run" },
  };
  add(*state, 0, 0, 100, fibers, 4);
  build(*state, 0, 100);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    order(cases[i].sort, cases[i].reverse, NULL, false);
    assert_string_equal(fiber_row_name(&table.rows[0], symbols), cases[i].first);
    assert_string_equal(fiber_row_name(&table.rows[2], symbols), cases[i].last);
    assert_int_equal(table.rows[3].serial, 2);
  }
  order(FIBER_SORT_SHARE, false, "IO#read|B#", false);
  assert_int_equal(table.count, 3);
  expect(0, "B#run", "B#run", 3, 300);
  expect(1, "C#run", "IO#read", 5, 200);
  expect(2, "A#run", "A#run", 7, 100);
  build(*state, 0, 100);
  order(FIBER_SORT_SHARE, false, "IO#read|B#", true);
  assert_int_equal(table.count, 2);
  assert_int_equal(table.rows[0].serial, 1);
  expect(0, "A#run", "A#run", 10, 100);
}

/* Long windows are shared out; memory that has run short keeps sums. */
static void test_long_windows(void **state)
{
  const struct rtop_fibers fibers[] = { { 1, 0, call(0, "block in a", "/app/a.rb", 1), 2, 2, 999 * MS, 70 * MS } };
  add(*state, 0, 0, 1000, fibers, 1);
  uint64_t told_ns = 0;
  for (int part = 0; part < 3; part++) {
    assert_true(rtop_profile_sum(*state, (struct rtop_span){ part * 1000 * MS / 3, (part + 1) * 1000 * MS / 3 }, &sum));
    assert_true(fiber_table_build(&table, *state, &sum));
    told_ns += table.rows[0].wait_ns;
  }
  assert_int_equal(told_ns, 999 * MS);
}

/* Nobody vouches for what stands in a channel. */
static void test_hostile_counts(void **state)
{
  uint32_t a = call(0, "block in a", "/app/a.rb", 1);
  const struct rtop_fibers fibers[] = { { 1, 0, a, UINT32_MAX, UINT32_MAX, UINT64_MAX, UINT64_MAX },
                                        { 1, 0, a, UINT32_MAX, 1, UINT64_MAX, UINT64_MAX },
                                        { 1, a, UINT32_MAX, 1, 1, 1, 1 } };
  add(*state, 0, 0, 100, fibers, 3);
  build(*state, 0, 100);
  assert_int_equal(table.rows[0].alive, UINT32_MAX);
  assert_true(table.rows[0].wait_ns < UINT64_C(1) << 53);
  assert_int_equal(table.count, 2);
}

int main(void)
{
#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
  const struct CMUnitTest tests[] = {
    CASE(test_kinds), CASE(test_over_windows), CASE(test_order), CASE(test_long_windows), CASE(test_hostile_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
