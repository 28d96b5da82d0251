/* Gives running time to what instants met, in its stretch or in others of its kind. */
#include "running.h"

#include "accounting.h"

void running_begin(struct thread_data *data, int64_t now_ns, uint32_t begin_node)
{
  data->running_since_ns = now_ns;
  data->begin_node = begin_node;
  data->met_node = 0;
}

/* What was allocated between two samples belongs to a method only when both stood in it: else to what both stacks
 * share, where "(shared)" is its own. */
static uint32_t allocations_node(struct sampler *sampler, uint32_t before, uint32_t node)
{
  if (before == node) return node;
  return before ? calltree_shared(&sampler->tree, before, node, FRAMES_SHARED) : sampler->shared_node;
}

void running_point(struct sampler *sampler, struct thread_data *data, uint32_t node)
{
  accounting_point(sampler, data, RTOP_RUNNING, node, 0);
  if (!data->met_node) data->met_node = node;
  uint32_t before = data->allocations_node;
  data->allocations_node = node;
  if (!data->allocations) return;
  struct rtop_cell cell = {
    .node = allocations_node(sampler, before, node),
    .thread = data->index,
    .state = RTOP_RUNNING,
    .allocations = data->allocations,
  };
  if (cells_add(sampler->open, &cell)) data->allocations = 0;
}

/* The wait's caller, where stretches of the kind end. */
static void learn_fallback(struct sampler *sampler, struct stratum *stratum, uint32_t end_node)
{
  if (!end_node || atomic_load_explicit(&stratum->fallback, memory_order_relaxed)) return;
  uint32_t caller = sampler->tree.entries[end_node].parent;
  atomic_store_explicit(&stratum->fallback, caller == RTOP_NODE_ROOT ? end_node : caller, memory_order_relaxed);
}

/* What waited for an instant in a stretch of this kind has it. Lock held. */
static void settle(struct sampler *sampler, struct thread_data *data, struct stratum *stratum, struct lane *lane,
                   uint32_t point)
{
  struct rtop_cell what = { .node = point };
  uint64_t epoch = atomic_load_explicit(&lane->epoch, memory_order_relaxed);
  if (axis_node(&stratum->axis, epoch, &what.node) || point)
    accounting_charge_lane(sampler, data, RTOP_RUNNING, lane, &what, 0);
  if (point) stratum_set(stratum, point);
}

static void move(struct lane *from, struct lane *to, uint64_t epoch)
{
  int64_t wall = atomic_load_explicit(&from->wall_ns, memory_order_relaxed);
  int64_t cpu = atomic_load_explicit(&from->cpu_ns, memory_order_relaxed);
  int64_t blame = atomic_exchange_explicit(&from->blame_ns, 0, memory_order_relaxed);
  if (cpu > wall) cpu = wall;
  if (cpu < 0) cpu = 0;
  atomic_fetch_sub_explicit(&from->wall_ns, wall, memory_order_relaxed);
  atomic_fetch_sub_explicit(&from->cpu_ns, cpu, memory_order_relaxed);
  if (atomic_load_explicit(&to->wall_ns, memory_order_relaxed) <= 0)
    atomic_store_explicit(&to->epoch, epoch, memory_order_relaxed);
  atomic_fetch_add_explicit(&to->cpu_ns, cpu, memory_order_relaxed);
  atomic_fetch_add_explicit(&to->blame_ns, blame, memory_order_relaxed);
  atomic_fetch_add_explicit(&to->wall_ns, wall, memory_order_release);
}

void running_end(struct sampler *sampler, struct thread_data *data, int64_t now_ns, uint32_t end_node)
{
  struct strata *strata = &sampler->pools.entries[atomic_load_explicit(&data->pool, memory_order_relaxed)].strata;
  int64_t length = now_ns - data->running_since_ns, period = atomic_load_explicit(&sampler->period_ns, memory_order_relaxed);
  uint32_t id = strata_find(strata, strata_key(data->begin_node, end_node, length), now_ns), point = data->met_node;
  struct stratum *stratum = &strata->entries[id];
  struct lane *lane = &data->strata[id], *open = &data->lanes[RTOP_RUNNING];
  learn_fallback(sampler, stratum, end_node);
  if (!point) point = stratum_overdue(stratum, period);
  bool waits = atomic_load_explicit(&lane->wall_ns, memory_order_relaxed) > 0;
  bool behind = waits && atomic_load_explicit(&lane->epoch, memory_order_relaxed) < axis_epoch(&stratum->axis);
  if ((point || behind) && clock_trylock(&sampler->lock)) {
    settle(sampler, data, stratum, lane, point);
    clock_unlock(&sampler->lock);
  }
  data->met_node = 0;
  int64_t rest = atomic_load_explicit(&open->wall_ns, memory_order_relaxed);
  if (rest <= 0) return;
  stratum_wait(stratum, rest);
  move(open, lane, axis_epoch(&stratum->axis));
}
