/* Groups of a live sum, whose tree is kept from step to step, are those of a tree that is made of nothing. */
#include "tests/tui/live_fixture.h"
#include "tui/trees/groups.h"

enum { LEVELS_ALL = 99 };

static struct rtop_groups followed, fresh;
static struct rtop_tree tree, kept; /* of a fresh sum; of the live one */
static bool folded;

static void open_groups(uint64_t memory_bytes, uint32_t seed)
{
  open_model(memory_bytes, seed);
  followed.levels = fresh.levels = LEVELS_ALL;
  folded = false;
}

static void close_groups(void)
{
  rtop_groups_destroy(&followed);
  rtop_groups_destroy(&fresh);
  rtop_tree_destroy(&tree);
  rtop_tree_destroy(&kept);
  close_model();
}

/* Brings the live sum up to date; every third thread may be left out. */
static void step(struct rtop_span span, const struct rtop_methods_options *options, uint32_t hidden)
{
  assert_true(rtop_live_sum(m.live, span, &m.sum));
  assert_true(rtop_profile_sum(m.profile, span, &m.fresh));
  for (size_t i = 0; i < m.sum.thread_count; i++)
    m.sum.threads[i].hidden = m.fresh.threads[i].hidden = hidden && m.sum.threads[i].serial % 3 == hidden % 3;
  assert_true(rtop_live_methods(m.live, &m.sum, &m.methods, options));
}

static void check_row(const struct rtop_group_row *a, const struct rtop_group_row *b)
{
  assert_int_equal(b->key, a->key);
  assert_int_equal(b->frame, a->frame);
  assert_int_equal(b->depth, a->depth);
  assert_int_equal(b->callers, a->callers);
  assert_int_equal(b->below, a->below);
  assert_int_equal(b->lines, a->lines);
  assert_int_equal(b->last, a->last);
  assert_int_equal(b->open, a->open);
  assert_int_equal(b->reference, a->reference);
  assert_int_equal(b->recursive, a->recursive);
  struct rtop_groups_cost of_a = rtop_groups_cost(&followed, a), of_b = rtop_groups_cost(&fresh, b);
  assert_memory_equal(&of_b, &of_a, sizeof of_a);
}

static void check(const struct rtop_groups_look *look)
{
  struct rtop_methods_options all = { .mode = look->mode, .sort = RTOP_SORT_NAME };
  rtop_tree_destroy(&tree);
  assert_true(rtop_tree_build(&tree, &m.fresh, m.symbols, &all, folded));
  assert_true(rtop_groups_take(&fresh, &tree, m.symbols, look));
  assert_true(rtop_groups_build(&fresh, m.symbols, look));
  assert_true(rtop_groups_build(&followed, m.symbols, look));
  assert_int_equal(fresh.count, followed.count);
  assert_int_equal(fresh.group_count, followed.group_count);
  assert_int_equal(fresh.hidden, followed.hidden);
  assert_int_equal(fresh.most_ns, followed.most_ns);
  for (size_t i = 0; i < fresh.count; i++) check_row(&followed.rows[i], &fresh.rows[i]);
  for (uint32_t frame = 0; frame < rtop_symbols_frame_count(m.symbols); frame++)
    assert_int_equal(rtop_groups_has(&fresh, frame), rtop_groups_has(&followed, frame));
}

static void follow(const struct rtop_groups_look *look)
{
  struct rtop_methods_options all = { .mode = look->mode, .sort = RTOP_SORT_NAME };
  assert_true(rtop_tree_build(&kept, &m.sum, m.symbols, &all, folded));
  assert_true(rtop_groups_take(&followed, &kept, m.symbols, look));
}

static void test_they_follow_the_end(void **state)
{
  (void)state;
  struct rtop_methods_options options = { .sort = RTOP_SORT_NAME };
  struct rtop_groups_look look = { .sort = RTOP_SORT_TOTAL };
  for (uint32_t seed = 1; seed <= 6; seed++) {
    open_groups(16 << 20, seed);
    for (int i = 0; i < 100; i++) {
      add_window(0);
      step(rtop_profile_last(m.profile, 1000 * MS), &options, 0);
      follow(&look);
      check(&look);
    }
    close_groups();
  }
}

/* What anybody opened, closed or looked for, in both of them. */
static void decide(void)
{
  uint32_t frame = below(rtop_symbols_frame_count(m.symbols));
  if (below(30) == 0) followed.levels = fresh.levels = below(2) ? LEVELS_ALL : below(3);
  if (followed.count > 0 && below(3) == 0) {
    uint64_t key = followed.rows[below((uint32_t)followed.count)].key;
    bool open = below(2);
    rtop_tree_choose(&followed.choices, key, open);
    rtop_tree_choose(&fresh.choices, key, open);
  }
  if (below(8) == 0) assert_int_equal(rtop_groups_reveal(&fresh, frame), rtop_groups_reveal(&followed, frame));
}

/* Threads, looks, thresholds, orders, folded recursion and far steps come and go; updates may pass without the groups, rows
 * are made more than once of an update. */
static void test_whatever_comes_between(void **state)
{
  (void)state;
  for (uint32_t seed = 11; seed <= 22; seed++) {
    open_groups(40000, seed);
    struct rtop_groups_look look = { .sort = RTOP_SORT_TOTAL };
    for (int i = 0; i < 200; i++) {
      struct rtop_methods_options options = { .sort = RTOP_SORT_NAME, .mode = look.mode };
      add_window(0);
      if (below(25) == 0) {
        struct rtop_lens_look lens = { .no_c = below(2),
                                       .merge = (enum rtop_merge)below(RTOP_MERGES),
                                       .processes = below(2) };
        for (uint32_t source = 0; source < 8; source++)
          rtop_lens_process(rtop_profile_lens(m.profile), source, 100 + source);
        assert_true(rtop_lens_set(rtop_profile_lens(m.profile), &lens));
      }
      if (below(20) == 0) folded = !folded; /* the tree's ids begin anew */
      if (below(6) == 0) step(rtop_profile_last(m.profile, 500 * MS), &options, below(4));
      if (below(10) == 0) {
        look.sort = rtop_sort_key_plain((enum rtop_sort_key)below(RTOP_SORT_KEYS));
        look.mode = options.mode = below(2) ? RTOP_MODE_WALL : RTOP_MODE_CPU;
      }
      step(below(12) ? rtop_profile_last(m.profile, 1500 * MS) : rtop_profile_bounds(m.profile), &options,
           below(8) ? 0 : 1 + below(3));
      follow(&look);
      for (uint32_t times = 1 + below(2); times > 0; times--) {
        look.reverse = below(10) ? look.reverse : !look.reverse;
        look.least_percent = below(3) ? look.least_percent : below(40);
        check(&look);
        decide();
      }
    }
    close_groups();
  }
}

/* Between two updates the groups may be those of a tree, as with a filter. */
static void test_trees_come_between(void **state)
{
  (void)state;
  struct rtop_methods_options options = { .sort = RTOP_SORT_NAME }, filtered = { .filter = "K[13]#" };
  struct rtop_groups_look look = { .sort = RTOP_SORT_TOTAL };
  open_groups(16 << 20, 31);
  for (int i = 0; i < 60; i++) {
    add_window(0);
    step(rtop_profile_last(m.profile, 800 * MS), &options, 0);
    if (below(3)) {
      follow(&look);
      check(&look);
      continue;
    }
    assert_true(rtop_tree_build(&tree, &m.fresh, m.symbols, &filtered, below(2)));
    for (int k = 0; k < 2; k++) { /* both know the places of the rows then */
      struct rtop_groups *groups = k ? &fresh : &followed;
      assert_true(rtop_groups_take(groups, &tree, m.symbols, &look));
      assert_true(rtop_groups_build(groups, m.symbols, &look));
    }
  }
  close_groups();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_they_follow_the_end),
    cmocka_unit_test(test_whatever_comes_between),
    cmocka_unit_test(test_trees_come_between),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
