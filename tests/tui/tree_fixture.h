/* A profile of one window whose stacks are written as texts, and the tree that is made from it. */
#ifndef RTOP_TESTS_TREE_FIXTURE_H
#define RTOP_TESTS_TREE_FIXTURE_H

#include "model_fixture.h"
#include "tui/trees/tree.h"
#include <stdlib.h>

#define FIXTURE_WINDOW (100 * MS)

struct forest {
  struct rtop_profile *profile;
  struct rtop_symbols *symbols;
  struct rtop_window window;
  struct rtop_sum sum;
  struct rtop_tree tree;
  struct rtop_methods_options options;
};

FIXTURE void forest_open(struct forest *forest)
{
  *forest = (struct forest){ .profile = rtop_profile_create(64 << 20) };
  assert_non_null(forest->profile);
  forest->symbols = rtop_profile_symbols(forest->profile);
  fixture_window(&forest->window, 0, FIXTURE_WINDOW);
}

FIXTURE void forest_close(struct forest *forest)
{
  rtop_window_destroy(&forest->window);
  rtop_sum_destroy(&forest->sum);
  rtop_tree_destroy(&forest->tree);
  rtop_profile_destroy(&forest->profile);
}

/* The symbols' node of "main a b:7 c": frames from the root, with the line being executed (default 5). */
FIXTURE uint32_t forest_node(struct forest *forest, const char *stack)
{
  char text[512], *rest = text;
  uint32_t node = 0;
  snprintf(text, sizeof text, "%s", stack);
  for (char *name = strtok_r(rest, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
    char *colon = strchr(name, ':');
    uint32_t line = colon ? (uint32_t)atoi(colon + 1) : 5;
    if (colon) *colon = '\0';
    uint32_t frame = fixture_frame(forest->symbols, name, "/app/x.rb", 1);
    node = rtop_symbols_node(forest->symbols, node, frame, line);
  }
  return node;
}

FIXTURE void forest_add(struct forest *forest, uint32_t thread, const char *stack, uint32_t state, int64_t ms)
{
  struct rtop_cell *cell =
      fixture_cell(&forest->window, thread, forest_node(forest, stack), state, (uint64_t)(ms * MS));
  cell->cpu_ns = state == RTOP_RUNNING ? (uint64_t)(ms * MS) : 0;
}

FIXTURE void forest_build(struct forest *forest, bool fold)
{
  if (rtop_profile_bounds(forest->profile).end_ns == 0) assert_true(fixture_add(forest->profile, 0, &forest->window));
  assert_true(rtop_profile_sum(forest->profile, rtop_profile_bounds(forest->profile), &forest->sum));
  assert_true(rtop_tree_build(&forest->tree, &forest->sum, forest->symbols, &forest->options, fold));
}

FIXTURE const char *forest_label(const struct forest *forest, uint32_t frame)
{
  return rtop_symbols_get(forest->symbols, frame)->label;
}

FIXTURE uint32_t forest_frame(struct forest *forest, const char *label)
{
  return fixture_frame(forest->symbols, label, "/app/x.rb", 1);
}

/* The tree's node of a path of labels, 0 when the last sum does not hold it. */
FIXTURE uint32_t forest_find(const struct forest *forest, const char *path)
{
  char text[512], *rest = text;
  uint32_t at = 0;
  snprintf(text, sizeof text, "%s", path);
  for (char *name = strtok_r(rest, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
    uint32_t child = forest->tree.nodes[at].first_child;
    while (child != 0 && strcmp(forest_label(forest, forest->tree.nodes[child].frame), name) != 0)
      child = forest->tree.nodes[child].next_sibling;
    if (child == 0) return 0;
    at = child;
  }
  return at;
}

FIXTURE int64_t forest_ms(const struct rtop_cost *cost)
{
  return (int64_t)rtop_cost_wall(cost) / MS;
}

#endif
