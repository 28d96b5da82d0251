/* SPDX-License-Identifier: MIT */
/* Stores and finds the call of the selected method that the user refers to. */
#include "ui_way.h"
#include "ui.h"

enum { WAY_SHOWN = UINT32_MAX }; /* used in place of a source: the node is a shown node */

static const struct rtop_call_node *way_node(const struct ui *ui, uint32_t node)
{
  return rtop_symbols_get_node(rtop_profile_symbols(ui->profile), node);
}

/* Returns the shown node of the call; 0: none. */
static uint32_t way_shown(const struct ui *ui, const struct ui_way *way)
{
  if (way->node == 0 || way->source == WAY_SHOWN) return way->node;
  uint32_t shown = rtop_lens_place(rtop_profile_lens(ui->profile), way->source, way->node);
  return shown == RTOP_LENS_OUT ? 0 : shown;
}

void ui_way_select(struct ui *ui, uint32_t source, uint32_t node)
{
  struct ui_way way = { .source = source, .node = node };
  uint32_t shown = way_shown(ui, &way);
  if (shown == 0) return;
  way.frame = ui->selected = way_node(ui, shown)->frame;
  ui->way = way;
}

void ui_way_shown(struct ui *ui, uint32_t frame, uint32_t node)
{
  ui->way = (struct ui_way){ .frame = frame, .source = WAY_SHOWN, .node = node };
}

void ui_way_call(struct ui *ui, uint32_t call)
{
  if (call == 0 || !rtop_tree_has(&ui->tree, call)) return;
  uint32_t frame = ui->tree.nodes[call].frame;
  if (ui->way.frame == frame && ui_way_in_tree(ui, frame) == call) return; /* it may be known better */
  ui->way = (struct ui_way){ .frame = frame, .call = call, .shapes = ui->tree.shapes };
}

void ui_way_drop(struct ui *ui)
{
  ui->way = (struct ui_way){ 0 };
}

void ui_way_keep(const struct ui *ui, struct rtop_symbols *symbols)
{
  rtop_symbols_use_node(symbols, ui->way.node);
}

static bool way_is_meant(const struct ui *ui)
{
  return ui->way.frame != 0 && ui->way.frame == ui->selected && ui->profile != NULL;
}

static bool way_has_call(const struct ui *ui)
{
  return ui->way.call != 0 && ui->way.shapes == ui->tree.shapes && ui->way.call < ui->tree.count;
}

/* Returns the node with most time of those that are one call in the tree. */
static uint32_t way_busiest(const struct ui *ui)
{
  uint32_t count, best = 0;
  uint64_t most_ns = 0;
  const struct rtop_live_node *nodes = rtop_live_nodes(ui->live, &count);
  const struct rtop_live_spent *spent = rtop_live_spent(ui->live);
  for (uint32_t i = 1; spent != NULL && i < count; i++) {
    if (nodes[i].frame != ui->way.frame || spent[i].cells == 0 ||
        rtop_tree_of(&ui->tree, nodes[i].node) != ui->way.call)
      continue;
    uint64_t ns = rtop_cost_wall(&spent[i].total);
    best = best == 0 || ns > most_ns ? nodes[i].node : best;
    most_ns = ns > most_ns ? ns : most_ns;
  }
  return best;
}

uint32_t ui_way_node(const struct ui *ui)
{
  if (!way_is_meant(ui)) return 0;
  uint32_t node = way_shown(ui, &ui->way);
  if (node == 0 && way_has_call(ui) && ui->live != NULL) node = way_busiest(ui);
  return node != 0 && way_node(ui, node)->frame == ui->selected ? node : 0;
}

uint32_t ui_way_in_tree(const struct ui *ui, uint32_t frame)
{
  uint32_t node = ui->way.frame == frame && ui->profile != NULL ? way_shown(ui, &ui->way) : 0;
  uint32_t call = node != 0 ? rtop_tree_of(&ui->tree, node) : way_has_call(ui) ? ui->way.call : 0;
  if (call != 0 && rtop_tree_has(&ui->tree, call) && ui->tree.nodes[call].frame == frame) return call;
  return rtop_tree_find(&ui->tree, frame, ui->wanted.mode);
}
