/* What lines cost: as leaf, on stacks, with recursion. */
#include "tests/tui/live_fixture.h"
#include "tui/tables/source_heat.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct rtop_symbols *symbols;
static struct source_heat heat;

static int set_up(void **state)
{
  (void)state;
  symbols = rtop_symbols_create();
  return symbols == NULL;
}

static int tear_down(void **state)
{
  (void)state;
  rtop_symbols_destroy(&symbols);
  source_heat_destroy(&heat);
  return 0;
}

/* "a1b2": a at line 1 calls b at line 2. Small letters stand in /x.rb, capitals in /y.rb, '*' is C. */
static uint32_t stack(const char *text)
{
  uint32_t node = 0;
  for (; *text != '\0'; text += 2) {
    const char *path = text[0] == '*' ? "" : text[0] >= 'a' ? "/x.rb" : "/y.rb";
    uint32_t frame = rtop_symbols_frame(symbols, text, 1, path, strlen(path), "", 0, 1,
                                        text[0] == '*' ? RTOP_SYMBOL_C : RTOP_SYMBOL_RUBY);
    node = rtop_symbols_node(symbols, node, frame, text[0] == '*' ? 0 : (uint32_t)(text[1] - '0'));
  }
  return node;
}

static struct rtop_sum_cell cell(const char *text, uint64_t running_ns, uint64_t waiting_ns)
{
  struct rtop_sum_cell made = { .node = stack(text) };
  made.cost.wall_ns[RTOP_STATE_RUNNING] = running_ns;
  made.cost.wall_ns[RTOP_STATE_WAITING] = waiting_ns;
  made.cost.cpu_ns = running_ns / 2;
  made.cost.allocations = 3;
  return made;
}

static uint32_t process;

static void build(struct rtop_sum_cell *cells, size_t count, const char *path, enum rtop_mode mode)
{
  struct rtop_sum sum = { .cells = cells, .cell_count = count, .length_ns = 1000 };
  struct rtop_symbol method = { .path = path, .process = process };
  assert_true(source_heat_of_sum(&heat, &sum, symbols, &method, mode));
}

static void check(uint32_t line, uint64_t self_ns, uint64_t total_ns)
{
  const struct heat_line *at = source_heat_line(&heat, line);
  assert_non_null(at);
  assert_int_equal(at->line, line);
  assert_int_equal(at->self_ns, self_ns);
  assert_int_equal(at->total_ns, total_ns);
}

static void test_self_and_total(void **state)
{
  (void)state;
  struct rtop_sum_cell cells[] = {
    cell("a1b2", 100, 20), cell("a1*0", 50, 0), cell("a3", 7, 0), cell("A5a3", 3, 0), cell("A5", 1000, 0),
  };
  build(cells, 5, "/x.rb", RTOP_MODE_WALL);
  assert_int_equal(heat.count, 3);
  check(1, 0, 170);
  check(2, 120, 120);
  check(3, 10, 10);
  assert_int_equal(source_heat_line(&heat, 2)->waiting_ns, 20);
  assert_int_equal(source_heat_line(&heat, 2)->allocations, 3);
  assert_int_equal(heat.file_ns, 180);
  assert_int_equal(heat.hottest_ns, 120);
  assert_int_equal(heat.lines[0].line, 2);
  assert_int_equal(heat.lines[1].line, 1);
  assert_int_equal(heat.lines[1].called_ns, 50);
  assert_int_equal(heat.lines[2].line, 3);
  assert_null(source_heat_line(&heat, 4));
  assert_null(source_heat_line(&heat, UINT32_MAX));
  build(cells, 5, "/x.rb", RTOP_MODE_CPU);
  check(2, 50, 50);
  build(cells, 5, "/y.rb", RTOP_MODE_WALL);
  assert_int_equal(heat.count, 1);
  check(5, 1000, 1003);
  build(cells, 0, "/x.rb", RTOP_MODE_WALL);
  assert_int_equal(heat.count, 0);
}

/* The time of methods in C is heat of the line that calls them, also through others in C; that of Ruby is not. */
static void test_called(void **state)
{
  (void)state;
  struct rtop_sum_cell cells[] = {
    cell("a1*0", 100, 0),   cell("a2*0*1", 30, 10), cell("a2b3", 70, 0),
    cell("a4*0b5*0", 8, 0), cell("A5*0", 500, 0),   cell("*0", 900, 0),
  };
  build(cells, 6, "/x.rb", RTOP_MODE_WALL);
  static const uint64_t called[] = { 0, 100, 40, 0, 0, 8 };
  for (uint32_t line = 1; line <= 5; line++) assert_int_equal(source_heat_line(&heat, line)->called_ns, called[line]);
  assert_int_equal(heat.lines[0].line, 1);
  assert_int_equal(heat.hottest_ns, 100);
  build(cells, 6, "/x.rb", RTOP_MODE_CPU);
  assert_int_equal(source_heat_line(&heat, 2)->called_ns, 15);
  uint32_t times = rtop_symbols_frame(symbols, "times", 5, "<internal:numeric>", 18, "", 0, 231, RTOP_SYMBOL_RUBY);
  struct rtop_sum_cell own = { .node = rtop_symbols_node(symbols, stack("a7"), times, 238) };
  own.cost.wall_ns[RTOP_STATE_RUNNING] = 60;
  build(&own, 1, "/x.rb", RTOP_MODE_WALL);
  assert_int_equal(source_heat_line(&heat, 7)->called_ns, 60);
}

/* Who called what has no lines: a has 100 + 30, b 70 through another such, somebody without lines 900. */
static void test_callers(void **state)
{
  (void)state;
  struct rtop_sum_cell cells[] = { cell("a1*0", 100, 0), cell("a2*0*1", 30, 0), cell("b3*5*0", 70, 0),
                                   cell("*0", 900, 0) };
  struct rtop_sum sum = { .cells = cells, .cell_count = 4, .length_ns = 2000 };
  struct rtop_live *live = rtop_live_of(symbols);
  assert_true(rtop_live_take(live, &sum));
  uint32_t a = rtop_symbols_get_node(symbols, stack("a1"))->frame,
           b = rtop_symbols_get_node(symbols, stack("b3"))->frame;
  uint32_t star = rtop_symbols_get_node(symbols, stack("*0"))->frame;
  assert_int_equal(a, source_heat_caller(&heat, live, symbols, star, RTOP_MODE_WALL, 0));
  assert_int_equal(heat.callee_count, 2);
  assert_int_equal(1, source_heat_calling_line(&heat, live, symbols, star, a, RTOP_MODE_WALL));
  assert_int_equal(3, source_heat_calling_line(&heat, live, symbols, star, b, RTOP_MODE_WALL));
  assert_int_equal(0, source_heat_calling_line(&heat, live, symbols, star, star, RTOP_MODE_WALL));
  assert_int_equal(b, source_heat_caller(&heat, live, symbols, star, RTOP_MODE_WALL, b)); /* it stays */
  assert_int_equal(b, source_heat_caller(&heat, live, symbols, b, RTOP_MODE_WALL, a));    /* has lines itself */
  cells[2].cost.wall_ns[RTOP_STATE_RUNNING] = 40;
  assert_true(rtop_live_take(live, &sum));
  assert_int_equal(a, source_heat_caller(&heat, live, symbols, star, RTOP_MODE_WALL, b));
  sum.cells = cells + 3;
  sum.cell_count = 1;
  assert_true(rtop_live_take(live, &sum));
  assert_int_equal(0, source_heat_caller(&heat, live, symbols, star, RTOP_MODE_WALL, a));
  rtop_live_destroy(&live);
}

/* A line that recurs counts once per stack. */
static void test_recursion(void **state)
{
  (void)state;
  struct rtop_sum_cell cells[] = { cell("a1a1a1a2", 10, 0), cell("a1a1", 5, 0) };
  build(cells, 2, "/x.rb", RTOP_MODE_WALL);
  check(1, 5, 15);
  check(2, 10, 10);
  assert_int_equal(heat.file_ns, 15);
}

/* Line numbers of a damaged channel cost no memory. */
static void test_absurd_lines(void **state)
{
  (void)state;
  uint32_t frame = rtop_symbols_frame(symbols, "z", 1, "/x.rb", 5, "", 0, 1, RTOP_SYMBOL_RUBY);
  struct rtop_sum_cell cells[2] = { { .node = rtop_symbols_node(symbols, 0, frame, UINT32_MAX) },
                                    { .node = rtop_symbols_node(symbols, 0, frame, HEAT_LINES_MAX) } };
  cells[0].cost.wall_ns[0] = cells[1].cost.wall_ns[0] = 9;
  build(cells, 2, "/x.rb", RTOP_MODE_WALL);
  assert_int_equal(heat.count, 1);
  check(HEAT_LINES_MAX, 9, 9);
  assert_int_equal(heat.file_ns, 18);
}

/* What is called from a line: the cells below it, each counted for the outermost call from there. */
static void check_callees(struct source_heat *at, uint32_t line)
{
  uint64_t by_hand[64] = { 0 };
  assert_true(rtop_symbols_frame_count(m.symbols) <= 64);
  for (size_t i = 0; i < m.sum.cell_count; i++) {
    uint32_t below = 0, callee = 0;
    for (uint32_t node = m.sum.cells[i].node; node != 0; node = rtop_symbols_get_node(m.symbols, node)->parent) {
      const struct rtop_call_node *call = rtop_symbols_get_node(m.symbols, node);
      bool here = strcmp(rtop_symbols_get(m.symbols, call->frame)->path, "/app/x.rb") == 0 &&
                  rtop_symbols_line(m.symbols, node) == line;
      callee = here ? below : callee;
      below = call->frame;
    }
    by_hand[callee] += callee != 0 ? rtop_cost_wall(&m.sum.cells[i].cost) : 0;
  }
  assert_true(source_heat_callees(at, m.live, m.symbols, line, RTOP_MODE_WALL));
  uint64_t last = UINT64_MAX;
  for (size_t i = 0; i < at->callee_count; i++) {
    assert_int_equal(at->callees[i].total_ns, by_hand[at->callees[i].frame]);
    assert_true(at->callees[i].total_ns <= last);
    last = at->callees[i].total_ns;
    by_hand[at->callees[i].frame] = 0;
  }
  for (int frame = 0; frame < 64; frame++) assert_int_equal(by_hand[frame], 0);
}

enum { LINES = 64 };

/* Stack by stack. */
static struct naive_heat {
  struct heat_line lines[LINES];
  bool there[LINES];
  uint64_t file_ns;
} naive;

static bool is_in_file(uint32_t node)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(m.symbols, rtop_symbols_get_node(m.symbols, node)->frame);
  assert_true(rtop_symbols_line(m.symbols, node) < LINES);
  return strcmp(symbol->path, "/app/x.rb") == 0;
}

static bool is_in_c(uint32_t node)
{
  return rtop_symbols_get(m.symbols, rtop_symbols_get_node(m.symbols, node)->frame)->kind == RTOP_SYMBOL_C;
}

/* The line that called a leaf written in C. */
static void naive_called(uint32_t leaf, uint64_t ns)
{
  uint32_t node = leaf;
  while (node != 0 && is_in_c(node)) node = rtop_symbols_get_node(m.symbols, node)->parent;
  if (node != 0 && node != leaf && is_in_file(node)) naive.lines[rtop_symbols_line(m.symbols, node)].called_ns += ns;
}

static void naive_stack(const struct rtop_sum_cell *cell, enum rtop_mode mode)
{
  uint64_t ns = mode == RTOP_MODE_CPU ? cell->cost.cpu_ns : rtop_cost_wall(&cell->cost);
  bool seen[LINES] = { false }, any = false;
  for (uint32_t node = cell->node; node != 0; node = rtop_symbols_get_node(m.symbols, node)->parent) {
    uint32_t number = rtop_symbols_line(m.symbols, node);
    if (!is_in_file(node)) continue;
    any = true;
    if (number == 0) continue;
    struct heat_line *line = &naive.lines[number];
    naive.there[number] = true;
    line->line = number;
    line->total_ns += seen[number] ? 0 : ns;
    seen[number] = true;
    if (node != cell->node) continue;
    line->self_ns += ns;
    line->waiting_ns += cell->cost.wall_ns[RTOP_STATE_WAITING];
    line->allocations += cell->cost.allocations;
  }
  naive.file_ns += any ? ns : 0;
  naive_called(cell->node, ns);
}

static void check_naive(const struct source_heat *made, enum rtop_mode mode)
{
  uint32_t count = 0;
  memset(&naive, 0, sizeof naive);
  for (size_t i = 0; i < m.sum.cell_count; i++) naive_stack(&m.sum.cells[i], mode);
  for (int i = 0; i < LINES; i++) count += naive.there[i];
  assert_int_equal(count, made->count);
  assert_int_equal(naive.file_ns, made->file_ns);
  assert_int_equal(made->hottest_ns, made->count > 0 ? heat_of(&made->lines[0]) : 0);
  for (uint32_t i = 0; i < made->count; i++) {
    const struct heat_line *line = &made->lines[i], *expected = &naive.lines[line->line];
    assert_true(i == 0 || heat_of(&made->lines[i - 1]) >= heat_of(line));
    assert_memory_equal(expected, line, sizeof *line);
  }
}

/* From a live sum it is what it is from the cells, stack by stack. */
static void test_from_a_live_sum(void **state)
{
  (void)state;
  struct source_heat made = { 0 };
  const struct rtop_symbol method = { .path = "/app/x.rb" };
  struct rtop_methods_options options = { .sort = RTOP_SORT_NAME };
  for (uint32_t seed = 1; seed <= 6; seed++) {
    open_model(16 << 20, seed);
    for (int i = 0; i < 60; i++) {
      enum rtop_mode mode = (enum rtop_mode)below(2);
      add_window(0);
      assert_true(rtop_live_sum(m.live, rtop_profile_last(m.profile, 1000 * MS), &m.sum));
      assert_true(rtop_live_methods(m.live, &m.sum, &m.methods, &options));
      assert_true(source_heat_build(&made, m.live, m.symbols, &method, mode));
      check_naive(&made, mode);
      for (uint32_t k = 0; k < made.count; k++) check_callees(&made, made.lines[k].line);
      if (i % 8) continue;
      assert_true(source_heat_of_sum(&made, &m.sum, m.symbols, &method, mode));
      check_naive(&made, mode);
    }
    close_model();
  }
  source_heat_destroy(&made);
}

/* A template: Ruby names the method that evaluates it, and counts the lines of the template. */
static void test_lines_of_eval(void **state)
{
  (void)state;
  uint32_t frame = rtop_symbols_frame(symbols, "Report#build", 12, "/x.rb", 5, "", 0, 14, RTOP_SYMBOL_RUBY);
  uint32_t method = rtop_symbols_node(symbols, 0, frame, 15);
  uint32_t template = rtop_symbols_node(symbols, method, frame, 1);
  assert_int_equal(rtop_symbols_line(symbols, method), 15);
  assert_int_equal(rtop_symbols_line(symbols, template), 14);
  assert_int_equal(rtop_symbols_line(symbols, stack("*0")), 0);
  struct rtop_sum_cell cells[] = { { .node = template } };
  cells[0].cost.wall_ns[RTOP_STATE_RUNNING] = 100;
  build(cells, 1, "/x.rb", RTOP_MODE_WALL);
  assert_null(source_heat_line(&heat, 1));
  check(14, 100, 100);
  check(15, 0, 100);
}

/* The same lines in two processes that are told apart, called in C there, too. */
static void test_of_one_process(void **state)
{
  (void)state;
  struct rtop_sum_cell cells[2] = { { 0 } };
  uint32_t frame = rtop_symbols_frame(symbols, "a", 1, "/x.rb", 5, "", 0, 1, RTOP_SYMBOL_RUBY);
  uint32_t sort = rtop_symbols_frame(symbols, "sort", 4, "", 0, "", 0, 0, RTOP_SYMBOL_C);
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t of = rtop_process_of(4711 + i, 0);
    uint32_t node = rtop_symbols_node(symbols, 0, rtop_symbols_frame_of(symbols, frame, of), 3);
    cells[i].node = rtop_symbols_node(symbols, node, rtop_symbols_frame_of(symbols, sort, of), 0);
    cells[i].cost.wall_ns[RTOP_STATE_RUNNING] = UINT64_C(100) << i;
  }
  for (uint32_t i = 0; i < 2; i++) {
    process = rtop_process_of(4711 + i, 0);
    build(cells, 2, "/x.rb", RTOP_MODE_WALL);
    check(3, 0, UINT64_C(100) << i);
    assert_int_equal(source_heat_line(&heat, 3)->called_ns, 100 << i);
    assert_int_equal(heat.file_ns, 100 << i);
  }
  process = 0;
  build(cells, 2, "/x.rb", RTOP_MODE_WALL);
  check(3, 0, 300);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
    TEST(test_self_and_total), TEST(test_called),          TEST(test_callers),       TEST(test_recursion),
    TEST(test_absurd_lines),   TEST(test_from_a_live_sum), TEST(test_lines_of_eval), TEST(test_of_one_process),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
