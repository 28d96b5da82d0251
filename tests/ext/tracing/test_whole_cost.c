/* What is taken off for counting itself: never more than there was, the least of what was learnt. */
#include "ext/tracing/whole_cost.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { LEAF = 100, OUTER, FUNCTION };

/* A program: so many calls of a method that calls a leaf once, which takes `leaf_ticks`; what the hook counts of it when a
 * call costs `real`, and `costs` are taken off. */
struct program {
  struct whole_tree tree;
  uint32_t outer, leaf;
};

static void set_node(struct whole_node *node, uint64_t calls, int64_t total, int64_t self)
{
  atomic_store(&node->calls, calls);
  atomic_store(&node->total, total);
  atomic_store(&node->self, self);
}

static struct program run(int64_t calls, int64_t leaf_ticks, struct whole_cost real, struct whole_cost off,
                          uintptr_t id)
{
  struct program program = { 0 };
  assert_true(whole_tree_make(&program.tree));
  whole_tree_clear(&program.tree);
  program.outer = whole_tree_child(&program.tree, WHOLE_ROOT, OUTER, id);
  program.leaf = whole_tree_child(&program.tree, program.outer, LEAF, id);
  int64_t leaf_self = leaf_ticks + real.inside - off.inside;
  int64_t outer_self = 10 + real.inside - off.inside + real.outside - off.outside;
  set_node(&program.tree.nodes[program.leaf], (uint64_t)calls, calls * leaf_self, calls * leaf_self);
  set_node(&program.tree.nodes[program.outer], (uint64_t)calls, calls * (outer_self + leaf_self), calls * outer_self);
  return program;
}

static int64_t mean(const struct program *program, uint32_t node, bool total)
{
  const struct whole_node *at = &program->tree.nodes[node];
  return atomic_load(total ? &at->total : &at->self) / (int64_t)atomic_load(&at->calls);
}

#define COST(inside, outside) ((struct whole_cost){ inside, outside })
#define BOTH(cost) ((struct whole_cost[]){ cost, cost })

static void test_what_was_right_stays(void **state)
{
  (void)state;
  for (uintptr_t id = 0; id < 2; id++) {
    struct program program = run(5000, 27, COST(20, 55), COST(20, 55), id);
    assert_int_equal(whole_cost_settle(&program.tree, BOTH(COST(20, 55)), BOTH(COST(20, 55))), 0);
    assert_int_equal(mean(&program, program.leaf, false), 27);
    assert_int_equal(mean(&program, program.outer, true), 37);
    /* A slower moment at the end takes nothing more. */
    assert_int_equal(whole_cost_settle(&program.tree, BOTH(COST(20, 55)), BOTH(COST(40, 80))), 0);
  }
}

/* It was learnt in a slow moment: the end tells. */
static void test_the_end_gives_back(void **state)
{
  (void)state;
  struct program program = run(5000, 27, COST(20, 55), COST(40, 79), 0);
  assert_true(mean(&program, program.outer, true) < 0);
  assert_int_equal(whole_cost_settle(&program.tree, BOTH(COST(40, 79)), BOTH(COST(20, 55))), 5000 * (20 + 20 + 24));
  assert_int_equal(mean(&program, program.leaf, false), 27);
  assert_int_equal(mean(&program, program.outer, false), 10);
  assert_int_equal(mean(&program, program.outer, true), 37);
}

/* Both ends were slow: what was measured bounds it, and a tenth stays. */
static void test_never_more_than_there_was(void **state)
{
  (void)state;
  struct program program = run(5000, 27, COST(20, 55), COST(60, 140), 0);
  whole_cost_settle(&program.tree, BOTH(COST(60, 140)), BOTH(COST(60, 140)));
  assert_int_equal(mean(&program, program.leaf, false), (27 + 20) / 10);
  assert_int_equal(mean(&program, program.outer, false), (10 + 20 + 55) / 10);
  assert_int_equal(mean(&program, program.outer, true), (27 + 20 + 10 + 20 + 55) / 10);
  /* Few calls bound nothing for others, but keep their tenth. */
  program = run(10, 27, COST(20, 55), COST(60, 140), 0);
  whole_cost_settle(&program.tree, BOTH(COST(60, 140)), BOTH(COST(60, 140)));
  assert_in_range(mean(&program, program.leaf, false), 4, 5);
}

static void test_an_empty_tree(void **state)
{
  (void)state;
  struct whole_tree tree = { 0 };
  assert_true(whole_tree_make(&tree));
  assert_int_equal(whole_cost_settle(&tree, BOTH(COST(60, 140)), BOTH(COST(1, 1))), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_was_right_stays),
    cmocka_unit_test(test_the_end_gives_back),
    cmocka_unit_test(test_never_more_than_there_was),
    cmocka_unit_test(test_an_empty_tree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
