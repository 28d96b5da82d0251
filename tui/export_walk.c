#include "export_impl.h"

#include "reserve.h"
#include <stdlib.h>

size_t export_path(const struct rtop_tree *tree, uint32_t node, uint32_t **frames, size_t *capacity)
{
  size_t depth = 0;
  if (!rtop_reserve(frames, capacity, tree->nodes[node].depth + 1, sizeof **frames))
    return 0;
  for (; node != 0; node = tree->nodes[node].parent)
    (*frames)[depth++] = tree->nodes[node].frame;
  if (depth == 0)
    (*frames)[depth++] = 0;
  return depth;
}

struct walk {
  const struct export_job *job;
  struct rtop_tree tree;
  struct rtop_sum part;                /* of one thread */
  size_t cell_capacity;
  uint32_t *frames;
  size_t frame_capacity;
};

static bool walk_is_empty(const struct rtop_cost *cost)
{
  return rtop_cost_wall(cost) == 0 && cost->cpu_ns == 0 && cost->blame_ns == 0 && cost->allocations == 0 &&
         cost->samples == 0;
}

static bool walk_tree(struct walk *walk, struct export_walk *stack, export_visit *visit, void *context)
{
  const struct rtop_tree *tree = &walk->tree;
  for (size_t i = 0; i < tree->touched_count; i++) {
    const struct rtop_tree_node *node = &tree->nodes[tree->touched[i]];
    if (walk_is_empty(&node->self))
      continue;
    stack->depth = export_path(tree, tree->touched[i], &walk->frames, &walk->frame_capacity);
    stack->frames = walk->frames;
    stack->cost = &node->self;
    if (stack->depth == 0 || !visit(context, stack))
      return false;
  }
  return true;
}

/* A sum that holds one thread and its cells only. */
static bool walk_part(struct walk *walk, const struct rtop_sum *sum, size_t from, size_t to)
{
  struct rtop_sum *part = &walk->part;
  if (!rtop_reserve(&part->cells, &part->cell_capacity, to - from, sizeof *part->cells))
    return false;
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

bool export_walk(const struct export_job *job, const struct rtop_sum *sum, export_visit *visit,
                 void *context)
{
  struct walk walk = {.job = job};
  struct rtop_methods_options all = {.mode = job->options.mode};
  bool fine = true;
  for (size_t from = 0, to; fine && from < sum->cell_count; from = to) {
    struct export_walk stack = {.thread_index = sum->cells[from].thread, .tree = &walk.tree};
    for (to = from + 1; to < sum->cell_count && sum->cells[to].thread == stack.thread_index; to++)
      ;
    stack.thread = &sum->threads[stack.thread_index];
    fine = walk_part(&walk, sum, from, to) &&
           rtop_tree_build(&walk.tree, &walk.part, job->symbols, &all, false) &&
           walk_tree(&walk, &stack, visit, context);
  }
  rtop_tree_destroy(&walk.tree);
  free(walk.part.cells);
  free(walk.frames);
  return fine;
}
