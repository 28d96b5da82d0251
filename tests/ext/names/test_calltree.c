#include "ext/names/calltree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { CAPACITY = 20000 };

/* The nodes of a tree that is made of sums: parent and frame follow from the number. */
static uint32_t child(struct calltree *tree, uint32_t number)
{
  return calltree_child(tree, number / 7 % 1000, number % 13, number);
}

static void test_nodes_are_found_again_while_it_grows(void **state)
{
  (void)state;
  struct calltree tree;
  static uint32_t ids[CAPACITY];
  assert_int_equal(calltree_create(&tree, CAPACITY), 0);
  uint32_t first = tree.mask;
  for (uint32_t number = 0; number < CAPACITY - RTOP_NODE_FIRST_FREE; number++) {
    ids[number] = child(&tree, number);
    assert_int_equal(ids[number], RTOP_NODE_FIRST_FREE + number);
    assert_true(tree.mask == first || calltree_count(&tree) > tree.mask / 4);
  }
  for (uint32_t number = 0; number < CAPACITY - RTOP_NODE_FIRST_FREE; number++)
    assert_int_equal(child(&tree, number), ids[number]);
  assert_int_equal(calltree_count(&tree), CAPACITY);
  assert_int_equal(atomic_load(&tree.overflowed), 0);
  calltree_destroy(&tree);
}

static void test_a_full_tree_charges_the_parent(void **state)
{
  (void)state;
  struct calltree tree;
  assert_int_equal(calltree_create(&tree, RTOP_NODE_FIRST_FREE + 1), 0);
  uint32_t only = calltree_child(&tree, RTOP_NODE_ROOT, 9, 1);
  assert_int_equal(only, RTOP_NODE_FIRST_FREE);
  assert_int_equal(calltree_child(&tree, only, 9, 1), only);
  assert_int_equal(calltree_child(&tree, RTOP_NODE_ROOT, 9, 1), only);
  assert_int_equal(calltree_child(&tree, RTOP_NODE_ROOT, 9, 2), RTOP_NODE_ROOT);
  assert_int_equal(atomic_load(&tree.overflowed), 2);
  assert_int_equal(tree.entries[only].depth, 1);
  calltree_destroy(&tree);
}

enum { MAIN = 10, LEFT, RIGHT, WAIT };

/* main: left at line 1, right at lines 2 and 3, each with a wait. */
static void test_what_two_stacks_share(void **state)
{
  (void)state;
  struct calltree tree;
  assert_int_equal(calltree_create(&tree, 100), 0);
  uint32_t lines[4] = { 0 }, calls[4] = { 0 }, waits[4] = { 0 };
  for (uint32_t line = 1; line <= 3; line++) {
    lines[line] = calltree_child(&tree, RTOP_NODE_ROOT, MAIN, line);
    calls[line] = calltree_child(&tree, lines[line], line == 1 ? LEFT : RIGHT, 7);
    waits[line] = calltree_child(&tree, calls[line], WAIT, 0);
  }
  assert_int_equal(calltree_both(&tree, waits[1], waits[1]), waits[1]);
  assert_int_equal(calltree_both(&tree, waits[1], waits[2]), lines[2]);
  assert_int_equal(calltree_both(&tree, waits[2], waits[1]), lines[1]);
  assert_int_equal(calltree_both(&tree, waits[1], lines[1]), lines[1]);
  assert_int_equal(calltree_both(&tree, lines[1], waits[1]), lines[1]);
  uint32_t again = calltree_child(&tree, calls[1], LEFT, 7), other = calltree_child(&tree, RTOP_NODE_ROOT, LEFT, 7);
  assert_int_equal(calltree_both(&tree, again, calls[1]), calls[1]);
  assert_int_equal(calltree_both(&tree, other, waits[1]), RTOP_NODE_ROOT);

  assert_int_equal(calltree_between(&tree, waits[1], waits[2]), lines[2]);
  assert_int_equal(calltree_between(&tree, waits[1], waits[1]), calls[1]); /* the same wait again */
  assert_int_equal(calltree_between(&tree, lines[1], waits[1]), RTOP_NODE_ROOT);
  assert_int_equal(calltree_between(&tree, other, waits[1]), RTOP_NODE_ROOT);
  calltree_destroy(&tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nodes_are_found_again_while_it_grows),
    cmocka_unit_test(test_a_full_tree_charges_the_parent),
    cmocka_unit_test(test_what_two_stacks_share),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
