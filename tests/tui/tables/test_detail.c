#include "tests/tui/live_fixture.h"
#include "tui/tables/detail.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct rtop_symbols *symbols;
static uint32_t frame_ids[256];

static uint32_t frame(char letter)
{
  char label[2] = { letter, '\0' };
  uint32_t id = rtop_symbols_frame(symbols, label, 1, "/x.rb", 5, "", 0, 1, RTOP_SYMBOL_RUBY);
  frame_ids[(unsigned char)letter] = id;
  return id;
}

/* "a1b2": a at line 1 calls b at line 2. */
static uint32_t stack(const char *text)
{
  uint32_t node = 0;
  for (; *text != '\0'; text += 2) node = rtop_symbols_node(symbols, node, frame(text[0]), (uint32_t)(text[1] - '0'));
  return node;
}

static struct rtop_sum_cell cell(const char *text, enum rtop_state state, uint64_t ns)
{
  struct rtop_sum_cell made = { .node = stack(text) };
  made.cost.wall_ns[state] = ns;
  made.cost.cpu_ns = ns / 2;
  return made;
}

static const struct detail_row *row_of(const struct detail_list *list, uint32_t id)
{
  for (int i = 0; i < list->count; i++)
    if (list->row[i].id == id) return &list->row[i];
  fail_msg("%u is not in the list", id);
  return NULL;
}

static uint32_t id_of(char letter)
{
  return frame_ids[(unsigned char)letter];
}

static struct detail detail;

static void build(struct rtop_sum_cell *cells, size_t count, char letter, enum rtop_mode mode)
{
  struct rtop_sum sum = { .cells = cells, .cell_count = count };
  struct rtop_live *live = rtop_live_of(symbols);
  assert_non_null(live);
  assert_true(rtop_live_take(live, &sum));
  assert_true(detail_build(&detail, live, symbols, id_of(letter), mode));
  rtop_live_destroy(&live);
}

static void test_callers_callees_lines(void **state)
{
  struct rtop_sum_cell cells[] = {
    cell("a1b2", RTOP_STATE_RUNNING, 10),  cell("a1b3c1", RTOP_STATE_RUNNING, 20),
    cell("d7b3c1", RTOP_STATE_WAITING, 5), cell("a1c1", RTOP_STATE_RUNNING, 1000),
    cell("b9", RTOP_STATE_BLOCKED, 3),
  };
  (void)state;
  build(cells, 5, 'b', RTOP_MODE_WALL);
  assert_int_equal(rtop_cost_wall(&detail.total), 38);
  assert_int_equal(detail.total.wall_ns[RTOP_STATE_WAITING], 5);
  assert_int_equal(detail.self_ns, 13);
  assert_int_equal(detail.callers.count, 2);
  assert_int_equal(detail.callers.row[0].id, id_of('a'));
  assert_int_equal(row_of(&detail.callers, id_of('a'))->total_ns, 30);
  assert_int_equal(row_of(&detail.callers, id_of('d'))->total_ns, 5);
  assert_int_equal(detail.callees.count, 1);
  assert_int_equal(row_of(&detail.callees, id_of('c'))->total_ns, 25);
  assert_int_equal(detail.lines.count, 3);
  assert_int_equal(row_of(&detail.lines, 3)->total_ns, 25);
  assert_int_equal(row_of(&detail.lines, 3)->self_ns, 0);
  assert_int_equal(row_of(&detail.lines, 2)->self_ns, 10);
  assert_int_equal(row_of(&detail.lines, 9)->self_ns, 3);
  build(cells, 5, 'b', RTOP_MODE_CPU);
  assert_int_equal(detail.self_ns, 6);
  assert_int_equal(row_of(&detail.callers, id_of('a'))->total_ns, 15);
}

static void test_recursion_counts_once(void **state)
{
  struct rtop_sum_cell cells[] = { cell("a1f2f3f3", RTOP_STATE_RUNNING, 100), cell("a1f2f3c1", RTOP_STATE_RUNNING, 7) };
  (void)state;
  build(cells, 2, 'f', RTOP_MODE_WALL);
  assert_int_equal(rtop_cost_wall(&detail.total), 107);
  assert_int_equal(detail.callers.count, 1);
  assert_int_equal(row_of(&detail.callers, id_of('a'))->total_ns, 107);
  assert_int_equal(detail.callees.count, 1);
  assert_int_equal(row_of(&detail.callees, id_of('c'))->total_ns, 7);
  assert_int_equal(row_of(&detail.lines, 3)->total_ns, 107);
}

static void test_many_callers_keep_the_largest(void **state)
{
  enum { CALLERS = 200 };
  static struct rtop_sum_cell cells[CALLERS];
  (void)state;
  for (int i = 0; i < CALLERS; i++) {
    char label[16];
    snprintf(label, sizeof label, "m%d", i);
    uint32_t caller = rtop_symbols_frame(symbols, label, strlen(label), "", 0, "", 0, 1, RTOP_SYMBOL_RUBY);
    uint32_t node = rtop_symbols_node(symbols, rtop_symbols_node(symbols, 0, caller, 1), frame('z'), 1);
    cells[i] = (struct rtop_sum_cell){ .node = node };
    cells[i].cost.wall_ns[0] = (uint64_t)i + 1;
  }
  build(cells, CALLERS, 'z', RTOP_MODE_WALL);
  assert_int_equal(detail.callers.count, DETAIL_ROWS_MAX);
  assert_int_equal(detail.callers.row[0].total_ns, CALLERS);
  assert_int_equal(detail.callers.row[DETAIL_ROWS_MAX - 1].total_ns, CALLERS - DETAIL_ROWS_MAX + 1);
}

static void test_a_frame_that_is_nowhere(void **state)
{
  struct rtop_sum_cell cells[] = { cell("a1", RTOP_STATE_RUNNING, 10) };
  (void)state;
  frame('q');
  build(cells, 1, 'q', RTOP_MODE_WALL);
  assert_int_equal(detail.callers.count + detail.callees.count + detail.lines.count, 0);
  build(cells, 0, 'a', RTOP_MODE_WALL);
  assert_int_equal(rtop_cost_wall(&detail.total), 0);
}

static int set_up(void **state)
{
  (void)state;
  symbols = rtop_symbols_create();
  return symbols == NULL;
}

static int tear_down(void **state)
{
  (void)state;
  detail_destroy(&detail);
  rtop_symbols_destroy(&symbols);
  return 0;
}

/* ---- stack by stack --------------------------------------------------------------------------------- */

/* What one stack says about the frame. */
struct sighting {
  bool found;
  bool leaf; /* the frame itself is the leaf */
  bool has_caller;
  uint32_t caller, callee, line;
};

static struct sighting look(uint32_t node, uint32_t frame)
{
  struct sighting sighting = { 0 };
  uint32_t below = 0;
  bool has_below = false;
  if (frame == 0) { /* it is on every stack, which says nothing: what nobody else has is its */
    sighting.found = sighting.leaf = rtop_symbols_get_node(m.symbols, node)->frame == 0;
    return sighting;
  }
  while (node != 0) {
    const struct rtop_call_node *at = rtop_symbols_get_node(m.symbols, node);
    if (at->frame == frame) {
      if (!sighting.found) {
        sighting.found = true;
        sighting.leaf = !has_below;
        sighting.callee = below;
        sighting.line = rtop_symbols_line(m.symbols, node);
      }
      sighting.has_caller = at->parent != 0;
      sighting.caller = rtop_symbols_get_node(m.symbols, at->parent)->frame;
    }
    below = at->frame;
    has_below = true;
    node = at->parent < node ? at->parent : 0;
  }
  return sighting;
}

struct naive_list {
  struct detail_row rows[NODES];
  size_t count;
};

static void add(struct naive_list *list, uint32_t id, uint64_t total_ns, uint64_t self_ns)
{
  size_t at = 0;
  while (at < list->count && list->rows[at].id != id) at++;
  assert_true(at < NODES);
  if (at == list->count) list->rows[list->count++] = (struct detail_row){ .id = id };
  list->rows[at].total_ns += total_ns;
  list->rows[at].self_ns += self_ns;
}

static struct naive_detail {
  struct rtop_cost total;
  uint64_t self_ns;
  struct naive_list callers, callees, lines;
} naive;

static void naive_build(uint32_t frame, enum rtop_mode mode)
{
  memset(&naive, 0, sizeof naive);
  for (size_t i = 0; i < m.sum.cell_count; i++) {
    const struct rtop_cost *cost = &m.sum.cells[i].cost;
    struct sighting sighting = look(m.sum.cells[i].node, frame);
    uint64_t ns = mode == RTOP_MODE_CPU ? cost->cpu_ns : rtop_cost_wall(cost), self_ns = sighting.leaf ? ns : 0;
    if (!sighting.found || ns == 0) {
      if (sighting.found) rtop_cost_add(&naive.total, cost);
      continue;
    }
    rtop_cost_add(&naive.total, cost);
    naive.self_ns += self_ns;
    if (sighting.has_caller) add(&naive.callers, sighting.caller, ns, 0);
    if (!sighting.leaf) add(&naive.callees, sighting.callee, ns, 0);
    add(&naive.lines, sighting.line, ns, self_ns);
  }
}

static int naive_compare(const void *left, const void *right)
{
  const struct detail_row *a = left, *b = right;
  if (a->total_ns != b->total_ns) return a->total_ns > b->total_ns ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

static void check_same(struct naive_list *expected, const struct detail_list *list)
{
  qsort(expected->rows, expected->count, sizeof *expected->rows, naive_compare);
  assert_int_equal(expected->count < DETAIL_ROWS_MAX ? expected->count : DETAIL_ROWS_MAX, list->count);
  for (int i = 0; i < list->count; i++) {
    assert_int_equal(expected->rows[i].id, list->row[i].id);
    assert_int_equal(expected->rows[i].total_ns, list->row[i].total_ns);
    assert_int_equal(expected->rows[i].self_ns, list->row[i].self_ns);
  }
}

/* From a live sum it is what it is from the cells, whatever recurs. */
static void test_from_a_live_sum(void **state)
{
  (void)state;
  struct detail followed = { 0 };
  size_t roots = 0;
  struct rtop_methods_options options = { .sort = RTOP_SORT_NAME };
  for (uint32_t seed = 1; seed <= 4; seed++) {
    open_model(16 << 20, seed);
    for (int i = 0; i < 40; i++) {
      add_window(0);
      assert_true(rtop_live_sum(m.live, rtop_profile_last(m.profile, 1000 * MS), &m.sum));
      assert_true(rtop_live_methods(m.live, &m.sum, &m.methods, &options));
      for (size_t row = 0; row < m.methods.count; row++) {
        uint32_t frame = m.methods.rows[row].frame;
        enum rtop_mode mode = (enum rtop_mode)below(2);
        assert_true(detail_build(&followed, m.live, m.symbols, frame, mode));
        naive_build(frame, mode);
        assert_memory_equal(&naive.total, &followed.total, sizeof naive.total);
        /* The pane says what the row says. */
        assert_memory_equal(&followed.total, &m.methods.rows[row].total, sizeof followed.total);
        roots += frame == 0;
        assert_int_equal(naive.self_ns, followed.self_ns);
        check_same(&naive.callers, &followed.callers);
        check_same(&naive.callees, &followed.callees);
        check_same(&naive.lines, &followed.lines);
      }
    }
    close_model();
  }
  assert_true(roots > 0);
  detail_destroy(&followed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_callers_callees_lines, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_recursion_counts_once, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_many_callers_keep_the_largest, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_a_frame_that_is_nowhere, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_from_a_live_sum, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
