/* Shares by label set: what a sum says that keeps label sets as frames. */
#include "tests/tui/live_fixture.h"
#include "tui/history/lens.h"
#include "tui/tables/label_shares.h"
#include <stdlib.h>

enum { SETS = 3 };
static uint32_t sets[SETS];

/* A third of the stacks stand below each of two sets, the rest below none. */
static void label_nodes(void)
{
  static const char *const text[SETS] = { "", "endpoint=/orders", "endpoint=/users,user=7" };
  uint32_t above[SETS] = { 0 }, plain[NODES];
  memcpy(plain, m.nodes, sizeof plain);
  for (int i = 1; i < SETS; i++) {
    sets[i] = rtop_symbols_frame(m.symbols, text[i], strlen(text[i]), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
    above[i] = rtop_symbols_node(m.symbols, 0, sets[i], 0);
  }
  for (uint32_t i = 1; i < NODES; i++) {
    uint32_t path[NODES], depth = 0, node = above[i % SETS];
    for (uint32_t at = plain[i]; at != 0; at = rtop_symbols_get_node(m.symbols, at)->parent) path[depth++] = at;
    while (depth > 0) {
      const struct rtop_call_node *call = rtop_symbols_get_node(m.symbols, path[--depth]);
      node = rtop_symbols_node(m.symbols, node, call->frame, call->line);
    }
    m.nodes[i] = node;
  }
  assert_true(rtop_symbols_labelled(m.symbols));
}

static uint64_t expected_ns(uint32_t frame, uint32_t labels, enum rtop_mode mode, const bool *hidden)
{
  uint64_t ns = 0;
  for (size_t i = 0; i < m.fresh.cell_count; i++) {
    const struct rtop_sum_cell *cell = &m.fresh.cells[i];
    uint32_t found = 0, set = 0;
    for (uint32_t at = cell->node; at != 0; at = rtop_symbols_get_node(m.symbols, at)->parent) {
      uint32_t own = rtop_symbols_get_node(m.symbols, at)->frame;
      found += own == frame;
      set = rtop_symbol_is_labels(rtop_symbols_get(m.symbols, own)) ? own : set;
    }
    if (found > 0 && set == labels && !hidden[m.fresh.threads[cell->thread].thread])
      ns += mode == RTOP_MODE_CPU ? cell->cost.cpu_ns : rtop_cost_wall(&cell->cost);
  }
  return ns;
}

static void check_frame(struct label_shares *shares, uint32_t frame, enum rtop_mode mode)
{
  bool hidden[4096] = { false };
  uint64_t all_ns = 0;
  for (size_t i = 0; i < m.sum.thread_count; i++)
    hidden[m.sum.threads[i].thread] = m.sum.threads[i].hidden = below(3) == 0;
  assert_true(label_shares_build(shares, m.profile, &m.sum, frame, mode));
  struct rtop_lens_look look = { .labels = true }, usual = { .labels = false };
  assert_true(rtop_lens_set(rtop_profile_lens(m.profile), &look));
  assert_true(rtop_profile_sum(m.profile, m.sum.span, &m.fresh));
  for (int i = 0; i < shares->count; i++) {
    assert_int_equal(shares->row[i].ns, expected_ns(frame, shares->row[i].labels, mode, hidden));
    assert_true(i == 0 || shares->row[i - 1].ns >= shares->row[i].ns);
    all_ns += shares->row[i].ns;
  }
  assert_int_equal(all_ns, shares->all_ns);
  for (int i = 0; i < SETS; i++) all_ns -= expected_ns(frame, sets[i], mode, hidden);
  assert_int_equal(all_ns, 0); /* no set is missing */
  assert_true(rtop_lens_set(rtop_profile_lens(m.profile), &usual));
}

static void test_as_in_a_sum_with_labels(void **state)
{
  (void)state;
  struct label_shares shares = { .count = 0 };
  int labelled = 0;
  for (uint32_t seed = 1; seed <= 3; seed++) {
    open_model(16 << 20, seed);
    label_nodes();
    for (int i = 0; i < 25; i++) {
      add_window(0);
      assert_true(rtop_profile_sum(m.profile, rtop_profile_last(m.profile, 1000 * MS), &m.sum));
      const struct rtop_call_node *call = rtop_symbols_get_node(m.symbols, m.nodes[1 + below(NODES - 1)]);
      check_frame(&shares, call->frame, (enum rtop_mode)below(2));
      labelled += label_shares_any(&shares);
    }
    close_model();
  }
  assert_true(labelled > 30);
  label_shares_destroy(&shares);
}

/* More sets than are kept: the largest, and how many there are beside them. */
static void test_many_sets(void **state)
{
  (void)state;
  struct label_shares shares = { .count = 0 };
  open_model(16 << 20, 1);
  uint32_t work = fixture_frame(m.symbols, "work", "/app/w.rb", 1);
  fixture_window(&m.window, 0, 10000 * MS);
  uint32_t thread = fixture_thread(&m.window, 1, RTOP_RUNNING, 0, 0);
  for (uint32_t i = 1; i <= 40; i++) {
    char text[32];
    int bytes = snprintf(text, sizeof text, "user=%u", i);
    uint32_t set = rtop_symbols_frame(m.symbols, text, (size_t)bytes, "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
    uint32_t node = rtop_symbols_node(m.symbols, rtop_symbols_node(m.symbols, 0, set, 0), work, 2);
    fixture_cell(&m.window, thread, node, RTOP_RUNNING, i * 1000);
  }
  assert_true(fixture_add(m.profile, 0, &m.window));
  assert_true(rtop_profile_sum(m.profile, fixture_span(0, 10000 * MS), &m.sum));
  assert_true(label_shares_build(&shares, m.profile, &m.sum, work, RTOP_MODE_WALL));
  assert_int_equal(shares.count, LABEL_SHARES_MAX);
  assert_int_equal(shares.more, 40 - LABEL_SHARES_MAX);
  assert_int_equal(shares.all_ns, 820 * 1000);
  assert_int_equal(shares.row[0].ns, 40 * 1000);
  assert_string_equal(rtop_symbols_get(m.symbols, shares.row[0].labels)->label, "user=40");
  /* A span that ends within the window has that part of it. */
  m.sum.span.end_ns = 5000 * MS;
  assert_true(label_shares_build(&shares, m.profile, &m.sum, work, RTOP_MODE_WALL));
  assert_int_equal(shares.row[0].ns, 20 * 1000);
  label_shares_destroy(&shares);
  close_model();
}

/* A long span is not walked through: its last minute tells. */
static void test_long_span(void **state)
{
  (void)state;
  struct label_shares shares = { .count = 0 };
  open_model(16 << 20, 1);
  uint32_t work = fixture_frame(m.symbols, "work", "/app/w.rb", 1);
  uint32_t node = rtop_symbols_node(m.symbols, 0, work, 2);
  for (int64_t second = 0; second < 70; second++) {
    fixture_window(&m.window, second * 1000 * MS, (second + 1) * 1000 * MS);
    uint32_t thread = fixture_thread(&m.window, 1, RTOP_RUNNING, 0, 0);
    fixture_cell(&m.window, thread, node, RTOP_RUNNING, 10);
    assert_true(fixture_add(m.profile, 0, &m.window));
  }
  assert_true(rtop_profile_sum(m.profile, fixture_span(0, 60000 * MS), &m.sum));
  assert_true(label_shares_build(&shares, m.profile, &m.sum, work, RTOP_MODE_WALL));
  assert_true(shares.all_ns == 600 && !shares.cut);
  assert_true(rtop_profile_sum(m.profile, fixture_span(0, 70000 * MS), &m.sum));
  assert_true(label_shares_build(&shares, m.profile, &m.sum, work, RTOP_MODE_WALL));
  assert_true(shares.all_ns == 600 && shares.cut);
  label_shares_destroy(&shares);
  close_model();
}

static void test_without_labels(void **state)
{
  (void)state;
  struct label_shares shares = { .count = 0 };
  open_model(16 << 20, 2);
  for (int i = 0; i < 5; i++) add_window(0);
  assert_true(rtop_profile_sum(m.profile, rtop_profile_last(m.profile, 1000 * MS), &m.sum));
  uint32_t frame = rtop_symbols_get_node(m.symbols, m.nodes[1])->frame;
  assert_true(label_shares_build(&shares, m.profile, &m.sum, frame, RTOP_MODE_WALL));
  assert_false(label_shares_any(&shares));
  label_shares_destroy(&shares);
  close_model();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_as_in_a_sum_with_labels),
    cmocka_unit_test(test_many_sets),
    cmocka_unit_test(test_long_span),
    cmocka_unit_test(test_without_labels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
