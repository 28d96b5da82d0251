/* A live sum equals a fresh one, whatever came, went, was late or forgotten, and however the span moved. */
#include "tests/tui/live_fixture.h"
#include "tests/tui/naive.h"
#include <stdlib.h>

static int compare_cells(const void *left, const void *right)
{
  const struct rtop_sum_cell *a = left, *b = right;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
}

static void check_sum(void)
{
  assert_int_equal(m.fresh.length_ns, m.sum.length_ns);
  assert_int_equal(m.fresh.window_count, m.sum.window_count);
  assert_int_equal(m.fresh.gap_count, m.sum.gap_count);
  assert_memory_equal(&m.fresh.counters, &m.sum.counters, sizeof m.sum.counters);
  assert_memory_equal(&m.fresh.total, &m.sum.total, sizeof m.sum.total);
  assert_int_equal(m.fresh.thread_count, m.sum.thread_count);
  for (size_t i = 0; i < m.sum.thread_count; i++) {
    const struct rtop_thread_row *a = &m.fresh.threads[i], *b = &m.sum.threads[i];
    assert_int_equal(a->thread, b->thread);
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->node, b->node);
    assert_int_equal(a->ended, b->ended);
    assert_int_equal(a->left_out, b->left_out);
    assert_int_equal(a->stale, b->stale);
    assert_int_equal(a->stack_age_ns, b->stack_age_ns);
    assert_int_equal(a->state_age_ns, b->state_age_ns);
    assert_int_equal(a->serial, b->serial);
    assert_memory_equal(&a->cost, &b->cost, sizeof a->cost);
  }
  assert_int_equal(m.fresh.cell_count, m.sum.cell_count);
  if (m.sum.cell_count == 0) return;
  struct rtop_sum_cell *cells = malloc(m.sum.cell_count * sizeof *cells);
  assert_non_null(cells);
  memcpy(cells, m.sum.cells, m.sum.cell_count * sizeof *cells);
  qsort(cells, m.sum.cell_count, sizeof *cells, compare_cells);
  assert_memory_equal(cells, m.fresh.cells, m.sum.cell_count * sizeof *cells);
  free(cells);
}

static int by_rank(const void *left, const void *right)
{
  uint32_t a = m.methods.ranks[((const struct rtop_method_row *)left)->frame];
  uint32_t b = m.methods.ranks[((const struct rtop_method_row *)right)->frame];
  return a < b ? -1 : a > b;
}

static void check_methods(void)
{
  assert_int_equal(m.expected.count, m.methods.count);
  if (m.methods.count == 0) return;
  struct rtop_method_row *rows = malloc(m.methods.count * sizeof *rows);
  assert_non_null(rows);
  memcpy(rows, m.methods.rows, m.methods.count * sizeof *rows);
  qsort(rows, m.methods.count, sizeof *rows, by_rank);
  for (size_t i = 0; i < m.methods.count; i++) {
    const struct rtop_method_row *a = &m.expected.rows[i], *b = &rows[i];
    assert_int_equal(a->frame, b->frame);
    assert_memory_equal(&a->self, &b->self, sizeof a->self);
    assert_memory_equal(&a->total, &b->total, sizeof a->total);
    assert_int_equal(a->self_ns, b->self_ns);
    assert_int_equal(a->total_ns, b->total_ns);
    assert_int_equal(a->threads, b->threads);
    if (m.ratios) assert_int_equal(a->most_ns, b->most_ns);
    else assert_int_equal(b->most_ns, 0);
  }
  free(rows);
}

/* Nodes hold what is in and below them: it is added up when somebody asks, now and then nobody does. */
static void check_nodes(void)
{
  if (m.random % 4 == 0) return;
  uint32_t count;
  const struct rtop_live_node *nodes = rtop_live_nodes(m.live, &count);
  const struct rtop_live_spent *spent = rtop_live_spent(m.live);
  assert_non_null(spent);
  struct rtop_live_spent *expected = calloc(count + 1, sizeof *expected);
  assert_non_null(expected);
  for (size_t i = 0; i < m.fresh.cell_count; i++) {
    const struct rtop_sum_cell *cell = &m.fresh.cells[i];
    uint32_t at = rtop_sum_hides(&m.fresh, cell) ? UINT32_MAX : rtop_live_find(m.live, cell->node);
    if (at == UINT32_MAX) continue;
    rtop_cost_add(&expected[at].self, &cell->cost);
    expected[at].cells++;
  }
  for (uint32_t i = count; i-- > 0;) {
    rtop_cost_add(&expected[i].total, &expected[i].self);
    assert_memory_equal(&spent[i].self, &expected[i].self, sizeof spent[i].self);
    assert_memory_equal(&spent[i].total, &expected[i].total, sizeof spent[i].total);
    assert_int_equal(spent[i].cells, expected[i].cells);
    assert_int_equal(i, rtop_live_find(m.live, nodes[i].node));
    if (i == 0) break;
    assert_true(nodes[i].parent < i);
    rtop_cost_add(&expected[nodes[i].parent].total, &expected[i].total);
    expected[nodes[i].parent].cells += expected[i].cells;
  }
  free(expected);
}

/* The rows of one sum that are made in one go, sorted. */
static void check_one_sum(const struct rtop_methods_options *options)
{
  static struct rtop_methods made;
  if (m.random % 8) return;
  assert_true(rtop_methods_build(&made, &m.fresh, m.symbols, options));
  assert_int_equal(m.expected.count, made.count);
  for (size_t i = 0; i < made.count; i++) assert_memory_equal(&m.expected.rows[i], &made.rows[i], sizeof *made.rows);
  rtop_methods_destroy(&made);
}

static void check(struct rtop_span span, const struct rtop_methods_options *options, uint32_t hidden)
{
  assert_true(rtop_live_sum(m.live, span, &m.sum));
  assert_true(naive_sum(m.profile, span, &m.fresh));
  check_sum();
  for (size_t i = 0; i < m.sum.thread_count; i++)
    m.sum.threads[i].hidden = m.fresh.threads[i].hidden = hidden && m.sum.threads[i].serial % 3 == hidden % 3;
  if (m.random % 16 == 0) { /* nobody looks at methods */
    assert_true(rtop_live_methods(m.live, &m.sum, NULL, options));
    check_nodes();
    return;
  }
  assert_true(rtop_live_methods(m.live, &m.sum, &m.methods, options));
  assert_true(naive_methods(&m.expected, &m.fresh, m.symbols, options));
  check_methods();
  check_one_sum(options);
  check_nodes();
}

static void test_a_span_that_follows_the_end(void **state)
{
  (void)state;
  struct rtop_methods_options options = { .sort = RTOP_SORT_NAME };
  for (uint32_t seed = 1; seed <= 8; seed++) {
    open_model(16 << 20, seed);
    for (int i = 0; i < 150; i++) {
      add_window(0);
      check(rtop_profile_last(m.profile, 1000 * MS), &options, 0);
    }
    close_model();
  }
}

static void test_any_steps_in_any_direction(void **state)
{
  (void)state;
  for (uint32_t seed = 1; seed <= 8; seed++) {
    open_model(16 << 20, seed * 77);
    int64_t start_ns = 0, length_ns = 1000 * MS;
    for (int i = 0; i < 60; i++) add_window(0);
    for (int i = 0; i < 200; i++) {
      struct rtop_methods_options options = { .sort = RTOP_SORT_NAME, .mode = (enum rtop_mode)below(2) };
      if (below(4) == 0) add_window(0);
      if (below(10) == 0) length_ns = (1 + (int64_t)below(80)) * 100 * MS;
      start_ns = below(15) ? start_ns + ((int64_t)below(7) - 3) * 100 * MS : (int64_t)below(6000) * MS;
      options.min_percent = below(5) ? 0 : below(20);
      options.filter = below(6) ? NULL : "K[13]#";
      options.filter_invert = below(2);
      m.ratios = below(20) ? m.ratios : !m.ratios;
      rtop_live_want_ratios(m.live, m.ratios);
      check(fixture_span(start_ns, start_ns + length_ns), &options, below(8) ? 0 : 1 + below(3));
    }
    close_model();
  }
}

/* Half of the stacks get labels. */
static uint32_t labelled(uint32_t node, uint32_t set)
{
  if (node == 0) return set;
  const struct rtop_call_node call = *rtop_symbols_get_node(m.symbols, node);
  return rtop_symbols_node(m.symbols, labelled(call.parent, set), call.frame, call.line);
}

static void give_labels(void)
{
  static const char *const sets[] = { "a=1", "a=2,b=x", "b=y" };
  for (uint32_t i = NODES / 2; i < NODES; i++) {
    const char *text = sets[i % 3];
    uint32_t set = rtop_symbols_frame(m.symbols, text, strlen(text), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
    m.nodes[i] = labelled(m.nodes[i], rtop_symbols_node(m.symbols, 0, set, 0));
  }
}

static void test_a_look_that_changes_and_names_that_are_completed(void **state)
{
  (void)state;
  struct rtop_methods_options options = { .sort = RTOP_SORT_LOCATION };
  open_model(16 << 20, 99);
  give_labels();
  for (int i = 0; i < 120; i++) {
    struct rtop_lens_look look = { .no_c = below(2), .merge = (enum rtop_merge)below(RTOP_MERGES) };
    look.states = below(3) ? 0 : (unsigned)below(1 << RTOP_STATES);
    if (below(2)) strcpy(look.label_root, below(2) ? "a" : "b\na");
    if (below(2)) strcpy(look.label_leaf, below(2) ? "a\nb" : "b");
    add_window(0);
    if (below(5) == 0) assert_true(rtop_lens_set(rtop_profile_lens(m.profile), &look));
    if (below(10) == 0) {
      char label[32];
      int bytes = snprintf(label, sizeof label, "Z%u#named", below(100));
      rtop_symbols_relabel(m.symbols, 1 + below(FRAMES), label, (size_t)bytes, "Z", 1);
    }
    check(rtop_profile_last(m.profile, 1500 * MS), &options, 0);
  }
  close_model();
}

/* Two processes: windows come side by side, those of one behind those of the other. */
static void test_windows_that_come_into_the_middle_of_the_span(void **state)
{
  (void)state;
  struct rtop_methods_options options = { .sort = RTOP_SORT_NAME };
  open_model(16 << 20, 5);
  for (int i = 0; i < 100; i++) {
    int64_t before_ns = m.end_ns;
    add_window(0);
    if (below(3) == 0) check(rtop_profile_last(m.profile, 1000 * MS), &options, 0);
    int64_t after_ns = m.end_ns;
    m.end_ns = before_ns;
    add_window(1);
    m.end_ns = after_ns;
    check(rtop_profile_last(m.profile, 1000 * MS), &options, 0);
  }
  close_model();
}

/* Ratios have room for a few threads per method, or for all. */
static void test_threads_by_the_dozen(void **state)
{
  (void)state;
  struct rtop_methods_options options = { .sort = RTOP_SORT_NAME };
  open_model(16 << 20, 41);
  for (int i = 0; i < 120; i++) {
    if (i % 30 == 0) m.threads = i == 60 ? 200 : 1 + below(40);
    add_window(0);
    check(rtop_profile_last(m.profile, 1000 * MS), &options, below(10) ? 0 : 1 + below(3));
  }
  close_model();
}

static void forget_old_windows(bool keep)
{
  struct rtop_methods_options options = { .sort = RTOP_SORT_NAME };
  open_model(20000, 31);
  if (keep) rtop_profile_keep_sums(m.profile);
  for (int i = 0; i < 400; i++) {
    struct rtop_lens_look look = { .states = i % 90 < 60 ? 0 : (unsigned)below(1 << RTOP_STATES) };
    add_window(0);
    if (i % 30 == 0) assert_true(rtop_lens_set(rtop_profile_lens(m.profile), &look));
    check(below(3) ? rtop_profile_last(m.profile, 1000 * MS) : rtop_profile_bounds(m.profile), &options, 0);
    if (i % 50 > 30) check(rtop_profile_bounds(m.profile), &options, 0);
  }
  close_model();
}

static void test_memory_that_forgets_windows_of_the_span(void **state)
{
  (void)state;
  forget_old_windows(false);
}

static void test_memory_that_carries_the_sums_of_windows(void **state)
{
  (void)state;
  forget_old_windows(true);
}

/* What methods and stacks are made of is the time of some states; the process and its threads are told whole. */
static void test_states_that_are_left_out(void **state)
{
  (void)state;
  open_model(16 << 20, 77);
  for (int i = 0; i < 60; i++) add_window(0);
  struct rtop_span all = rtop_profile_bounds(m.profile);
  for (unsigned states = 0; states < 1 << RTOP_STATES; states++) {
    struct rtop_lens_look look = { .states = states };
    struct rtop_sum whole = { 0 }, part = { 0 };
    struct rtop_cost cells = { 0 };
    assert_true(rtop_lens_set(rtop_profile_lens(m.profile), &look));
    assert_true(rtop_profile_sum_whole(m.profile, all, &whole));
    assert_true(rtop_profile_sum(m.profile, all, &part));
    assert_int_equal(rtop_profile_hides(m.profile), states != 0);
    assert_memory_equal(&whole.total, &part.total, sizeof whole.total);
    assert_int_equal(whole.thread_count, part.thread_count);
    for (size_t i = 0; i < part.thread_count; i++)
      assert_memory_equal(&whole.threads[i].cost, &part.threads[i].cost, sizeof part.threads[i].cost);
    for (size_t i = 0; i < part.cell_count; i++) rtop_cost_add(&cells, &part.cells[i].cost);
    for (int k = 0; k < RTOP_STATES; k++)
      assert_int_equal(cells.wall_ns[k], rtop_lens_shows(&look, (unsigned)k) ? whole.total.wall_ns[k] : 0);
    assert_true(whole.total.wall_ns[RTOP_STATE_WAITING] > 0);
    rtop_sum_destroy(&whole);
    rtop_sum_destroy(&part);
  }
  close_model();
}

static void test_the_profile_may_go_first(void **state)
{
  (void)state;
  struct rtop_methods_options options = { .sort = RTOP_SORT_NAME };
  open_model(16 << 20, 3);
  add_window(0);
  check(rtop_profile_bounds(m.profile), &options, 0);
  rtop_profile_destroy(&m.profile);
  assert_false(rtop_live_sum(m.live, fixture_span(0, MS), &m.sum));
  close_model();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_span_that_follows_the_end),
    cmocka_unit_test(test_any_steps_in_any_direction),
    cmocka_unit_test(test_a_look_that_changes_and_names_that_are_completed),
    cmocka_unit_test(test_windows_that_come_into_the_middle_of_the_span),
    cmocka_unit_test(test_threads_by_the_dozen),
    cmocka_unit_test(test_memory_that_forgets_windows_of_the_span),
    cmocka_unit_test(test_memory_that_carries_the_sums_of_windows),
    cmocka_unit_test(test_states_that_are_left_out),
    cmocka_unit_test(test_the_profile_may_go_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
