/* The tree of all calls, against lists that are searched from the beginning. */
#include "ext/tracing/whole_tree.h"

#include "ext/base/draw.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { METHODS = 7, DEPTH_MAX = 6, CALLS = 200000 };

static struct whole_tree tree;

struct seen {
  uint32_t parent, node;
  uintptr_t entry;
  uintptr_t id;
};
static struct seen seen[WHOLE_NODES_MAX];
static uint32_t seen_count;

static uint32_t oracle(uint32_t parent, uintptr_t entry, uintptr_t id, uint32_t node)
{
  for (uint32_t i = 0; i < seen_count; i++)
    if (seen[i].parent == parent && seen[i].entry == entry && seen[i].id == id) return seen[i].node;
  seen[seen_count++] = (struct seen){ parent, node, entry, id };
  return node;
}

static void begin(void)
{
  assert_true(whole_tree_make(&tree));
  whole_tree_clear(&tree);
  seen_count = 0;
}

/* What a method calls in turn, what it calls at random, and the same method under other names. */
static void test_a_call_finds_its_node_whatever_was_called_before(void **state)
{
  (void)state;
  uint32_t random = 1, path[DEPTH_MAX] = { WHOLE_ROOT }, depth = 0;
  begin();
  for (int call = 0; call < CALLS; call++) {
    bool in_turn = call / 1000 % 2 == 0;
    uint64_t drawn = in_turn ? (uint64_t)call : (uint64_t)draw_ns(&random, 0, 1000000);
    uintptr_t entry = 1000 + 8 * (uintptr_t)(drawn % METHODS);
    uintptr_t id = drawn % 3 == 0 ? 5 : 0;
    uint32_t node = whole_tree_child(&tree, path[depth], entry, id);
    assert_int_not_equal(node, WHOLE_NO_NODE);
    assert_int_equal(node, oracle(path[depth], entry, id, node));
    assert_int_equal(tree.nodes[node].parent, path[depth]);
    assert_true(whole_node_is(&tree.nodes[node], entry, id));
    if (depth + 1 < DEPTH_MAX && drawn % 2) path[++depth] = node;
    else if (depth && drawn % 5 == 0) depth--;
  }
  assert_int_equal(whole_tree_count(&tree), seen_count + 1);
}

static void test_what_has_no_room_is_no_node(void **state)
{
  (void)state;
  begin();
  uint32_t parent = WHOLE_ROOT, last = WHOLE_ROOT;
  for (uint32_t i = 1; i < WHOLE_NODES_MAX; i++, parent = last) last = whole_tree_child(&tree, parent, 1000, 0);
  assert_int_not_equal(last, WHOLE_NO_NODE);
  assert_int_equal(whole_tree_child(&tree, last, 1000, 0), WHOLE_NO_NODE);
  assert_int_equal(whole_tree_child(&tree, WHOLE_ROOT, 1008, 0), WHOLE_NO_NODE);
  assert_int_not_equal(whole_tree_child(&tree, WHOLE_ROOT, 1000, 0), WHOLE_NO_NODE);
}

static void test_as_many_methods_as_there_is_room_for(void **state)
{
  (void)state;
  begin();
  for (uintptr_t i = 1; i < WHOLE_METHODS_MAX; i++)
    assert_int_not_equal(whole_tree_child(&tree, WHOLE_ROOT, 8 * i, 0), WHOLE_NO_NODE);
  assert_int_equal(whole_tree_child(&tree, WHOLE_ROOT, 8 * WHOLE_METHODS_MAX, 0), WHOLE_NO_NODE);
  for (uintptr_t i = 1; i < WHOLE_METHODS_MAX; i += 97)
    assert_int_equal(tree.nodes[whole_tree_child(&tree, WHOLE_ROOT, 8 * i, 0)].entry, 8 * i);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_call_finds_its_node_whatever_was_called_before),
    cmocka_unit_test(test_what_has_no_room_is_no_node),
    cmocka_unit_test(test_as_many_methods_as_there_is_room_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
