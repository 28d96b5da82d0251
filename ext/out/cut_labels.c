/* SPDX-License-Identifier: MIT */
/* Reports the number of times that labels began. */
#include "cut_labels.h"

#include "ext/names/label_nodes.h"

static bool began(struct label_sets *sets, uint32_t set)
{
  for (uint32_t label = 0; label < RTOP_LABEL_PAIRS_MAX; label++)
    if (atomic_load_explicit(&sets->begun[set][label], memory_order_relaxed)) return true;
  return false;
}

void cut_labels_name(struct cut *cut)
{
  struct sampler *sampler = cut->sampler;
  struct label_sets *sets = &sampler->labels;
  uint32_t count = atomic_load_explicit(&sets->count, memory_order_acquire);
  for (uint32_t set = 1; set < count; set++) {
    if (atomic_load_explicit(&sets->sets[set].node, memory_order_relaxed) || !began(sets, set)) continue;
    if (label_nodes_of(sets, &sampler->frames, &sampler->tree, set) != RTOP_NODE_ROOT) continue;
    for (uint32_t label = 0; label < RTOP_LABEL_PAIRS_MAX; label++) label_sets_take_begun(sets, set, label);
  }
}

bool cut_labels_add(struct cut *cut)
{
  struct label_sets *sets = &cut->sampler->labels;
  uint32_t count = atomic_load_explicit(&sets->count, memory_order_acquire);
  for (uint32_t set = 1; set < count; set++) {
    uint32_t node = atomic_load_explicit(&sets->sets[set].node, memory_order_relaxed);
    if (node == RTOP_NODE_ROOT || names_out_known(cut->names, &cut->sampler->tree, node) != node) continue;
    for (uint32_t label = 0; label < RTOP_LABEL_PAIRS_MAX; label++) {
      uint32_t times = label_sets_take_begun(sets, set, label);
      if (!times) continue;
      struct rtop_begun *begun = rtop_window_add_begun(&cut->window);
      if (!begun) return false;
      *begun = (struct rtop_begun){ .node = node, .label = label, .count = times };
    }
  }
  return true;
}
