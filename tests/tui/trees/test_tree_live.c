/* A tree that is kept from one live sum to the next is the one that a fresh sum makes of nothing. */
#include "tests/tui/live_fixture.h"
#include "tui/trees/tree.h"

static struct rtop_tree followed, built;

static uint32_t child_of(const struct rtop_tree *tree, uint32_t parent, uint32_t frame)
{
  uint32_t found = 0;
  for (uint32_t id = tree->nodes[parent].first_child; id; id = tree->nodes[id].next_sibling) {
    assert_int_equal(parent, tree->nodes[id].parent);
    assert_true(rtop_tree_has(tree, id));
    if (tree->nodes[id].frame == frame) {
      assert_int_equal(0, found);
      found = id;
    }
  }
  return found;
}

static size_t children(const struct rtop_tree *tree, uint32_t parent)
{
  size_t count = 0;
  for (uint32_t id = tree->nodes[parent].first_child; id; id = tree->nodes[id].next_sibling) count++;
  return count;
}

static void check_below(uint32_t a, uint32_t b)
{
  const struct rtop_tree_node *left = &followed.nodes[a], *right = &built.nodes[b];
  assert_memory_equal(&left->self, &right->self, sizeof left->self);
  assert_memory_equal(&left->total, &right->total, sizeof left->total);
  assert_memory_equal(left->leaves, right->leaves, sizeof left->leaves);
  assert_int_equal(left->below, right->below);
  assert_int_equal(left->depth, right->depth);
  assert_int_equal(left->threads, right->threads);
  assert_int_equal(left->runs, right->runs);
  assert_int_equal(children(&followed, a), children(&built, b));
  for (uint32_t id = right->first_child; id; id = built.nodes[id].next_sibling) {
    uint32_t same = child_of(&followed, a, built.nodes[id].frame);
    assert_int_not_equal(0, same);
    check_below(same, id);
  }
}

static void check(struct rtop_span span, const struct rtop_methods_options *options, bool fold, uint32_t hidden)
{
  assert_true(rtop_live_sum(m.live, span, &m.sum));
  assert_true(rtop_profile_sum(m.profile, span, &m.fresh));
  for (size_t i = 0; i < m.sum.thread_count; i++)
    m.sum.threads[i].hidden = m.fresh.threads[i].hidden = hidden && m.sum.threads[i].serial % 3 == hidden % 3;
  assert_true(rtop_live_methods(m.live, &m.sum, &m.methods, options));
  assert_true(rtop_tree_build(&followed, &m.sum, m.symbols, options, fold));
  rtop_tree_destroy(&built);
  assert_true(rtop_tree_build(&built, &m.fresh, m.symbols, options, fold));
  assert_int_equal(built.touched_count, followed.touched_count);
  for (size_t i = 0; i < followed.touched_count; i++) {
    assert_true(rtop_tree_has(&followed, followed.touched[i]));
    assert_true(i == 0 || followed.touched[i - 1] < followed.touched[i]);
  }
  check_below(0, 0);
}

static void close_trees(void)
{
  rtop_tree_destroy(&followed);
  rtop_tree_destroy(&built);
  close_model();
}

static void test_it_follows_the_end(void **state)
{
  (void)state;
  struct rtop_methods_options options = { .sort = RTOP_SORT_NAME };
  for (uint32_t seed = 1; seed <= 6; seed++) {
    open_model(16 << 20, seed);
    for (int i = 0; i < 100; i++) {
      add_window(0);
      check(rtop_profile_last(m.profile, 1000 * MS), &options, false, 0);
    }
    close_trees();
  }
}

/* Filters, folding, threads, looks and far steps come and go; updates may pass without the tree. */
static void test_whatever_comes_between(void **state)
{
  (void)state;
  for (uint32_t seed = 11; seed <= 18; seed++) {
    open_model(40000, seed);
    bool fold = false;
    for (int i = 0; i < 200; i++) {
      struct rtop_methods_options options = { .sort = RTOP_SORT_NAME };
      add_window(0);
      options.filter = below(8) ? NULL : "K[13]#";
      fold = below(20) ? fold : !fold;
      if (below(25) == 0) {
        struct rtop_lens_look look = { .no_c = below(2),
                                       .merge = (enum rtop_merge)below(RTOP_MERGES),
                                       .processes = below(2) };
        for (uint32_t source = 0; source < 8; source++)
          rtop_lens_process(rtop_profile_lens(m.profile), source, 100 + source);
        assert_true(rtop_lens_set(rtop_profile_lens(m.profile), &look));
      }
      if (below(6) == 0) {
        assert_true(rtop_live_sum(m.live, rtop_profile_last(m.profile, 500 * MS), &m.sum));
        assert_true(rtop_live_methods(m.live, &m.sum, &m.methods, &options));
      }
      check(below(12) ? rtop_profile_last(m.profile, 1500 * MS) : rtop_profile_bounds(m.profile), &options, fold,
            below(8) ? 0 : 1 + below(3));
    }
    close_trees();
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_it_follows_the_end),
    cmocka_unit_test(test_whatever_comes_between),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
