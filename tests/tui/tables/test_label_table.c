/* Labels as rows: whose time is whose, how often they began, over windows of any kind. */
#include "tests/tui/model_fixture.h"
#include "shm/base/latency.h"
#include "tui/history/profile_lists.h"
#include "tui/methods/live.h"
#include "tui/tables/label_table.h"
#include <stdio.h>

static struct rtop_symbols *symbols;
static struct label_table table;
static struct rtop_sum sum;
static uint32_t plain, users, users_seven, job;

static uint32_t set_node(const char *set)
{
  uint32_t frame = rtop_symbols_frame(symbols, set, strlen(set), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
  return rtop_symbols_node(symbols, 0, frame, 0);
}

static uint32_t below(uint32_t node)
{
  uint32_t frame = rtop_symbols_frame(symbols, "Work#do", 7, "/app/work.rb", 12, "Work", 4, 3, RTOP_SYMBOL_RUBY);
  return rtop_symbols_node(symbols, node, frame, 4);
}

static int setup(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  assert_non_null(profile);
  symbols = rtop_profile_symbols(profile);
  plain = below(0);
  users = set_node("endpoint=/users");
  users_seven = set_node("endpoint=/users,user=7");
  job = set_node("job=Mail,queue=mails");
  *state = profile;
  return 0;
}

static int teardown(void **state)
{
  struct rtop_profile *profile = *state;
  label_table_destroy(&table);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
  return 0;
}

/* 100 ms each: 30 ms of the first thread run for users, 10 ms of those for user 7, 20 ms of the second wait under a job. */
static void add_window(struct rtop_profile *profile, int64_t at)
{
  struct rtop_window window = { .start_mono_ns = at * 100 * MS, .end_mono_ns = (at + 1) * 100 * MS };
  for (uint32_t i = 0; i < 2; i++) *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .serial = i + 1 };
  const struct rtop_cell cells[] = {
    { .node = below(users), .state = RTOP_RUNNING, .samples = 3, .wall_ns = 20 * MS, .allocations = 5 },
    { .node = below(users_seven), .state = RTOP_RUNNING, .samples = 1, .wall_ns = 10 * MS },
    { .node = plain, .state = RTOP_RUNNING, .wall_ns = 70 * MS },
    { .node = below(job), .thread = 1, .state = RTOP_WAITING, .wall_ns = 20 * MS },
    { .node = plain, .thread = 1, .state = RTOP_BLOCKED, .wall_ns = 80 * MS },
  };
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) *rtop_window_add_cell(&window) = cells[i];
  const struct rtop_begun begun[] = {
    { .node = users, .label = 0, .count = 3 },
    { .node = users_seven, .label = 1, .count = 1 }, /* within a request: that does not begin again */
    { .node = job, .label = 0, .count = 2 },
    { .node = job, .label = 1, .count = 2 },
    { .node = job, .label = 9, .count = 50 },   /* there is no such label */
    { .node = plain, .label = 0, .count = 50 }, /* nor labels at all */
  };
  for (size_t i = 0; i < sizeof begun / sizeof begun[0]; i++) *rtop_window_add_begun(&window) = begun[i];
  assert_true(fixture_add(profile, 0, &window));
  rtop_window_destroy(&window);
}

static const struct label_row *row(const char *name)
{
  for (size_t i = 0; i < table.count; i++)
    if (strcmp(table.rows[i]->name, name) == 0) return table.rows[i];
  return NULL;
}

static void build(struct rtop_profile *profile, const struct label_table_options *options)
{
  assert_true(rtop_profile_sum_sets(profile, rtop_profile_bounds(profile), &sum));
  assert_true(label_table_build(&table, profile, &sum, options));
}

static void expect(const char *name, int64_t total_ns, uint64_t count)
{
  const struct label_row *found = row(name);
  if (!found) fail_msg("no row %s", name);
  assert_int_equal(rtop_cost_wall(&found->cost), total_ns);
  assert_int_equal(found->count, count);
}

static void test_whose_time(void **state)
{
  struct label_table_options all = { .sort = RTOP_SORT_TOTAL };
  for (int at = 0; at < 10; at++) add_window(*state, at);
  build(*state, &all);
  assert_int_equal(table.count, 4);
  expect("endpoint=/users", 300 * MS, 30);
  expect("user=7", 100 * MS, 10);
  expect("job=Mail", 200 * MS, 20);
  expect("queue=mails", 200 * MS, 20);
  assert_int_equal(rtop_cost_wall(&table.rest), 1500 * MS);
  assert_int_equal(row("endpoint=/users")->cost.allocations, 50);
  assert_int_equal(label_row_each_ns(row("endpoint=/users")), 10 * MS);
  assert_string_equal(table.rows[0]->name, "endpoint=/users");
  assert_string_equal(label_row_value(table.rows[0]), "/users");
  assert_int_equal(table.key_count, 4);
  assert_string_equal(table.keys[0].name, "endpoint");
  assert_true(table.counted);
}

static void test_one_key_sorted_and_filtered(void **state)
{
  struct label_table_options options = { .key = "queue", .sort = RTOP_SORT_NAME };
  add_window(*state, 0);
  build(*state, &options);
  assert_int_equal(table.count, 1);
  expect("queue=mails", 20 * MS, 2);
  assert_int_equal(rtop_cost_wall(&table.rest), 180 * MS);
  assert_int_equal(table.key_count, 4);
  options =
      (struct label_table_options){ .sort = RTOP_SORT_RATIO, .filter = "^(endpoint|user)=", .mode = RTOP_MODE_WALL };
  build(*state, &options);
  assert_int_equal(table.count, 2);
  assert_string_equal(table.rows[0]->name, "endpoint=/users"); /* both take 10 ms: by name */
  options.filter_invert = options.reverse = true;
  options.sort = RTOP_SORT_NAME;
  build(*state, &options);
  assert_int_equal(table.count, 2);
  assert_string_equal(table.rows[0]->name, "queue=mails");
  options.filter = "(";
  assert_false(label_table_build(&table, *state, &sum, &options));
}

/* A lens for labels leaves out their counts, too; threads that are hidden make counts of no use. */
static void test_what_is_left_out(void **state)
{
  struct label_table_options options = { .sort = RTOP_SORT_TOTAL };
  struct rtop_lens_look look = { .label = "user" };
  add_window(*state, 0);
  assert_true(rtop_lens_set(rtop_profile_lens(*state), &look));
  struct rtop_live *live = rtop_live_create_sets(*state);
  struct rtop_sum moving = { 0 };
  assert_true(rtop_live_sum(live, rtop_profile_bounds(*state), &moving));
  assert_true(label_table_build(&table, *state, &moving, &options));
  assert_int_equal(table.count, 2);
  expect("endpoint=/users", 10 * MS, 0);
  expect("user=7", 10 * MS, 1);
  strcpy(look.label, "endpoint\n!user=7");
  assert_true(rtop_lens_set(rtop_profile_lens(*state), &look));
  assert_true(rtop_live_sum(live, rtop_profile_bounds(*state), &moving));
  assert_true(label_table_build(&table, *state, &moving, &options));
  assert_int_equal(table.count, 1);
  expect("endpoint=/users", 20 * MS, 3);
  look.label[0] = '\0';
  assert_true(rtop_lens_set(rtop_profile_lens(*state), &look));
  assert_true(rtop_live_sum(live, rtop_profile_bounds(*state), &moving));
  for (size_t i = 0; i < moving.thread_count; i++) moving.threads[i].hidden = i == 0;
  assert_true(label_table_build(&table, *state, &moving, &options));
  assert_false(table.counted);
  expect("job=Mail", 20 * MS, 2);
  expect("endpoint=/users", 0, 3);
  rtop_live_destroy(&live);
  rtop_sum_destroy(&moving);
}

/* Whatever becomes of old windows, counts stay: put together when memory is short, summed when it is not enough. */
static void test_counts_outlive_their_windows(void **state)
{
  (void)state;
  for (int keeps = 0; keeps < 2; keeps++) {
    enum { WINDOWS = 4000 };
    struct rtop_profile *profile = rtop_profile_create(keeps ? 300 << 10 : 3 << 20);
    struct rtop_symbols *before = symbols;
    symbols = rtop_profile_symbols(profile);
    plain = below(0);
    users = set_node("endpoint=/users");
    users_seven = set_node("endpoint=/users,user=7");
    job = set_node("job=Mail,queue=mails");
    if (keeps) rtop_profile_keep_sums(profile);
    for (int at = 0; at < WINDOWS; at++) add_window(profile, at);
    struct label_table_options all = { .sort = RTOP_SORT_TOTAL };
    build(profile, &all);
    expect("endpoint=/users", WINDOWS * 30 * MS, WINDOWS * 3);
    expect("user=7", WINDOWS * 10 * MS, WINDOWS);
    label_table_destroy(&table);
    rtop_sum_destroy(&sum);
    rtop_profile_destroy(&profile);
    symbols = before;
  }
}

/* Spans side by side tell each beginning once, also of a window that is longer than the span. */
static void test_spans_add_up(void **state)
{
  struct label_table_options all = { .sort = RTOP_SORT_TOTAL };
  struct rtop_window window = { .start_mono_ns = 0, .end_mono_ns = 1000 * MS };
  uint64_t told = 0;
  *rtop_window_add_begun(&window) = (struct rtop_begun){ .node = users, .count = 7 };
  assert_true(fixture_add(*state, 0, &window));
  rtop_window_destroy(&window);
  for (int part = 0; part < 3; part++) {
    const struct rtop_span span = { part * 1000 * MS / 3, (part + 1) * 1000 * MS / 3 };
    assert_true(rtop_profile_sum_sets(*state, span, &sum));
    assert_true(label_table_build(&table, *state, &sum, &all));
    told += row("endpoint=/users") ? row("endpoint=/users")->count : 0;
  }
  assert_int_equal(told, 7);
}

static void add_number(struct rtop_window *window, uint32_t node, uint32_t what, uint32_t key, uint64_t value)
{
  *rtop_window_add_exact(window) = (struct rtop_exact){ node, what, key, value };
}

/* In a window: of a label of a set pieces that took so long each, all of it in a cause. */
static void add_pieces(struct rtop_window *window, uint32_t node, uint32_t label, uint32_t cause, uint64_t ns,
                       uint64_t count)
{
  const uint32_t of[] = { RTOP_WORK_WHOLE, cause };
  for (int i = 0; i < 2; i++) {
    uint32_t bucket = rtop_latency_bucket(ns);
    add_number(window, node, RTOP_WORK_ENDED, rtop_work_key(label, of[i], 0), count);
    add_number(window, node, RTOP_WORK_TIME_NS, rtop_work_key(label, of[i], 0), ns * count);
    add_number(window, node, RTOP_WORK_LONGEST_NS, rtop_work_key(label, of[i], 0), ns);
    add_number(window, node, RTOP_WORK_TIMES, rtop_work_key(label, of[i], of[i] ? rtop_latency_coarse(bucket) : bucket),
               count);
  }
}

static void add_work(struct rtop_profile *profile, int64_t at)
{
  struct rtop_window window = { .start_mono_ns = at * 100 * MS, .end_mono_ns = (at + 1) * 100 * MS };
  add_pieces(&window, users, 0, RTOP_WORK_RUNNING, 10 * MS, 8);
  add_pieces(&window, users_seven, 0, RTOP_WORK_SLEEP, 500 * MS, 2); /* the same value in another set */
  add_pieces(&window, users_seven, 1, RTOP_WORK_SLEEP, 300 * MS, 1);
  add_number(&window, users, RTOP_WORK_OPEN, rtop_work_key(0, 0, 0), 4 - (at < 3 ? (uint64_t)at : 3));
  add_number(&window, users, RTOP_WORK_OLDEST_NS, rtop_work_key(0, 0, 0), at < 3 ? 7000 * MS : 0);
  add_number(&window, users_seven, RTOP_WORK_OPEN, rtop_work_key(0, 0, 0), 2);
  add_number(&window, users_seven, RTOP_WORK_OLDEST_NS, rtop_work_key(0, 0, 0), 900 * MS);
  /* of no set, of a label and a cause that are none */
  add_number(&window, RTOP_NODE_FOLDED, RTOP_WORK_ENDED, 0, 50);
  add_number(&window, users, RTOP_WORK_ENDED, rtop_work_key(9, 0, 0), 50);
  add_number(&window, users, RTOP_WORK_TIME_NS, rtop_work_key(0, 15, 0), 50);
  assert_true(fixture_add(profile, 0, &window));
  rtop_window_destroy(&window);
}

static void test_latency(void **state)
{
  struct label_table_options all = { .sort = RTOP_SORT_TOTAL };
  for (int at = 0; at < 10; at++) add_work(*state, at);
  build(*state, &all);
  assert_true(table.worked);
  assert_int_equal(table.count, 2);
  const struct work_figures *work = row("endpoint=/users")->work;
  assert_int_equal(work->ended, 100);
  assert_int_equal(work->of[RTOP_WORK_WHOLE].sum_ns, 10 * (80 + 1000) * MS);
  assert_int_equal(label_row_each_ns(row("endpoint=/users")), 108 * MS);
  assert_true(work->of[RTOP_WORK_WHOLE].known);
  assert_in_range(work->of[RTOP_WORK_WHOLE].p50_ns, 9.9 * MS, 10.1 * MS);
  assert_in_range(work->of[RTOP_WORK_WHOLE].p90_ns, 496 * MS, 500 * MS);
  assert_int_equal(work->of[RTOP_WORK_WHOLE].longest_ns, 500 * MS);
  assert_int_equal(work->of[RTOP_WORK_SLEEP].sum_ns, 10000 * MS);
  assert_int_equal(work->of[RTOP_WORK_SLEEP].p50_ns, 0); /* four of five did not sleep */
  assert_in_range(work->of[RTOP_WORK_SLEEP].p90_ns, 460 * MS, 500 * MS);
  assert_int_equal(work->of[RTOP_WORK_IO].some, 0);
  /* told last: none of the first set, one of the second */
  assert_int_equal(work->open, 1);
  assert_int_equal(work->oldest_ns, 900 * MS);
  assert_int_equal(row("user=7")->work->ended, 10);
  assert_int_equal(row("user=7")->work->open, 0);
}

/* Many labels of a set that is reported again and again: the last report of each counts, however many there are. */
static void test_open_work_of_many_labels(void **state)
{
  enum { SETS = 3000 };
  struct label_table_options all = { .sort = RTOP_SORT_TOTAL };
  for (uint64_t at = 0; at < 3; at++) {
    struct rtop_window window = { .start_mono_ns = (int64_t)at * 100 * MS,
                                  .end_mono_ns = (int64_t)(at + 1) * 100 * MS };
    for (uint32_t i = 0; i < SETS; i++) {
      char set[40];
      snprintf(set, sizeof set, "endpoint=/users,user=%u", i);
      uint32_t node = set_node(set);
      add_number(&window, node, RTOP_WORK_OPEN, rtop_work_key(0, 0, 0), 1 + at);
      add_number(&window, node, RTOP_WORK_OLDEST_NS, rtop_work_key(0, 0, 0), (1000 - at) * MS + i);
    }
    assert_true(fixture_add(*state, 0, &window));
    rtop_window_destroy(&window);
  }
  build(*state, &all);
  assert_int_equal(row("endpoint=/users")->work->open, 2 * SETS);
  assert_int_equal(row("endpoint=/users")->work->oldest_ns, 998 * MS + SETS - 1);
}

/* Times that found no room leave quantiles unknown; a lens for labels leaves work out, too. */
static void test_latency_that_is_not_known(void **state)
{
  struct label_table_options all = { .sort = RTOP_SORT_TOTAL };
  struct rtop_window window = { .start_mono_ns = 0, .end_mono_ns = 100 * MS };
  add_pieces(&window, users, 0, RTOP_WORK_RUNNING, 10 * MS, 8);
  add_number(&window, users, RTOP_WORK_ENDED, 0, 8);
  add_pieces(&window, job, 1, RTOP_WORK_RUNNING, 10 * MS, 8);
  assert_true(fixture_add(*state, 0, &window));
  rtop_window_destroy(&window);
  build(*state, &all);
  assert_false(row("endpoint=/users")->work->of[RTOP_WORK_WHOLE].known);
  assert_true(row("queue=mails")->work->of[RTOP_WORK_WHOLE].known);
  struct rtop_lens_look look = { .label = "job" };
  assert_true(rtop_lens_set(rtop_profile_lens(*state), &look));
  assert_true(label_table_build(&table, *state, &sum, &all));
  assert_int_equal(table.count, 1);
  assert_string_equal(table.rows[0]->name, "queue=mails");
  look.label[0] = '\0';
  assert_true(rtop_lens_set(rtop_profile_lens(*state), &look));
}

/* ---- slow blocks ------------------------------------------------------------------------------------ */

static void add_block(struct rtop_window *window, uint32_t node, uint32_t own, int64_t end_ns, int64_t total_ns)
{
  struct rtop_slow *slow = rtop_window_add_slow(window);
  *slow = (struct rtop_slow){ .end_mono_ns = end_ns,
                              .serial = 1,
                              .node = node,
                              .stack = node,
                              .flags = RTOP_SLOW_BLOCK | own << RTOP_SLOW_LABELS_SHIFT,
                              .total_ns = (uint64_t)total_ns };
  slow->work_ns[RTOP_WORK_SLEEP] = (uint64_t)total_ns;
}

/* Ten windows: in each eight requests, of 20, 30, ... 90 ms, the last one of user 7, too; a call; and two that found no room. */
static void add_slow(struct rtop_profile *profile)
{
  for (int64_t at = 0; at < 10; at++) {
    struct rtop_window window = { .start_mono_ns = at * 100 * MS, .end_mono_ns = (at + 1) * 100 * MS };
    for (int i = 0; i < 8; i++) {
      bool last = i == 7;
      add_pieces(&window, last ? users_seven : users, 0, RTOP_WORK_SLEEP, (20 + 10 * (uint64_t)i) * MS, 1);
      add_block(&window, last ? users_seven : users, last ? 3 : 1, at * 100 * MS + i, (20 + 10 * i) * MS);
    }
    add_pieces(&window, users_seven, 1, RTOP_WORK_SLEEP, 90 * MS, 1);
    add_pieces(&window, users, 0, RTOP_WORK_SLEEP, 100 * MS, 2);
    *rtop_window_add_slow(&window) =
        (struct rtop_slow){ .end_mono_ns = at * 100 * MS, .node = plain, .total_ns = 95 * MS };
    assert_true(fixture_add(profile, 0, &window));
    rtop_window_destroy(&window);
  }
}

static void test_slow_blocks(void **state)
{
  struct label_table_options options = { .sort = RTOP_SORT_TOTAL, .slower_ns = 75 * MS };
  uint64_t left_out;
  add_slow(*state);
  build(*state, &options);
  const struct label_row *found = row("endpoint=/users"), *user = row("user=7");
  assert_int_equal(found->block_count, 20);
  assert_int_equal(user->block_count, 10);
  assert_int_equal(table.blocks.count, 20);
  for (size_t i = 0; i < found->block_count; i++) {
    const struct slow_row *block = label_row_block(&table, found, i);
    assert_int_equal(block->call.total_ns, i % 2 ? 90 * MS : 80 * MS);
    assert_int_equal(block->call.work_ns[RTOP_WORK_SLEEP], block->call.total_ns);
    assert_true(i == 0 || block->call.end_ns > label_row_block(&table, found, i - 1)->call.end_ns);
  }
  assert_null(label_row_block(&table, found, found->block_count));
  assert_true(label_row_left_out(&table, found, &left_out));
  assert_int_equal(left_out, 20);
  assert_true(label_row_left_out(&table, user, &left_out));
  assert_int_equal(left_out, 0);
}

/* Nobody said what is slow: of each row the slowest; and what the lens leaves out has none. */
static void test_the_slowest_blocks(void **state)
{
  struct label_table_options options = { .sort = RTOP_SORT_TOTAL };
  add_slow(*state);
  build(*state, &options);
  const struct label_row *found = row("endpoint=/users");
  assert_int_equal(found->block_count, LABEL_BLOCKS_FEW);
  for (size_t i = 0; i < found->block_count; i++)
    assert_int_equal(label_row_block(&table, found, i)->call.total_ns, 90 * MS);
  assert_int_equal(row("user=7")->block_count, LABEL_BLOCKS_FEW);
  assert_int_equal(table.blocks.count, LABEL_BLOCKS_FEW);
  struct rtop_lens_look look = { .label = "!user" };
  assert_true(rtop_lens_set(rtop_profile_lens(*state), &look));
  build(*state, &options);
  assert_int_equal(label_row_block(&table, row("endpoint=/users"), 0)->call.total_ns, 80 * MS);
  look.label[0] = '\0';
  assert_true(rtop_lens_set(rtop_profile_lens(*state), &look));
}

int main(void)
{
#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
  const struct CMUnitTest tests[] = {
    CASE(test_whose_time),
    CASE(test_one_key_sorted_and_filtered),
    CASE(test_what_is_left_out),
    CASE(test_spans_add_up),
    CASE(test_counts_outlive_their_windows),
    CASE(test_latency),
    CASE(test_latency_that_is_not_known),
    CASE(test_open_work_of_many_labels),
    CASE(test_slow_blocks),
    CASE(test_the_slowest_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
