#include "tests/tui/model_fixture.h"

#include "tui/methods/methods.h"
#include <stdlib.h>

#define WINDOW (100 * MS)

struct table {
  struct rtop_profile *profile;
  struct rtop_symbols *symbols;
  struct rtop_window window;
  struct rtop_sum sum;
  struct rtop_methods methods;
  struct rtop_methods_options options;
};

static void setup_table(struct table *table)
{
  *table = (struct table){ .profile = rtop_profile_create(64 << 20) };
  table->symbols = rtop_profile_symbols(table->profile);
  fixture_window(&table->window, 0, WINDOW);
}

static void destroy_table(struct table *table)
{
  rtop_window_destroy(&table->window);
  rtop_sum_destroy(&table->sum);
  rtop_methods_destroy(&table->methods);
  rtop_profile_destroy(&table->profile);
}

static uint32_t node(struct table *table, uint32_t parent, const char *label)
{
  return rtop_symbols_node(table->symbols, parent, fixture_frame(table->symbols, label, "/app/x.rb", 1), 5);
}

static void build(struct table *table)
{
  if (rtop_profile_bounds(table->profile).end_ns == 0) assert_true(fixture_add(table->profile, 0, &table->window));
  assert_true(rtop_profile_sum(table->profile, rtop_profile_bounds(table->profile), &table->sum));
  assert_true(rtop_methods_build(&table->methods, &table->sum, table->symbols, &table->options));
}

static const struct rtop_method_row *row(const struct table *table, const char *label)
{
  for (size_t i = 0; i < table->methods.count; i++)
    if (strcmp(rtop_symbols_get(table->symbols, table->methods.rows[i].frame)->label, label) == 0)
      return &table->methods.rows[i];
  return NULL;
}

static void assert_row(const struct table *table, const char *label, uint64_t self_ns, uint64_t total_ns)
{
  const struct rtop_method_row *found = row(table, label);
  assert_non_null(found);
  assert_int_equal(found->self_ns, self_ns);
  assert_int_equal(found->total_ns, total_ns);
}

static void test_self_and_total(void **state)
{
  (void)state;
  struct table table;
  setup_table(&table);
  uint32_t main_node = node(&table, 0, "main"), a = node(&table, main_node, "a"), b = node(&table, a, "b");
  uint32_t other_b = node(&table, main_node, "b");
  uint32_t thread = fixture_thread(&table.window, 1, RTOP_RUNNING, b, 0);
  fixture_cell(&table.window, thread, a, RTOP_RUNNING, 10 * MS)->cpu_ns = 9 * MS;
  fixture_cell(&table.window, thread, b, RTOP_RUNNING, 20 * MS)->cpu_ns = 18 * MS;
  fixture_cell(&table.window, thread, other_b, RTOP_WAITING, 30 * MS)->blame_ns = 1;
  fixture_cell(&table.window, thread, main_node, RTOP_BLOCKED, 40 * MS)->allocations = 4;
  build(&table);
  assert_int_equal(table.methods.count, 3); /* the root is no method */
  assert_row(&table, "main", 40 * MS, 100 * MS);
  assert_row(&table, "a", 10 * MS, 30 * MS);
  assert_row(&table, "b", 50 * MS, 50 * MS);
  const struct rtop_method_row *found = row(&table, "main");
  assert_int_equal(found->total.wall_ns[RTOP_STATE_WAITING], 30 * MS);
  assert_int_equal(found->total.blame_ns, 1);
  assert_int_equal(found->self.allocations, 4);
  assert_int_equal(found->most_ns, 100 * MS);
  assert_float_equal(rtop_method_ratio(row(&table, "b")->most_ns, table.methods.length_ns), 0.5, 1e-9);
  table.options.mode = RTOP_MODE_CPU;
  build(&table);
  assert_row(&table, "main", 0, 27 * MS);
  assert_row(&table, "b", 18 * MS, 18 * MS);
  assert_float_equal(rtop_method_ratio(row(&table, "main")->most_ns, table.methods.length_ns), 1,
                     1e-9); /* time on the stack, whatever the clock */
  destroy_table(&table);
}

static void test_recursion_counts_once_per_stack(void **state)
{
  (void)state;
  struct table table;
  setup_table(&table);
  /* main > fib > fib > other > fib */
  uint32_t main_node = node(&table, 0, "main"), first = node(&table, main_node, "fib");
  uint32_t second = node(&table, first, "fib"), other = node(&table, second, "other");
  uint32_t third = node(&table, other, "fib");
  uint32_t thread = fixture_thread(&table.window, 1, RTOP_RUNNING, third, 0);
  fixture_cell(&table.window, thread, first, RTOP_RUNNING, 1 * MS);
  fixture_cell(&table.window, thread, second, RTOP_RUNNING, 2 * MS);
  fixture_cell(&table.window, thread, other, RTOP_RUNNING, 3 * MS);
  fixture_cell(&table.window, thread, third, RTOP_RUNNING, 4 * MS);
  build(&table);
  assert_row(&table, "main", 0, 10 * MS);
  assert_row(&table, "fib", 7 * MS, 10 * MS);
  assert_row(&table, "other", 3 * MS, 7 * MS);
  assert_int_equal(row(&table, "fib")->threads, 1);
  destroy_table(&table);
}

static void test_threads_and_ratio(void **state)
{
  (void)state;
  struct table table;
  setup_table(&table);
  uint32_t a = node(&table, 0, "a"), b = node(&table, 0, "b");
  for (uint64_t serial = 1; serial <= 4; serial++) {
    uint32_t thread = fixture_thread(&table.window, serial, RTOP_RUNNING, serial == 4 ? b : a, 0);
    fixture_cell(&table.window, thread, a, RTOP_RUNNING, serial * 10 * MS);
    fixture_cell(&table.window, thread, b, RTOP_BLOCKED, 20 * MS);
  }
  table.window.threads[2].flags = RTOP_WINDOW_THREAD_ENDED;
  build(&table);
  assert_row(&table, "a", 100 * MS, 100 * MS);
  assert_int_equal(row(&table, "a")->threads, 2); /* 1 and 2; 3 ended, 4 is in b */
  assert_int_equal(row(&table, "b")->threads, 1);
  assert_float_equal(rtop_method_ratio(row(&table, "a")->most_ns, table.methods.length_ns), 0.4, 1e-9);
  assert_float_equal(rtop_method_ratio(row(&table, "b")->most_ns, table.methods.length_ns), 0.2, 1e-9);
  table.options.thread_filter = "^t[12]$";
  build(&table);
  assert_row(&table, "a", 30 * MS, 30 * MS);
  assert_row(&table, "b", 40 * MS, 40 * MS);
  assert_float_equal(rtop_method_ratio(row(&table, "a")->most_ns, table.methods.length_ns), 0.2, 1e-9);
  assert_int_equal(row(&table, "b")->threads, 0);
  destroy_table(&table);
}

/* Where a thread is now is not known when all that is known is an old stack. */
static void test_old_stacks_are_not_those_of_now(void **state)
{
  (void)state;
  struct table table;
  setup_table(&table);
  uint32_t a = node(&table, 0, "a");
  for (uint64_t serial = 1; serial <= 3; serial++)
    fixture_cell(&table.window, fixture_thread(&table.window, serial, RTOP_RUNNING, a, 0), a, RTOP_RUNNING, 10 * MS);
  table.window.threads[1].flags = RTOP_WINDOW_THREAD_STALE;
  build(&table);
  assert_row(&table, "a", 30 * MS, 30 * MS);
  assert_int_equal(row(&table, "a")->threads, 2);
  destroy_table(&table);
}

/* A method that a thread just entered has no time yet, but it is on a stack. */
static void test_current_stack_without_time(void **state)
{
  (void)state;
  struct table table;
  setup_table(&table);
  uint32_t a = node(&table, 0, "a"), b = node(&table, a, "b");
  uint32_t thread = fixture_thread(&table.window, 1, RTOP_RUNNING, b, 0);
  fixture_cell(&table.window, thread, a, RTOP_RUNNING, 100 * MS);
  build(&table);
  assert_row(&table, "b", 0, 0);
  assert_int_equal(row(&table, "b")->threads, 1);
  destroy_table(&table);
}

static void test_time_of_nobody(void **state)
{
  (void)state;
  struct table table;
  setup_table(&table);
  uint32_t a = node(&table, 0, "a");
  uint32_t thread = fixture_thread(&table.window, 1, RTOP_RUNNING, a, 0);
  fixture_cell(&table.window, thread, a, RTOP_RUNNING, 60 * MS);
  fixture_cell(&table.window, thread, 0, RTOP_RUNNING, 40 * MS);
  build(&table);
  assert_row(&table, "(root)", 40 * MS, 40 * MS);
  assert_row(&table, "a", 60 * MS, 60 * MS);
  destroy_table(&table);
}

static void test_filters(void **state)
{
  (void)state;
  struct table table;
  setup_table(&table);
  uint32_t a = node(&table, 0, "Price#total"), b = node(&table, a, "Order#sum");
  uint32_t thread = fixture_thread(&table.window, 1, RTOP_RUNNING, b, 0);
  fixture_cell(&table.window, thread, a, RTOP_RUNNING, 99 * MS);
  fixture_cell(&table.window, thread, b, RTOP_RUNNING, 1 * MS);
  table.options.filter = "^Price#";
  build(&table);
  assert_int_equal(table.methods.count, 1);
  assert_row(&table, "Price#total", 99 * MS, 100 * MS);
  table.options.filter_invert = true;
  build(&table);
  assert_int_equal(table.methods.count, 1);
  assert_row(&table, "Order#sum", 1 * MS, 1 * MS);
  table.options.filter = "x\\.rb$"; /* on the path */
  build(&table);
  assert_int_equal(table.methods.count, 0);
  table.options.filter = NULL;
  table.options.min_percent = 1.5;
  build(&table);
  assert_int_equal(table.methods.count, 1);
  table.options.min_percent = 1;
  build(&table);
  assert_int_equal(table.methods.count, 2);
  table.options.filter = "(";
  assert_false(rtop_methods_build(&table.methods, &table.sum, table.symbols, &table.options));
  assert_non_null(rtop_methods_check_regex("("));
  assert_null(rtop_methods_check_regex("a|b"));
  destroy_table(&table);
}

static void test_every_sort_key(void **state)
{
  (void)state;
  struct table table;
  setup_table(&table);
  uint32_t thread = fixture_thread(&table.window, 1, RTOP_RUNNING, 0, 0);
  srand(3);
  for (int i = 0; i < 200; i++) {
    char label[16];
    snprintf(label, sizeof label, "m%03d", rand() % 120);
    uint32_t at = node(&table, i % 3 ? 0 : node(&table, 0, "p"), label);
    uint32_t cell_state = (uint32_t)rand() % 5;
    struct rtop_cell *cell = fixture_cell(&table.window, thread, at, cell_state, (uint64_t)(rand() % 9));
    cell->cpu_ns = (uint64_t)(rand() % 5);
    cell->allocations = (uint64_t)(rand() % 5);
    cell->blame_ns = (uint64_t)(rand() % 5);
  }
  for (int key = 0; key < RTOP_SORT_KEYS; key++) {
    enum rtop_sort_key parsed;
    assert_true(rtop_sort_key_parse(rtop_sort_key_name((enum rtop_sort_key)key), &parsed));
    assert_int_equal(parsed, key);
    uint32_t order[256];
    table.options.sort = parsed;
    table.options.reverse = false;
    build(&table);
    for (size_t i = 0; i < table.methods.count; i++) order[i] = table.methods.rows[i].frame;
    for (int again = 0; again < 3; again++) { /* the same every time */
      build(&table);
      for (size_t i = 0; i < table.methods.count; i++) assert_int_equal(table.methods.rows[i].frame, order[i]);
    }
    const struct rtop_method_row *rows = table.methods.rows;
    for (size_t i = 1; i < table.methods.count; i++) {
      if (parsed == RTOP_SORT_SELF) assert_true(rows[i - 1].self_ns >= rows[i].self_ns);
      if (parsed == RTOP_SORT_TOTAL) assert_true(rows[i - 1].total_ns >= rows[i].total_ns);
      if (parsed == RTOP_SORT_ALLOC) assert_true(rows[i - 1].self.allocations >= rows[i].self.allocations);
      if (parsed == RTOP_SORT_NAME)
        assert_true(strcmp(rtop_symbols_get(table.symbols, rows[i - 1].frame)->label,
                           rtop_symbols_get(table.symbols, rows[i].frame)->label) < 0);
    }
    table.options.reverse = true;
    build(&table);
    if (parsed == RTOP_SORT_NAME) assert_int_equal(table.methods.rows[0].frame, order[table.methods.count - 1]);
    if (parsed == RTOP_SORT_SELF) assert_true(table.methods.rows[0].self_ns <= table.methods.rows[1].self_ns);
  }
  enum rtop_sort_key none;
  assert_false(rtop_sort_key_parse("colour", &none));
  destroy_table(&table);
}

/* Against a recomputation by hand: each cell's stack is walked, each frame on it counted once. */
static void test_totals_equal_a_naive_walk(void **state)
{
  (void)state;
  enum { NODES = 3000, FRAMES = 40 };
  static uint64_t total[FRAMES + 2], self[FRAMES + 2];
  struct table table;
  setup_table(&table);
  srand(4);
  for (uint32_t i = 1; i < NODES; i++) {
    char label[16];
    snprintf(label, sizeof label, "f%d", rand() % FRAMES);
    node(&table,
         rand() % 4 ? (uint32_t)rand() % rtop_symbols_node_count(table.symbols)
                    : rtop_symbols_node_count(table.symbols) - 1,
         label);
  }
  memset(total, 0, sizeof total);
  memset(self, 0, sizeof self);
  for (uint64_t serial = 1; serial <= 5; serial++) {
    uint32_t thread = fixture_thread(&table.window, serial, RTOP_RUNNING, 0, 0);
    for (int i = 0; i < 400; i++) {
      uint32_t leaf = 1 + (uint32_t)rand() % (rtop_symbols_node_count(table.symbols) - 1);
      bool seen[FRAMES + 2] = { false };
      fixture_cell(&table.window, thread, leaf, RTOP_RUNNING, 1000);
      self[rtop_symbols_get_node(table.symbols, leaf)->frame] += 1000;
      for (uint32_t at = leaf; at != 0; at = rtop_symbols_get_node(table.symbols, at)->parent) {
        uint32_t frame = rtop_symbols_get_node(table.symbols, at)->frame;
        total[frame] += seen[frame] ? 0 : 1000;
        seen[frame] = true;
      }
    }
  }
  build(&table);
  assert_int_equal(table.methods.count, rtop_symbols_frame_count(table.symbols) - 1);
  for (size_t i = 0; i < table.methods.count; i++) {
    assert_int_equal(table.methods.rows[i].self_ns, self[table.methods.rows[i].frame]);
    assert_int_equal(table.methods.rows[i].total_ns, total[table.methods.rows[i].frame]);
  }
  destroy_table(&table);
}

/* A stack of 60,000 frames must neither overflow ours nor take for ever. */
static void test_deep_recursion(void **state)
{
  (void)state;
  struct table table;
  setup_table(&table);
  uint32_t at = 0;
  uint32_t thread = fixture_thread(&table.window, 1, RTOP_RUNNING, 0, 0);
  for (int i = 0; i < 60000; i++) {
    at = node(&table, at, i % 2 ? "even" : "odd");
    if (i % 100 == 0) fixture_cell(&table.window, thread, at, RTOP_RUNNING, 1000);
  }
  table.window.threads[0].node = at;
  build(&table);
  assert_int_equal(table.methods.count, 2);
  assert_row(&table, "odd", 600 * 1000, 600 * 1000);
  assert_int_equal(row(&table, "even")->total_ns, 599 * 1000);
  destroy_table(&table);
}

/* Every key has its own figure: the method's own part, or all of it. */
static void test_every_key_has_its_value(void **state)
{
  (void)state;
  struct rtop_method_row row = { .self_ns = 1, .total_ns = 2, .most_ns = 22, .threads = 9 };
  row.self =
      (struct rtop_cost){ .wall_ns = { 20, 3, 4, 5, 6 }, .cpu_ns = 7, .blame_ns = 8, .allocations = 10, .samples = 21 };
  row.total = (struct rtop_cost){ .wall_ns = { 30, 31, 32, 33, 34 }, .cpu_ns = 35, .blame_ns = 36, .allocations = 37 };
  static const double values[RTOP_SORT_KEYS] = {
    [RTOP_SORT_SELF] = 1,
    [RTOP_SORT_TOTAL] = 2,
    [RTOP_SORT_RATIO] = 22,
    [RTOP_SORT_THREADS] = 9,
    [RTOP_SORT_RUNNING] = 20,
    [RTOP_SORT_WAITING] = 3,
    [RTOP_SORT_BLOCKED] = 4,
    [RTOP_SORT_GC] = 11,
    [RTOP_SORT_CPU] = 7,
    [RTOP_SORT_BLAME] = 8,
    [RTOP_SORT_ALLOC] = 10,
    [RTOP_SORT_SAMPLES] = 21,
    [RTOP_SORT_TOTAL_RUNNING] = 30,
    [RTOP_SORT_TOTAL_WAITING] = 31,
    [RTOP_SORT_TOTAL_BLOCKED] = 32,
    [RTOP_SORT_TOTAL_GC] = 67,
    [RTOP_SORT_TOTAL_CPU] = 35,
    [RTOP_SORT_TOTAL_BLAME] = 36,
    [RTOP_SORT_TOTAL_ALLOC] = 37,
  };
  for (int key = 0; key < RTOP_SORT_KEYS; key++) {
    enum rtop_sort_key found;
    assert_true(rtop_method_value(&row, (enum rtop_sort_key)key) == values[key]);
    assert_true(rtop_sort_key_parse(rtop_sort_key_name((enum rtop_sort_key)key), &found));
    assert_int_equal(found, key);
  }
  assert_int_equal(rtop_sort_key_plain(RTOP_SORT_TOTAL_GC), RTOP_SORT_GC);
  assert_int_equal(rtop_sort_key_plain(RTOP_SORT_LOCATION), RTOP_SORT_NAME);
  assert_int_equal(rtop_sort_key_plain(RTOP_SORT_SAMPLES), RTOP_SORT_SAMPLES);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_key_has_its_value),
    cmocka_unit_test(test_self_and_total),
    cmocka_unit_test(test_recursion_counts_once_per_stack),
    cmocka_unit_test(test_threads_and_ratio),
    cmocka_unit_test(test_old_stacks_are_not_those_of_now),
    cmocka_unit_test(test_current_stack_without_time),
    cmocka_unit_test(test_time_of_nobody),
    cmocka_unit_test(test_filters),
    cmocka_unit_test(test_every_sort_key),
    cmocka_unit_test(test_totals_equal_a_naive_walk),
    cmocka_unit_test(test_deep_recursion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
