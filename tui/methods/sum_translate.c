/* SPDX-License-Identifier: MIT */
/* Replaces ids of a sum by those of other symbols. */
#include "sum_translate.h"

#include <stdlib.h>
#include <string.h>

struct translation {
  const struct rtop_symbols *from;
  struct rtop_symbols *to;
  uint32_t *frames; /* id + 1; 0: not yet */
  uint32_t *nodes;  /* new id of each node; UINT32_MAX: wanted, not translated yet; 0: not wanted, or the root */
};

static uint32_t translate_frame(struct translation *translation, uint32_t frame)
{
  uint32_t *known = &translation->frames[frame];
  if (*known == 0 && frame != 0) {
    const struct rtop_symbol *symbol = rtop_symbols_get(translation->from, frame);
    uint32_t of_all = rtop_symbols_frame_from(translation->to, symbol);
    *known = 1 + rtop_symbols_frame_of(translation->to, of_all, symbol->process);
  }
  return *known ? *known - 1 : 0;
}

/* Marks a node and its callers as wanted. As parent < id, nodes are translated in order without recursion, however
 * deep stacks are. */
static void translate_want(struct translation *translation, uint32_t node)
{
  for (; node && !translation->nodes[node]; node = rtop_symbols_get_node(translation->from, node)->parent)
    translation->nodes[node] = UINT32_MAX;
}

static void translate_nodes(struct translation *translation, uint32_t count)
{
  for (uint32_t node = 1; node < count; node++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(translation->from, node);
    if (translation->nodes[node])
      translation->nodes[node] = rtop_symbols_node(translation->to, translation->nodes[call->parent],
                                                   translate_frame(translation, call->frame), call->line);
  }
}

bool rtop_sum_translate(struct rtop_sum *sum, const struct rtop_symbols *from, struct rtop_symbols *to)
{
  struct translation translation = { .from = from, .to = to };
  translation.frames = calloc((size_t)rtop_symbols_frame_count(from) + 1, sizeof *translation.frames);
  translation.nodes = calloc((size_t)rtop_symbols_node_count(from) + 1, sizeof *translation.nodes);
  bool fine = translation.frames && translation.nodes;
  for (size_t i = 0; fine && i < sum->cell_count; i++) translate_want(&translation, sum->cells[i].node);
  for (size_t i = 0; fine && i < sum->thread_count; i++) translate_want(&translation, sum->threads[i].node);
  if (fine) translate_nodes(&translation, rtop_symbols_node_count(from));
  for (size_t i = 0; fine && i < sum->cell_count; i++) sum->cells[i].node = translation.nodes[sum->cells[i].node];
  for (size_t i = 0; fine && i < sum->thread_count; i++) sum->threads[i].node = translation.nodes[sum->threads[i].node];
  if (!fine) sum->cell_count = sum->thread_count = 0;
  free(translation.frames);
  free(translation.nodes);
  return fine;
}
