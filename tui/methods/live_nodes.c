/* Nodes are kept while somebody looks at them: who asks in an update finds them kept in the next one. Else
 * they are made afresh from the cells when they are asked for. */
#include "live_impl.h"

void live_nodes_begin(struct rtop_live *live)
{
  live->nodes_kept = live->nodes_kept && live->nodes_asked;
  live->nodes_asked = false;
}

static void nodes_clear(struct rtop_live *live)
{
  for (uint32_t i = 0; i < live->node_count; i++) {
    live->nodes[i].self = live->nodes[i].total = (struct rtop_cost){ 0 };
    live->nodes[i].cells = 0;
  }
}

/* A parent comes before its children. */
static void nodes_make(struct rtop_live *live)
{
  nodes_clear(live);
  for (uint32_t i = 0; i < live->cell_count; i++) {
    const struct live_place *place = &live->places[live->cell_places[i]];
    struct rtop_live_node *node = &live->nodes[place->entry];
    if (live->threads[place->thread].hidden) continue;
    rtop_cost_add(&node->self, &live->cells[i].cost);
    node->cells++;
  }
  for (uint32_t i = live->node_count; i-- > 0;) {
    struct rtop_live_node *node = &live->nodes[i], *parent = &live->nodes[node->parent];
    rtop_cost_add(&node->total, &node->self);
    if (i == 0) break;
    rtop_cost_add(&parent->total, &node->total);
    parent->cells += node->cells;
  }
}

/* To a caller the live sum stays as it is. */
static void nodes_ask(const struct rtop_live *asked)
{
  struct rtop_live *live = (struct rtop_live *)asked;
  if (!live->nodes_kept) nodes_make(live);
  live->nodes_kept = live->nodes_kept || live->up_count == 0;
  live->nodes_asked = true;
}

const struct rtop_live_node *rtop_live_nodes(const struct rtop_live *live, uint32_t *count)
{
  nodes_ask(live);
  *count = live->node_count;
  return live->nodes;
}

const struct rtop_live_call *rtop_live_calls(const struct rtop_live *live, uint32_t *count)
{
  *count = live->node_count;
  return live->links;
}
