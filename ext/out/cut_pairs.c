/* SPDX-License-Identifier: MIT */
/* Gives nodes to the waiting and the holding parties. */
#include "cut_pairs.h"

#include "ext/names/label_nodes.h"

static bool is_pool(uint32_t party)
{
  return party >= PAIRS_POOL && party < PAIRS_POOL + POOLS_MAX;
}

static void name(struct sampler *sampler, uint32_t party)
{
  if (party && party < PAIRS_POOL) label_nodes_of(&sampler->labels, &sampler->frames, &sampler->tree, party);
  if (!is_pool(party)) return;
  struct pool *pool = &sampler->pools.entries[party - PAIRS_POOL];
  uint32_t frame = atomic_load_explicit(&pool->frame, memory_order_relaxed);
  if (!frame || atomic_load_explicit(&pool->node, memory_order_relaxed)) return;
  uint32_t node = calltree_child(&sampler->tree, RTOP_NODE_ROOT, frame, 0);
  atomic_store_explicit(&pool->node, node, memory_order_relaxed);
}

/* Returns the node by which readers find a party. */
static uint32_t node_of(const struct cut *cut, uint32_t party)
{
  const struct sampler *sampler = cut->sampler;
  if (party >= PAIRS_UNKNOWN) return RTOP_NODE_FOLDED;
  bool pool = is_pool(party);
  uint32_t node = pool ? atomic_load_explicit(&sampler->pools.entries[party - PAIRS_POOL].node, memory_order_relaxed)
                       : atomic_load_explicit(&sampler->labels.sets[party].node, memory_order_relaxed);
  bool known = node != RTOP_NODE_ROOT && names_out_known(cut->names, &sampler->tree, node) == node;
  if (known) return node;
  return pool ? RTOP_NODE_NO_FRAMES : RTOP_NODE_FOLDED;
}

static bool add(struct cut *cut, struct pairs_row *row, const struct rtop_behind *as)
{
  struct rtop_behind pair = *as;
  pair.count = atomic_exchange_explicit(&row->count, 0, memory_order_relaxed);
  pair.wait_ns = atomic_exchange_explicit(&row->wait_ns, 0, memory_order_relaxed);
  atomic_store_explicit(&row->key, 0, memory_order_relaxed);
  struct rtop_behind *to = pair.wait_ns ? rtop_window_add_pair(&cut->window) : NULL;
  if (to) *to = pair;
  return !pair.wait_ns || to;
}

static struct rtop_behind pair_of(const struct cut *cut, uint64_t key)
{
  struct pairs_key of = pairs_key_of(key);
  bool held = of.cause != RTOP_PAIR_HANDOVER;
  return (struct rtop_behind){ .node = node_of(cut, of.waiter),
                               .holder = held ? node_of(cut, of.holder) : RTOP_NODE_ROOT,
                               .cause = of.cause,
                               .place = of.place ? names_out_known(cut->names, &cut->sampler->tree, of.place) : 0 };
}

void cut_pairs_take(struct cut *cut)
{
  struct pairs_buffer *buffer = pairs_take(&cut->sampler->pairs);
  cut->pairs = buffer && atomic_load(&buffer->used) ? buffer : NULL;
}

void cut_pairs_name(struct cut *cut)
{
  for (uint32_t i = 0; cut->pairs && i < PAIRS_ROWS_MAX; i++) {
    uint64_t key = atomic_load_explicit(&cut->pairs->rows[i].key, memory_order_relaxed);
    if (!key) continue;
    struct pairs_key of = pairs_key_of(key);
    name(cut->sampler, of.waiter);
    name(cut->sampler, of.holder);
  }
}

bool cut_pairs_add(struct cut *cut)
{
  bool fine = true;
  if (!cut->pairs) return true;
  for (uint32_t cause = 0; cause < RTOP_PAIR_CAUSES; cause++) {
    uint32_t holder = cause == RTOP_PAIR_HANDOVER ? RTOP_NODE_ROOT : RTOP_NODE_FOLDED;
    const struct rtop_behind rest = { .node = RTOP_NODE_FOLDED, .holder = holder, .cause = cause };
    fine = add(cut, &cut->pairs->rest[cause], &rest) && fine;
  }
  for (uint32_t i = 0; i < PAIRS_ROWS_MAX; i++) {
    struct pairs_row *row = &cut->pairs->rows[i];
    uint64_t key = atomic_load_explicit(&row->key, memory_order_relaxed);
    const struct rtop_behind pair = pair_of(cut, key);
    if (key) fine = add(cut, row, &pair) && fine;
  }
  atomic_store(&cut->pairs->used, false); /* cleared last, because a forked child clears the buffers that are in use */
  return fine;
}
