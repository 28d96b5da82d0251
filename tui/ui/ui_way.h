/* SPDX-License-Identifier: MIT */
/* Which call of the method that is selected is meant, where that is known: a stall, a thread, a row of the tree are one
 * call, and the same method may have others, in other threads as well. Whoever goes to another view goes to that call
 * there. It is forgotten as soon as another method is selected.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_UI_WAY_H
#define RTOP_TUI_UI_WAY_H

#include <stdint.h>

struct ui;
struct rtop_symbols;

struct ui_way {
  uint32_t frame;        /* selected, when it was taken; 0: nothing is known */
  uint32_t source, node; /* the call as its process tells it; 0: that is not known */
  uint32_t call, shapes; /* else the node of ui->tree, while its ids are those */
};

/* Selects the method that a call is shown as: it may be hidden, its process may be shown apart. */
void ui_way_select(struct ui *ui, uint32_t source, uint32_t node);
/* The same of a call that is shown already: a row of the threads, a node of ui->tree (0: not known). The frame is
 * selected by the caller. */
void ui_way_shown(struct ui *ui, uint32_t frame, uint32_t node);
void ui_way_call(struct ui *ui, uint32_t call);
void ui_way_drop(struct ui *ui);
void ui_way_keep(const struct ui *ui, struct rtop_symbols *symbols);

/* The call that is meant, among the symbols' nodes: of several that differ in their lines only the one with most time. 0:
 * not known. */
uint32_t ui_way_node(const struct ui *ui);
/* Its node in ui->tree; of a method of which no call is meant, or not one of this sum, the node with most of it. 0: none. */
uint32_t ui_way_in_tree(const struct ui *ui, uint32_t frame);

#endif
