/* SPDX-License-Identifier: MIT */
/* Corrects times from which too much overhead was subtracted. */
#include "whole_cost.h"

#include <stdlib.h>

struct settled {
  /* measured: the method's self time in ticks, overhead included; own: the overhead in this time */
  int64_t measured, own;
  int64_t back; /* ticks to give back to the node and all nodes below it */
};

static enum whole_kind kind_of(const struct whole_node *node)
{
  return node->id ? WHOLE_C : WHOLE_RUBY;
}

static int64_t calls_of(struct whole_node *node)
{
  return (int64_t)atomic_load_explicit(&node->calls, memory_order_relaxed);
}

static void add(_Atomic int64_t *sum, int64_t more)
{
  atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + more, memory_order_relaxed);
}

static int64_t least_of(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Limits the inner overhead per call to the mean self time of the fastest method that makes no calls, since no call is
 * shorter than its overhead. */
static void bound_inside(struct whole_tree *tree, const struct whole_cost before[WHOLE_KINDS],
                         struct whole_cost costs[WHOLE_KINDS])
{
  for (uint32_t at = 1; at < whole_tree_count(tree); at++) {
    struct whole_node *node = &tree->nodes[at];
    int64_t calls = calls_of(node), inside = before[kind_of(node)].inside;
    if (node->last || calls < WHOLE_COST_CALLS) continue;
    int64_t mean = (atomic_load_explicit(&node->self, memory_order_relaxed) + calls * inside) / calls;
    costs[kind_of(node)].inside = least_of(costs[kind_of(node)].inside, mean > 0 ? mean : 0);
  }
}

/* Chooses the smaller of the two measurements for each part of the overhead. */
static void choose_costs(struct whole_tree *tree, const struct whole_cost before[WHOLE_KINDS],
                         const struct whole_cost again[WHOLE_KINDS], struct whole_cost costs[WHOLE_KINDS])
{
  for (int kind = 0; kind < WHOLE_KINDS; kind++) {
    int64_t inside = least_of(before[kind].inside, again[kind].inside);
    int64_t whole = least_of(before[kind].inside + before[kind].outside, again[kind].inside + again[kind].outside);
    costs[kind] = (struct whole_cost){ inside, least_of(before[kind].outside, whole > inside ? whole - inside : 0) };
  }
  bound_inside(tree, before, costs);
}

/* Sums up measured time and overhead. The outer overhead of a call is part of its caller's time. */
static void sum_up(struct whole_tree *tree, const struct whole_cost before[WHOLE_KINDS],
                   const struct whole_cost costs[WHOLE_KINDS], struct settled *rows, uint32_t count)
{
  for (uint32_t at = 1; at < count; at++) {
    struct whole_node *node = &tree->nodes[at];
    const struct whole_cost *then = &before[kind_of(node)], *now = &costs[kind_of(node)];
    int64_t calls = calls_of(node);
    rows[at].measured += atomic_load_explicit(&node->self, memory_order_relaxed) + calls * then->inside;
    rows[at].own += calls * now->inside;
    rows[node->parent].measured += calls * then->outside;
    rows[node->parent].own += calls * now->outside;
  }
}

int64_t whole_cost_settle(struct whole_tree *tree, const struct whole_cost before[WHOLE_KINDS],
                          const struct whole_cost again[WHOLE_KINDS])
{
  uint32_t count = whole_tree_count(tree);
  struct whole_cost costs[WHOLE_KINDS];
  struct settled *rows = calloc(count, sizeof *rows);
  int64_t all = 0;
  if (!rows) return 0;
  choose_costs(tree, before, again, costs);
  sum_up(tree, before, costs, rows, count);
  for (uint32_t at = count; --at > 0;) { /* children have higher indices than their parents */
    struct whole_node *node = &tree->nodes[at];
    int64_t left = rows[at].measured - rows[at].own, least = rows[at].measured / WHOLE_COST_LEFT;
    int64_t back = (left > least ? left : least) - atomic_load_explicit(&node->self, memory_order_relaxed);
    if (back < 0) back = 0;
    rows[at].back += back;
    rows[node->parent].back += rows[at].back;
    add(&node->self, back);
    add(&node->total, rows[at].back);
    all += back;
  }
  free(rows);
  return all;
}
