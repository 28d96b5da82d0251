/* SPDX-License-Identifier: MIT */
/* The stacks of a sum, merged by method, one after the other. */
#include "export_impl.h"

#include "tui/text/reserve.h"
#include <stdlib.h>

size_t export_path(const struct rtop_tree *tree, uint32_t node, uint32_t **frames, size_t *capacity)
{
  size_t depth = 0;
  if (!rtop_reserve(frames, capacity, tree->nodes[node].depth + 1, sizeof **frames)) return 0;
  /* NOLINTBEGIN(clang-analyzer-core.NullDereference): what was reserved is there */
  for (; node != 0; node = tree->nodes[node].parent) (*frames)[depth++] = tree->nodes[node].frame;
  if (depth == 0) (*frames)[depth++] = 0;
  /* NOLINTEND(clang-analyzer-core.NullDereference) */
  return depth;
}

static bool stacks_is_empty(const struct rtop_cost *cost)
{
  return rtop_cost_wall(cost) == 0 && cost->cpu_ns == 0 && cost->blame_ns == 0 && cost->allocations == 0 &&
         cost->samples == 0;
}

/* Makes a sum with the cells of a single thread. */
static bool stacks_part(struct export_stacks *stacks, const struct rtop_sum *sum, size_t from, size_t to)
{
  struct rtop_sum *part = &stacks->part;
  if (!rtop_reserve(&part->cells, &part->cell_capacity, to - from, sizeof *part->cells)) return false;
  part->cell_count = to - from;
  for (size_t i = from; i < to; i++) {
    part->cells[i - from] = sum->cells[i];
    part->cells[i - from].thread = 0;
  }
  part->threads = &sum->threads[sum->cells[from].thread];
  part->thread_count = 1;
  part->length_ns = sum->length_ns;
  return true;
}

static bool stacks_take(struct export_stacks *stacks, uint32_t thread_index)
{
  const struct rtop_tree *tree = &stacks->tree;
  for (size_t i = 0; i < tree->touched_count; i++) {
    const struct rtop_tree_node *node = &tree->nodes[tree->touched[i]];
    if (stacks_is_empty(&node->self)) continue;
    if (!rtop_reserve(&stacks->list, &stacks->capacity, stacks->count + 1, sizeof *stacks->list)) return false;
    stacks->list[stacks->count++] = (struct export_stack){ thread_index, tree->touched[i], node->self };
  }
  return true;
}

bool export_stacks_build(struct export_stacks *stacks, const struct export_job *job, const struct rtop_sum *sum)
{
  struct rtop_methods_options all = { .mode = job->options.mode };
  for (size_t from = 0, to; from < sum->cell_count; from = to) {
    uint32_t thread_index = sum->cells[from].thread;
    for (to = from + 1; to < sum->cell_count && sum->cells[to].thread == thread_index; to++)
      ;
    if (!stacks_part(stacks, sum, from, to) ||
        !rtop_tree_build(&stacks->tree, &stacks->part, job->symbols, &all, false) || !stacks_take(stacks, thread_index))
      return false;
  }
  return true;
}

void export_stacks_destroy(struct export_stacks *stacks)
{
  rtop_tree_destroy(&stacks->tree);
  free(stacks->part.cells);
  free(stacks->list);
}

bool export_walk(const struct export_job *job, const struct rtop_sum *sum, export_visit *visit, void *context)
{
  struct export_stacks stacks = { 0 };
  uint32_t *frames = NULL;
  size_t capacity = 0;
  bool fine = export_stacks_build(&stacks, job, sum);
  for (size_t i = 0; fine && i < stacks.count; i++) {
    const struct export_stack *stack = &stacks.list[i];
    size_t depth = export_path(&stacks.tree, stack->node, &frames, &capacity);
    struct export_walk walk = { &sum->threads[stack->thread_index], stack->thread_index, frames, depth, &stack->cost };
    fine = depth > 0 && visit(context, &walk) && export_goes_on(job);
  }
  export_stacks_destroy(&stacks);
  free(frames);
  return fine;
}
